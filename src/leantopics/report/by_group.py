"""Topics by date or any other field of the documents, for the report."""

from collections import Counter
from typing import Any

import numpy as np
from scipy import sparse

from leantopics.corpus import Corpus
from leantopics.groups import groups_of, topic_shares

N_GROUPS = 60
"""Most groups that a picture shows."""
LEVEL = 0.95


def summarise_groups(
    corpus: Corpus | None,
    shares: sparse.csr_array,
    by: str | None,
    period: str | None,
) -> dict[str, Any] | None:
    """Shares of topics by group, topics first that differ most between groups.

    Parameters
    ----------
    corpus : Corpus or None
        The documents.
    shares : csr_array of shape (D, M)
        Their topics.
    by, period : str or None
        The field, and what to take of a date; see `groups_of`.
    """
    if by is None:
        return None
    if corpus is None:
        raise ValueError(
            f"To show topics by {by!r} the documents must be given, with that field."
        )
    groups = groups_of(corpus, by, period)
    sizes = Counter(group for group in groups if group is not None)
    kept = {group for group, _ in sizes.most_common(N_GROUPS)}
    found = topic_shares(
        shares,
        corpus.counts.sum(axis=1),
        [group if group in kept else None for group in groups],
        level=LEVEL,
    )
    names = list(dict.fromkeys(row.group for row in found))
    table = np.array([row[2:5] for row in found]).reshape(len(names), -1, 3)
    spread = table[:, :, 0].max(axis=0) - table[:, :, 0].min(axis=0)
    return {
        "by": by if period is None else f"{by}, {period}",
        "level": LEVEL,
        "ordered": period is not None,
        "names": names,
        "left_out": len(sizes) - len(kept),
        "topics": [
            {"number": int(j), "points": table[:, j].round(6).tolist()}
            for j in np.argsort(-spread, kind="stable")
        ],
    }
