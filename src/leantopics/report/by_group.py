"""Topics by date or by another field of the documents."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.analysis.dates import find_dates
from leantopics.analysis.groups import groups_of
from leantopics.analysis.tables import LEVEL, topics_by_group
from leantopics.corpus import Corpus

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

N_GROUPS = 60
"""Most groups in a chart."""
N_LABELS = 100
"""Most different labels that are a field to group by."""

Summary = dict[str, Any]


def summarise_groups(
    model: "ParsimoniousTopicModel",
    members: sparse.csr_array,
    corpus: Corpus | None,
    by: str | None,
    period: str | None,
) -> list[Summary]:
    """Return shares of topics, and of groups of topics, by groups of documents.

    These are the dates and the labels of the documents, or ``by`` and the dates.

    These are the dates and the labels of the documents, or ``by`` and the dates.
    Documents of the fit have the topics of the fit, those of others are inferred as
    `leantopics groups` does. ``members`` of shape (nodes, M) has the topics of each
    node.
    """
    if corpus is None:
        if by is None:
            return []
        raise ValueError(
            f"To show topics by {by!r}, the documents must be given, with that field."
        )
    fields = [] if by is None else [(by, period)]
    dates = find_dates(corpus)
    if dates is not None and dates[0] != by and _varies(corpus, *dates):
        fields.append(dates)
    if by is None and corpus.labels is not None and _varies(corpus, "label"):
        fields.append(("label", None))
    if not fields:
        return []
    reader = model.at(model.n_topics_).set_params(sparse_output=True)
    folded = sparse.csr_array(reader.document_topics(corpus) @ members.T)
    return [_grouped(folded, corpus, *field) for field in fields]


def _varies(corpus: Corpus, field: str, period: str | None = None) -> bool:
    """Return whether documents with words have several values, but not very many."""
    length: Floats = np.asarray(corpus.counts.sum(axis=1)).ravel()
    groups = groups_of(corpus, field, period)
    found = {group for group, n in zip(groups, length, strict=True) if n > 0.0}
    return 1 < len(found - {None}) <= (N_GROUPS if period else N_LABELS)


def _grouped(
    folded: sparse.csr_array, corpus: Corpus, by: str, period: str | None
) -> Summary:
    """Return shares and their intervals: of each node, in each group."""
    found = topics_by_group(folded, corpus, by, period, most=N_GROUPS)
    names = list(dict.fromkeys(row.group for row in found.shares))
    table = np.array([row[2:5] for row in found.shares]).reshape(len(names), -1, 3)
    documents = {row.group: row.documents for row in found.shares}
    return {
        "by": by,
        "period": period,
        "level": LEVEL,
        "names": names,
        "documents": [documents[name] for name in names],
        "left_out": found.left_out,
        "without": found.without,
        "points": table.transpose(1, 0, 2).round(5).tolist(),
    }


def periods_of(corpus: Corpus | None) -> list[str | None] | None:
    """Return the period of each document as the page names it; None without dates."""
    dates = None if corpus is None else find_dates(corpus)
    return None if dates is None or corpus is None else groups_of(corpus, *dates)
