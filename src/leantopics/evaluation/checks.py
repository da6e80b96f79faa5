"""Check inputs: arrays of any library in, float64 arrays and CSR counts out."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.corpus.rows import row_parts
from leantopics.corpus.validation import safe_matrix

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Indices: TypeAlias = npt.NDArray[np.integer[Any]]
Matrix: TypeAlias = "Floats | sparse.csr_array"

_SUM_TOLERANCE = 1e-4  # float32 arrays of other libraries pass


def check_matrix(name: str, values: Any, *shape: int | None) -> Matrix:
    """Return values as a finite, non-negative float64 matrix, CSR if sparse.

    ``shape`` gives the required sizes, None for any.

    Examples
    --------
    >>> check_matrix("doc_topic", [[1, 0]], 1, None)
    array([[1., 0.]])
    """
    values = safe_matrix(values, name)
    dense, kind = not sparse.issparse(values), type(values).__name__
    if dense:
        values = np.asarray(values)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} must be a matrix of numbers, got {kind} ({values.ndim} axes of "
            f"{values.dtype})."
        )
    wrong = [
        n is not None and n != m for n, m in zip(shape, values.shape, strict=False)
    ]
    if any(wrong):
        wanted = " by ".join("any" if n is None else str(n) for n in shape)
        got = " by ".join(map(str, values.shape))
        raise ValueError(f"{name} must be {wanted}, got {got}.")
    matrix: Any = np.asarray(values, dtype=np.float64) if dense else _csr(values)
    stored = matrix if dense else matrix.data
    if not np.isfinite(stored).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity.")
    if (stored < 0).any():
        raise ValueError(f"{name} must not be negative, got {stored.min():g}.")
    found: Matrix = matrix
    return found


def check_counts(values: Any) -> sparse.csr_array:
    """Return counts as a canonical CSR copy without stored zeros.

    Examples
    --------
    >>> check_counts([[0, 2], [1, 0]]).indices
    array([1, 0], dtype=int32)
    """
    counts = sparse.csr_array(check_matrix("counts", values))
    counts.eliminate_zeros()
    return counts


def check_parts(values: Any) -> Iterator[tuple[slice, sparse.csr_array]]:
    """Yield the rows of counts in parts, each as `check_counts` returns it.

    Only parts are copied, so that counts may be larger than memory.

    Examples
    --------
    >>> [(rows, part.nnz) for rows, part in check_parts([[0, 2], [1, 0]])]
    [(slice(0, 2, None), 2)]
    """
    values = safe_matrix(values, "counts")
    is_rows = isinstance(values, sparse.csr_array | sparse.csr_matrix)
    for rows, part in row_parts(values if is_rows else check_counts(values)):
        yield rows, check_counts(part)


def check_distributions(name: str, values: Any, *shape: int | None) -> Matrix:
    """Return a matrix whose rows sum to 1, or to 0 if they are empty.

    Examples
    --------
    >>> check_distributions("topic_word", [[3, 1]])
    Traceback (most recent call last):
    ...
    ValueError: Rows of topic_word must sum to 1, got 4; divide each by its sum.
    """
    matrix = check_matrix(name, values, *shape)
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    wrong = (np.abs(sums - 1.0) > _SUM_TOLERANCE) & (sums != 0.0)
    if wrong.any():
        raise ValueError(
            f"Rows of {name} must sum to 1, got {sums[wrong][0]:g}; divide each by "
            "its sum."
        )
    return matrix


def row_numbers(counts: sparse.csr_array) -> Ints:
    """Return the document of each stored count.

    Examples
    --------
    >>> row_numbers(sparse.csr_array([[1, 2], [0, 3]]))
    array([0, 0, 1])
    """
    return np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))


def _csr(values: Any) -> sparse.csr_array:
    """Return a copy with sorted columns and no duplicates; stored zeros stay."""
    matrix = sparse.csr_array(values, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    return matrix
