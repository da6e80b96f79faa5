"""The documents of a request, read from the bytes of its body."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from leantopics._limits import MOST_COUNT
from leantopics.server.limits import Limits
from leantopics.server.refusals import RequestError

_BLANKS = re.compile(r"[ \t\n\r]*")
_MARKS = ",:[{"
"""Every JSON object after the first needs one of these characters."""


def read_documents(
    body: bytes | bytearray,
    limits: Limits,
    takes_texts: bool = True,
    row: Callable[[dict[str, float]], Any] = dict,
) -> list[Any]:
    """Read the documents one by one, so that few objects are in memory at once.

    The body is ``{"texts": [...]}`` or ``{"counts": [...]}``. A `RequestError` says
    which limit it exceeds. ``row`` converts the counts of a document to the form that
    is kept.

    Examples
    --------
    >>> read_documents(b'{"texts": ["boats", "trees and waves"]}', Limits())
    ['boats', 'trees and waves']
    >>> read_documents(b'{"counts": [{"boats": 2}, {}]}', Limits())
    [{'boats': 2}, {}]
    """
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise _unlike_json(f"byte {error.start}") from None
    cursor = _Cursor(text)
    cursor.take("{")
    if cursor.ahead != '"':
        raise cursor.unlike_json()
    field = cursor.value()
    if field not in ("texts", "counts"):
        raise RequestError(
            400, f"The only field must be texts or counts, got {field[:40]!r}."
        )
    if field == "texts" and not takes_texts:
        message = "The model was fitted to counts and cannot split text into words"
        raise RequestError(400, f"{message}; give counts.")
    if field == "counts":
        _check_marks(text, limits.marks)
    cursor.take(":")
    documents: list[Any] = []
    for d in _numbers(cursor, field):
        if d == limits.documents:
            most = f"at most {limits.documents:,} documents"
            raise RequestError(413, f"A request may have {most}, got more.")
        if field == "texts":
            documents.append(_text(d, cursor, limits.characters))
        else:
            documents.append(row(_counts(d, cursor)))
    cursor.take("}")
    cursor.take("")
    return documents


class _Cursor:
    """A position in a text of JSON, after any blanks."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0
        self._move(0)

    @property
    def ahead(self) -> str:
        """Character at this position, empty at the end."""
        return self._text[self._place : self._place + 1]

    def take(self, mark: str) -> None:
        """Move past a mark, which must be here."""
        if self.ahead != mark:
            raise self.unlike_json()
        self._move(self._place + 1)

    def value(self) -> Any:
        """Move past a value, and return it."""
        try:
            found, end = _DECODER.raw_decode(self._text, self._place)
        except json.JSONDecodeError as error:
            self._place = error.pos
            raise self.unlike_json() from None
        except (ValueError, RecursionError):
            raise self.unlike_json() from None
        self._move(end)
        return found

    def unlike_json(self) -> RequestError:
        """Return the error for the text at this position."""
        return _unlike_json(f"character {self._place}")

    def _move(self, place: int) -> None:
        blanks = _BLANKS.match(self._text, place)
        self._place = blanks.end() if blanks else place


def _numbers(cursor: _Cursor, field: str) -> Iterator[int]:
    """Number the entries of a list, each of which is to be read before the next."""
    if cursor.ahead != "[":
        raise RequestError(400, f"{field} must be a list, one entry for each document.")
    cursor.take("[")
    d = 0
    while cursor.ahead != "]":
        if d:
            cursor.take(",")
        yield d
        d += 1
    cursor.take("]")


def _text(d: int, cursor: _Cursor, most: int) -> str:
    if cursor.ahead != '"':
        raise RequestError(400, f"Each text must be a string, but number {d} is not.")
    text: str = cursor.value()
    if len(text) > most:
        raise RequestError(
            413,
            f"A text may have at most {most:,} characters, but number {d} has "
            f"{len(text):,}.",
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RequestError(
            400,
            f"Each text must be valid Unicode, but number {d} has half of a surrogate "
            "pair.",
        ) from None
    return text


def _counts(d: int, cursor: _Cursor) -> dict[str, float]:
    pairs = cursor.value() if cursor.ahead == "{" else None
    if pairs is None or not all(_is_count(n) for _, n in pairs):
        raise RequestError(
            400,
            "Each entry of counts must give each word a number from 0 to 2^53 - 1, but "
            f"number {d} does not.",
        )
    counts = dict(pairs)
    if len(counts) < len(pairs):
        (twice, _), *_ = Counter(word for word, _ in pairs).most_common(1)
        raise RequestError(
            400,
            f"A document may have each word once, but number {d} has {twice[:40]!r} "
            "twice.",
        )
    return counts


def _is_count(n: object) -> bool:
    return type(n) in (int, float) and 0 <= n <= MOST_COUNT  # type: ignore[operator]


def _check_marks(text: str, most: int) -> None:
    """Refuse counts that would need much more memory than the body."""
    found = sum(map(text.count, _MARKS))
    if found > most:
        raise RequestError(
            413,
            f"Counts may have at most {most:,} commas, colons and brackets in a "
            f"request, got {found:,}; ask for fewer documents at once.",
        )


def _unlike_json(place: str) -> RequestError:
    return RequestError(
        400,
        'The body must be {"texts": [...]} or {"counts": [...]}, JSON in UTF-8, but is '
        f"not at {place}.",
    )


def _no_number(name: str) -> None:
    raise ValueError(name)


# A list of pairs shows a word that is there twice.
_DECODER = json.JSONDecoder(object_pairs_hook=list, parse_constant=_no_number)
