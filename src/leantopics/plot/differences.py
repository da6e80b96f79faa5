"""Topics whose share differs, with intervals."""

from typing import TYPE_CHECKING

import numpy as np

from leantopics._card import percent
from leantopics._validation import check_at_least
from leantopics.analysis.effects import find_effects
from leantopics.analysis.tables import values_of
from leantopics.corpus import Corpus
from leantopics.models.levels import model_at
from leantopics.plot.shares import corpus_of
from leantopics.plot.style import (
    QUIET,
    axes_of,
    bare,
    grid,
    labels,
    printable,
    shade,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leantopics import ParsimoniousTopicModel

_BESIDE = 0.6
"""Share of a row that its groups take."""
_PALE = 0.65
"""Part of white in the colour of topics that do not differ."""


def effects(
    model: "ParsimoniousTopicModel",
    X: Corpus | None = None,
    *,
    by: str = "labels",
    kind: str = "auto",
    period: str | None = None,
    n: int = 10,
    level: str | int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the share of topics in each group, with intervals of 95% confidence.

    Topics that differ come first, in full colours; the others are pale.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    X : Corpus, optional
        The documents, with labels or metadata. They can be left out if the model has
        them, from `leantopics.fit_texts`.
    by : str
        "labels", or a metadata field.
    kind : {"auto", "groups", "number", "date"}
        As in `leantopics.analysis.effects.find_effects`. Of a number or date, the
        shares are those at its lowest and highest tenth.
    period : {"year", "month", "day"}, optional
        Compare the periods of a date as groups.
    n : int
        Most topics.
    level : {"themes", "topics"} or int, optional
        As in `ParsimoniousTopicModel.topics_frame`.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from leantopics import Corpus, ParsimoniousTopicModel, make_corpus, plot
    >>> counts = make_corpus(200, 100, 4)[0].counts
    >>> corpus = Corpus(counts, labels=["old"] * 100 + ["new"] * 100)
    >>> model = ParsimoniousTopicModel(4, random_state=0).fit(corpus)
    >>> ax = plot.effects(model, corpus)
    """
    check_at_least("n", n)
    at, corpus = model_at(model, level), corpus_of(model, X)
    values = values_of(at, corpus, by, period)
    kind = "groups" if period else kind
    found = find_effects(at.document_topics(corpus), values, kind=kind)
    shown = found.effects[:n]
    names = [share.group for share in shown[0].shares]
    places = _BESIDE * ((np.arange(len(names)) + 0.5) / len(names) - 0.5)
    ax = axes_of(ax, 7.5, 1.2 + len(shown) * max(0.4, 0.14 * len(names)))
    for g, name in enumerate(names):
        y = np.arange(len(shown)) + places[g]
        share, low, high = np.array([each.shares[g][1:4] for each in shown]).T
        ink = [shade(g, 0.0 if each.differs else _PALE) for each in shown]
        ax.hlines(y, low, high, color=ink, linewidth=2)
        ax.scatter(share, y, color=ink, s=28, label=printable(name))
    labels(ax, "y", range(len(shown)), [at.topic_names[e.topic] for e in shown],
           fontsize=9)  # fmt: skip
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.set_xlim(left=0.0)
    ax.xaxis.set_major_formatter(lambda value, _: percent(value) if value else "0")
    grid(ax, "x")
    ax.tick_params(labelcolor=QUIET, labelsize=8.5)
    bare(ax, "bottom")
    key = ax.legend(fontsize=8.5, frameon=False, loc="best")
    for text in key.get_texts():
        text.set_parse_math(False)
    verb = "differ by" if found.kind == "groups" else "change with"
    title(ax, f"{len(found.found)} of {len(found.effects)} topics {verb} {by}")
    return ax
