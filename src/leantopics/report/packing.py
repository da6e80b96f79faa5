"""The vocabulary of a report in few bytes, for the script."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

MOST_WORDS = 50_000
"""Most words in a page, besides those that some topic uses more than others."""
UNIT = 1e-10
"""Probabilities are whole numbers of this."""


def pack_words(
    words: Sequence[str], vocabulary: dict[str, Any], most: int = MOST_WORDS
) -> tuple[list[str], dict[str, Any]]:
    """Return the words of a page, and what it tells of each.

    Rare words that no topic uses more than others are left out: they are empty, and
    their number is ``left_out``.

    Parameters
    ----------
    words : sequence of str
        The words as they are written.
    vocabulary : dict
        What `summarise` tells of them.
    most : int
        Most words that no topic uses more than others.

    Examples
    --------
    >>> found = {"probability": [0.5, 0.2, 0.3], "indptr": [0, 0, 1, 1],
    ...     "topic": [4], "times": [2.5], "shared": []}
    >>> shown, packed = pack_words(["the", "sea", "and"], found, 1)
    >>> shown, packed["counts"], packed["units"], packed["left_out"]
    (['the', 'sea', ''], [0, 1, 0], [5000000000, 2000000000, 0], 1)
    """
    probability = vocabulary["probability"]
    counts = [last - first for first, last in pairwise(vocabulary["indptr"])]
    others = [n for n, count in enumerate(counts) if not count]
    others.sort(key=lambda n: (-probability[n], n))
    left_out = set(others[most:])
    units = (
        0 if n in left_out else round(value / UNIT)
        for n, value in enumerate(probability)
    )
    return ["" if n in left_out else word for n, word in enumerate(words)], {
        **{name: vocabulary[name] for name in ("topic", "times", "shared")},
        "counts": counts,
        "units": list(units),
        "left_out": len(left_out),
    }
