"""Topics of the documents of a request, as `leantopics infer` prints them."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from leantopics.analysis.tables import Topics, rank_topics
from leantopics.models.base import TopicModel
from leantopics.text import TextVectorizer
from leantopics.text.words import cutting_until

_FEWEST = 1e-9
"""Smaller counts are ignored."""
_AT_ONCE = 64
"""Most documents between two checks of the deadline."""
_SIZE_AT_ONCE = 1 << 20
"""Characters or words after which the deadline is checked sooner."""


class Row(NamedTuple):
    """Counts of a document over the vocabulary of the model."""

    columns: NDArray[np.int32]
    values: NDArray[np.float64]


class Inference:
    """Finds the topics of new documents; safe to call from many threads.

    From now on each call of the model uses only its own thread.
    """

    def __init__(self, model: TopicModel) -> None:
        self._model = model.set_params(n_jobs=1)
        if "sparse_output" in model.get_params():
            model.set_params(sparse_output=True)
        if hasattr(model, "feature_names_in_"):  # columns are found by name here
            del model.feature_names_in_
        self._column = {word: n for n, word in enumerate(model.vocabulary_)}
        self._count = None
        if model.analyser_ is not None:
            self._count = TextVectorizer.from_dict(model.analyser_).counter()
            self._count([""])  # a missing tokenizer is refused here

    @property
    def takes_texts(self) -> bool:
        """Whether the model knows how to split text into words."""
        return self._count is not None

    def warm_up(self) -> None:
        """Infer a document of all words, so that everything is loaded."""
        self([self.row(dict.fromkeys(self._column, 1.0))], np.inf)

    def row(self, counts: dict[str, float]) -> Row:
        """Return counts in the form for `__call__`, without unknown words."""
        known = [
            (self._column[word], n)
            for word, n in counts.items()
            if n >= _FEWEST and word in self._column
        ]
        column, count = zip(*known, strict=True) if known else ((), ())
        return Row(np.array(column, np.int32), np.array(count, np.float64))

    def __call__(self, documents: Sequence[Any], deadline: float) -> list[Topics]:
        """Return the topics of each document, largest first.

        They are texts or rows. When `time.monotonic` is past the deadline, a
        TimeoutError is raised.
        """
        found: list[Topics] = []
        for some in _parts(documents):
            if time.monotonic() > deadline:
                raise TimeoutError
            with cutting_until(deadline):
                counts = self._matrix(some)
            found += rank_topics(self._model, counts)
        return found

    def _matrix(self, documents: Sequence[Any]) -> sparse.csr_array:
        if isinstance(documents[0], str):
            assert self._count is not None
            return self._count(documents).astype(np.float64)
        columns, counts = zip(*documents, strict=True)
        ends = np.cumsum([0, *map(len, columns)])
        arrays = np.concatenate(counts), np.concatenate(columns), ends
        shape = (len(documents), len(self._column))
        return sparse.csr_array(arrays, shape=shape)


def _parts(documents: Sequence[Any]) -> Iterator[list[Any]]:
    """Divide documents into parts that are small enough for one step."""
    part: list[Any] = []
    size = 0
    for document in documents:
        if part and type(document) is not type(part[0]):
            yield part
            part, size = [], 0
        part.append(document)
        size += len(document) if isinstance(document, str) else len(document.columns)
        if len(part) == _AT_ONCE or size >= _SIZE_AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part
