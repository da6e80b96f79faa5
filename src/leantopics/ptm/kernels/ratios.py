"""Documents as the kernels see them: their words, and the ratios of their topics."""

import math
from typing import NamedTuple

import numpy as np

from leantopics._arrays import Counts, Floats, Ints, Longs
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import DocTopics, Salient, copy


class Document(NamedTuple):
    """The words of one document, their counts, L_d and 1/2 log(L_d / 2 pi)."""

    words: Ints
    counts: Floats
    length: float
    own_price: float


@kernel
def document(counts: Counts, d: int) -> Document:
    """Row d of the counts."""
    low, high = counts.indptr[d], counts.indptr[d + 1]
    data = counts.data[low:high]
    length = 0.0
    for count in data:
        length += count
    own_price = 0.5 * math.log(length / (2.0 * math.pi))
    return Document(counts.indices[low:high], data, length, own_price)


@kernel
def load_rows(
    counts: Counts, mixes: DocTopics, salient: Salient, n_words: int, least: int
) -> tuple[Longs, Floats]:
    """Ratios ``1 + r[k, n]`` of the words of each document in each of its topics.

    Only documents of ``least`` topics have rows.

    This goes topic by topic: the words of a topic lie in a dense scratch, where its
    documents look theirs up. Returns (start, ratio): entry e of mixes has its row at
    ``ratio[start[e]:start[e + 1]]``. Cost: the salient words, and the rows.
    """
    n_entries = mixes.topic.shape[0]
    first = np.zeros(salient.indptr.shape[0], np.int64)
    start, doc = np.zeros(n_entries + 1, np.int64), np.empty(n_entries, np.int32)
    for d in range(counts.indptr.shape[0] - 1):
        n = counts.indptr[d + 1] - counts.indptr[d]
        if mixes.indptr[d + 1] - mixes.indptr[d] < least:
            n = 0
        for e in range(mixes.indptr[d], mixes.indptr[d + 1]):
            doc[e] = d
            start[e + 1] = start[e] + n
            if n > 0:
                first[mixes.topic[e]] += 1
    for k in range(1, first.shape[0]):
        first[k] += first[k - 1]
    by_topic = np.empty(n_entries, np.int32)
    for e in range(n_entries - 1, -1, -1):
        if start[e + 1] > start[e]:
            k = mixes.topic[e]
            first[k] -= 1
            by_topic[first[k]] = e
    ratio, scratch = np.empty(start[n_entries]), np.ones(n_words)
    for k in range(first.shape[0] - 1):
        if first[k] == first[k + 1]:
            continue
        for s in range(salient.indptr[k], salient.indptr[k + 1]):
            scratch[salient.word[s]] = 1.0 + salient.excess[s]
        for place in range(first[k], first[k + 1]):
            e = by_topic[place]
            low = counts.indptr[doc[e]] - start[e]
            for i in range(start[e], start[e + 1]):
                ratio[i] = scratch[counts.indices[low + i]]
        for s in range(salient.indptr[k], salient.indptr[k + 1]):
            scratch[salient.word[s]] = 1.0
    return start, ratio


@kernel
def load_row(salient: Salient, topic: int, n: int, place: Ints, row: Floats) -> None:
    """Fill ``row[i] = 1 + r[topic, words[i]]`` for the n words of a document.

    place (N,) is i for words[i] and -1 for others. Writes: row.
    """
    for i in range(n):
        row[i] = 1.0
    for s in range(salient.indptr[topic], salient.indptr[topic + 1]):
        i = place[salient.word[s]]
        if i >= 0:
            row[i] = 1.0 + salient.excess[s]


@kernel
def mark(words: Ints, place: Ints, on: bool) -> None:
    """Set ``place[words[i]]`` to i, or back to -1. Writes: place."""
    for i in range(words.shape[0]):
        place[words[i]] = i if on else -1


@kernel
def mix(ratio: Floats, alpha: Floats, n_words: int, q: Floats) -> None:
    """``q[i] = sum_k alpha[k] ratio[k, i]``. Writes: q."""
    for i in range(n_words):
        total = 0.0
        for k in range(alpha.shape[0]):
            total += alpha[k] * ratio[k, i]
        q[i] = total


@kernel
def invert(q: Floats, n: int, out: Floats) -> None:
    """``1 / q``, infinite where q is zero. Writes: out (n,)."""
    for i in range(n):
        out[i] = 1.0 / q[i] if q[i] > 0.0 else np.inf


@kernel
def split_counts(
    counts: Floats, ratio: Floats, alpha: Floats, q: Floats, out: Floats
) -> None:
    """E-step (pz) of one document: ``x[k, i] = c_i alpha_k ratio[k, i] / q_i``.

    A word that none of its topics allows (q = 0, possible only right after a topic was
    removed) is split by the proportions. Writes: out (m * words,), by topic.
    """
    n, m = counts.shape[0], alpha.shape[0]
    if m == 1:
        copy(counts, out, n)
        return
    for k in range(m):
        for i in range(n):
            part = alpha[k] * ratio[k, i] / q[i] if q[i] > 0.0 else alpha[k]
            out[k * n + i] = counts[i] * part
