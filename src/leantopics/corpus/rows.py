"""Going through the documents of a corpus in parts that fit into memory."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

PART_ENTRIES = 1 << 20
"""Stored counts of the rows that are processed together."""


def cut_rows(indptr: npt.NDArray[Any], entries: int) -> npt.NDArray[np.int64]:
    """Return the rows at which parts of about ``entries`` counts begin, and the end.

    The part of a row depends only on the rows before it.

    Examples
    --------
    >>> cut_rows(np.array([0, 1, 20, 25]), 10)
    array([0, 2, 3])
    """
    part = np.asarray(indptr[:-1], dtype=np.int64) // entries
    return np.concatenate(([0], 1 + np.flatnonzero(np.diff(part)), [len(part)]))


def row_parts(counts: Any) -> Iterator[tuple[slice, Any]]:
    """Yield the rows of a CSR matrix in parts that fit into memory.

    There is at least one part, which may be empty; a matrix of a single part is not
    copied.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> [rows for rows, part in row_parts(csr_array([[1, 2], [0, 3]]))]
    [slice(0, 2, None)]
    """
    cuts = cut_rows(counts.indptr, PART_ENTRIES)
    for first, last in pairwise(cuts.tolist()):
        whole = last - first == counts.shape[0]
        yield slice(first, last), counts if whole else counts[first:last]
