"""Texts that stay in their files."""

import csv
import io
import json
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from leantopics._encodings import decoded
from leantopics.storage import LazyList

Ints = npt.NDArray[np.integer[Any]]
_CHANGED = (
    ValueError, LookupError, TypeError, StopIteration, RecursionError, csv.Error
)  # fmt: skip
"""Errors raised by reading a text where there is something else."""


@dataclass(frozen=True, eq=False)
class LazyTexts(LazyList[str]):
    r"""Texts of documents that stay in their files and are read on access.

    Only the place of each text is kept. A file that has since been moved or truncated
    gives an error on access; a file rewritten with other text of the same length goes
    unnoticed.

    Parameters
    ----------
    files : list of str
        The files, uncompressed.
    file_of : array of int, shape (n_docs,)
        Which file each document is in.
    offsets, lengths : array of int, shape (n_docs,)
        The bytes of each document in its file.
    form : {"plain", "json", "csv"}
        What these bytes are: the text itself, a JSON object, or a CSV row.
    field : str or int
        The key of the JSON object, or the number of the CSV column.
    delimiter : str
        Between the columns of a CSV row.
    encoding : str
        Encoding of the files, or "auto".

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "two.txt")
    ...     _ = file.write_bytes(b"a cat\na dog\n")
    ...     first, count = np.array([0, 6]), np.array([5, 5])
    ...     LazyTexts([str(file)], np.array([0, 0]), first, count)[1]
    'a dog'
    """

    files: list[str]
    file_of: Ints
    offsets: Ints
    lengths: Ints
    form: str = "plain"
    field: str | int = 0
    delimiter: str = ","
    encoding: str = "utf-8"

    def __len__(self) -> int:
        return len(self.offsets)

    def item(self, index: int) -> str:
        """Read the text of this number."""
        file = self.files[self.file_of[index]]
        offset, length = int(self.offsets[index]), int(self.lengths[index])
        try:
            if os.path.exists(file) and not os.path.isfile(file):
                raise ValueError("it is not a file")  # reading a pipe could block
            with open(file, "rb") as stream:
                size = os.fstat(stream.fileno()).st_size
                if not (0 <= offset <= size and 0 <= length <= size - offset):
                    raise ValueError("it is shorter than it was")
                stream.seek(offset)
                raw = stream.read(length)
            return self._text_of(decoded(raw, self.encoding))
        except _CHANGED as error:
            raise ValueError(
                f"{file} has changed since the corpus was read ({error}); "
                "read the corpus again."
            ) from None

    def _text_of(self, raw: str) -> str:
        if self.form == "json":
            return str(json.loads(raw)[self.field])
        if self.form == "csv":
            csv.field_size_limit(2**31 - 1)  # a document may be longer than 128 KiB
            rows = csv.reader(io.StringIO(raw, newline=""), delimiter=self.delimiter)
            return next(rows)[int(self.field)]
        return raw

    def select(self, rows: Ints) -> "LazyTexts":
        """Return the places of some of the texts, by their numbers."""
        return replace(
            self,
            file_of=self.file_of[rows],
            offsets=self.offsets[rows],
            lengths=self.lengths[rows],
        )
