"""What notebooks show of a model, its hierarchy and its stability."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leantopics._card import Curve, Row, card, hue, percent
from leantopics._words import counted
from leantopics.models.card import MOST_ROWS, topic_rows

if TYPE_CHECKING:
    from leantopics.ptm.fitted import FittedModel
    from leantopics.ptm.hierarchy import Hierarchy
    from leantopics.ptm.stability import Stability

MOST_BELOW = 8
_HINT = (
    'model.report("page.html", X) writes all of it; model.show(X) shows that here; '
    "model.topics_frame() is a table."
)


def fitted_card(model: "FittedModel") -> str:
    """Return the topics of a model, below its themes if any, as a small page."""
    shown = min(MOST_ROWS, model.n_topics_)
    rows = topic_rows(model, range(shown))
    fine = model.finer_
    if fine is not None and model.parents_ is not None:
        rows = [_opened(fine, model.parents_, k, row) for k, row in enumerate(rows)]
    curve = curve_of(model.path_, model.n_topics_)
    given = "" if curve else " The number of topics was given."
    return card(
        type(model).__name__,
        f"{_answer(model)}{given}",
        rows,
        rest=_rest(model.n_topics_ - shown),
        curve=curve,
        hint=_HINT,
    )


def _answer(model: "FittedModel") -> str:
    """Say how many themes and topics there are, and how many a document has."""
    fine = model.finer_ or model
    documents = counted(model.topic_proportions_.shape[0], "document")
    row = next(row for row in fine.path_ if row["n_topics"] == fine.n_topics_)
    topics = counted(fine.n_topics_, "topic")
    if fine is not model:
        topics = f"{counted(model.n_topics_, 'theme')} made of {topics}"
    mean = row["topics_per_document"]
    return f"{topics} in {documents}; a document has {mean:.1f} topics."


def curve_of(path: Sequence[Mapping[str, Any]], n_topics: int) -> Curve | None:
    """Return the criterion at every number of topics of a path, if it has several."""
    rows = sorted((row["n_topics"], row["criterion"]) for row in path)
    if len(rows) < 2:
        return None
    marked = next((m, v) for m, v in rows if m == n_topics)
    text = f"BIC of {len(rows)} numbers of topics: {n_topics:,} has the lowest."
    if marked[1] > min(value for _, value in rows):
        text = f"BIC of {len(rows)} numbers of topics; this model has {n_topics:,}."
    return Curve(rows, marked, text, (f"{rows[0][0]:,}", f"{rows[-1][0]:,} topics"))


def _opened(fine: "FittedModel", parents: np.ndarray, theme: int, row: Row) -> Row:
    """Return the line of a theme with the topics below it."""
    topics = np.flatnonzero(parents == theme).tolist()
    below = [
        each._replace(hue=row.hue) for each in topic_rows(fine, topics[:MOST_BELOW])
    ]
    return row._replace(below=below, rest=_rest(len(topics) - len(below)))


def _rest(left: int) -> str:
    return f"and {left:,} more" if left else ""


def hierarchy_card(tree: "Hierarchy") -> str:
    """Return the groups of a cut of a tree, with their topics, as a small page.

    The cut is that of the themes, if the tree has them and they fit.
    """
    known = tree.themes_
    n = min(MOST_ROWS, tree.n_topics)
    if known is not None and known.max() < MOST_ROWS:
        n = int(known.max()) + 1
    nodes, shares = tree.nodes(n), tree.shares
    share_of = {node: float(shares[nodes == node].sum()) for node in np.unique(nodes)}
    rows = []
    for k, node in enumerate(sorted(share_of, key=lambda node: -share_of[node])):
        topics = np.flatnonzero(nodes == node)
        topics = topics[np.argsort(-shares[topics], kind="stable")].tolist()
        value, size = share_of[node], counted(len(topics), "topic")
        row = Row(tree.names[node], value, percent(value), size, hue(k))
        if len(topics) > 1:
            below = [
                Row(tree.names[j], shares[j], percent(shares[j]), hue=hue(k))
                for j in topics[:MOST_BELOW]
            ]
            row = row._replace(below=below, rest=_rest(len(topics) - len(below)))
        rows.append(row)
    lowers = int((tree.prices < 0.0).sum())
    joins = f"{lowers:,} of {counted(len(tree.prices), 'join')} lower BIC"
    return card(
        "Hierarchy",
        f"{counted(tree.n_topics, 'topic')} in a tree, here as {counted(n, 'group')}; "
        f"{joins}.",
        rows,
        hint="cut(n), levels([8, 40]), to_frame(), to_newick()",
    )


def stability_card(found: "Stability") -> str:
    """Return how often each topic was found again, as a small page."""
    how = {"starts": "other starts", "bootstrap": "documents drawn again"}[found.how]
    repeats, recurs = len(found.orders), found.recurs
    order = np.argsort(-found.mean_agreement, kind="stable").tolist()
    rows = [
        Row(
            f"topic {j}",
            float(found.mean_agreement[j]),
            percent(float(found.mean_agreement[j])),
            f"found again by {found.found[j]} of {repeats}",
            125 if recurs[j] else 20,
        )
        for j in (order if len(order) <= MOST_ROWS else order[-MOST_ROWS:])
    ]
    left = len(order) - len(rows)
    return card(
        "Stability",
        f"{counted(repeats, 'repeat')} with {how}: {int(recurs.sum())} of "
        f"{counted(len(order), 'topic')} were found again by at least half.",
        rows,
        rest=f"and {left:,} that agree more" if left else "",
        full=1.0,
    )
