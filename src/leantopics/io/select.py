"""Selection of records by the values of their fields."""

import json
from collections.abc import Mapping
from typing import Any

from leantopics.io.fields import listed
from leantopics.io.record import Record


class Where:
    """Conditions, all of which a record must meet.

    A value is compared by its text in JSON, so ``true``, ``12`` and ``null`` match
    what they look like, and a string matches itself. A list matches if any item does.
    Fields are any of the metadata, ``labels`` and ``id``; the last two may have other
    names in a source.

    Examples
    --------
    >>> train = Where({"split": "train", "reviewed": "true"})
    >>> train.matches(Record("1", metadata={"split": "train", "reviewed": True}))
    True
    >>> train.matches(Record("2", metadata={"split": "train"}))
    False
    """

    def __init__(
        self,
        conditions: Mapping[str, str] | None = None,
        label_field: str | None = None,
        id_field: str | None = None,
    ) -> None:
        self.conditions = dict(conditions or {})
        self._label_names = {"labels", "label", label_field}
        self._id_names = {"id", id_field}
        self._known: set[str] = set()

    def matches(self, record: Record) -> bool:
        """Return whether a record meets all conditions."""
        if not self.conditions:
            return True
        self._known.update(record.metadata, ("id", "labels"))
        return all(
            _equal(self._value(record, field), wanted)
            for field, wanted in self.conditions.items()
        )

    def _value(self, record: Record, field: str) -> Any:
        if field in record.metadata:
            return record.metadata[field]
        if field in self._label_names:
            return record.labels
        if field in self._id_names:
            return record.id
        return []

    def check_fields(self) -> None:
        """Refuse a field that none of the records seen so far has."""
        known = self._known | self._label_names | self._id_names
        for field in self.conditions:
            if self._known and field not in known:
                raise ValueError(
                    f"No document has the field {field!r} to select by; "
                    f"the fields are {listed(sorted(self._known))}."
                )


def _equal(value: Any, wanted: str) -> bool:
    if isinstance(value, list | tuple):
        return any(_equal(item, wanted) for item in value)
    return (value if isinstance(value, str) else json.dumps(value)) == wanted
