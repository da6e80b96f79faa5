"""A corpus: one sparse count matrix, and the names of its documents and words."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics._limits import limit, way_out
from leantopics.corpus.analyser import analyser_over, check_analyser
from leantopics.corpus.card import corpus_card
from leantopics.corpus.rows import row_parts
from leantopics.corpus.saved import (
    SENSELESS,
    folder_of,
    loaded_columns,
    mapped_columns,
    spilled_counts,
)
from leantopics.corpus.text_refs import Ints, LazyTexts
from leantopics.corpus.validation import (
    canonical,
    check_names,
    check_vocabulary,
    label_list,
    length_message,
    metadata_rows,
)
from leantopics.storage import (
    is_mapped,
    load_folder,
    map_folder,
    not_understood,
    save_folder,
)

_T = TypeVar("_T")


class Corpus:
    """Word counts of documents, with the names of documents and words.

    Parameters
    ----------
    counts : array or sparse matrix, shape (n_docs, n_words)
        How often each word occurs in each document: finite, not negative, not
        necessarily whole. Copied.
    vocabulary : sequence of str, optional
        The words, all different; "0", "1", ... if not given.
    ids : sequence of str, optional
        Names of the documents; "0", "1", ... if not given.
    labels : sequence, optional
        The labels of each document: a string, a whole number, or a list of these.
    metadata : sequence of dict or data frame, optional
        Anything else about each document, of types that JSON can hold.
    texts : sequence of str, optional
        The texts the counts were made from, a list or `LazyTexts`.
    analyser : dict, optional
        How the texts were counted, as returned by `TextVectorizer.to_dict`. Models
        fitted to the corpus have it as ``analyser_``.

    Attributes
    ----------
    counts : scipy.sparse.csr_array of float64, shape (n_docs, n_words)
        Canonical: column numbers sorted, none twice, no stored zeros.
    vocabulary : list of str, length n_words
    ids, labels, metadata, texts : sequence of length n_docs, or None
        Lists, or of a corpus on disk, sequences that read an item on access.
    analyser : dict or None

    Examples
    --------
    >>> corpus = Corpus([[2, 0, 1], [0, 3, 0]], vocabulary=["cat", "dog", "paw"])
    >>> corpus
    Corpus(2 documents, 3 words, 6 tokens)
    >>> corpus.select([1]).ids
    ['1']
    """

    def __init__(
        self,
        counts: Any,
        vocabulary: Iterable[str] | None = None,
        ids: Iterable[str] | None = None,
        labels: Iterable[Any] | None = None,
        metadata: Iterable[Mapping[str, Any] | None] | None = None,
        texts: Sequence[str] | None = None,
        analyser: Mapping[str, Any] | None = None,
    ) -> None:
        self.counts = canonical(counts)
        n_docs, n_words = self.counts.shape
        if vocabulary is None and n_words > limit("words"):
            raise ValueError(
                f"The matrix has {n_words} words, more than {limit('words')}, without "
                f"a vocabulary; {way_out('words')}."
            )
        self.vocabulary = check_vocabulary(vocabulary, n_words)
        self.ids: Sequence[str] = check_names("ids", ids, n_docs)
        self.labels: Sequence[list[str]] | None = (
            None if labels is None else [label_list(x) for x in labels]
        )
        self.metadata: Sequence[dict[str, Any]] | None = (
            None if metadata is None else metadata_rows(metadata)
        )
        if texts is not None and not isinstance(texts, LazyTexts):
            texts = check_names("texts", texts, n_docs)
        self.texts = texts
        self.analyser = check_analyser(analyser, self.vocabulary)
        for name in ("labels", "metadata", "texts"):
            values = getattr(self, name)
            if values is not None and len(values) != n_docs:
                raise ValueError(length_message(name, n_docs, len(values)))

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return int(self.counts.shape[0])

    @property
    def n_words(self) -> int:
        """Number of words in the vocabulary."""
        return int(self.counts.shape[1])

    @property
    def is_on_disk(self) -> bool:
        """Whether the counts stay in files; see `open`."""
        return is_mapped(self.counts.data)

    @property
    def n_tokens(self) -> float:
        """Sum of all counts."""
        return float(self.counts.data.sum())

    def __len__(self) -> int:
        return self.n_docs

    def __repr__(self) -> str:
        more = [
            name
            for name in ("labels", "metadata", "texts")
            if getattr(self, name) is not None
        ]
        with_ = f", with {', '.join(more)}" if more else ""
        return (
            f"Corpus({_some(self.n_docs, 'document')}, {_some(self.n_words, 'word')}, "
            f"{_some(self.n_tokens, 'token')}{with_})"
        )

    def _repr_html_(self) -> str:
        """Show the size and the first documents in a notebook."""
        return corpus_card(self)

    def select(self, rows: npt.ArrayLike) -> "Corpus":
        """Return a corpus of some of the documents, with the same vocabulary.

        Parameters
        ----------
        rows : array of bool, shape (n_docs,), or of int
            Which documents: a mask, or their numbers in the order wanted.
        """
        chosen = np.asarray(rows)
        if chosen.dtype == bool and chosen.shape != (self.n_docs,):
            raise ValueError(
                f"A mask of documents must have {self.n_docs} entries, one for each, "
                f"got shape {chosen.shape}."
            )
        if chosen.size and chosen.dtype.kind not in "biu":
            raise TypeError(
                f"Documents are selected by bool or int, got {chosen.dtype}."
            )
        picked = np.arange(self.n_docs)[chosen if chosen.size else slice(0)]
        if isinstance(self.texts, LazyTexts):
            texts: Sequence[str] | None = self.texts.select(picked)
        else:
            texts = _pick(self.texts, picked)
        return Corpus(
            self.counts[picked],
            self.vocabulary,
            _pick(self.ids, picked),
            _pick(self.labels, picked),
            _pick(self.metadata, picked),
            texts,
            self.analyser,
        )

    def align(self, vocabulary: Sequence[str]) -> "Corpus":
        """Return the corpus with another vocabulary, matching words by name.

        Words that are not in `vocabulary` are dropped, so documents may become empty.
        Counts that stay on disk are copied to temporary files, and stay there.

        Examples
        --------
        >>> corpus = Corpus([[2, 0, 1]], vocabulary=["cat", "dog", "paw"])
        >>> corpus.align(["paw", "tail", "cat"]).counts.toarray()
        array([[1., 0., 2.]])
        """
        if list(vocabulary) == self.vocabulary:
            return self
        place = {word: n for n, word in enumerate(vocabulary)}
        pairs = [(n, place[w]) for n, w in enumerate(self.vocabulary) if w in place]
        old, new = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        move = sparse.csr_array(
            (np.ones(len(pairs)), (old, new)), shape=(self.n_words, len(vocabulary))
        )
        parts = (sparse.csr_array(part @ move) for _, part in row_parts(self.counts))
        names = check_vocabulary(vocabulary, len(vocabulary))
        if self.is_on_disk:
            shape = (self.n_docs, len(names))
            counts = spilled_counts(parts, self.counts.indices.dtype, shape)
        else:
            counts = canonical(sparse.vstack([*parts], format="csr"))
        analyser = analyser_over(self.analyser, names)
        return self._of(
            {**vars(self), "counts": counts, "vocabulary": names, "analyser": analyser}
        )

    @classmethod
    def _of(cls, attributes: Mapping[str, Any]) -> Self:
        """Make a corpus of attributes that need no check and no copy."""
        corpus = cls.__new__(cls)
        vars(corpus).update(attributes)
        return corpus

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to a folder, or to one zip file if the path ends in ``.zip``.

        A corpus that was saved there is replaced. Of lazy texts only the places are
        saved: their files must stay where they are.
        """
        save_folder(path, kind="corpus", **folder_of(vars(self))._asdict())

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, check: bool = True) -> Self:
        """Open a corpus that `save` wrote to a folder, and leave its counts on disk.

        Counts, names of documents, labels, metadata and texts are read from disk
        whenever they are used, and take next to no memory. Models fitted to it have the
        same results as with a corpus in memory.

        Parameters
        ----------
        path : path
            The folder.
        check : bool
            Whether to read all files once and compare them with their checksums.
            Counts that make no sense are always refused.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Corpus([[1, 2]], labels=["animals"]).save(folder + "/tiny")
        ...     Corpus.open(folder + "/tiny").labels[0]
        ['animals']
        """
        saved = map_folder(path, kind="corpus", check=check)
        try:
            return cls._of(mapped_columns(saved))
        except SENSELESS as error:
            raise not_understood(path, "corpus", error) from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a corpus that `save` wrote.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Corpus([[1, 2]], labels=["animals"]).save(folder + "/tiny")
        ...     Corpus.load(folder + "/tiny").labels
        [['animals']]
        """
        folder = load_folder(path, kind="corpus")
        try:
            return cls(**loaded_columns(folder))
        except SENSELESS as error:
            raise not_understood(path, "corpus", error) from error


def _some(n: float, noun: str) -> str:
    return f"{n:.12g} {noun}" if n == 1 else f"{n:.12g} {noun}s"


def _pick(values: Sequence[_T] | None, rows: Ints) -> list[_T] | None:
    return None if values is None else [values[d] for d in rows]
