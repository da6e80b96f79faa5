"""Sort the entries of a matrix by row, on disk."""

from collections.abc import Iterator
from itertools import pairwise
from tempfile import TemporaryFile
from typing import BinaryIO, Self, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float64]

_PART = 1 << 18
"""Entries of the rows that are in memory at once, and entries read back at once."""


class RowsOnDisk:
    """Take the entries of a matrix in any order and yield its rows one by one.

    The entries are written to temporary files twice, 24 bytes each. Memory holds some
    hundred thousand entries, and 40 bytes for each row at the peak.

    Examples
    --------
    >>> with RowsOnDisk(2, 3) as matrix:
    ...     matrix.add(np.array([[1, 2, 5.0], [0, 1, 1.0], [1, 0, 2.0], [1, 2, 1.0]]))
    ...     list(matrix)
    [(array([1]), array([1.])), (array([0, 2]), array([2., 6.]))]
    """

    def __init__(self, n_rows: int, n_columns: int) -> None:
        self._size = np.zeros(n_rows, dtype=np.int64)
        self._n_columns = n_columns

    def __enter__(self) -> Self:
        self._came, self._sorted = (cast(BinaryIO, TemporaryFile()) for _ in range(2))
        return self

    def __exit__(self, *error: object) -> None:
        self._came.close()
        self._sorted.close()

    def add(self, entries: Floats) -> None:
        """Add entries, an array of shape (n, 3): row, column and value of each."""
        self._came.write(np.ascontiguousarray(entries).data)
        rows, sizes = np.unique(entries[:, 0].astype(np.int64), return_counts=True)
        self._size[rows] += sizes

    def __iter__(self) -> Iterator[tuple[npt.NDArray[np.int64], Floats]]:
        """Yield columns and values of each row; values at the same place are added."""
        indptr = np.concatenate(([0], np.cumsum(self._size)))
        cuts = np.flatnonzero(np.diff(indptr[:-1] // _PART, prepend=-1))
        self._deal(cuts, indptr[cuts])
        for first, last in pairwise([*cuts, len(self._size)]):
            entries = _read(self._sorted, indptr[first], indptr[last])
            row, column = entries[:, :2].T.astype(np.int64)
            shape = (last - first, self._n_columns)
            part = sparse.csr_array((entries[:, 2], (row - first, column)), shape=shape)
            part.sum_duplicates()
            for start, stop in zip(part.indptr[:-1], part.indptr[1:], strict=True):
                words = part.indices[start:stop].astype(np.int64)
                yield words, part.data[start:stop]

    def _deal(self, cuts: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]) -> None:
        """Group the entries by part, in the order in which they were added."""
        free, total = starts.copy(), int(self._size.sum())
        for begin in range(0, total, _PART):
            entries = _read(self._came, begin, min(begin + _PART, total))
            part = np.searchsorted(cuts, entries[:, 0], side="right") - 1
            entries = entries[np.argsort(part, kind="stable")]
            parts, sizes = np.unique(part, return_counts=True)
            ends = np.cumsum(sizes)
            for number, size, end in zip(parts, sizes, ends, strict=True):
                self._sorted.seek(24 * int(free[number]))
                self._sorted.write(entries[end - size : end].data)
                free[number] += size


def _read(stream: BinaryIO, first: int, last: int) -> Floats:
    """Read entries first .. last - 1 of a file."""
    stream.seek(24 * int(first))
    raw = stream.read(24 * int(last - first))
    return np.frombuffer(raw, dtype=np.float64).reshape(-1, 3)
