"""Plain text: one document per line."""

from collections.abc import Iterable, Iterator

from leantopics.io.lines import Line
from leantopics.io.record import Place, Record
from leantopics.io.streams import is_plain


def read_plain(source: str, lines: Iterable[Line]) -> Iterator[Record]:
    r"""Yield one record per line; its id is the number of the line, from 0.

    A blank line is an empty document.

    Examples
    --------
    >>> [r.text for r in read_plain("-", [Line(1, 0, 5, "a cat\r\n")])]
    ['a cat']
    """
    plain = is_plain(source)
    for line in lines:
        place = Place(source, line.offset, line.length) if plain else None
        yield Record(str(line.number - 1), line.text.rstrip("\r\n"), place=place)
