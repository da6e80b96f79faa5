"""Checks in front of the kernels: arrays that they could not trust are refused.

Kernels do not check bounds. Their arrays come from a user, a saved model or corpus, a
checkpoint or a worker, and pass these checks first. A check is one pass over the
arrays, cheaper than an iteration.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

MOST = 1e100
"""Largest number in an array: sums and products of a few such numbers are finite."""
LEAST = 1e-100
"""Smallest number in an array that is used as a divisor."""
SUMS = 1e-6
"""How far the sum of probabilities may be from one."""
_PIECE = 1 << 20


def check(name: str, sound: bool | np.bool_) -> None:
    """Raise an error that names an array, if it is not ``sound``.

    Examples
    --------
    >>> check("beta0", False)
    Traceback (most recent call last):
    ...
    ValueError: the array 'beta0'
    """
    if not sound:
        raise ValueError(f"the array {name!r}")


def is_numbers(
    array: npt.NDArray[Any], *shape: int, least: float = -MOST, most: float = MOST
) -> bool:
    """Whether an array has dtype float64, the given shape and values within bounds.

    Examples
    --------
    >>> is_numbers(np.array([0.5, 0.5]), 2, least=0.0), is_numbers(np.ones(2), 3)
    (True, False)
    >>> is_numbers(np.array([np.nan]), 1)
    False
    """
    if array.dtype != np.float64 or array.shape != shape:
        return False
    return bool(np.all((array >= least) & (array <= most)))


def is_pattern(
    indptr: npt.NDArray[Any], index: npt.NDArray[Any], rows: int, columns: int
) -> bool:
    """Whether two arrays are the rows of a sparse matrix without duplicate entries.

    Examples
    --------
    >>> is_pattern(np.array([0, 2, 2]), np.array([0, 4]), rows=2, columns=5)
    True
    >>> is_pattern(np.array([0, 2, 2]), np.array([0, 5]), rows=2, columns=5)
    False
    >>> is_pattern(np.array([0, 2, 2]), np.array([4, 4]), rows=2, columns=5)
    False
    """
    if not (_is_whole(indptr, rows + 1) and _is_whole(index, len(index))):
        return False
    sizes = np.diff(indptr)
    if not (
        indptr[0] == 0
        and indptr[-1] == len(index)
        and np.all((sizes >= 0) & (sizes <= columns))
        and np.all((index >= 0) & (index < columns))
    ):
        return False
    entry = np.repeat(np.arange(rows) * columns, sizes) + index
    return len(np.unique(entry)) == len(entry)


def are_shares(indptr: npt.NDArray[Any], shares: npt.NDArray[Any]) -> bool:
    """Whether the numbers of every row are not negative and sum to one.

    Examples
    --------
    >>> are_shares(np.array([0, 2, 3]), np.array([0.25, 0.75, 1.0]))
    True
    >>> are_shares(np.array([0, 2, 3]), np.array([0.25, 0.25, 1.0]))
    False
    """
    rows = len(indptr) - 1
    if not is_numbers(shares, int(indptr[-1]), least=0.0):
        return False
    row = np.repeat(np.arange(rows), np.diff(indptr))
    sums = np.bincount(row, shares, minlength=rows)
    return bool(np.all(np.abs(sums - 1.0) <= SUMS))


def check_canonical(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    shape: tuple[int, int],
) -> None:
    """Refuse counts that are not canonical CSR arrays of the given shape.

    The words of a document must be in order without duplicates, and counts must be
    positive. The arrays may be memory-mapped, so they are read piece by piece.

    Examples
    --------
    >>> check_canonical(np.ones(2), np.array([0, 3]), np.array([0, 2]), (1, 3))
    Traceback (most recent call last):
    ...
    ValueError: words of the vocabulary
    """
    whole = _is_whole(indptr, shape[0] + 1) and _is_whole(indices, len(data))
    if not whole or data.dtype != np.float64 or data.ndim != 1:
        raise ValueError(
            f"counts of {data.dtype} for words of {indices.dtype}, as many as the "
            "documents have"
        )
    if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise ValueError("the documents in order")
    for first in range(0, len(data), _PIECE):
        values, words = (each[first : first + _PIECE + 1] for each in (data, indices))
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise ValueError("counts that are finite and positive")
        if words.min() < 0 or words.max() >= shape[1]:
            raise ValueError("words of the vocabulary")
        falls = first + 1 + np.flatnonzero(np.diff(words) <= 0)
        if (indptr[np.searchsorted(indptr, falls)] != falls).any():
            raise ValueError("the words of each document in order")


def are_whole(*values: Any) -> bool:
    """Whether JSON values are whole numbers from 0 up.

    Examples
    --------
    >>> are_whole(4, 0), are_whole(4.0), are_whole(True)
    (True, False, False)
    """
    return all(type(value) is int and value >= 0 for value in values)


def _is_whole(array: npt.NDArray[Any], size: int) -> bool:
    """Whether an array has ``size`` integers of 32 or 64 bits."""
    return array.dtype in (np.int32, np.int64) and array.shape == (size,)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of the choices."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {listed}. Got {value!r} instead.")


def check_level(level: float) -> None:
    """Refuse a confidence of intervals that is not between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1. Got {level!r} instead.")


def check_at_least(name: str, value: float, least: float = 1) -> None:
    """Refuse a number that is too small."""
    if not value >= least:
        raise ValueError(f"{name} must be at least {least}. Got {value!r} instead.")
