"""Expected counts x[j, n] of the E-step (pz), gathered topic by topic.

Every (document, topic, word) entry has its place in one topic-major array, cut by
shard, so shards write side by side and the sums come out the same whoever runs them.
"""

import numpy as np
from numba import njit

from leantopics.ptm.kernels.arrays import (
    Counts,
    Floats,
    Ints,
    Longs,
    Mixes,
    Table,
    longest,
)
from leantopics.ptm.kernels.documents import document, load_ratios, mix
from leantopics.ptm.kernels.mixture import log_likelihood


@njit(cache=True, nogil=True)
def entries(counts: Counts, mixes: Mixes, out: Longs) -> None:
    """Number of entries each topic gets from a shard. Writes: out (M,)."""
    for d in range(counts.indptr.shape[0] - 1):
        for k in mixes.topic[mixes.indptr[d] : mixes.indptr[d + 1]]:
            out[k] += counts.indptr[d + 1] - counts.indptr[d]


@njit(cache=True, nogil=True)
def expect(
    counts: Counts, mixes: Mixes, table: Table, cursor: Longs, word: Ints, x: Floats
) -> None:
    """E-step: ``x = c alpha_k (1 + r[k, n]) / q_n`` for each document, topic and word.

    A word that none of the document's topics allows (q = 0, possible only just after a
    topic was taken away) is shared out by the proportions.
    Writes: word, x from cursor[j] on for each topic j; cursor (M,) moves along.
    """
    n_docs = counts.indptr.shape[0] - 1
    widest = longest(counts.indptr)
    ratio = np.ones((longest(mixes.indptr), widest))
    q = np.ones(widest)
    slot = np.full(cursor.shape[0], -1, np.int32)
    for d in range(n_docs):
        doc = document(counts, d)
        n = doc.words.shape[0]
        row, end = mixes.indptr[d], mixes.indptr[d + 1]
        topics, alpha = mixes.topic[row:end], mixes.alpha[row:end]
        m = topics.shape[0]
        if m > 1:
            load_ratios(table, doc.words, topics, slot, ratio)
            mix(ratio, alpha, n, q)
        for k in range(m):
            low = cursor[topics[k]]
            cursor[topics[k]] = low + n
            for i in range(n):
                word[low + i] = doc.words[i]
                if m == 1:
                    x[low + i] = doc.counts[i]
                elif q[i] > 0.0:
                    x[low + i] = doc.counts[i] * alpha[k] * ratio[k, i] / q[i]
                else:
                    x[low + i] = doc.counts[i] * alpha[k]


@njit(cache=True, nogil=True)
def merge(
    word: Ints,
    x: Floats,
    indptr: Longs,
    first: int,
    last: int,
    n_words: int,
    size: Longs,
) -> None:
    """Add up the entries of equal words for topics first .. last - 1, in place.

    Writes: word, x (the first size[j] entries of topic j hold its distinct words with
    positive count, in order of first sight), size.
    """
    total = np.zeros(n_words)
    for j in range(first, last):
        low, high = indptr[j], indptr[j + 1]
        place = low
        for e in range(low, high):
            n = word[e]
            if x[e] > 0.0:
                if total[n] == 0.0:
                    word[place] = n
                    place += 1
                total[n] += x[e]
        for e in range(low, place):
            x[e] = total[word[e]]
            total[word[e]] = 0.0
        size[j] = place - low


@njit(cache=True, nogil=True)
def values(
    counts: Counts, mixes: Mixes, table: Table, n_topics: int, out: Floats
) -> None:
    """Log-likelihood (parsmdl) of each document over the shared model. Writes: out."""
    widest = longest(counts.indptr)
    ratio = np.ones((longest(mixes.indptr), widest))
    q, scratch = np.ones(widest), np.empty(widest)
    slot = np.full(n_topics, -1, np.int32)
    for d in range(counts.indptr.shape[0] - 1):
        doc = document(counts, d)
        row, end = mixes.indptr[d], mixes.indptr[d + 1]
        load_ratios(table, doc.words, mixes.topic[row:end], slot, ratio)
        mix(ratio, mixes.alpha[row:end], doc.words.shape[0], q)
        out[d] = log_likelihood(doc.counts, q, scratch)
