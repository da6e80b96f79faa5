"""How large themes and topics are, and what their words are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leantopics._card import percent
from leantopics._words import counted
from leantopics.models.levels import model_at
from leantopics.plot.style import (
    FAINT,
    QUIET,
    axes_of,
    bare,
    colour,
    labels,
    shade,
    title,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leantopics import ParsimoniousTopicModel

_COLUMNS = 3


def themes(
    model: "ParsimoniousTopicModel", *, n: int = 20, ax: "Axes | None" = None
) -> "Axes":
    """Draw the share of each theme, and in it those of its topics.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model; without themes its topics are drawn.
    n : int
        Most themes to draw, largest first.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus, plot
    >>> corpus, _ = make_corpus(200, 100, 4)
    >>> model = ParsimoniousTopicModel(4, random_state=0).fit(corpus)
    >>> len(plot.themes(model).get_yticklabels())
    4
    """
    shown = min(n, model.n_topics_)
    ax = axes_of(ax, 7.5, 0.9 + 0.3 * shown)
    names, fine, parents = model.topic_names, model.finer_, model.parents_
    for k in range(shown):
        share = float(model.topic_mass_[k])
        parts = np.ones(1)
        if fine is not None and parents is not None:
            parts = np.sort(fine.topic_mass_[parents == k])[::-1]
        widths = share * parts / parts.sum() if len(parts) else np.array([share])
        left = np.concatenate(([0.0], np.cumsum(widths[:-1])))
        shades = [
            shade(k, 0.55 * i / max(len(widths) - 1, 1)) for i in range(len(left))
        ]
        ax.barh(
            np.full(len(left), k), widths, left=left, color=shades, height=0.72,
            edgecolor="white", linewidth=0.4,
        )  # fmt: skip
        text = percent(share)
        if fine is not None and parents is not None:
            text += f"   {counted(int((parents == k).sum()), 'topic')}"
        write(ax, share, k, f"  {text}", va="center", color=QUIET, fontsize=8)
    labels(ax, "y", range(shown), names[:shown], fontsize=9)
    ax.set_xticks([])
    ax.set_xlim(0.0, 1.18 * float(model.topic_mass_[:shown].max()))
    ax.set_ylim(shown - 0.4, -0.6)
    bare(ax)
    what = "topic" if fine is None else "theme"
    said = counted(model.n_topics_, what)
    if fine is not None:
        said = f"{said} made of {counted(fine.n_topics_, 'topic')}"
    rest = f", the {shown} largest" if shown < model.n_topics_ else ""
    title(ax, f"{said}{rest}: share of all words")
    return ax


def topics(
    model: "ParsimoniousTopicModel",
    topics: Sequence[int] | None = None,
    *,
    n_words: int = 8,
    level: str | int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the most salient words of topics.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    topics : sequence of int, optional
        Numbers of the topics; by default those of the six largest.
    n_words : int
        Words of each topic.
    level : {"themes", "topics"} or int, optional
        As in `ParsimoniousTopicModel.topics_frame`.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus, plot
    >>> corpus, _ = make_corpus(200, 100, 4)
    >>> model = ParsimoniousTopicModel(4, random_state=0).fit(corpus)
    >>> ax = plot.topics(model, [0, 3])
    """
    at: Any = model_at(model, level)
    chosen = list(range(min(6, at.n_topics_))) if topics is None else list(topics)
    for topic in chosen:
        at.check_topic(topic)
    across = min(_COLUMNS, max(len(chosen), 1))
    down = -(-len(chosen) // across)
    ax = axes_of(ax, 3.0 * across, down * (0.6 + 0.22 * n_words))
    for place, topic in enumerate(chosen):
        _panel(ax, at, topic, place % across, place // across * (n_words + 3), n_words)
    ax.set_xlim(-0.02, across - 0.05)
    ax.set_ylim(down * (n_words + 3) - 1.5, -2.0)
    ax.set_axis_off()
    return ax


def _panel(
    ax: "Axes", model: Any, topic: int, x: float, y: float, n_words: int
) -> None:
    """Draw the name of a topic, and its words on bars of their salience."""
    forms = dict(zip(model.vocabulary_, model.surface_forms, strict=True))
    words = model.top_words(topic, n_words)
    most = max((value for _, value in words), default=1.0)
    name, share = model.topic_names[topic], float(model.topic_mass_[topic])
    write(ax, x, y - 0.9, _short(name), fontsize=10, fontweight="bold", va="center")
    write(ax, x + 0.88, y - 0.9, percent(share), fontsize=8, color=QUIET, va="center",
          ha="right")  # fmt: skip
    ax.plot([x, x + 0.88], [y - 0.35] * 2, color=FAINT, linewidth=0.8)
    for row, (word, value) in enumerate(words):
        width = 0.88 * max(value, 0.0) / most
        ax.barh(y + row + 0.4, width, left=x, height=0.8, color=shade(topic, 0.62))
        write(ax, x + 0.015, y + row + 0.4, _short(forms[word]), fontsize=8.5,
              va="center")  # fmt: skip
    ax.plot([x, x], [y, y + max(len(words), 1) - 0.2], color=colour(topic), linewidth=2)


def _short(text: str, most: int = 30) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
