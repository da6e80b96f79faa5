"""Read the records of texts, of a format that is known or found from first lines."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from leantopics.io.fields import TEXT_NAMES, Reading, listed
from leantopics.io.formats.arrow import read_arrow
from leantopics.io.formats.folder import read_folder
from leantopics.io.formats.jsonl import read_jsonl
from leantopics.io.formats.plain import read_plain
from leantopics.io.formats.table import read_table
from leantopics.io.lines import Line, read_lines
from leantopics.io.notes import Notes
from leantopics.io.record import Record
from leantopics.io.streams import display_name

_DELIMITERS = {"csv": ",", "tsv": "\t"}
_PEEK = 4
"""Lines of standard input from which its format is found."""
_NAME = re.compile(r"[\w.#/ -]{1,40}")
_CODE = re.compile(r"\s*\d[\d.:/-]*\s*")
"""A number or a date."""


def read_texts(
    source: str,
    format: str,
    reading: Reading,
    notes: Notes,
    check: Callable[[str], None],
) -> Iterator[Record]:
    """Return the records of texts, read one by one.

    The format "auto" is found from the first lines, and then given to ``check``.
    """
    if format == "folder":
        return read_folder(source, reading.encoding, notes)
    if format in ("parquet", "arrow"):
        return read_arrow(source, format, reading, notes)
    lines = read_lines(source, reading.encoding, notes)
    if format == "auto":
        first = list(islice(lines, _PEEK))
        format = kind_of(first, source, reading)
        lines = chain(first, lines)
        check(format)
    if format == "jsonl":
        return read_jsonl(source, lines, reading, notes)
    if format == "lines":
        return read_plain(source, lines)
    return read_table(source, lines, reading, _DELIMITERS[format], notes)


def kind_of(lines: Sequence[Line], source: str, reading: Reading) -> str:
    """Return the format of first lines: JSON lines, CSV, TSV or one document per line.

    What looks like a table without a column of texts, or without a header, is refused.

    Examples
    --------
    >>> lines = [Line(1, 0, 7, "id,text"), Line(2, 8, 14, "1,the sea, the")]
    >>> kind_of(lines, "-", Reading())
    'csv'
    """
    texts = [line.text for line in lines if line.text.strip()]
    if not texts:
        return "lines"
    if texts[0].lstrip()[:1] == "{":
        return "jsonl"
    known = {reading.text_field} if reading.text_field else set(TEXT_NAMES)
    fits: dict[str, int] = {}
    for kind, delimiter in _DELIMITERS.items():
        rows = [next(csv.reader([text], delimiter=delimiter), []) for text in texts]
        header, rest = [cell.strip() for cell in rows[0]], rows[1:]
        if reading.columns is not None:
            wide = [len(row) == len(reading.columns) for row in rows]
            fits[kind] = sum(wide) if wide[0] else 0
            continue
        if known & set(header) and (len(header) > 1 or reading.text_field):
            return kind
        named = all(_NAME.fullmatch(c) and len(c.split()) < 4 for c in header)
        alike = len(header) > 1 and all(len(row) == len(header) for row in rest)
        if alike and _headless(rows):
            raise ValueError(
                f"{display_name(source)} looks like {kind.upper()} without a header: "
                f"name its {len(header)} columns (such as --columns text,year), or say "
                "--format lines if each line is a document."
            )
        few = 2 if any(cell.startswith(" ") for cell in rows[0]) else 1  # prose?
        if len(rest) >= few and named and alike:
            raise ValueError(
                f"{display_name(source)} looks like {kind.upper()} with the columns "
                f"{listed(header)}, of which none is named {', '.join(TEXT_NAMES)}: "
                "name the one with the text (--text-field), or give --format lines if "
                "each line is a document."
            )
    best = max(fits, key=lambda kind: fits[kind], default="lines")
    return best if fits.get(best) else "lines"


def _headless(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether some column has a number or date in each of several rows.

    Examples
    --------
    >>> _headless([["a cat", "7"], ["a dog", "8"], ["an ox", "9"]])
    True
    >>> _headless([["He came", " she left"], ["In 1987", " too"], ["So", " 7 cats"]])
    False
    """
    columns = zip(*rows, strict=True)
    return len(rows) > 2 and any(all(map(_CODE.fullmatch, each)) for each in columns)
