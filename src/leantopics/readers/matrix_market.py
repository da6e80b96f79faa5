"""Matrix Market: a matrix whose rows are documents."""

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
from scipy import io, sparse

from leantopics.readers.record import Record, fault
from leantopics.readers.streams import open_bytes


def read_shape(source: str) -> tuple[int, int]:
    """Return the numbers of documents and words."""
    # SciPy ends the whole process if it leaves an open file before its end.
    header = BytesIO()
    with open_bytes(source) as stream:
        for line in stream:
            header.write(line)
            if line.strip() and not line.startswith(b"%"):
                break
    header.seek(0)
    n_docs, n_words, *_ = _call(io.mminfo, source, header)
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
    with open_bytes(source) as stream:
        loaded = _call(io.mmread, source, stream)
    if loaded.dtype.kind == "c":
        raise fault(source, 1, "counts must be real numbers, got complex ones.")
    matrix = sparse.csr_array(loaded, dtype=np.float64)
    matrix.sum_duplicates()
    for row in range(matrix.shape[0]):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        words = matrix.indices[entries].astype(np.int64)
        yield Record(str(row), counts=(words, matrix.data[entries]))


def _call(function: Callable[[BinaryIO], Any], source: str, stream: BinaryIO) -> Any:
    """Call a function of scipy, turning its errors into our form."""
    try:
        return function(stream)
    except (ValueError, OverflowError) as error:
        found = re.fullmatch(r"Line (\d+): (.*)", str(error), re.DOTALL)
        line, message = found.groups() if found else ("1", str(error))
        raise fault(source, int(line), message) from None
