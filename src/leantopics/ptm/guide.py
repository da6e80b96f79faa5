"""What somebody knows of the topics before a fit."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from leantopics._arrays import Bools, Floats, Longs
from leantopics._validation import check_choice
from leantopics.corpus import Corpus
from leantopics.ptm import guide_files, links
from leantopics.ptm.links import Link
from leantopics.ptm.updates import Pinned

KINDS = ("word", "not word", "document", *links.KINDS)
_PARTS = ("words", "not_words", "documents", "together", "apart")


class Guide:
    """Known topics: words that they must or may not have, and documents of theirs.

    Parameters
    ----------
    words : mapping of name to words
        Words that must be salient in a topic, as the fit counts them.
    not_words : mapping of name to words
        Words that may not be salient in it; they keep their shared probability.
    documents : mapping of name to documents
        Documents that belong to a topic, and to no other one: rows, or ids of the
        corpus.
    labels : sequence, mapping or "corpus", optional
        The same the other way round: the name of the topic of each document, None where
        it is not known; or the names by row or id; or the labels of the corpus where a
        document has exactly one.
    together, apart : sequences of sequences of documents
        Documents that have the same topic, and documents that each have another one.
        They have one topic each.
    trust : {"guide", "data"}
        With "data", beliefs that cost more than ``bound`` are dropped.
    bound : float
        Nats of BIC that a belief may cost, if the data are trusted.

    Examples
    --------
    >>> guide = Guide(words={"refunds": ["refund", "chargeback"]})
    >>> guide.names
    ['refunds']
    """

    def __init__(
        self,
        words: Mapping[str, Iterable[str]] | None = None,
        not_words: Mapping[str, Iterable[str]] | None = None,
        documents: Mapping[str, Iterable[int | str]] | None = None,
        labels: Any = None,
        *,
        together: Iterable[Sequence[int | str]] | None = None,
        apart: Iterable[Sequence[int | str]] | None = None,
        trust: str = "guide",
        bound: float = 10.0,
    ) -> None:
        check_choice("trust", trust, ("guide", "data"))
        if not (isinstance(bound, int | float) and bound >= 0.0):
            raise ValueError(
                f"bound must be a number from 0 up. Got {bound!r} instead."
            )
        self.words = _lists("words", words)
        self.not_words = _lists("not_words", not_words)
        self.documents = _lists("documents", documents)
        self.labels = labels
        self.together = links.read("together", together)
        self.apart = links.read("apart", apart)
        self.trust, self.bound = trust, float(bound)

    def __repr__(self) -> str:
        parts = [f"{name}={getattr(self, name)!r}" for name in _PARTS]
        return f"Guide({', '.join(parts)}, labels=..., trust={self.trust!r})"

    @property
    def names(self) -> list[str]:
        """Names of the topics with words or documents of their own, as given."""
        return list(dict.fromkeys([*self.words, *self.documents]))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Guide":
        """Read a guide from a file of JSON or YAML, an object with the parameters.

        Parameters
        ----------
        path : path
            The file; YAML if its name ends in ``.yaml`` or ``.yml``, which needs the
            extra ``yaml``.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "guide.json")
        ...     _ = file.write_text('{"words": {"refunds": ["refund"]}}')
        ...     Guide.read(file).words
        {'refunds': ['refund']}
        """
        return cls(**guide_files.read(path, {*_PARTS, "labels", "trust", "bound"}))


class Beliefs(NamedTuple):
    """A guide in the numbers of a fit: G topics, which come first."""

    names: list[str]
    must: Pinned
    """Words that are salient, by topic."""
    may_not: Pinned
    topic_of: Longs
    """(D,): the topic of each document with words; -1 if it is free."""
    rows: Longs
    """(D,): rows of these documents."""
    links: list[Link]
    """Documents that must be together or apart, by their numbers among these."""
    trust_data: bool
    bound: float

    @property
    def held(self) -> Bools:
        """(D,): whether the topics of each document are held."""
        held: Bools = self.topic_of >= 0
        for link in self.links:
            held[link.rows] = True
        return held


def resolve(
    guide: Guide,
    X: Any,
    vocabulary: Sequence[str],
    frequency: Floats,
    filled: Bools,
) -> Beliefs:
    """Check a guide against the documents of a fit, and number what it names."""
    row_of = _rows_of(X, len(filled))
    given = [(row, name) for name, rows in guide.documents.items() for row in rows]
    given += _labelled(guide.labels, X, len(filled))
    topic_of = np.full(len(filled), -1, dtype=np.int64)
    names = list(dict.fromkeys([*guide.names, *(name for _, name in given)]))
    if not (names or guide.together or guide.apart):
        raise ValueError(
            "The guide must name words or documents of a topic, or documents that must "
            "be together or apart."
        )
    number = {name: g for g, name in enumerate(names)}
    for which, name in given:
        row = row_of(which)
        if topic_of[row] not in (-1, number[name]):
            raise ValueError(
                f"A document may belong to one topic of the guide, but {which!r} "
                f"belongs to {names[topic_of[row]]!r} and {name!r}."
            )
        topic_of[row] = number[name]
    place = {word: n for n, word in enumerate(vocabulary)}
    must, may_not = (
        _numbers(words, number, place, frequency)
        for words in (guide.words, guide.not_words)
    )
    for name, g in number.items():
        both = np.intersect1d(must.get(g, []), may_not.get(g, [])).astype(np.int64)
        if len(both):
            raise ValueError(
                f"The guide may not contradict itself, but {vocabulary[both[0]]!r} "
                f"must and may not be a word of {name!r}."
            )
        if g not in must and not (topic_of[filled] == g).any():
            raise ValueError(
                f"A topic of the guide must have words, or documents with words, but "
                f"{name!r} has none."
            )
    linked = {"together": guide.together, "apart": guide.apart}
    checked_links = links.resolve(linked, row_of, topic_of, names)
    rows = np.flatnonzero(filled)
    return Beliefs(
        names,
        must,
        may_not,
        topic_of[rows],
        rows,
        links.among(checked_links, filled),
        guide.trust == "data",
        guide.bound,
    )


def checked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Refuse costs of beliefs, as read from a file, that a fit could not have.

    Examples
    --------
    >>> checked([{"topic": "sea"}])
    Traceback (most recent call last):
    ...
    ValueError: the guide_costs
    """
    for row in rows:
        if (
            set(row) != {"topic", "belief", "what", "nats", "held"}
            or row["belief"] not in KINDS
            or not _says(row["belief"], row["topic"], row["what"])
            or type(row["nats"]) is not float
            or type(row["held"]) is not bool
        ):
            raise ValueError("the guide_costs")
    return rows


def _says(belief: str, topic: Any, what: Any) -> bool:
    """Whether a row tells about its kind of belief."""
    if belief in links.KINDS:
        rows = isinstance(what, list) and all(type(row) is int for row in what)
        return topic is None and rows
    kind = int if belief == "document" else str
    return isinstance(topic, str) and type(what) is kind


def _lists(what: str, given: Any) -> dict[str, list[Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{what} of a guide must be lists by the name of a topic, such as "
            f'{{"refunds": [...]}}. Got {given!r} instead.'
        )
    for name, values in given.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TypeError(
                f"{what} of a guide must be lists. Got {values!r} for {name!r} instead."
            )
    return {str(name): list(values) for name, values in given.items()}


def _rows_of(X: Any, n_docs: int) -> Any:
    """Return a function from a row or an id to a row."""
    ids: dict[str, int] = {}
    if isinstance(X, Corpus):
        ids = {id_: row for row, id_ in enumerate(X.ids)}

    def row_of(which: Any) -> int:
        whole = isinstance(which, int | np.integer) and not isinstance(which, bool)
        row = int(which) if whole else ids.get(which, -1)
        if not 0 <= row < n_docs:
            raise ValueError(
                f"The documents of a guide must be rows from 0 to {n_docs - 1} or ids "
                f"of the corpus. Got {which!r} instead."
            )
        return row

    return row_of


def _labelled(labels: Any, X: Any, n_docs: int) -> list[tuple[Any, str]]:
    """Documents and the names of their topics."""
    if labels is None:
        return []
    if isinstance(labels, str):
        if labels != "corpus" or not (isinstance(X, Corpus) and X.labels is not None):
            raise ValueError(
                'labels of a guide must be "corpus", for a Corpus with labels, or the '
                f"labels of the documents. Got {labels!r} instead."
            )
        return [(d, own[0]) for d, own in enumerate(X.labels) if len(own) == 1]
    if isinstance(labels, Mapping):
        return [(which, str(name)) for which, name in labels.items()]
    found = list(labels)
    if len(found) != n_docs:
        raise ValueError(
            f"labels of a guide must be one for each of {n_docs} documents, None where "
            f"it is not known. Got {len(found)} instead."
        )
    return [(d, str(name)) for d, name in enumerate(found) if name is not None]


def _numbers(
    words: Mapping[str, list[str]],
    number: Mapping[str, int],
    place: Mapping[str, int],
    frequency: Floats,
) -> dict[int, np.ndarray]:
    found = {}
    for name, own in words.items():
        if name not in number:
            raise ValueError(
                f"A topic of the guide must have words, or documents with words, but "
                f"{name!r} has none."
            )
        for word in own:
            if word not in place or frequency[place[word]] == 0.0:
                raise ValueError(
                    f"Words of the guide must occur in the documents, but {word!r} of "
                    f"{name!r} does not; write words as the topics list them."
                )
        if own:
            numbers = sorted({place[word] for word in own})
            found[number[name]] = np.array(numbers, dtype=np.int32)
    return found
