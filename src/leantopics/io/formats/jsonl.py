"""JSON lines: one object per line."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from leantopics.io.fields import Reading, as_id, as_labels, check_found, find_fields
from leantopics.io.lines import Line
from leantopics.io.notes import Notes
from leantopics.io.record import Place, Record, at, fault
from leantopics.io.streams import display_name, is_plain


def read_jsonl(
    source: str,
    lines: Iterable[Line],
    reading: Reading,
    notes: Notes,
) -> Iterator[Record]:
    r"""Yield one record per line; all fields but text, id and labels are its metadata.

    The first object decides which field is the text. If an object has no id, its
    number (from 0) is the id. Blank lines are ignored; blank texts are kept.

    Examples
    --------
    >>> line = Line(1, 0, 33, '{"text": "a cat", "split": "train"}\n')
    >>> next(read_jsonl("-", [line], Reading(), Notes()))[:2]
    ('0', 'a cat')
    """
    name, plain = display_name(source), is_plain(source)
    seen: dict[str, None] = {}
    number = line_number = 0
    for line in lines:
        if not line.text.strip():
            continue
        line_number = line.number
        try:
            row = _parse(line.text)
            seen.update(dict.fromkeys(row))
            record, text = record_of(row, reading, number)
        except ValueError as error:
            notes.bad(fault(name, line.number, str(error)))
            continue
        if text != reading.text_field:  # the first object decides
            reading = reading._replace(text_field=text)
        if plain:
            place = Place(source, line.offset, line.length, "json", text)
            record = record._replace(place=place)
        yield record
        number += 1
    if number:
        with at(name, line_number):
            check_found(reading, seen)


def record_of(row: dict[str, Any], reading: Reading, number: int) -> tuple[Record, str]:
    """Return the record of an object, and which of its fields is the text.

    What has another use is taken out of the object, and the rest is metadata. Without
    an id, the number of the document is its id.
    """
    fields = find_fields(row, reading)
    text = row.pop(fields.text)
    if not isinstance(text, str):
        raise ValueError(
            f"the field {fields.text!r:.40} must be a string, got {text!r:.60}."
        )
    id_ = as_id(row.pop(fields.id) if fields.id else number)
    labels = as_labels(row.pop(fields.labels) if fields.labels else None)
    return Record(id_, text, labels=labels, metadata=row), fields.text


def _parse(text: str) -> dict[str, Any]:
    try:
        row = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValueError(f"this line is not JSON: {error}.") from None
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply.") from None
    except ValueError as error:
        if "digits" in str(error):
            raise ValueError("a number has too many digits.") from None
        raise
    if not isinstance(row, dict):
        kind = type(row).__name__
        raise ValueError(f"each line must be a JSON object, got a {kind}.")
    return row


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; refuse repeated keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the field {twice!r:.40} occurs twice.")
    return found
