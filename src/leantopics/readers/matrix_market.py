"""Matrix Market: a matrix whose rows are documents."""

import codecs
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
from scipy import io, sparse

from leantopics.limits import MOST_COUNT, limit
from leantopics.readers.counts import check_claim, check_counts, greatest_size
from leantopics.readers.record import Record, fault
from leantopics.readers.streams import check_start, open_bytes, too_long


def read_shape(source: str) -> tuple[int, int]:
    """Return the numbers of documents and words, if the file can hold as many."""
    header, longest = BytesIO(), limit("line")
    with open_bytes(source) as stream:
        while line := stream.readline(longest + 1):
            if header.tell() == 0:
                line = line.removeprefix(codecs.BOM_UTF8)
                check_start(line, source)
            header.write(line)
            if header.tell() > longest:
                raise fault(source, 1, too_long("header", longest))
            if line.strip() and not line.startswith(b"%"):
                break
    header.seek(0)
    n_docs, n_words, n_entries, form, *_ = _call(io.mminfo, source, header)
    size = greatest_size(source)
    if n_entries * (4 if form == "coordinate" else 1) > size + 4:
        raise fault(
            source, 1, f"{n_entries} entries are announced, but the file is too short."
        )
    check_claim("documents", n_docs, source, size)
    return n_docs, n_words


def read_matrix_market(source: str) -> Iterator[Record]:
    """Yield one record a row; its id is the number of the row, from 0.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.mmwrite(folder + "/toy.mtx", sparse.coo_array([[0, 2], [1, 0]]))
    ...     [record.counts for record in read_matrix_market(folder + "/toy.mtx")]
    [(array([1]), array([2.])), (array([0]), array([1.]))]
    """
    read_shape(source)
    with open_bytes(source) as stream:
        loaded = _call(io.mmread, source, stream)
    if loaded.dtype.kind == "c":
        raise fault(source, 1, "counts must be real numbers, got complex ones.")
    matrix = sparse.csr_array(loaded, dtype=np.float64)
    matrix.sum_duplicates()
    bad = np.flatnonzero(~(matrix.data <= MOST_COUNT))[:1]
    row = np.searchsorted(matrix.indptr, bad, side="right") - 1
    check_counts(matrix.data[bad], source, 1, f" in row {row.sum() + 1}")
    for number in range(matrix.shape[0]):
        entries = slice(matrix.indptr[number], matrix.indptr[number + 1])
        words = matrix.indices[entries].astype(np.int64)
        yield Record(str(number), counts=(words, matrix.data[entries]))


def _call(function: Callable[[BinaryIO], Any], source: str, stream: BinaryIO) -> Any:
    """Call a function of scipy, turning its errors into our form."""
    try:
        return function(_Forward(stream))  # type: ignore[arg-type]
    except MemoryError:
        raise fault(source, 1, "the matrix does not fit into memory.") from None
    except (ValueError, OverflowError) as error:
        found = re.fullmatch(r"Line (\d+): (.*)", str(error), re.DOTALL)
        line, message = found.groups() if found else ("1", str(error))
        raise fault(source, int(line), message) from None


class _Forward:
    """A file that is only read forward, without its byte-order mark.

    SciPy goes back in a file that it leaves before its end; if that is closed by then,
    the whole process ends. Here it has no way to go back.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._read, self._begun = stream.read, False

    def read(self, size: int = -1) -> bytes:
        piece = self._read(size)
        if not self._begun:
            self._begun = True
            piece = piece.removeprefix(codecs.BOM_UTF8)
        return piece
