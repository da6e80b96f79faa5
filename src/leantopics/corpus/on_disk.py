"""A corpus whose counts stay on disk."""

import copy
import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics._validation import check_counts
from leantopics.corpus.corpus import SENSELESS, Corpus, saved_texts
from leantopics.corpus.preprocessing import (
    PREFIX,
    analyser_over,
    check_analyser,
    join_analyser,
)
from leantopics.corpus.validation import (
    check_vocabulary,
    index_type,
    label_list,
    length_message,
)
from leantopics.storage import map_file, map_folder, not_understood


class OpenedCorpus(Corpus):
    """A corpus whose counts stay on disk."""

    def __init__(self, path: str | os.PathLike[str], check: bool) -> None:
        self._saved = map_folder(path, kind="corpus", check=check)
        self._path = path
        arrays = self._saved.arrays
        try:
            self.counts = _mapped_counts(
                arrays["data"],
                arrays["indices"],
                arrays["indptr"],
                tuple(self._saved.content["shape"]),
            )
            self.vocabulary = check_vocabulary(
                self._saved.strings("vocabulary"), self.n_words
            )
        except SENSELESS as error:
            raise not_understood(path, "corpus", error) from error

    def _over(
        self, vocabulary: list[str], parts: Iterator["sparse.csr_array[np.float64]"]
    ) -> "Corpus":
        """Return the same documents with other counts, kept in temporary files."""
        other = copy.copy(self)
        other.vocabulary = vocabulary
        other.analyser = analyser_over(self.analyser, vocabulary)
        ends, kind = [np.zeros(1, np.int64)], self.counts.indices.dtype
        with TemporaryFile() as data, TemporaryFile() as indices:
            for part in parts:
                part.sort_indices()
                data.write(part.data.astype(np.float64, copy=False).data)
                indices.write(part.indices.astype(kind, copy=False).data)
                ends.append(ends[-1][-1] + part.indptr[1:].astype(np.int64))
            indptr = np.concatenate(ends)
            shape = (self.n_docs, len(vocabulary))
            other.counts = _mapped_counts(
                map_file(data, np.dtype("<f8"), int(indptr[-1])),
                map_file(indices, kind, int(indptr[-1])),
                indptr,
                shape,
            )
        return other

    @property
    def is_on_disk(self) -> bool:
        """Whether the counts stay in files: always true here."""
        return True

    @cached_property
    def ids(self) -> list[str]:  # type: ignore[override]
        """Names of the documents."""
        return self._of_documents("ids") or []

    @cached_property
    def labels(self) -> list[list[str]] | None:  # type: ignore[override]
        """Labels of each document."""
        return self._of_documents("labels", lambda x: label_list(json.loads(x)))

    @cached_property
    def metadata(self) -> Sequence[dict[str, Any]] | None:  # type: ignore[override]
        """Anything else about each document, left on disk."""
        return self._left_there("metadata", lambda x: dict(json.loads(x) or {}))

    @cached_property
    def texts(self) -> Sequence[str] | None:  # type: ignore[override]
        """The texts, left on disk."""
        content, arrays = self._saved.content, self._saved.arrays
        if "texts" not in content:
            return self._left_there("texts", str)
        try:
            return saved_texts(content, arrays, self._saved.strings("text_files"))
        except SENSELESS as error:
            raise not_understood(self._path, "corpus", error) from error

    def _left_there(
        self, name: str, read: Callable[[str], Any]
    ) -> Sequence[Any] | None:
        if name not in self._saved.files:
            return None
        items = self._saved.items(name, read)
        if len(items) != self.n_docs:
            error = ValueError(length_message(name, self.n_docs, len(items)))
            raise not_understood(self._path, "corpus", error)
        return items

    @cached_property
    def analyser(self) -> dict[str, Any] | None:  # type: ignore[override]
        """How the texts were counted."""
        try:
            names = [name for name in self._saved.files if name.startswith(PREFIX)]
            lists = {name: self._saved.strings(name) for name in names}
            found = join_analyser(self._saved.content.get("analyser"), lists)
            return check_analyser(found, self.vocabulary)
        except SENSELESS as error:
            raise not_understood(self._path, "corpus", error) from error

    def _of_documents(
        self, name: str, read: Callable[[str], Any] = str
    ) -> list[Any] | None:
        if name not in self._saved.files:
            return None
        try:
            values = [read(each) for each in self._saved.strings(name)]
            if len(values) != self.n_docs:
                raise ValueError(length_message(name, self.n_docs, len(values)))
            return values
        except SENSELESS as error:
            raise not_understood(self._path, "corpus", error) from error


def _mapped_counts(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    shape: tuple[int, int],
) -> "sparse.csr_array[np.float64]":
    """Return the mapped counts; refuse those that `canonical` would change."""
    check_counts(data, indices, indptr, shape)
    # Words of this type are not copied; older versions saved narrower ones.
    kind = np.promote_types(index_type(len(data)), indices.dtype)
    words, rows = (each.astype(kind, copy=False) for each in (indices, indptr))
    return sparse.csr_array((data, words, rows), shape=shape)
