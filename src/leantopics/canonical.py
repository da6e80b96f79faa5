"""Counts of any kind in the one form that all code relies on."""

from typing import Any

import numpy as np
from scipy import sparse

from leantopics.limits import MOST_INDEX


def canonical(counts: Any) -> "sparse.csr_array[np.float64]":
    """Return a checked CSR copy of `counts` in the one form all code relies on."""
    check_sound(counts)
    if not sparse.issparse(counts):
        try:
            counts = np.asarray(counts)
        except ValueError as error:
            raise ValueError(f"Counts must be a matrix of numbers: {error}") from None
    if counts.ndim != 2:
        raise ValueError(
            f"Counts must be a matrix of documents by words, got {counts.ndim} axes."
        )
    if counts.dtype.kind not in "biuf":
        raise ValueError(f"Counts must be numbers, got an array of {counts.dtype}.")
    with np.errstate(over="ignore"):  # infinity is refused
        matrix = sparse.csr_array(counts, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        total = float(matrix.data.sum())
    if np.isnan(total) or not np.all(np.isfinite(matrix.data)):
        raise ValueError("Counts must be finite, got NaN or infinity.")
    if np.any(matrix.data < 0):
        raise ValueError(
            "Negative values in data: counts must not be negative, "
            f"got {matrix.data.min():g}."
        )
    if not np.isfinite(total):
        raise ValueError("Counts must have a finite sum; scale them down.")
    matrix.eliminate_zeros()
    return matrix


def check_sound(counts: Any) -> None:
    """Refuse arrays that must not be converted: masked, or sparse ones out of order.

    SciPy trusts the indices of a sparse matrix; wrong ones would end the process.

    Examples
    --------
    >>> matrix = sparse.csr_array([[1, 2]])
    >>> matrix.indices[0] = 7
    >>> check_sound(matrix)
    Traceback (most recent call last):
    ...
    ValueError: Counts must be a sound sparse matrix: indices must be < 2.
    """
    if isinstance(counts, np.ma.MaskedArray) and np.ma.is_masked(counts):
        raise ValueError(
            "Counts must all be there, got a masked array; fill it before (filled)."
        )
    if not sparse.issparse(counts):
        return
    matrix: Any = counts
    if matrix.ndim == 2 and max(matrix.shape) > MOST_INDEX:
        raise ValueError(
            f"Counts must have at most {MOST_INDEX} documents and words, got "
            f"{matrix.shape[0]} and {matrix.shape[1]}."
        )
    if matrix.format in ("csr", "csc", "bsr"):
        try:
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(
                f"Counts must be a sound sparse matrix: {error}."
            ) from None
