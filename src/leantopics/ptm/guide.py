"""What somebody knows of the topics before a fit."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leantopics._arrays import Bools, Floats, Longs
from leantopics._validation import check_choice
from leantopics.corpus import Corpus
from leantopics.ptm.updates import Pinned

KINDS = ("word", "not word", "document")
_PARTS = ("words", "not_words", "documents")


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
        """Read a guide from a file of JSON, an object with the parameters.

        Parameters
        ----------
        path : path
            The file.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "guide.json")
        ...     _ = file.write_text('{"words": {"refunds": ["refund"]}}')
        ...     Guide.read(file).words
        {'refunds': ['refund']}
        """
        try:
            found = json.loads(Path(path).read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path} must be a guide in JSON: {error}.") from None
        known = {*_PARTS, "labels", "trust", "bound"}
        if not isinstance(found, dict) or set(found) - known:
            odd = sorted(set(found) - known) if isinstance(found, dict) else found
            raise ValueError(
                f"{path} must be a JSON object with {', '.join(sorted(known))}. Got "
                f"{odd!r} instead."
            )
        return cls(**found)


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
    trust_data: bool
    bound: float


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
    if not names:
        raise ValueError("The guide must name words or documents of a topic.")
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
    rows = np.flatnonzero(filled)
    data = guide.trust == "data"
    return Beliefs(names, must, may_not, topic_of[rows], rows, data, guide.bound)


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
            or not isinstance(row["topic"], str)
            or type(row["what"]) is not (int if row["belief"] == "document" else str)
            or type(row["nats"]) is not float
            or type(row["held"]) is not bool
        ):
            raise ValueError("the guide_costs")
    return rows


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
