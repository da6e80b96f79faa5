"""The data of a page in few bytes: what its script can work out is left out."""

from itertools import pairwise
from typing import Any

from leantopics.report.topics import four_digits

MOST_WORDS = 50_000
"""Most words in a page, besides those that some topic uses more than others."""
UNIT = 1e-10
"""Probabilities are whole numbers of this."""
GROUP_UNIT = 1e-5
"""Shares in groups of documents are whole numbers of this, as they were rounded."""
_UNCHANGED = ("themes", "cut", "map", "patches", "documents")
"""Parts of a summary that the script reads as they are."""

Summary = dict[str, Any]


def pack(summary: Summary) -> Summary:
    """Return what the script of a page reads, in the forms that it unpacks."""
    words, vocabulary = pack_words(summary["words"], summary["vocabulary"])
    tree = summary["tree"]
    return {
        **{name: summary[name] for name in _UNCHANGED},
        "words": words,
        "vocabulary": vocabulary,
        "topics": [_pack_topic(topic) for topic in summary["topics"]],
        "tree": tree
        and {**tree, "words": [_without_shared(some) for some in tree["words"]]},
        "groups": [
            {**group, "points": [_flat(node) for node in group["points"]]}
            for group in summary["groups"]
        ],
    }


def pack_words(
    words: list[str], vocabulary: Summary, most: int = MOST_WORDS
) -> tuple[list[str], Summary]:
    """Return the words, and the vocabulary with counts for ``indptr`` and in units.

    Rare words that no topic uses more than others are left out beyond ``most`` of them:
    they are empty, and their number is ``left_out``.

    Examples
    --------
    >>> vocabulary = {"probability": [0.5, 0.2, 0.3], "indptr": [0, 0, 1, 1],
    ...     "topic": [4], "times": [2.5], "shared": []}
    >>> words, packed = pack_words(["the", "sea", "and"], vocabulary, 1)
    >>> words, packed["counts"], packed["units"], packed["left_out"]
    (['the', 'sea', ''], [0, 1, 0], [5000000000, 2000000000, 0], 1)
    """
    probability = vocabulary["probability"]
    counts = [last - first for first, last in pairwise(vocabulary["indptr"])]
    others = [n for n, count in enumerate(counts) if not count]
    others.sort(key=lambda n: (-probability[n], n))
    left_out = set(others[most:])
    units = [
        0 if n in left_out else round(value / UNIT)
        for n, value in enumerate(probability)
    ]
    return ["" if n in left_out else word for n, word in enumerate(words)], {
        **{name: vocabulary[name] for name in ("topic", "times")},
        "counts": counts,
        "units": units,
        "left_out": len(left_out),
    }


def _pack_topic(topic: Summary) -> Summary:
    """Leave out shared probabilities, and compare siblings by one number a word."""
    return {
        **topic,
        "words": _without_shared(topic["words"]),
        "avoided": [entry[0] for entry in topic["avoided"]],
        "siblings": [
            {**other, "more": _times(other["more"]), "less": _times(other["less"])}
            for other in topic["siblings"]
        ],
    }


def _without_shared(entries: list[list[float]]) -> list[list[float]]:
    """Leave out the shared probability of a word, which the vocabulary has, too."""
    return [[word, own, *rest] for word, own, _, *rest in entries]


def _times(entries: list[list[float]]) -> list[list[float]]:
    """Return how many times as probable words are here as there."""
    return [[n, four_digits(here / max(there, 1e-9))] for n, here, there in entries]


def _flat(points: list[list[float]]) -> list[int]:
    """Return share, low and high of each group, one after another, in units."""
    return [round(value / GROUP_UNIT) for point in points for value in point]
