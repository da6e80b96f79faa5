"""CSV and TSV: a header line, then one row per document."""

import csv
from collections.abc import Iterable, Iterator

from leantopics._limits import limit
from leantopics.io.fields import Fields, Reading, check_found, find_fields, listed
from leantopics.io.lines import Line, too_long
from leantopics.io.notes import Notes
from leantopics.io.record import Place, Record, at, fault
from leantopics.io.streams import display_name, is_plain


def read_table(
    source: str,
    lines: Iterable[Line],
    reading: Reading,
    delimiter: str,
    notes: Notes,
) -> Iterator[Record]:
    r"""Yield one record per row; all columns but text, id and labels are its metadata.

    Without a column of ids the number of the row (from 0) is the id. Blank lines are
    ignored; blank texts are kept. A whole cell is one label, an empty cell none. If
    names of columns are given, the first line is no header, but a document.

    Examples
    --------
    >>> lines = [Line(1, 0, 10, "text,label\n"), Line(2, 11, 11, "a cat,animal\n")]
    >>> next(read_table("-", lines, Reading(), ",", Notes())).labels
    ['animal']
    """
    # Python limits a field to 128 KiB to catch broken files; documents can be longer.
    csv.field_size_limit(2**31 - 1)
    name, plain, given = display_name(source), is_plain(source), reading.columns
    cursor = _Cursor(lines, name)
    rows = csv.reader(cursor, delimiter=delimiter, strict=True)
    columns: list[str] | None = None
    if given is not None:
        columns, fields = [*given], _settle([*given], reading, name, 1)
    number = 0
    while True:
        cursor.begin()
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise fault(
                name, cursor.number, f"the row that starts here is broken: {error}."
            ) from None
        if row is None:
            return
        if not row:
            continue
        if columns is None:
            columns, fields = row, _settle(row, reading, name, cursor.number)
            continue
        if len(row) != len(columns):
            like = "the header" if given is None else "--columns"
            cells = f"{len(columns)} cells like {like}, got {len(row)}"
            notes.bad(fault(name, cursor.number, f"a row must have {cells}."))
            continue
        place = None
        if plain:
            first, column = cursor.offset, columns.index(fields.text)
            place = Place(source, first, cursor.end - first, "csv", column, delimiter)
        yield _record(dict(zip(columns, row, strict=True)), fields, number, place)
        number += 1


def _record(
    cells: dict[str, str], fields: Fields, number: int, place: Place | None
) -> Record:
    """Return the record of a row; cells that have no other use are its metadata."""
    text = cells.pop(fields.text)
    label = cells.pop(fields.labels) if fields.labels else ""
    return Record(
        cells.pop(fields.id) if fields.id else str(number),
        text,
        labels=[label] if label else [],
        metadata=cells,
        place=place,
    )


def _settle(columns: list[str], reading: Reading, name: str, line: int) -> Fields:
    """Check the header and find the fields in it."""
    with at(name, line):
        if len(set(columns)) < len(columns):
            raise ValueError(f"column names must differ, got {listed(columns)}.")
        try:
            fields = find_fields(columns, reading)
        except ValueError as error:
            hint = "If these are no names, name the columns: --columns text,label."
            raise ValueError(f"{error} {hint}") from None
        check_found(reading, columns)
    return fields


class _Cursor:
    """Hands lines to the csv module and remembers which bytes each row took."""

    def __init__(self, lines: Iterable[Line], name: str) -> None:
        self._lines, self._name, self._longest = iter(lines), name, limit("line")
        self._fresh = True
        self.number = self.offset = self.end = 0

    def begin(self) -> None:
        """Note that the next line starts a row."""
        self._fresh = True

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        if self._fresh:
            self.number, self.offset = line.number, line.offset
            self._fresh = False
        self.end = line.offset + line.length
        if self.end - self.offset > self._longest:
            raise fault(self._name, self.number, too_long("row", self._longest))
        return line.text
