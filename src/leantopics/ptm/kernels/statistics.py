"""Expected counts x[j, n] of the E-step (pz), gathered topic by topic.

Every (document, topic, word) entry of a group has its place in one topic-major array,
cut by shard. So shards can be written in parallel, and the sums do not depend on who
runs them. Nor do sums over groups, whose parts are put into one array in order.
"""

import math

import cython
import numpy as np

from leantopics._arrays import Counts, Floats, Ints, Longs, longest
from leantopics.ptm.kernels.arrays import DocTopics, PartialCounts, Salient
from leantopics.ptm.kernels.mixture import log_likelihood
from leantopics.ptm.kernels.ratios import (
    Document,
    load_rows,
    mix,
    read,
    split_counts,
)
from leantopics.ptm.kernels.views import (
    CountsView,
    MixesView,
    PartView,
    copy,
    copy_ints,
)


def entries(counts: Counts, mixes: DocTopics, out: Longs) -> None:
    """Number of entries each topic gets from a shard. Writes: out (M,)."""
    _entries(CountsView(counts), MixesView(mixes), out)


def _entries(counts: CountsView, mixes: MixesView, out: Longs) -> None:
    with cython.nogil:
        for d in range(counts.indptr.shape[0] - 1):
            n = counts.indptr[d + 1] - counts.indptr[d]
            for e in range(mixes.indptr[d], mixes.indptr[d + 1]):
                out[mixes.topic[e]] += n


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
    _gather(CountsView(counts), MixesView(mixes), split, cursor, word, x)


def _gather(
    counts: CountsView,
    mixes: MixesView,
    split: Floats,
    cursor: Longs,
    word: Ints,
    x: Floats,
) -> None:
    place = 0
    with cython.nogil:
        for d in range(counts.indptr.shape[0] - 1):
            low, high = counts.indptr[d], counts.indptr[d + 1]
            n = high - low
            for e in range(mixes.indptr[d], mixes.indptr[d + 1]):
                k = mixes.topic[e]
                copy_ints(counts.indices[low:high], word[cursor[k] :], n)
                copy(split[place:], x[cursor[k] :], n)
                cursor[k] += n
                place += n


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
    _merge(word, x, indptr, first, last, np.zeros(n_words), size)


def _merge(
    word: Ints,
    x: Floats,
    indptr: Longs,
    first: int,
    last: int,
    total: Floats,
    size: Longs,
) -> None:
    """See `merge`; total (N,) is all zero on entry and exit."""
    with cython.nogil:
        for j in range(first, last):
            place = low = indptr[j]
            for e in range(low, indptr[j + 1]):
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


def append(part: PartialCounts, cursor: Longs, word: Ints, x: Floats) -> None:
    """Append the entries of a part to those of the previous parts, for `merge`.

    Writes: word, x from cursor[j] on for each topic j; cursor (M,) moves along.
    """
    for j, (low, n) in enumerate(zip(part.indptr, part.size, strict=False)):
        word[cursor[j] : cursor[j] + n] = part.word[low : low + n]
        x[cursor[j] : cursor[j] + n] = part.x[low : low + n]
        cursor[j] += n


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
    _complete(PartView(part), first, last, shared, beta0, fixed)


def _complete(
    part: PartView, first: int, last: int, shared: Floats, beta0: Floats, fixed: Floats
) -> None:
    with cython.nogil:
        for j in range(first, last):
            low = part.indptr[j]
            for e in range(low, low + part.size[j]):
                x, b = part.x[e], shared[part.word[e]]
                beta0[e] = b
                fixed[e] = x * math.log(x / b) - x


def expect(
    counts: Counts, mixes: DocTopics, salient: Salient, n_words: int, values: Floats
) -> Floats:
    """E-step of a shard as it is: the split counts of all documents.

    Writes: values (D,), if it has room, the log-likelihoods (parsmdl) relative to the
    shared model.
    """
    wanted = len(values) > 0
    start, rows = load_rows(counts, mixes, salient, n_words, 1 if wanted else 2)
    split = np.empty(np.diff(counts.indptr) @ np.diff(mixes.indptr))
    widest, documents = longest(counts.indptr), CountsView(counts)
    _expect(
        documents,
        MixesView(mixes),
        start,
        rows,
        wanted,
        Document(),
        np.ones((longest(mixes.indptr), widest)),
        np.ones(widest),
        np.empty(widest),
        split,
        values,
    )
    return split


def _expect(
    counts: CountsView,
    mixes: MixesView,
    start: Longs,
    rows: Floats,
    wanted: bool,
    doc: Document,
    ratio: Floats,
    q: Floats,
    scratch: Floats,
    split: Floats,
    values: Floats,
) -> None:
    """See `expect`; ratio and q are all one. Writes: split, values, all scratch."""
    place = 0
    with cython.nogil:
        for d in range(counts.indptr.shape[0] - 1):
            read(counts, d, doc)
            n, row, end = doc.words.shape[0], mixes.indptr[d], mixes.indptr[d + 1]
            if wanted or end - row > 1:
                for k in range(end - row):
                    copy(rows[start[row + k] :], ratio[k], n)
                mix(ratio, mixes.alpha[row:end], n, q)
            if wanted:
                values[d] = log_likelihood(doc.counts, q, scratch)
            split_counts(doc.counts, ratio, mixes.alpha[row:end], q, split[place:])
            place += (end - row) * n
