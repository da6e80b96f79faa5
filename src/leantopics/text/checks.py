"""Checks of the settings of a vectorizer, with one sentence each."""

from numbers import Integral, Real

import regex
import snowballstemmer

from leantopics.text.words import WORD_PATTERN

_CALL = regex.compile(r"(?<!\\)(?:\\\\)*+\K\(\?(?:R|[+-]?\d+|&\w+|P>\w+)\)")
"""A call in a pattern to itself or a group: it can fill the memory before a timeout."""


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that is not a regular expression, or a dangerous one."""
    try:
        groups = regex.compile(pattern).groups
    except (regex.error, TypeError, RecursionError) as error:
        raise ValueError(
            f"The pattern {pattern!r:.200} is not a regular expression: {error}."
        ) from None
    if calls := _CALL.search(pattern):
        raise ValueError(
            f"The pattern {pattern!r:.200} must not call itself or a group, "
            f"got {calls[0]}: write it out."
        )
    if groups > 1:
        raise ValueError(
            f"The pattern {pattern!r} must have at most one group, got "
            f"{groups}; write the others as (?:...)."
        )


def check_tokenizer(tokenizer: object, pattern: str) -> None:
    """Refuse a tokenizer that is not a function, or that is given with a pattern."""
    if not (tokenizer is None or callable(tokenizer)):
        raise TypeError(
            "The tokenizer must be a function that returns the words of a text, "
            f"got {tokenizer!r}."
        )
    if tokenizer is not None and pattern != WORD_PATTERN:
        raise ValueError(
            "A pattern and a tokenizer cannot both define words; give only one."
        )


def check_stem(stem: object) -> None:
    """Refuse a stemmer that does not exist."""
    if stem is not None and stem not in snowballstemmer.algorithms():
        raise ValueError(
            f"The stemmer must be one of {', '.join(snowballstemmer.algorithms())},"
            f" got {stem!r}."
        )


def check_frequency(name: str, value: object) -> None:
    """Refuse what is neither a number nor a share of documents."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    share = isinstance(value, Real) and not isinstance(value, Integral)
    if (whole and value >= 1) or (share and 0 <= value <= 1):  # type: ignore[operator]
        return
    raise ValueError(
        f"{name} must be a whole number of documents, 1 or more, or a share of them "
        f"between 0.0 and 1.0, got {value!r}."
    )


def check_ngrams(ngrams: object) -> None:
    """Refuse what is not two numbers of words in order."""
    sizes = ngrams if isinstance(ngrams, tuple | list) else ()
    whole = all(isinstance(size, Integral) for size in sizes)
    if not (whole and len(sizes) == 2 and 1 <= sizes[0] <= sizes[1]):
        raise ValueError(
            "The n-grams must be two whole numbers, the least (1 or more) and the "
            f"greatest number of words, got {ngrams!r}."
        )
