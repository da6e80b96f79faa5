"""Matrix Market: a matrix whose rows are documents.

SciPy is not used: its reader crashes the process on some broken files.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from leantopics._limits import MOST_COUNT
from leantopics.io.by_row import rows_of
from leantopics.io.counts import check_claim, greatest_size, whole
from leantopics.io.lines import Line, read_lines
from leantopics.io.numbers import Block, read_numbers
from leantopics.io.record import Record, at, fault
from leantopics.io.streams import display_name

_FORMS = {"coordinate": 3, "array": 2}
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_Numbers = npt.NDArray[np.float64]


class Header(NamedTuple):
    """What the file says about itself."""

    form: str
    field: str
    symmetric: bool
    n_docs: int
    n_words: int
    n_entries: int
    """Number of lines that follow."""
    n_lines: int
    """Number of lines of the header itself."""


def read_header(source: str, encoding: str) -> Header:
    """Read the header; refuse sizes that the file cannot hold."""
    name, lines = display_name(source), read_lines(source, encoding)
    first = next(lines, None)
    with at(name, 1):
        kind = _kind(first)
    for line in lines:
        tokens = line.text.split()
        if tokens and not tokens[0].startswith("%"):
            size = greatest_size(source)
            with at(name, line.number):
                header = _header(kind, line, size)
            check_claim("documents", header.n_docs, name, size)
            return header
    raise fault(name, 1, "the size of the matrix is missing.")


def read_matrix_market(source: str, encoding: str) -> Iterator[Record]:
    r"""Yield one record per row; its id is the number of the row, from 0.

    Counts of a word given twice are added.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "toy.mtx")
    ...     head = "%%MatrixMarket matrix coordinate integer general\n"
    ...     _ = file.write_text(head + "2 2 2\n1 2 2\n2 1 1\n")
    ...     [record.counts for record in read_matrix_market(str(file), "utf-8")]
    [(array([1]), array([2.])), (array([0]), array([1.]))]
    """
    header = read_header(source, encoding)
    entries = _read_body(source, encoding, header)
    rows = rows_of(entries, header.n_docs, header.n_words)
    for number, counts in enumerate(rows):
        yield Record(str(number), counts=counts)


def _kind(first: Line | None) -> tuple[str, str, bool]:
    """Return the form, the field and whether the first line announces a symmetry."""
    banner = first.text.lower().split() if first else []
    if len(banner) != 5 or banner[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError(
            "Not a Matrix Market file, which begins with %%MatrixMarket matrix."
        )
    form, field, symmetry = banner[2:]
    if field == "complex" or symmetry in ("skew-symmetric", "hermitian"):
        raise ValueError(
            f"counts must be real and not negative, got {field} {symmetry} ones."
        )
    known = form in _FORMS and field in _FIELDS
    if not known or (form, field) == ("array", "pattern"):
        raise ValueError(f"there is no matrix of the kind {form} {field}"[:99] + ".")
    if symmetry not in ("general", "symmetric"):
        raise ValueError(f"the symmetry {symmetry[:40]!r} is not known.")
    return form, field, symmetry == "symmetric"


def _header(kind: tuple[str, str, bool], line: Line, n_bytes: int) -> Header:
    """Return the header whose last line gives the sizes, for a file of n_bytes."""
    form, _, symmetric = kind
    tokens = line.text.split()
    digits = all(token.isascii() and token.isdigit() for token in tokens)
    if len(tokens) != _FORMS[form] or not digits:
        raise ValueError(
            f"the size of the matrix must be {_FORMS[form]} whole numbers, got "
            f"{line.text.strip()[:40]!r}."
        )
    n_docs, n_words, *rest = map(whole, tokens)
    if symmetric and n_docs != n_words:
        raise ValueError("a symmetric matrix must be square.")
    values = n_docs * (n_docs + 1) // 2 if symmetric else n_docs * n_words
    n_entries = rest[0] if rest else values
    if n_entries > n_bytes:
        raise ValueError(
            f"{n_entries} entries are announced, but the file is too short."[:200]
        )
    return Header(*kind, n_docs, n_words, n_entries, line.number)


def _read_body(source: str, encoding: str, header: Header) -> Iterator[_Numbers]:
    """Yield checked entries of some lines: row and column, from 0, and value."""
    name = display_name(source)
    width = 1 if header.form == "array" else 2 if header.field == "pattern" else 3
    found, last = 0, header.n_lines
    for block in read_numbers(source, encoding, header.n_lines, width, whole=False):
        _check(block, header, name)
        n_entries = len(block.line)
        found, last = found + n_entries, int(block.line.max(initial=last))
        if found > header.n_entries:
            break
        entries = np.ones((n_entries, 3))
        if header.form == "array":
            entries[:, :2] = _places(header, found - n_entries, found)
            entries[:, 2] = block.numbers[:, 0]
        else:
            entries[:, :width] = block.numbers
            entries[:, :2] -= 1
        yield entries
        if header.symmetric:
            off = entries[:, 0] != entries[:, 1]
            yield entries[off][:, [1, 0, 2]]
    if found != header.n_entries:
        what = "Truncated file" if found < header.n_entries else "Too many lines"
        got = "more" if found > header.n_entries else str(found)
        raise fault(
            name,
            last,
            f"{what}: {header.n_entries} entries are announced, but {got} follow.",
        )


def _check(block: Block, header: Header, name: str) -> None:
    """Refuse indices outside the matrix and values that cannot be counts."""
    numbers, line = block

    def refuse(bad: npt.NDArray[np.bool_], column: int, message: str) -> None:
        if bad.any():
            place = int(np.argmax(bad))
            value = numbers[place, column]
            raise fault(name, int(line[place]), message.format(f"{value:.17g}"))

    if header.form == "coordinate":
        sizes = ("Row", header.n_docs), ("Column", header.n_words)
        for axis, (what, size) in enumerate(sizes):
            index = numbers[:, axis]
            bad = ~((index >= 1) & (index <= size) & (index == np.floor(index)))
            refuse(bad, axis, f"{what} index {{}} is not from 1 to {size}.")
    if header.field == "pattern":
        return
    values, last = numbers[:, -1], numbers.shape[1] - 1
    refuse(
        values < 0,
        last,
        "Negative values in data: counts must not be negative, got {}.",
    )
    refuse(
        ~(values <= MOST_COUNT), last, "counts are numbers from 0 to 2^53 - 1, got {}."
    )
    if "integer" in header.field:
        refuse(values != np.floor(values), last, "integers are announced, got {}.")


def _places(header: Header, first: int, last: int) -> npt.NDArray[np.int64]:
    """Return rows and columns of some values of an array, stored column by column."""
    place = np.arange(first, last)
    if not header.symmetric:
        return np.column_stack((place % header.n_docs, place // header.n_docs))
    lengths = np.arange(header.n_docs, 0, -1)
    starts = np.cumsum(lengths) - lengths
    column = np.searchsorted(starts, place, side="right") - 1
    return np.column_stack((column + place - starts[column], column))
