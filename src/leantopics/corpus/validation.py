"""Bring counts of any kind into the one form that all code relies on."""

import json
from collections import Counter
from collections.abc import Iterable
from numbers import Integral, Number
from typing import Any

import numpy as np
from scipy import sparse

from leantopics._frames import column_names, is_frame, is_missing, rows
from leantopics._limits import MOST_INDEX

MANY_STORED = 1 << 31
"""From this many stored counts on, SciPy needs indices of 64 bits."""


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
    counts = safe_matrix(counts)
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


def safe_matrix(values: Any, name: str = "Counts") -> Any:
    """Return a matrix that can be converted to CSR; refuse masked and broken arrays.

    SciPy trusts the indices of a sparse matrix; wrong ones would crash the process. A
    format without arrays of indices is converted to one that has them.

    Examples
    --------
    >>> matrix = sparse.csr_array([[1, 2]])
    >>> matrix.indices[0] = 7
    >>> safe_matrix(matrix)
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


def label_list(value: Any) -> list[str]:
    """Return the labels of a document as a list; numbers become their digits.

    Examples
    --------
    >>> label_list("sea"), label_list(3), label_list(["sea", 3]), label_list(None)
    (['sea'], ['3'], ['sea', '3'], [])
    """
    if is_missing(value):
        return []
    if isinstance(value, str | Number):
        return [_label(value)]
    try:
        labels = list(value)
    except TypeError:
        raise TypeError(
            "The labels of a document must be a string, a whole number, a list of "
            f"these, or None, got {value!r}."
        ) from None
    return [_label(label) for label in labels]


def _label(value: Any) -> str:
    """Return one label; pandas makes floats of whole numbers where some are missing."""
    if isinstance(value, str):
        return str(value)
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole and not (isinstance(value, float) and value.is_integer()):
        raise TypeError(f"Labels must be strings or whole numbers, got {value!r}.")
    return str(int(value))


def metadata_rows(metadata: Any) -> list[dict[str, Any]]:
    """Return the metadata of each document as a dictionary.

    Examples
    --------
    >>> metadata_rows([{"year": 1987}, None])
    [{'year': 1987}, {}]
    """
    if is_frame(metadata):
        return rows(metadata, column_names(metadata))
    try:
        return [dict(row or {}) for row in metadata]
    except (TypeError, ValueError):
        raise TypeError(
            "The metadata must be a dictionary for each document, or a data frame with "
            f"a row for each, got {metadata!r:.60}."
        ) from None


def to_json(what: str, values: Iterable[Any]) -> list[str]:
    """Return each value as JSON."""
    try:
        return [json.dumps(value, ensure_ascii=False) for value in values]
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"The {what} cannot be saved as JSON: {error}.") from None
