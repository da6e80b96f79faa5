"""Cut a text into words, by a pattern or by the user's own tokenizer."""

import math
import pkgutil
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import regex

from leantopics._limits import PACE, limit, way_out

Tokenizer: TypeAlias = Callable[[str], Iterable[str]]

# In Latin script an apostrophe divides, so that l'eau and the dog's are eau and dog; in
# Cyrillic and Hebrew it is part of the spelling, like the marks of Hebrew acronyms.
_INSIDE = (
    r"['’](?<=\p{Cyrillic}.)(?=\p{Cyrillic})|['’׳\"״](?<=\p{Hebrew}.)(?=\p{Hebrew})"
)
WORD_PATTERN = rf"\b[^\W\d_](?:\w++|{_INSIDE})+"
"""Words of two characters or more, in any script, that begin with a letter."""

_DEADLINE = ContextVar("deadline", default=math.inf)
_ASCII_WORD = re.compile(r"\b[A-Za-z]\w+", re.ASCII)  # the same for ASCII, and faster
_LETTER = regex.compile(r"\p{L}")
# Scripts without blanks between words, each with a length between the mean of words
# (2.3 characters in Chinese, 2.6 in Japanese, 5.0 in Thai) and that of phrases (7 in
# Chinese, 16 in Japanese, 39 in Thai, 11 in Burmese, 24 in Khmer, 30 in Lao).
_WITHOUT_BLANKS = {
    regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]"): 4.0,
    regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"): 8.0,
}


@dataclass(frozen=True)
class Cutter:
    r"""Cut texts into words.

    Words are in Unicode's composed form (NFC): an accented letter is the same whether
    it is one character or two. The pattern, for the package `regex`, counts if there is
    no tokenizer. A tokenizer returns the words of an unchanged text, in order; words
    without a letter, such as punctuation, are left out.

    Examples
    --------
    >>> Cutter(WORD_PATTERN, lowercase=True)("L'eau, комп'ютер, हिन्दी")
    ['eau', "комп'ютер", 'हिन्दी']
    """

    pattern: str
    lowercase: bool
    tokenizer: Tokenizer | None = None

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text, without those that are too long."""
        if self.tokenizer is not None:
            words = [self._form(piece) for piece in _pieces(self.tokenizer, text)]
        elif self.pattern == WORD_PATTERN and text.isascii():
            words = _ASCII_WORD.findall(text.lower() if self.lowercase else text)
        else:
            words = self._bounded(self._compiled.findall, self._form(text))
        longest = limit("word")
        if len(text) <= longest:
            return words
        return [word for word in words if len(word) <= longest]

    def places(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the places of words in a text: (begin, end, word).

        Words of a tokenizer are found if the text contains them in the same form.
        """
        if self.tokenizer is None:
            yield from self._bounded(self._matches, self._lower(text))
            return
        done = 0
        for piece in _pieces(self.tokenizer, text):
            begin = text.find(piece, done)
            if begin >= 0:
                done = begin + len(piece)
                yield begin, done, self._form(piece)

    def _matches(self, text: str, **most: float) -> list[tuple[int, int, str]]:
        group, found = self._compiled.groups, self._compiled.finditer(text, **most)
        return [
            (*match.span(group), unicodedata.normalize("NFC", match[group]))
            for match in found
        ]

    def _bounded(self, find: Callable[..., list[Any]], text: str) -> list[Any]:
        """Look for words within a time limit: a pattern can take forever.

        The limit is on the time of this thread. The package `regex` counts the time of
        all threads, so a search that it stops too early is repeated.
        """
        if self.pattern == WORD_PATTERN:
            return find(text)
        most, begun = limit("pattern") + len(text) / PACE, time.thread_time()
        while (left := most - (time.thread_time() - begun)) > 0.01 * most:
            until = _DEADLINE.get() - time.monotonic()
            if until <= 0.0:
                raise TimeoutError
            try:
                return find(text, timeout=min(left, until))
            except TimeoutError:
                continue
        raise ValueError(
            f"The pattern {self.pattern!r:.200} must cut a text of {len(text)} "
            f"characters within {most:.0f} seconds, but takes longer; write it without "
            f"a repeat inside a repeat, or, {way_out('pattern')}."
        )

    @cached_property
    def _compiled(self) -> Any:
        return regex.compile(self.pattern)

    def _form(self, text: str) -> str:
        return unicodedata.normalize("NFC", self._lower(text))

    def _lower(self, text: str) -> str:
        # The Turkish letter is the only one that Python would turn into two characters.
        return text.replace("İ", "i").lower() if self.lowercase else text


@contextmanager
def cutting_until(deadline: float) -> Iterator[None]:
    """Make patterns of this thread raise a TimeoutError after a `time.monotonic`."""
    before = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(before)


def _pieces(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """Yield the words of a tokenizer that have a letter."""
    for piece in tokenizer(text):
        if not isinstance(piece, str):
            raise TypeError(
                f"The tokenizer {tokenizer_name(tokenizer)} must return strings, got "
                f"{piece!r:.60} of type {type(piece).__name__}."
            )
        if _LETTER.search(piece):
            yield piece


def tokenizer_name(tokenizer: Tokenizer) -> str:
    """Return the name of a tokenizer, with its module.

    Examples
    --------
    >>> tokenizer_name(tokenizer_name)
    'leantopics.text.words.tokenizer_name'
    """
    named: Any = tokenizer if hasattr(tokenizer, "__name__") else type(tokenizer)
    if not hasattr(named, "__module__"):  # methods of built-in types
        return f"builtins.{named.__qualname__}"
    return f"{named.__module__}.{named.__name__}"


class MissingTokenizer:
    """Stands in for a tokenizer of which a file has only the name; refuses all texts.

    What a file names is never imported: someone else's model must not run code.
    """

    def __init__(self, name: str) -> None:
        self.__module__, _, self.__name__ = name.rpartition(".")

    def __call__(self, text: str) -> list[str]:
        """Raise a ValueError that says what to do."""
        raise ValueError(
            f"The texts of the model were cut into words by the tokenizer "
            f"{tokenizer_name(self)!r:.100}, which is not saved with it: give it with "
            "model.use_tokenizer or --tokenizer."
        )


def find_tokenizer(name: str) -> Tokenizer:
    """Import a tokenizer by its name, such as ``jieba.lcut`` or ``package.module:cut``.

    Examples
    --------
    >>> find_tokenizer("leantopics.text.words.find_tokenizer") is find_tokenizer
    True
    """
    try:
        found: Tokenizer = pkgutil.resolve_name(name)
    except Exception as error:  # also whatever its module raises
        raise ValueError(
            f"The tokenizer {name!r} must be the name of a function that Python can "
            f"import, such as jieba.lcut, got {type(error).__name__}: {error}."
        ) from error
    if not callable(found):
        raise ValueError(
            f"The tokenizer {name!r} must be a function, but is of type "
            f"{type(found).__name__}."
        )
    return found


def check_blanks(words: list[str], frequency: npt.NDArray[Any]) -> None:
    """Refuse words that are whole phrases, of a script without spaces between words.

    The distinct words, or terms of several words, were cut by a pattern; frequency,
    shape (n_words,), is how often each occurs.

    Examples
    --------
    >>> words = ["自动驾驶汽车", "保险责任转移"]
    >>> check_blanks(words, np.ones(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: Most of the text is in a script without spaces between words, ...
    """
    length = np.array([len(word) for word in words])
    for script, longest in _WITHOUT_BLANKS.items():
        found = [n for n, word in enumerate(words) if script.search(word)]
        parts = np.array([1 + words[n].count(" ") for n in found]) @ frequency[found]
        inside = length[found] @ frequency[found]
        if inside > 0.5 * (length @ frequency) and inside > longest * parts:
            raise ValueError(
                "Most of the text is in a script without spaces between words, such as "
                f"Chinese, Japanese or Thai: a word would have {inside / parts:.0f} "
                "characters on average. Give a tokenizer (tokenizer=..., --tokenizer), "
                "or texts with spaces between words; see docs/languages.md."
            )
