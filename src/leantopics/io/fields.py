"""Which fields of an object or a table are the text, the id and the labels."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

TEXT_NAMES = ("text", "body", "content", "abstract", "document")
ID_NAMES = ("id",)
LABEL_NAMES = ("labels", "label")


class Reading(NamedTuple):
    """How texts are read, as given to `open_records`; None: to be found."""

    encoding: str = "utf-8"
    text_field: str | None = None
    id_field: str | None = None
    label_field: str | None = None
    columns: Sequence[str] | None = None
    skip_bad: bool = False
    if_there: frozenset[str] = frozenset()
    """Fields of an earlier source, which this one may not have."""


class Fields(NamedTuple):
    """Names of the fields; id and labels may be missing."""

    text: str
    id: str | None
    labels: str | None


def listed(names: Collection[str]) -> str:
    r"""Return the names of fields for a message, on one short line.

    Examples
    --------
    >>> listed(["id", "two\nlines"])
    "id, 'two\\nlines'"
    """
    shown = [
        name if name.isprintable() and len(name) <= 40 else f"{name!r:.40}"
        for name in list(names)[:20]
    ]
    return ", ".join(shown) + (", ..." if len(names) > 20 else "")


def find_fields(present: Collection[str], reading: Reading) -> Fields:
    """Choose the fields of an object or table: those wanted, or else the usual names.

    Examples
    --------
    >>> find_fields(["id", "body", "year"], Reading())
    Fields(text='body', id='id', labels=None)
    """
    given = reading.text_field
    text = _first(present, given, TEXT_NAMES)
    if text is None:
        missing = repr(given) if given else f"named {', '.join(TEXT_NAMES)}"
        raise ValueError(
            f"none of the fields is {missing}; name the text field (--text-field). "
            f"The fields are: {listed(present)}."
        )
    return Fields(
        text,
        _first(present, reading.id_field, ID_NAMES),
        _first(present, reading.label_field, LABEL_NAMES),
    )


def _first(
    present: Collection[str], wanted: str | None, usual: tuple[str, ...]
) -> str | None:
    names = usual if wanted is None else (wanted,)
    return next((name for name in names if name in present), None)


def check_found(reading: Reading, seen: Collection[str]) -> None:
    """Refuse fields that were asked for and never occurred, most likely misspelt."""
    for field in (reading.text_field, reading.id_field, reading.label_field):
        if field is not None and field not in {*seen, *reading.if_there}:
            raise ValueError(
                f"there is no field {field!r}; the fields are: {listed(sorted(seen))}."
            )


def as_id(value: Any) -> str:
    """Return an id as str; a number becomes its digits."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(
            f"the id must be a string or a whole number, got {value!r:.60}."
        )
    return str(value)


def as_labels(value: Any) -> list[str]:
    """Return labels as a list of str; null means none, a single value means one.

    Examples
    --------
    >>> as_labels(["grain", 3])
    ['grain', '3']
    """
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    for item in values:
        if not isinstance(item, str | int):
            raise ValueError(
                f"labels must be strings or whole numbers, got {item!r:.60}."
            )
    return [str(item) for item in values]
