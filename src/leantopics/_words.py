"""Numbers and untrusted text in the form that messages, tables and pages show."""

import re
from typing import Any

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters that control a terminal or change the direction of writing."""


def shown(text: str) -> str:
    r"""Return a text with control characters escaped, except tabs and line breaks.

    Examples
    --------
    >>> print(shown("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)


def plain(text: str) -> str:
    r"""Replace tabs, line ends and other control characters of a text by blanks.

    Examples
    --------
    >>> plain("two\tcells")
    'two cells'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " for char in text)


def for_spreadsheet(cell: Any) -> Any:
    r"""Return a CSV cell that no spreadsheet takes for a formula; numbers are kept.

    Text that begins like a formula gets an apostrophe; control characters become
    spaces.

    Examples
    --------
    >>> [for_spreadsheet(cell) for cell in ("=1+1", "-1.5", -1.5, "\t@me", "a=b")]
    ["'=1+1", '-1.5', -1.5, "'@me", 'a=b']
    """
    if not isinstance(cell, str):
        return cell
    text = plain(cell)
    if not text.lstrip().startswith(tuple("=+-@＝＋－＠")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text.lstrip()}"
    return text


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed.

    Examples
    --------
    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
