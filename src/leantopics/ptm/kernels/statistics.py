"""Expected counts x[j, n] of the E-step (pz), gathered topic by topic.

Every (document, topic, word) entry of a group has its place in one topic-major array,
cut by shard. So shards can be written in parallel, and the sums do not depend on who
runs them. Nor do sums over groups, whose parts are put into one array in order.
"""

import math

import numpy as np

from leantopics._arrays import Counts, Floats, Ints, Longs, longest
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import DocTopics, PartialCounts, Salient, copy
from leantopics.ptm.kernels.mixture import log_likelihood
from leantopics.ptm.kernels.ratios import document, load_rows, mix, split_counts


@kernel
def entries(counts: Counts, mixes: DocTopics, out: Longs) -> None:
    """Number of entries each topic gets from a shard. Writes: out (M,)."""
    for d in range(counts.indptr.shape[0] - 1):
        for k in mixes.topic[mixes.indptr[d] : mixes.indptr[d + 1]]:
            out[k] += counts.indptr[d + 1] - counts.indptr[d]


@kernel
def gather(
    counts: Counts,
    mixes: DocTopics,
    split: Floats,
    cursor: Longs,
    word: Ints,
    x: Floats,
) -> None:
    """Copy the split counts of a shard into the topic-major array.

    Writes: word, x from cursor[j] on for each topic j; cursor (M,) moves along.
    """
    place = 0
    for d in range(counts.indptr.shape[0] - 1):
        words = counts.indices[counts.indptr[d] : counts.indptr[d + 1]]
        n = words.shape[0]
        for k in mixes.topic[mixes.indptr[d] : mixes.indptr[d + 1]]:
            copy(words, word[cursor[k] :], n)
            copy(split[place:], x[cursor[k] :], n)
            cursor[k] += n
            place += n


@kernel
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
    positive count, in order of first occurrence), size.
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


@kernel
def append(part: PartialCounts, cursor: Longs, word: Ints, x: Floats) -> None:
    """Append the entries of a part to those of the previous parts, for `merge`.

    Writes: word, x from cursor[j] on for each topic j; cursor (M,) moves along.
    """
    for j in range(part.size.shape[0]):
        low, n = part.indptr[j], part.size[j]
        copy(part.word[low:], word[cursor[j] :], n)
        copy(part.x[low:], x[cursor[j] :], n)
        cursor[j] += n


@kernel
def complete(
    part: PartialCounts,
    first: int,
    last: int,
    shared: Floats,
    beta0: Floats,
    fixed: Floats,
) -> None:
    """What the word pass needs besides the counts, for topics first .. last - 1.

    Writes: beta0, fixed where the part has entries; see `Statistics`.
    """
    for j in range(first, last):
        low = part.indptr[j]
        for e in range(low, low + part.size[j]):
            beta0[e] = shared[part.word[e]]
            fixed[e] = part.x[e] * math.log(part.x[e] / beta0[e]) - part.x[e]


@kernel
def expect(
    counts: Counts, mixes: DocTopics, salient: Salient, n_words: int, values: Floats
) -> Floats:
    """E-step of a shard as it is: the split counts of all documents.

    Writes: values (D,), if it has room, the log-likelihoods (parsmdl) relative to the
    shared model.
    """
    wanted = values.shape[0] > 0
    start, rows = load_rows(counts, mixes, salient, n_words, 1 if wanted else 2)
    n_docs, n_split = counts.indptr.shape[0] - 1, 0
    for d in range(n_docs):
        m = mixes.indptr[d + 1] - mixes.indptr[d]
        n_split += m * (counts.indptr[d + 1] - counts.indptr[d])
    split, place = np.empty(n_split), 0
    widest = longest(counts.indptr)
    ratio = np.ones((longest(mixes.indptr), widest))
    q, scratch = np.ones(widest), np.empty(widest)
    for d in range(n_docs):
        doc = document(counts, d)
        n = doc.words.shape[0]
        row, end = mixes.indptr[d], mixes.indptr[d + 1]
        alpha = mixes.alpha[row:end]
        if wanted or end - row > 1:
            for k in range(end - row):
                copy(rows[start[row + k] :], ratio[k], n)
            mix(ratio, alpha, n, q)
        if wanted:
            values[d] = log_likelihood(doc.counts, q, scratch)
        split_counts(doc.counts, ratio, alpha, q, split[place:])
        place += (end - row) * n
    return split
