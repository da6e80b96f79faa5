"""Documents as the kernels see them: their words, and the ratios of their topics."""

import math
from math import inf

import cython
import numpy as np

from leantopics._arrays import Counts, Floats, Ints, Longs
from leantopics.ptm.kernels.arrays import DocTopics, Salient, Table
from leantopics.ptm.kernels.views import CountsView, MixesView, SalientView, copy


class Document:
    """The words of one document, their counts, L_d and 1/2 log(L_d / 2 pi)."""

    def __init__(self) -> None:
        self.words, self.counts = np.empty(0, np.int32), np.empty(0)
        self.length = self.own_price = 0.0


def read(counts: CountsView, d: int, doc: Document) -> None:
    """Read row d of the counts. Writes: doc."""
    low, high = counts.indptr[d], counts.indptr[d + 1]
    doc.words, doc.counts = counts.indices[low:high], counts.data[low:high]
    length = 0.0
    for i in range(low, high):
        length += counts.data[i]
    doc.length = length
    doc.own_price = 0.5 * math.log(length / (2.0 * math.pi))


def load_rows(
    counts: Counts, mixes: DocTopics, salient: Salient, n_words: int, least: int
) -> tuple[Longs, Floats]:
    """Ratios ``1 + r[k, n]`` of the words of each document in each of its topics.

    Only documents of ``least`` topics have rows.

    This goes topic by topic: the words of a topic lie in a dense scratch, where its
    documents look theirs up. Returns (start, ratio): entry e of mixes has its row at
    ``ratio[start[e]:start[e + 1]]``. Cost: the salient words, and the rows.
    """
    n_entries, n_topics = len(mixes.topic), salient.n_topics
    first, start = np.zeros(n_topics + 1, np.int64), np.zeros(n_entries + 1, np.int64)
    doc, by_topic = np.empty(n_entries, np.int32), np.empty(n_entries, np.int32)
    view = CountsView(counts)
    _places(view, MixesView(mixes), least, first, start, doc, by_topic)
    ratio, scratch = np.empty(start[n_entries]), np.ones(n_words)
    words = SalientView(salient)
    _load(view, words, first, start, doc, by_topic, scratch, ratio)
    return start, ratio


def _places(
    counts: CountsView,
    mixes: MixesView,
    least: int,
    first: Longs,
    start: Longs,
    doc: Ints,
    by_topic: Ints,
) -> None:
    """Where rows start, and in which order they are loaded.

    Writes: first (M + 1,), start (entries + 1,), doc, by_topic (entries,).
    """
    n_topics, n_entries = first.shape[0] - 1, doc.shape[0]
    with cython.nogil:
        for d in range(counts.indptr.shape[0] - 1):
            n = counts.indptr[d + 1] - counts.indptr[d]
            if mixes.indptr[d + 1] - mixes.indptr[d] < least:
                n = 0
            for e in range(mixes.indptr[d], mixes.indptr[d + 1]):
                doc[e] = d
                start[e + 1] = start[e] + n
                if n > 0:
                    first[mixes.topic[e]] += 1
        for k in range(1, n_topics + 1):
            first[k] += first[k - 1]
        for e in range(n_entries - 1, -1, -1):
            if start[e + 1] > start[e]:
                k = mixes.topic[e]
                first[k] -= 1
                by_topic[first[k]] = e


def _load(
    counts: CountsView,
    salient: SalientView,
    first: Longs,
    start: Longs,
    doc: Ints,
    by_topic: Ints,
    scratch: Floats,
    ratio: Floats,
) -> None:
    """Load the rows of every topic. scratch (N,) is all one. Writes: ratio."""
    with cython.nogil:
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


def load_row(
    salient: SalientView, topic: int, n: int, place: Ints, row: Floats
) -> None:
    """Fill ``row[i] = 1 + r[topic, words[i]]`` for the n words of a document.

    place (N,) is i for words[i] and -1 for others. Writes: row.
    """
    for i in range(n):
        row[i] = 1.0
    for s in range(salient.indptr[topic], salient.indptr[topic + 1]):
        i = place[salient.word[s]]
        if i >= 0:
            row[i] = 1.0 + salient.excess[s]


def mark(words: Ints, place: Ints, on: bool) -> None:
    """Set ``place[words[i]]`` to i, or back to -1. Writes: place."""
    for i in range(words.shape[0]):
        place[words[i]] = i if on else -1


def mix(ratio: Floats, alpha: Floats, n_words: int, q: Floats) -> None:
    """``q[i] = sum_k alpha[k] ratio[k, i]``. Writes: q."""
    for i in range(n_words):
        total = 0.0
        for k in range(alpha.shape[0]):
            total += alpha[k] * ratio[k, i]
        q[i] = total


def invert(q: Floats, n: int, out: Floats) -> None:
    """``1 / q``, infinite where q is zero. Writes: out (n,)."""
    for i in range(n):
        out[i] = 1.0 / q[i] if q[i] > 0.0 else inf


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


def sort_table(table: Table) -> None:
    """Sort the entries of each word by decreasing excess, in place and stably."""
    _sort(table.indptr, table.topic, table.excess)


def _sort(indptr: Longs, topic: Ints, excess: Floats) -> None:
    with cython.nogil:
        for n in range(indptr.shape[0] - 1):
            for e in range(indptr[n] + 1, indptr[n + 1]):
                number, value = topic[e], excess[e]
                place = e
                while place > indptr[n] and excess[place - 1] < value:
                    topic[place] = topic[place - 1]
                    excess[place] = excess[place - 1]
                    place -= 1
                topic[place], excess[place] = number, value
