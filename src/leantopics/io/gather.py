"""Collect what a corpus needs while records are read once."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from leantopics.corpus import Corpus
from leantopics.io.record import Place, Record


class Gathered:
    """Pass records on, and keep what a corpus needs besides the counts.

    ``files`` are numbered; ``places`` has file number, offset and length of every text
    that has a place, and ``place`` is the last of them: all have the same form.

    Examples
    --------
    >>> gathered = Gathered([Record("7", "a cat")], keep_texts=True)
    >>> [record.text for record in gathered], gathered.ids, gathered.texts
    (['a cat'], ['7'], ['a cat'])
    """

    def __init__(self, records: Iterable[Record], keep_texts: bool) -> None:
        self._records = records
        self._keep_texts = keep_texts
        self.ids: list[str] = []
        self.labels: list[list[str]] = []
        self.metadata: list[dict[str, Any]] = []
        self.texts: list[str] = []
        self.files: dict[str, int] = {}
        self.places = array("q")
        self.place: Place | None = None

    def __iter__(self) -> Iterator[Record]:
        for record in self._records:
            self.ids.append(record.id)
            self.labels.append(list(record.labels))
            self.metadata.append(dict(record.metadata))
            if self._keep_texts and record.text is not None:
                self.texts.append(record.text)
            if record.place is not None:
                self.place = record.place
                file = self.files.setdefault(record.place.file, len(self.files))
                self.places.extend((file, record.place.offset, record.place.length))
            yield record

    def corpus(
        self,
        counts: Any,
        vocabulary: list[str] | None,
        texts: Sequence[str] | None,
        analyser: dict[str, Any] | None,
    ) -> Corpus:
        """Return the corpus of the records, given their counts."""
        return Corpus(
            counts,
            vocabulary,
            self.ids,
            self.labels if any(self.labels) else None,
            self.metadata if any(self.metadata) else None,
            texts,
            analyser,
        )


def stack_counts(
    records: Iterable[Record], n_words: int | None
) -> "sparse.csr_array[np.float64]":
    """Return the counts of records as the rows of one matrix.

    Without `n_words`, the number of words is the largest word number plus one.

    Examples
    --------
    >>> record = Record("0", counts=(np.array([1]), np.array([4.0])))
    >>> stack_counts([record, record], None).toarray()
    array([[0., 4.],
           [0., 4.]])
    """
    parts = [record.counts for record in records if record.counts is not None]
    indices = np.concatenate([words for words, _ in parts])
    data = np.concatenate([values for _, values in parts])
    indptr = np.cumsum([0] + [len(words) for words, _ in parts])
    width = int(indices.max(initial=-1)) + 1 if n_words is None else n_words
    return sparse.csr_array((data, indices, indptr), shape=(len(parts), width))
