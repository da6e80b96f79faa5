"""Bring counts of any kind into the one form that all code relies on."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics._limits import MOST_INDEX

MANY_STORED = 1 << 31
PART_ENTRIES = 1 << 20
"""Stored counts of the rows that are processed together."""


def index_type(n_stored: int) -> type[np.signedinteger[Any]]:
    """Return the index type for that many stored counts, and so for word numbers.

    SciPy has one type for both, and copies arrays saved with another one.

    Examples
    --------
    >>> index_type(10), index_type(2**31)
    (<class 'numpy.int32'>, <class 'numpy.int64'>)
    """
    return np.int32 if n_stored < MANY_STORED else np.int64


def canonical(counts: Any) -> "sparse.csr_array[np.float64]":
    """Return a checked CSR copy of `counts` in the one form all code relies on."""
    counts = sound(counts)
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


def sound(values: Any, name: str = "Counts") -> Any:
    """Return a matrix that can be converted to CSR; refuse masked and broken arrays.

    SciPy trusts the indices of a sparse matrix; wrong ones would crash the process. A
    format without arrays of indices is converted to one that has them.

    Examples
    --------
    >>> matrix = sparse.csr_array([[1, 2]])
    >>> matrix.indices[0] = 7
    >>> sound(matrix)
    Traceback (most recent call last):
    ...
    ValueError: Counts must be a sound sparse matrix: indices must be < 2.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} must not have masked entries; fill the array first (filled)."
        )
    matrix: Any = values
    if not sparse.issparse(values) or matrix.ndim != 2:
        return values
    if max(matrix.shape) > MOST_INDEX:
        raise ValueError(
            f"{name} must have at most {MOST_INDEX} rows and columns, got "
            f"{matrix.shape[0]} and {matrix.shape[1]}."
        )
    try:
        if matrix.format not in ("csr", "csc", "bsr", "coo"):
            matrix = matrix.asformat("csr" if matrix.format == "lil" else "coo")
        if matrix.format == "coo":
            _check_places(matrix)
        else:
            matrix.check_format(full_check=True)
            if (np.diff(matrix.indptr) < 0).any():  # SciPy skips this if the last is 0
                raise ValueError("indptr values must not decrease")
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(f"{name} must be a sound sparse matrix: {error}.") from None
    return matrix


def _check_places(matrix: Any) -> None:
    """Refuse a COO matrix with entries outside it."""
    for place, size in zip((matrix.row, matrix.col), matrix.shape, strict=True):
        if place.shape != matrix.data.shape or place.dtype.kind not in "iu":
            raise ValueError("rows and columns must be whole numbers, one per entry")
        if len(place) and not 0 <= place.min() <= place.max() < size:
            raise ValueError(f"indices must be from 0 to {size - 1}")


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
    >>> [rows for rows, part in row_parts(sparse.csr_array([[1, 2], [0, 3]]))]
    [slice(0, 2, None)]
    """
    cuts = cut_rows(counts.indptr, PART_ENTRIES)
    for first, last in pairwise(cuts.tolist()):
        whole = last - first == counts.shape[0]
        yield slice(first, last), counts if whole else counts[first:last]


def check_vocabulary(words: Iterable[str] | None, n_words: int) -> list[str]:
    """Return the words of a vocabulary; refuse repeated words."""
    names = check_names("vocabulary", words, n_words)
    if words is not None and len(set(names)) < n_words:
        word = Counter(names).most_common(1)[0][0]
        raise ValueError(f"The vocabulary must not repeat words, got {word!r} twice.")
    return names


def check_names(what: str, values: Iterable[str] | None, expected: int) -> list[str]:
    """Return names, as many as expected: "0", "1", ... if none are given."""
    if values is None:
        return [str(i) for i in range(expected)]
    if isinstance(values, str):
        raise TypeError(f"The {what} must be a sequence of strings, got one string.")
    names = list(values)
    if len(names) != expected:
        raise ValueError(length_message(what, expected, len(names)))
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"The {what} must be strings, got {name!r}.")
    return [str(name) for name in names]


def length_message(what: str, expected: int, got: int) -> str:
    """Return the message for something of the wrong length."""
    axis = "words" if what == "vocabulary" else "documents"
    return f"The {what} must match the matrix of {expected} {axis}, got {got} entries."


def label_list(value: str | Iterable[str] | None) -> list[str]:
    """Return the labels of a document as a list."""
    if value is None:
        return []
    try:
        labels = [value] if isinstance(value, str) else list(value)
    except TypeError:
        raise TypeError(
            "The labels of a document must be a string, a list of strings or None, got "
            f"{value!r}."
        ) from None
    for label in labels:
        if not isinstance(label, str):
            raise TypeError(f"Labels must be strings, got {label!r}.")
    return labels


def to_json(what: str, values: Iterable[Any]) -> list[str]:
    """Return each value as JSON."""
    try:
        return [json.dumps(value, ensure_ascii=False) for value in values]
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"The {what} cannot be saved as JSON: {error}.") from None
