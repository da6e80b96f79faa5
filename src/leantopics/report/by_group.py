"""Topics by date or any other field of the documents."""

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leantopics.analysis.groups import GroupShare, groups_of, topic_shares
from leantopics.corpus import Corpus
from leantopics.models.registry import document_topics

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

N_GROUPS = 60
"""Most groups that a picture shows."""
LEVEL = 0.95


class ByGroup(NamedTuple):
    """Topics of groups of documents."""

    shares: list[GroupShare]
    left_out: int
    """Groups that are too small to be among them."""
    without: int
    """Documents that lack the field."""


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
        Topics of the documents; see `document_topics`.
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


def summarise_groups(
    model: "ParsimoniousTopicModel",
    corpus: Corpus | None,
    by: str | None,
    period: str | None,
) -> dict[str, Any] | None:
    """Shares of topics by group, topics first that differ most between groups.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        The model.
    corpus : Corpus or None
        The documents.
    by, period : str or None
        The field, and what to take of a date; see `groups_of`.
    """
    if by is None:
        return None
    if corpus is None:
        raise ValueError(
            f"To show topics by {by!r} the documents must be given, with that field."
        )
    reader = model.at(model.n_topics_).set_params(sparse_output=True)
    found = topics_by_group(
        document_topics(reader, corpus), corpus, by, period, most=N_GROUPS
    )
    names = list(dict.fromkeys(row.group for row in found.shares))
    table = np.array([row[2:5] for row in found.shares]).reshape(len(names), -1, 3)
    spread = table[:, :, 0].max(axis=0) - table[:, :, 0].min(axis=0)
    return {
        "by": by if period is None else f"{by}, {period}",
        "level": LEVEL,
        "ordered": period is not None,
        "names": names,
        "left_out": found.left_out,
        "without": found.without,
        "topics": [
            {"number": int(j), "points": table[:, j].round(6).tolist()}
            for j in np.argsort(-spread, kind="stable")
        ],
    }
