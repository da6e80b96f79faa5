"""Counts in the form that models work on: in shards, without unseen words."""

import itertools

import numpy as np
from scipy import sparse

from leantopics._arrays import Bools, Counts, Floats

SHARD_ENTRIES = 1 << 14
"""Stored counts in a shard; it never depends on the number of workers."""


def cut_shards(counts: sparse.csr_array | Counts) -> list[Counts]:
    """Cut documents into shards of about ``SHARD_ENTRIES`` stored counts.

    Examples
    --------
    >>> shard, = cut_shards(sparse.csr_array(np.eye(3)))
    >>> shard.indptr
    array([0, 1, 2, 3])
    """
    indptr = counts.indptr.astype(np.int64, copy=False)
    counts = Counts(indptr, counts.indices, counts.data)
    n_shards = round(indptr[-1] / SHARD_ENTRIES)
    if n_shards <= 1:
        return [_shard(counts, 0, len(indptr) - 1)]
    marks = np.linspace(0, indptr[-1], n_shards + 1)
    cuts = np.unique(np.searchsorted(indptr, marks))
    cuts[-1] = len(indptr) - 1
    return [_shard(counts, *ends) for ends in itertools.pairwise(cuts)]


def cut_filled(counts: sparse.csr_array, filled: Bools) -> list[Counts]:
    """Cut the rows that are not empty into shards; there may be none."""
    if filled.all() and len(filled):
        return cut_shards(counts)
    return cut_shards(counts[filled]) if filled.any() else []


def _shard(counts: Counts, first: int, last: int) -> Counts:
    rows = counts.indptr[first : last + 1]
    part = slice(rows[0], rows[-1])
    return Counts(
        rows - rows[0],
        counts.indices[part].astype(np.int32, copy=False),
        counts.data[part].astype(np.float64, copy=False),
    )


def drop_unseen(counts: sparse.csr_array, beta0: Floats) -> sparse.csr_array:
    """Remove the words that the fit never saw."""
    unseen = beta0[counts.indices] == 0.0
    if unseen.any():
        counts = counts.copy()
        counts.data[unseen] = 0.0
        counts.eliminate_zeros()
    return counts
