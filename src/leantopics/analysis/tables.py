"""Tables of topics: of a model, of documents, and of groups of documents."""

from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from leantopics.analysis.groups import GroupShare, groups_of, topic_shares
from leantopics.corpus import Corpus
from leantopics.models.base import TopicModel

Topics: TypeAlias = list[tuple[int, float]]
"""Pairs of number and proportion."""
LEVEL = 0.95
"""Usual confidence of intervals."""
_LEAST = 0.00005
"""Smaller proportions would be printed as zero and are left out."""


class ByGroup(NamedTuple):
    """Topics of groups of documents."""

    shares: list[GroupShare]
    left_out: int
    """Groups that are too small to be among them."""
    without: int
    """Documents that lack the field."""


def rank_topics(model: TopicModel, counts: sparse.csr_array) -> list[Topics]:
    """Topics of each document by falling proportion, without tiny ones.

    Parameters
    ----------
    model : TopicModel
        A fitted model.
    counts : csr_array of shape (D, N)
        Counts over its vocabulary; documents without any word it knows have no topics.

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
    known = (counts @ (model.word_frequency_ > 0.0)) > 0.0
    row = np.repeat(np.arange(counts.shape[0]), np.diff(shares.indptr))
    kept = np.flatnonzero(known[row] & (shares.data >= _LEAST))
    kept = kept[np.lexsort((-shares.data[kept], row[kept]))]
    ends = np.searchsorted(row[kept], np.arange(counts.shape[0] + 1)).tolist()
    topics, values = shares.indices[kept].tolist(), shares.data[kept].tolist()
    pairs = list(zip(topics, values, strict=True))
    return [pairs[start:stop] for start, stop in pairwise(ends)]


def topics_by_group(
    topics: Any,
    corpus: Corpus,
    by: str,
    period: str | None = None,
    *,
    level: float = LEVEL,
    most: int | None = None,
) -> ByGroup:
    """Shares of topics in groups of documents, and what is not in them.

    Parameters
    ----------
    topics : array or sparse matrix of shape (D, M)
        Topics of the documents; see `TopicModel.document_topics`.
    corpus : Corpus
        The documents.
    by, period : str, and str or None
        The field, and what to take of a date; see `groups_of`.
    level : float
        Confidence of the intervals.
    most : int, optional
        Most groups, those with most documents.

    Raises
    ------
    ValueError
        If there is no group with words.
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
            f"To group by {by!r} some document must have both a value of it and words "
            "that the model knows, but none has: group by another field."
        )
    return ByGroup(shares, len(sizes) - len(kept), groups.count(None))
