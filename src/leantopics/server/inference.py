"""Topics of the documents of a request, as `leantopics infer` tells them."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from leantopics.models import Model, Topics, told_topics
from leantopics.text import TextVectorizer

_FEWEST = 1e-9
"""Smaller counts are none."""
_AT_ONCE = 64
"""Documents between two looks at the clock."""


class Inference:
    """What finds the topics of new documents; safe to call from many threads.

    Parameters
    ----------
    model : Model
        Fitted; from now on each call works in the thread it comes from.
    """

    def __init__(self, model: Model) -> None:
        self._model = model.set_params(n_jobs=1)
        if "sparse_output" in model.get_params():
            model.set_params(sparse_output=True)
        if hasattr(model, "feature_names_in_"):  # columns are found by name here
            del model.feature_names_in_
        self._column = {word: n for n, word in enumerate(model.vocabulary_)}
        self._vectorizer = None
        if model.analyser_ is not None:
            self._vectorizer = TextVectorizer.from_dict(model.analyser_)
            self._vectorizer.transform([""])  # here a missing tokenizer is told

    @property
    def takes_texts(self) -> bool:
        """Whether the model knows how to cut text into words."""
        return self._vectorizer is not None

    def warm_up(self) -> None:
        """Infer a document of all words, so that everything is compiled."""
        self([dict.fromkeys(self._column, 1.0)], np.inf)

    def __call__(self, documents: Sequence[Any], deadline: float) -> list[Topics]:
        """Return the topics of each document by falling proportion.

        Parameters
        ----------
        documents : sequence of str, or of dict
            Texts, or counts by word; words that the model does not know are left out.
        deadline : float
            When `time.monotonic` is past it, a TimeoutError is raised.
        """
        found: list[Topics] = []
        for start in range(0, len(documents), _AT_ONCE):
            if time.monotonic() > deadline:
                raise TimeoutError
            found += self._topics(documents[start : start + _AT_ONCE])
        return found

    def _topics(self, documents: Sequence[Any]) -> list[Topics]:
        if isinstance(documents[0], str):
            assert self._vectorizer is not None
            counts = self._vectorizer.transform(documents).astype(np.float64)
        else:
            counts = self._matrix(documents)
        return told_topics(self._model, counts)

    def _matrix(self, documents: Sequence[dict[str, float]]) -> sparse.csr_array:
        """Return counts over the vocabulary of the model."""
        rows: list[tuple[int, int, float]] = [
            (d, self._column[word], float(n))
            for d, document in enumerate(documents)
            for word, n in document.items()
            if n >= _FEWEST and word in self._column
        ]
        d, column, n = zip(*rows, strict=True) if rows else ((), (), ())
        place = np.array(d, dtype=np.int32), np.array(column, dtype=np.int32)
        shape = (len(documents), len(self._column))
        return sparse.csr_array((np.array(n, dtype=np.float64), place), shape=shape)
