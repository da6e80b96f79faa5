"""Standard output: a table for people, lines of data for programs."""

import csv
import functools
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from leantopics._words import for_spreadsheet, plain
from leantopics.cli.options import Decorator

Row = Mapping[str, Any]
_SAFE = "Print CSV for spreadsheets, with ' before text that looks like a formula."


class Column(NamedTuple):
    """A column of printed rows."""

    name: str
    """Title of the column, and key of its values."""
    piped: str = ""
    """Format of a value in tab-separated lines."""
    shown: str = ""
    """Format of a value on a terminal."""
    title: str = ""
    """Title on a terminal, if not the name."""
    style: str = ""
    """Style of rich on a terminal."""


def printing(json_help: str) -> Decorator:
    """Add --json, --csv and --csv-safe to a command.

    It gets the one that was given as ``form``: "text", "json", "csv" or "csv-safe".
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @click.option("--json", "as_json", is_flag=True, help=json_help)
        @click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
        @click.option("--csv-safe", "as_safe", is_flag=True, help=_SAFE)
        @functools.wraps(command)
        def choosing(as_json: bool, as_csv: bool, as_safe: bool, **values: Any) -> Any:
            forms = {"json": as_json, "csv": as_csv, "csv-safe": as_safe}
            asked = [form for form, is_asked in forms.items() if is_asked]
            if len(asked) > 1:
                raise click.UsageError(
                    f"--{asked[0]} and --{asked[1]} cannot be used together: give one."
                )
            return command(form=asked[0] if asked else "text", **values)

        return choosing

    return decorate


def print_rows(
    form: str, columns: Sequence[Column], rows: Iterable[Row], document: Any = None
) -> None:
    """Print rows as JSON, as CSV, as a table on a terminal, or tab-separated.

    CSV has texts unchanged, unless it goes to a terminal. A table leaves out columns
    without any value. JSON is the ``document``, if there is one, instead of the rows.
    """
    if form == "json":
        print_json(list(rows) if document is None else document)
    elif form in ("csv", "csv-safe"):
        table = csv.writer(sys.stdout, lineterminator="\n")
        table.writerow([column.name for column in columns])
        make = _csv_cell(form)
        for row in rows:
            table.writerow([make(_cell(row[column.name])) for column in columns])
    elif sys.stdout.isatty():
        _print_table(columns, list(rows))
    else:
        print("\t".join(column.name for column in columns))
        for row in rows:
            print("\t".join(plain(_text(row[c.name], c.piped)) for c in columns))


def print_facts(form: str, what: str, facts: Mapping[str, Any]) -> None:
    """Print numbers, strings, lists and dictionaries by name, or one JSON object."""
    columns = [Column(what, style="bold"), Column("value")]
    digits = "" if form in ("csv", "csv-safe") else ".6g"
    rows = [{what: name, "value": _fact(v, digits)} for name, v in facts.items()]
    print_rows(form, columns, rows, facts)


def print_json(document: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(document, indent=1))


def _fact(value: Any, digits: str) -> str:
    """Return a value as one line of text.

    Examples
    --------
    >>> _fact({"sea": 24, "wood": [1, 2.5]}, ".6g"), _fact([True, None], "")
    ('sea 24, wood 1 2.5', 'yes, none')
    """
    if isinstance(value, Mapping):
        facts = [(name, _fact(v, digits)) for name, v in value.items()]
        return ", ".join(f"{name} {fact.replace(', ', ' ')}" for name, fact in facts)
    if isinstance(value, list | tuple):
        return ", ".join(_fact(item, digits) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return format(value, digits) if isinstance(value, float) else str(value)


def _cell(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _csv_cell(form: str) -> Callable[[Any], Any]:
    """Return a function that makes a cell of CSV safe for its destination."""
    if form == "csv-safe":
        return for_spreadsheet
    if sys.stdout.isatty():
        return lambda cell: plain(cell) if isinstance(cell, str) else cell
    return lambda cell: cell


def _text(value: Any, form: str) -> str:
    cell = _cell(value)
    return "" if cell is None else format(cell, form)


def _print_table(columns: Sequence[Column], rows: Sequence[Row]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    used = [c for c in columns if any(row[c.name] is not None for row in rows)]
    for column in used:
        is_number = all(
            isinstance(row[column.name], int | float | None) for row in rows
        )
        table.add_column(
            column.title or column.name,
            justify="right" if is_number else "left",
            style=column.style,
        )
    for row in rows:
        cells = [plain(_text(row[column.name], column.shown)) for column in used]
        table.add_row(*map(Text, cells))
    Console().print(table)
