"""Matrix Market: a matrix whose rows are documents.

Read here and not by SciPy, whose reader ends the process over some broken files.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.limits import MOST_COUNT
from leantopics.readers.counts import check_claim, greatest_size, whole
from leantopics.readers.record import Record, fault
from leantopics.readers.streams import Line, display_name, read_lines

_BATCH = 1 << 14
_FORMS = {"coordinate": 3, "array": 2}
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_Numbers = npt.NDArray[np.float64]


class Header(NamedTuple):
    """What the file says of itself."""

    form: str
    field: str
    symmetric: bool
    n_docs: int
    n_words: int
    n_entries: int
    """Lines that follow."""


def read_header(source: str, encoding: str) -> Header:
    """Return what the first lines say, if the file can hold as much."""
    return _take_header(source, read_lines(source, encoding))


def read_matrix_market(source: str, encoding: str) -> Iterator[Record]:
    r"""Yield one record a row; its id is the number of the row, from 0.

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
    lines = read_lines(source, encoding)
    header = _take_header(source, lines)
    numbers = _read_body(display_name(source), lines, header)
    if header.form == "array":
        row, column = _places(header)
        values = numbers[:, 0]
    else:
        row, column = numbers[:, :2].T.astype(np.int64) - 1
        values = np.ones(len(row)) if header.field == "pattern" else numbers[:, 2]
    if header.symmetric:
        off = row != column
        row, column = np.append(row, column[off]), np.append(column, row[off])
        values = np.append(values, values[off])
    shape = (header.n_docs, header.n_words)
    matrix = sparse.csr_array((values, (row, column)), shape=shape)
    matrix.sum_duplicates()
    for number in range(header.n_docs):
        entries = slice(matrix.indptr[number], matrix.indptr[number + 1])
        words = matrix.indices[entries].astype(np.int64)
        yield Record(str(number), counts=(words, matrix.data[entries]))


def _take_header(source: str, lines: Iterator[Line]) -> Header:
    name = display_name(source)
    first = next(lines, None)
    banner = first.text.lower().split() if first else []
    if len(banner) != 5 or banner[:2] != ["%%matrixmarket", "matrix"]:
        raise fault(
            name, 1, "Not a Matrix Market file, which begins %%MatrixMarket matrix."
        )
    form, field, symmetry = banner[2:]
    if field == "complex" or symmetry in ("skew-symmetric", "hermitian"):
        raise fault(
            name, 1, f"counts are real and not negative, got {field} {symmetry} ones."
        )
    if (
        form not in _FORMS
        or field not in _FIELDS
        or ((form, field) == ("array", "pattern"))
    ):
        raise fault(
            name, 1, f"there is no matrix of the kind {form} {field}"[:99] + "."
        )
    if symmetry not in ("general", "symmetric"):
        raise fault(name, 1, f"the symmetry {symmetry[:40]!r} is not known.")
    for line in lines:
        tokens = line.text.split()
        if not tokens or tokens[0].startswith("%"):
            continue
        if len(tokens) != _FORMS[form] or not all(
            token.isascii() and token.isdigit() for token in tokens
        ):
            raise fault(
                name,
                line.number,
                f"the size of the matrix is {_FORMS[form]} whole numbers, got "
                f"{line.text.strip()[:40]!r}.",
            )
        sizes = [whole(token, name, line.number) for token in tokens]
        n_docs, n_words = sizes[:2]
        if symmetry == "symmetric" and n_docs != n_words:
            raise fault(name, line.number, "a symmetric matrix must be square.")
        if form == "coordinate":
            n_entries = sizes[2]
        elif symmetry == "symmetric":
            n_entries = n_docs * (n_docs + 1) // 2
        else:
            n_entries = n_docs * n_words
        size = greatest_size(source)
        if n_entries > size:
            raise fault(
                name,
                line.number,
                f"{n_entries} entries are announced, but the file is too short."[:200],
            )
        check_claim("documents", n_docs, name, size)
        return Header(form, field, symmetry == "symmetric", n_docs, n_words, n_entries)
    raise fault(name, 1, "the size of the matrix is missing.")


def _read_body(name: str, lines: Iterator[Line], header: Header) -> _Numbers:
    """Return the numbers of all lines, checked."""
    width = 1 if header.form == "array" else 2 if header.field == "pattern" else 3
    blocks = [np.zeros((0, width))]
    found = last = 0
    while batch := list(islice(lines, _BATCH)):
        last = batch[-1].number
        batch = [line for line in batch if line.text.strip()]
        if not batch:
            continue
        block = _parse(batch, width, name)
        _check(block, batch, header, name)
        blocks.append(block)
        found += len(block)
        if found > header.n_entries:
            break
    if found != header.n_entries:
        what = "Truncated file" if found < header.n_entries else "Too many lines"
        told = "more" if found > header.n_entries else str(found)
        raise fault(
            name,
            last or 1,
            f"{what}: {header.n_entries} entries are announced, but {told} follow.",
        )
    return np.concatenate(blocks)


def _parse(batch: list[Line], width: int, name: str) -> _Numbers:
    try:
        texts = [line.text for line in batch]
        block: _Numbers = np.loadtxt(texts, np.float64, comments=None, ndmin=2)
        if block.shape == (len(batch), width):
            return block
    except (ValueError, OverflowError):
        pass
    for line in batch:
        try:
            wrong = len([float(token) for token in line.text.split()]) != width
        except ValueError:
            wrong = True
        if wrong:
            break
    raise fault(
        name,
        line.number,
        f"a line here holds {width} number(s), got {line.text.strip()[:40]!r}.",
    )


def _check(block: _Numbers, batch: list[Line], header: Header, name: str) -> None:
    """Refuse indices outside the matrix and values that are no counts."""

    def refuse(bad: npt.NDArray[np.bool_], column: int, message: str) -> None:
        if bad.any():
            place = int(np.argmax(bad))
            value = block[place, column]
            raise fault(name, batch[place].number, message.format(f"{value:.17g}"))

    if header.form == "coordinate":
        for axis, what, size in (
            (0, "Row", header.n_docs),
            (1, "Column", header.n_words),
        ):
            index = block[:, axis]
            bad = ~((index >= 1) & (index <= size) & (index == np.floor(index)))
            refuse(bad, axis, f"{what} index {{}} is not from 1 to {size}.")
    if header.field == "pattern":
        return
    values, last = block[:, -1], block.shape[1] - 1
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


def _places(header: Header) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows and columns of the numbers of an array, which come column by column."""
    if header.symmetric:
        column, row = np.triu_indices(header.n_docs)
        return row.astype(np.int64), column.astype(np.int64)
    place = np.arange(header.n_entries, dtype=np.int64)
    n_docs = max(header.n_docs, 1)
    return place % n_docs, place // n_docs
