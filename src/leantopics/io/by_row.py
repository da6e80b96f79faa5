"""Sort the entries of a matrix by row, on disk."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

_PART = 1 << 18
"""Entries of the rows that are in memory at once, and entries read back at once."""


def rows_of(
    blocks: Iterable[Floats], n_rows: int, n_columns: int
) -> Iterator[tuple[Longs, Floats]]:
    """Yield columns and values of each row of a matrix; values at one place are added.

    Its entries come in any order, in blocks of shape (n, 3): row, column and value of
    each. They are written to temporary files twice, 24 bytes each. Memory holds some
    hundred thousand entries, and 40 bytes for each row at the peak.

    Examples
    --------
    >>> entries = np.array([[1, 2, 5.0], [0, 1, 1.0], [1, 0, 2.0], [1, 2, 1.0]])
    >>> list(rows_of([entries], 2, 3))
    [(array([1]), array([1.])), (array([0, 2]), array([2., 6.]))]
    """
    size = np.zeros(n_rows, dtype=np.int64)
    with TemporaryFile() as given, TemporaryFile() as grouped:
        for entries in blocks:
            given.write(np.ascontiguousarray(entries).data)
            rows, sizes = np.unique(entries[:, 0].astype(np.int64), return_counts=True)
            size[rows] += sizes
        indptr = np.concatenate(([0], np.cumsum(size)))
        cuts = np.flatnonzero(np.diff(indptr[:-1] // _PART, prepend=-1))
        _group(given, grouped, cuts, indptr[cuts], int(indptr[-1]))
        for first, last in pairwise([*cuts, n_rows]):
            entries = _read(grouped, indptr[first], indptr[last])
            row, column = entries[:, :2].T.astype(np.int64)
            shape = (last - first, n_columns)
            part = sparse.csr_array((entries[:, 2], (row - first, column)), shape=shape)
            part.sum_duplicates()
            for start, stop in pairwise(part.indptr):
                words = part.indices[start:stop].astype(np.int64)
                yield words, part.data[start:stop]


def _group(given: Any, grouped: Any, cuts: Longs, starts: Longs, total: int) -> None:
    """Write the entries part by part, each in the order in which they were given."""
    free = starts.copy()
    for begin in range(0, total, _PART):
        entries = _read(given, begin, min(begin + _PART, total))
        part = np.searchsorted(cuts, entries[:, 0], side="right") - 1
        entries = entries[np.argsort(part, kind="stable")]
        parts, sizes = np.unique(part, return_counts=True)
        ends = np.cumsum(sizes)
        for number, size, end in zip(parts, sizes, ends, strict=True):
            grouped.seek(24 * int(free[number]))
            grouped.write(entries[end - size : end].data)
            free[number] += size


def _read(stream: Any, first: int, last: int) -> Floats:
    """Read entries first .. last - 1 of a file."""
    stream.seek(24 * int(first))
    raw = stream.read(24 * int(last - first))
    return np.frombuffer(raw, dtype=np.float64).reshape(-1, 3)
