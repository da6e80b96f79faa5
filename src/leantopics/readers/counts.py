"""What the formats of word counts have in common."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from leantopics.readers.record import fault
from leantopics.readers.streams import COMPRESSED, STDIN


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
    """Return words sorted and each once, adding the counts of those given twice.

    Examples
    --------
    >>> sum_counts([4, 2, 4], [1.0, 2.0, 3.0])
    (array([2, 4]), array([2., 4.]))
    """
    unique, inverse = np.unique(np.asarray(words, np.int64), return_inverse=True)
    sums = np.bincount(inverse, weights=np.asarray(values, np.float64))
    return unique, sums.astype(np.float64)


def check_word(word: int, first: int, n_words: int, name: str, line: int) -> None:
    """Refuse the number of a word that is outside the vocabulary."""
    if not first <= word < first + n_words:
        raise fault(
            name,
            line,
            f"there is no word {word}; the vocabulary has {n_words}, "
            f"numbered from {first}.",
        )
