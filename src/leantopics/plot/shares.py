"""Shares of topics in groups of documents, and over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leantopics._arrays import Floats
from leantopics._card import percent
from leantopics._validation import check_at_least
from leantopics.analysis.groups import PERIODS, groups_of
from leantopics.analysis.summary import most_varied
from leantopics.analysis.tables import topics_by_group
from leantopics.corpus import Corpus
from leantopics.models.levels import model_at
from leantopics.plot.style import (
    QUIET,
    axes_of,
    bare,
    colour,
    grid,
    labels,
    title,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leantopics import ParsimoniousTopicModel

_MOST_PERIODS = 60


def groups(
    model: "ParsimoniousTopicModel",
    X: Corpus | None = None,
    *,
    by: str = "labels",
    topics: Sequence[int] | None = None,
    n: int = 12,
    level: str | int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the share of topics in groups of documents, as a table of shades.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    X : Corpus, optional
        The documents, with labels or metadata. They can be left out if the model has
        them, from `leantopics.fit_texts`.
    by : str
        A metadata field, or "labels".
    topics : sequence of int, optional
        Numbers of the topics; by default the ``n`` that differ most between groups.
    n : int
        Most topics; at most 20 groups are drawn, those with most documents.
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
    >>> ax = plot.groups(model, corpus)
    """
    at, names, table = _shares(model, X, by, None, level, 20)
    chosen = _chosen(at, table, topics, n)
    shares = table[:, chosen, 0].T
    ax = axes_of(ax, 3.2 + 0.55 * len(names), 1.2 + 0.34 * len(chosen))
    most = max(float(shares.max()), 1e-9)
    ax.imshow(shares, aspect="auto", cmap="Blues", vmin=0.0, vmax=1.25 * most)
    for (row, column), share in np.ndenumerate(shares):
        ink = "white" if share > 0.7 * most else "0.2"
        write(ax, column, row, percent(share) if share >= 0.0005 else "·", ha="center",
              va="center", fontsize=7.5, color=ink)  # fmt: skip
    labels(ax, "y", range(len(chosen)), [at.topic_names[j] for j in chosen], fontsize=9)
    slant = {"rotation": 35, "ha": "right"} if max(map(len, names)) > 5 else {}
    labels(ax, "x", range(len(names)), names, fontsize=8.5, **slant)
    bare(ax)
    title(ax, f"Share of topics in the words of each group, by {by}")
    return ax


def over_time(
    model: "ParsimoniousTopicModel",
    X: Corpus | None = None,
    *,
    by: str = "date",
    period: str | None = None,
    topics: Sequence[int] | None = None,
    n: int = 6,
    level: str | int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the share of topics over time, with bands of 95% confidence.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    X : Corpus, optional
        The documents, with dates in their metadata. They can be left out if the model
        has them, from `leantopics.fit_texts`.
    by : str
        The metadata field with the dates, in ISO 8601.
    period : {"year", "month", "day"}, optional
        By default the shortest that gives at most sixty points, and more than a
        longer one.
    topics : sequence of int, optional
        Numbers of the topics; by default the ``n`` that vary most.
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
    >>> years = [{"date": str(1980 + d % 9)} for d in range(200)]
    >>> corpus = Corpus(counts, metadata=years)
    >>> model = ParsimoniousTopicModel(4, random_state=0).fit(corpus)
    >>> ax = plot.over_time(model, corpus)
    """
    corpus = corpus_of(model, X)
    period = _period(corpus, by) if period is None else period
    at, names, table = _shares(model, corpus, by, period, level, None)
    chosen = _chosen(at, table, topics, n)
    ax = axes_of(ax, 8.5, 4.2)
    _draw_lines(ax, names, table[:, chosen], [at.topic_names[j] for j in chosen])
    title(ax, f"Share of topics in the words of each {period}")
    return ax


def _draw_lines(
    ax: "Axes", dates: Sequence[str], table: Floats, topics: Sequence[str]
) -> None:
    """Draw share, low and high of topics, shape (G, K, 3), with their names."""
    when = np.array([np.datetime64(date) for date in dates]).astype("datetime64[D]")
    ends = []
    for k in range(len(topics)):
        share, low, high = table[:, k].T
        dot = "o" if len(when) < 25 else ""
        ax.plot(when, share, color=colour(k), linewidth=1.8, marker=dot, markersize=3)
        ax.fill_between(when, low, high, color=colour(k), alpha=0.1, linewidth=0)
        ends.append(float(share[-1]))
    most = float(table[:, :, 0].max())
    top = min(1.0, 1.35 * most) if most > 0.0 else 1.0
    for k, y in enumerate(_apart(ends, 0.055 * top)):
        write(ax, 1.01, y, topics[k], transform=ax.get_yaxis_transform(), va="center",
              fontsize=8.5, color=colour(k))  # fmt: skip
    ax.set_ylim(0.0, top)
    ax.yaxis.set_major_formatter(lambda value, _: percent(value) if value else "0")
    grid(ax, "y")
    ax.tick_params(labelcolor=QUIET, labelsize=8.5)
    bare(ax, "bottom")


def corpus_of(model: "ParsimoniousTopicModel", X: Corpus | None) -> Corpus:
    """Return the documents, or those that the model keeps."""
    corpus = model.corpus_ if X is None else X
    if not isinstance(corpus, Corpus):
        raise TypeError(
            "The documents must be a Corpus with labels or metadata, for the groups. "
            f"Got {type(corpus).__name__} instead: make one with leantopics.Corpus or "
            "count_texts, or fit the model with leantopics.fit_texts, which keeps it."
        )
    return corpus


def _shares(
    model: "ParsimoniousTopicModel",
    X: Corpus | None,
    by: str,
    period: str | None,
    level: str | int | None,
    most: int | None,
) -> tuple[Any, list[str], Floats]:
    """Return the model of a level, groups, and share, low and high: (G, M, 3)."""
    at: Any = model_at(model, level)
    corpus = corpus_of(model, X)
    found = topics_by_group(at.document_topics(corpus), corpus, by, period, most=most)
    names = list(dict.fromkeys(row.group for row in found.shares))
    values = np.array([row[2:5] for row in found.shares], dtype=np.float64)
    return at, names, values.reshape(len(names), -1, 3)


def _chosen(
    model: Any, table: Floats, topics: Sequence[int] | None, n: int
) -> list[int]:
    if topics is None:
        check_at_least("n", n)
        return [int(j) for j in most_varied(table[:, :, 0])[:n]]
    for topic in topics:
        model.check_topic(topic)
    return list(topics)


def _period(corpus: Corpus, by: str) -> str:
    """Return the shortest period with at most sixty values, or else the year.

    Of periods with as many values, as months of which only one day is there, it is the
    longest.
    """
    points: dict[str, int] = {}
    for period in sorted(PERIODS, key=lambda name: PERIODS[name]):
        try:
            found = {name for name in groups_of(corpus, by, period) if name}
        except ValueError:
            if period == "year":
                raise
            break
        points[period] = len(found)
    best = "year"
    for period, number in points.items():
        if points[best] < number <= _MOST_PERIODS:
            best = period
    return best


def _apart(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights apart so that texts at them do not overlap, upwards.

    Examples
    --------
    >>> _apart([0.5, 0.5, 0.1], 0.25)
    [0.5, 0.75, 0.1]
    """
    out, last = list(heights), -np.inf
    for k in sorted(range(len(out)), key=lambda k: out[k]):
        out[k] = float(max(out[k], last + gap))
        last = out[k]
    return out
