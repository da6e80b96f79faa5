"""A guide in the numbers of a fit, and whether the fit can hold it."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from leantopics._arrays import Bools, Floats, Longs
from leantopics.corpus import Corpus
from leantopics.ptm.guided import links
from leantopics.ptm.guided.guide import LINKS, Guide
from leantopics.ptm.guided.links import Blocks, Link
from leantopics.ptm.updates import Pinned


class Beliefs(NamedTuple):
    """What a guide says of the first G topics and of the documents with words."""

    names: list[str]
    must: Pinned
    """Words that are salient, by topic."""
    may_not: Pinned
    topic_of: Longs
    """(D,): the topic of each document; -1 if it is free."""
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

    @property
    def blocks(self) -> Blocks:
        """Linked documents, in blocks that must be together."""
        return links.blocks(self.links, self.topic_of)

    def checksum(self, fingerprint: str) -> str:
        """Checksum of the documents, by their fingerprint, and of what is believed."""
        words = [
            sorted((g, own.tolist()) for g, own in held.items())
            for held in (self.must, self.may_not)
        ]
        rest: tuple[Any, ...] = self.names, words, self.trust_data, self.bound
        if self.links:
            rest = *rest, [(kind, rows) for kind, rows in self.links]
        digest = hashlib.sha256(fingerprint.encode() + repr(rest).encode())
        digest.update(np.ascontiguousarray(self.topic_of, dtype="<i8").data)
        return digest.hexdigest()


def beliefs_of(
    model: Any, guide: Guide | None, X: Any, frequency: Floats, filled: Bools
) -> Beliefs | None:
    """Check a guide against the documents and the settings of a fit."""
    if guide is None:
        return None
    if not isinstance(guide, Guide):
        raise TypeError(f"guide must be a Guide. Got {guide!r} instead.")
    if model.procedure == "published":
        raise ValueError('A guide needs procedure="paper". Got "published" instead.')
    beliefs = _resolve(guide, X, model.vocabulary_, frequency, filled)
    apart = max((len(x.rows) for x in beliefs.links if x.kind == "apart"), default=0)
    for least, why in (
        (len(beliefs.names), "the number of topics of the guide"),
        (apart, "as this many documents of the guide must be apart from each other"),
    ):
        if model.n_topics != "auto" and least > int(model.n_topics):
            raise ValueError(
                f"n_topics must be at least {least}, {why}. "
                f"Got {model.n_topics} instead."
            )
    return beliefs


def _resolve(
    guide: Guide, X: Any, vocabulary: list[str], frequency: Floats, filled: Bools
) -> Beliefs:
    """Number what a guide names, and refuse what contradicts itself."""
    row_of = _rows_of(X, len(filled))
    given = [(row, name) for name, rows in guide.documents.items() for row in rows]
    given += _labelled(guide.labels, X, len(filled))
    names = list(dict.fromkeys([*guide.names, *(name for _, name in given)]))
    if not (names or guide.together or guide.apart):
        raise ValueError(
            "The guide must name words or documents of a topic, or documents that must "
            "be together or apart."
        )
    number = {name: g for g, name in enumerate(names)}
    topic_of = np.full(len(filled), -1, dtype=np.int64)
    for which, name in given:
        row = row_of(which)
        if topic_of[row] not in (-1, number[name]):
            raise ValueError(
                f"A document may belong to one topic of the guide, but {which!r} "
                f"belongs to {names[topic_of[row]]!r} and {name!r}."
            )
        topic_of[row] = number[name]
    seen = {word: n for n, word in enumerate(vocabulary) if frequency[n] > 0.0}
    must, may_not = (
        {name: _numbers(name, own, seen) for name, own in words.items() if own}
        for words in (guide.words, guide.not_words)
    )
    for name in [*names, *guide.not_words]:
        own = topic_of[filled] == number.get(name, len(names))
        if name not in must and not own.any():
            raise ValueError(
                f"A topic of the guide must have words, or documents with words, but "
                f"{name!r} has none."
            )
        both = np.intersect1d(must.get(name, []), may_not.get(name, []))
        if len(both):
            word = vocabulary[int(both[0])]
            raise ValueError(
                f"The guide may not contradict itself, but {word!r} must and may not "
                f"be a word of {name!r}."
            )
    linked = [(kind, each) for kind in LINKS for each in getattr(guide, kind)]
    called = {row_of(which): which for _, each in linked for which in each}
    numbered = [Link(kind, [row_of(which) for which in each]) for kind, each in linked]
    links.check(numbered, topic_of, names, called)
    return Beliefs(
        names,
        {number[name]: own for name, own in must.items()},
        {number[name]: own for name, own in may_not.items()},
        topic_of[filled],
        np.flatnonzero(filled),
        links.among(numbered, filled),
        guide.trust == "data",
        guide.bound,
    )


def _rows_of(X: Any, n_docs: int) -> Callable[[Any], int]:
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


def _numbers(topic: str, words: list[str], seen: Mapping[str, int]) -> np.ndarray:
    """Numbers of words, which must have been seen in the documents."""
    for word in words:
        if word not in seen:
            raise ValueError(
                f"Words of the guide must occur in the documents, but {word!r} of "
                f"{topic!r} does not; write words as the topics list them."
            )
    return np.array(sorted({seen[word] for word in words}), dtype=np.int32)
