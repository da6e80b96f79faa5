"""Topics by date or by another field of the documents."""

from typing import TYPE_CHECKING, Any

import numpy as np

from leantopics.analysis.tables import LEVEL, topics_by_group
from leantopics.corpus import Corpus

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

N_GROUPS = 60
"""Most groups in a chart."""


def summarise_groups(
    model: "ParsimoniousTopicModel",
    corpus: Corpus | None,
    by: str | None,
    period: str | None,
) -> dict[str, Any] | None:
    """Return shares of topics by group, starting with topics that differ most.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        The model.
    corpus : Corpus or None
        The documents.
    by, period : str or None
        The field, and the part to use of a date; see `groups_of`.
    """
    if by is None:
        return None
    if corpus is None:
        raise ValueError(
            f"To show topics by {by!r}, the documents must be given, with that field."
        )
    reader = model.at(model.n_topics_).set_params(sparse_output=True)
    found = topics_by_group(
        reader.document_topics(corpus), corpus, by, period, most=N_GROUPS
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
