"""Tables of topics: of a model, of documents, and of groups of documents."""

from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from leantopics._arrays import Bools
from leantopics.analysis.groups import GroupShare, groups_of, topic_shares
from leantopics.corpus import Corpus
from leantopics.models.base import TopicModel

Topics: TypeAlias = list[tuple[int, float]]
"""Pairs of topic number and proportion."""
LEVEL = 0.95
"""Default confidence of intervals."""
_LEAST = 0.00005
"""Smaller proportions are left out, as they would be printed as zero."""


class ByGroup(NamedTuple):
    """Topics of groups of documents."""

    shares: list[GroupShare]
    left_out: int
    """Number of groups left out because others have more documents."""
    without: int
    """Number of documents without the field."""


def rank_topics(model: TopicModel, counts: sparse.csr_array) -> list[Topics]:
    """Return the topics of each document (D, N), largest first, without tiny ones.

    Documents without known words have no topics.

    Examples
    --------
    >>> from leantopics import LDA, make_corpus
    >>> corpus, _ = make_corpus(50, 60, 2)
    >>> model = LDA(2, random_state=0).fit(corpus)
    >>> topics = rank_topics(model, corpus.counts[:1])[0]
    >>> round(sum(share for _, share in topics), 6)
    1.0
    """
    shares = sparse.csr_array(model.transform(counts))
    known = _has_known_words(model, counts)
    row = np.repeat(np.arange(counts.shape[0]), np.diff(shares.indptr))
    kept = np.flatnonzero(known[row] & (shares.data >= _LEAST))
    kept = kept[np.lexsort((-shares.data[kept], row[kept]))]
    ends = np.searchsorted(row[kept], np.arange(counts.shape[0] + 1)).tolist()
    topics, values = shares.indices[kept].tolist(), shares.data[kept].tolist()
    pairs = list(zip(topics, values, strict=True))
    return [pairs[start:stop] for start, stop in pairwise(ends)]


def documents_per_topic(model: TopicModel) -> list[int]:
    """Return the number of training documents in which each topic is present.

    A background topic has no number.

    Examples
    --------
    >>> from leantopics import LDA, make_corpus
    >>> corpus, _ = make_corpus(50, 60, 2)
    >>> len(documents_per_topic(LDA(2, background=True, random_state=0).fit(corpus)))
    2
    """
    if hasattr(model, "n_documents_"):
        return [int(n) for n in model.n_documents_]
    fitted: Any = model
    return [int(n) for n in fitted.topics_present_[:, : model.n_topics_].sum(axis=0)]


def values_of(
    model: TopicModel, corpus: Corpus, by: str, period: str | None = None
) -> list[str | None]:
    """Values of a field; None for documents without it, or without known words.

    See `groups_of` for ``by`` and ``period``.
    """
    known = _has_known_words(model, corpus.counts)
    values = groups_of(corpus, by, period)
    return [v if has else None for v, has in zip(values, known.tolist(), strict=True)]


def _has_known_words(model: TopicModel, counts: sparse.csr_array) -> Bools:
    """(D,): whether a document has words that the fit saw."""
    known: Bools = (counts @ (model.word_frequency_ > 0.0)) > 0.0
    return known


def topics_by_group(
    topics: Any,
    corpus: Corpus,
    by: str,
    period: str | None = None,
    *,
    level: float = LEVEL,
    most: int | None = None,
) -> ByGroup:
    """Return shares of topics in groups of documents, and count what is left out.

    Parameters
    ----------
    topics : array or sparse matrix of shape (D, M)
        Topics of the documents; see `TopicModel.document_topics`.
    corpus : Corpus
        The documents.
    by, period : str, and str or None
        The field, and the part to use of a date; see `groups_of`.
    level : float
        Confidence of the intervals.
    most : int, optional
        Most groups to return: those with the most documents.

    Raises
    ------
    ValueError
        If no group has words.
    """
    groups = groups_of(corpus, by, period)
    sizes = Counter(group for group in groups if group is not None)
    kept = {group for group, _ in sizes.most_common(most)}
    shares = topic_shares(
        topics,
        corpus.counts.sum(axis=1),
        [group if group in kept else None for group in groups],
        level=level,
    )
    if not shares:
        raise ValueError(
            f"To group by {by!r}, some document must have both a value of it and "
            "words that the model knows, but none has: group by another field."
        )
    return ByGroup(shares, len(sizes) - len(kept), groups.count(None))
