"""Names of words, documents and numbers, and what goes with them: checked, as JSON."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What a terminal would obey, or turn the direction of writing by."""


def shown(text: str) -> str:
    r"""Return a text with what a terminal would obey as escapes; lines stay lines.

    Examples
    --------
    >>> print(shown("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)


def for_spreadsheet(cell: Any) -> Any:
    r"""Return a cell of CSV that no spreadsheet takes for a formula; numbers stay.

    Text that begins as a formula gets an apostrophe; control characters become blanks.

    Examples
    --------
    >>> [for_spreadsheet(cell) for cell in ("=1+1", "-1.5", -1.5, "\t@me", "a=b")]
    ["'=1+1", '-1.5', -1.5, "'@me", 'a=b']
    """
    if not isinstance(cell, str):
        return cell
    text = "".join(char if char.isprintable() else " " for char in cell)
    if not text.lstrip().startswith(tuple("=+-@＝＋－＠")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text.lstrip()}"
    return text


def check_vocabulary(words: Iterable[str] | None, n_words: int) -> list[str]:
    """The names of the words, all different."""
    names = check_names("vocabulary", words, n_words)
    if words is not None and len(set(names)) < n_words:
        word = Counter(names).most_common(1)[0][0]
        raise ValueError(f"The vocabulary must not repeat words, got {word!r} twice.")
    return names


def check_names(what: str, values: Iterable[str] | None, expected: int) -> list[str]:
    """As many strings as expected; their numbers if there are none."""
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
    """Say that something has the wrong length."""
    axis = "words" if what == "vocabulary" else "documents"
    return f"The {what} must fit the matrix of {expected} {axis}, got {got} entries."


def label_list(value: str | Iterable[str] | None) -> list[str]:
    """The labels of a document."""
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
    """Each value as JSON."""
    try:
        return [json.dumps(value, ensure_ascii=False) for value in values]
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"The {what} cannot be saved as JSON: {error}.") from None


def counted(n: int, noun: str) -> str:
    """A number of things in words.

    Examples
    --------
    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
