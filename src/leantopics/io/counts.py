"""What the formats of word counts have in common."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from leantopics._limits import MOST_COUNT, MOST_INDEX, limit, way_out
from leantopics.io.streams import COMPRESSED, STDIN, is_plain


def find_beside(source: str, candidates: Iterable[Path]) -> str | None:
    """Return the first of some files that exists, plain or compressed."""
    if source == STDIN:
        return None
    for candidate in candidates:
        for suffix in ("", *COMPRESSED):
            path = candidate.with_name(candidate.name + suffix)
            if path.is_file():
                return str(path)
    return None


def sum_counts(
    words: npt.ArrayLike, values: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the words sorted and without repeats, adding the counts of repeats.

    The arrays are copies, so they do not keep the block alive that they were cut from.

    Examples
    --------
    >>> sum_counts([4, 2, 4], [1.0, 2.0, 3.0])
    (array([2, 4]), array([2., 4.]))
    """
    given, counts = np.array(words, np.int64), np.array(values, np.float64)
    if (given[1:] > given[:-1]).all():
        return given, counts
    unique, inverse = np.unique(given, return_inverse=True)
    return unique, np.bincount(inverse, weights=counts).astype(np.float64)


def check_word(word: int, first: int, n_words: int) -> None:
    """Refuse a word number that is outside the vocabulary."""
    if not first <= word < first + n_words:
        raise ValueError(
            f"there is no word {word}; the vocabulary has {n_words}, "
            f"numbered from {first}."
        )


def check_values(values: Any) -> None:
    """Refuse counts that are negative, not finite, or too large to be exact."""
    for value in values:
        if not 0 <= value <= MOST_COUNT:
            raise ValueError(
                f"counts are numbers from 0 to 2^53 - 1, got {str(value)[:40]}."
            )


def check_claim(what: str, claimed: int, name: str, n_bytes: int | None = None) -> None:
    """Refuse a number of words or documents for which there is no evidence.

    Memory is allocated only after this. Each document needs one of ``n_bytes`` bytes.
    """
    most = min(max(limit(what), n_bytes or 0), MOST_INDEX)
    if claimed > most:
        raise ValueError(
            f"{name} claims {str(claimed)[:40]} {what}, more than {most}, without "
            + ("a vocabulary" if what == "words" else "the bytes to hold them")
            + (f"; {way_out(what)}." if most < MOST_INDEX else ".")
        )


def greatest_size(source: str) -> int:
    """Return the largest size in bytes that a file can have when uncompressed."""
    times = 1 if is_plain(source) else limit("expansion")
    return os.stat(source).st_size * times


def whole(token: str) -> int:
    """Convert digits to a number; refuse one too long for a count or a size."""
    if len(token) > 400:
        raise ValueError(f"a number must have at most 400 digits, got {len(token)}.")
    return int(token)
