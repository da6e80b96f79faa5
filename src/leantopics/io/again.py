"""How a source is read, kept so that the next one can be read in the same way."""

from collections.abc import Mapping
from typing import Any

from leantopics.io.fields import Reading
from leantopics.io.kinds import FORMATS, TAKEN_BY, format_of


def kept(reading: Reading, format: str | None, named: str | None) -> dict[str, Any]:
    """Return what differs from the defaults, as JSON can hold it.

    A ``format`` is kept if it was given, with the one that the source is named for.

    Examples
    --------
    >>> kept(Reading("latin-1", columns=("text", "label")), "tsv", "lines")
    {'encoding': 'latin-1', 'columns': ['text', 'label'], 'format': 'tsv', 'named':
    'lines'}
    """
    found: dict[str, Any] = {
        name: value
        for name, value in reading._asdict().items()
        if value != Reading._field_defaults[name] and name != "if_there"
    }
    if reading.columns is not None:
        found["columns"] = list(reading.columns)
    if format is not None:
        found |= {"format": format, "named": named}
    return found


def format_again(
    source: str, format: str | None, again: Mapping[str, Any] | None
) -> str | None:
    """Return the format given, or that of an earlier source with such a name.

    Examples
    --------
    >>> again = {"format": "jsonl", "named": "ldac"}
    >>> format_again("new.dat", None, again), format_again("new.csv", None, again)
    ('jsonl', None)
    """
    if format is not None or not again or "format" not in again:
        return format
    same = again.get("named") == format_of(source)
    return str(again["format"]) if same and again["format"] in FORMATS else None


def merged(
    given: Mapping[str, Any], again: Mapping[str, Any] | None, format: str
) -> Reading:
    """Return how to read a source: as given, or else as an earlier one if that applies.

    Examples
    --------
    >>> again = {"encoding": "latin-1", "text_field": "body"}
    >>> merged({"encoding": None}, again, "csv").text_field
    'body'
    >>> merged({"encoding": "utf-8"}, again, "lines")[:2]
    ('utf-8', None)
    """
    found = {name: given.get(name) for name in Reading._fields}
    earlier = set()
    for name, value in (again or {}).items():
        takers = TAKEN_BY.get(name, (format,))
        applies = name in Reading._fields[:-1] and (
            format == "auto" or format in takers
        )
        if applies and found[name] is None:
            if not _is_sound(name, value):
                raise ValueError(
                    "The record of how the corpus of the model was read is damaged: "
                    f"{name}={value!r}; give it as an option."
                )
            found[name] = value
            if name in ("id_field", "label_field"):
                earlier.add(str(value))
    found["if_there"] = frozenset(earlier)
    return Reading(**{k: v for k, v in found.items() if v is not None})


def _is_sound(name: str, value: object) -> bool:
    if name == "columns":
        listed = isinstance(value, list | tuple)
        return listed and all(isinstance(each, str) for each in value)  # type: ignore[attr-defined]
    return isinstance(value, bool if name == "skip_bad" else str)
