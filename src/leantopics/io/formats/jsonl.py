"""JSON lines: one object per line."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from leantopics.io.fields import (
    Wanted,
    as_id,
    as_labels,
    check_found,
    find_fields,
)
from leantopics.io.lines import Line
from leantopics.io.notes import Notes
from leantopics.io.record import Place, Record, fault
from leantopics.io.streams import display_name, is_plain


def read_jsonl(
    source: str,
    lines: Iterable[Line],
    wanted: Wanted,
    notes: Notes | None = None,
) -> Iterator[Record]:
    r"""Yield one record per line; all fields but text, id and labels are its metadata.

    The first object decides which field is the text. If an object has no id, its
    number (from 0) is the id. Blank lines are ignored; blank texts are kept.

    Examples
    --------
    >>> line = Line(1, 0, 33, '{"text": "a cat", "split": "train"}\n')
    >>> next(read_jsonl("-", [line], Wanted()))[:2]
    ('0', 'a cat')
    """
    name, plain, notes = display_name(source), is_plain(source), notes or Notes()
    seen: dict[str, None] = {}
    number = line_number = 0
    for line in lines:
        if not line.text.strip():
            continue
        line_number = line.number
        try:
            row = _parse(line, name)
            seen.update(dict.fromkeys(row))
            record, text = record_of(row, wanted, number, name, line.number)
        except ValueError as error:
            notes.bad(error)
            continue
        wanted = wanted._replace(text=text)
        if plain:
            place = Place(source, line.offset, line.length, "json", text)
            record = record._replace(place=place)
        yield record
        number += 1
    if number:
        check_found(wanted, seen, name, line_number)


def record_of(
    row: dict[str, Any], wanted: Wanted, number: int, name: str, line: int
) -> tuple[Record, str]:
    """Return the record of an object, and which of its fields is the text.

    Parameters
    ----------
    row : dict
        The object; what has another use is taken out, and the rest is metadata.
    wanted : Wanted
        The fields asked for.
    number, name, line : int, str, int
        Number of the document, and its place for messages.
    """
    try:
        fields = find_fields(row, wanted)
    except ValueError as error:
        raise fault(name, line, str(error)) from None
    text = row.pop(fields.text)
    if not isinstance(text, str):
        raise fault(
            name,
            line,
            f"the field {fields.text!r:.40} must be a string, got {text!r:.60}.",
        )
    id_ = row.pop(fields.id) if fields.id else number
    labels = row.pop(fields.labels) if fields.labels else None
    made = Record(
        as_id(id_, name, line),
        text,
        labels=as_labels(labels, name, line),
        metadata=row,
    )
    return made, fields.text


def _parse(line: Line, name: str) -> dict[str, Any]:
    try:
        row = json.loads(line.text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise fault(name, line.number, f"this line is not JSON: {error}.") from None
    except RecursionError:
        raise fault(
            name, line.number, "lists or objects are nested too deeply."
        ) from None
    except ValueError as error:
        message = (
            "a number has too many digits." if "digits" in str(error) else str(error)
        )
        raise fault(name, line.number, message) from None
    if not isinstance(row, dict):
        raise fault(
            name,
            line.number,
            f"each line must be a JSON object, got a {type(row).__name__}.",
        )
    return row


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; refuse repeated keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the field {twice!r:.40} occurs twice.")
    return found
