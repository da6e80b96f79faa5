"""Topics on a map, where nearby topics share words."""

from typing import TYPE_CHECKING, Any

import numpy as np

from leantopics import evaluation
from leantopics._words import counted
from leantopics.analysis.layout import topic_map
from leantopics.models.levels import model_at
from leantopics.plot.style import axes_of, colour, shade, title, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leantopics import ParsimoniousTopicModel

_LINE, _LETTER = 0.019, 0.0095
"""Height of a line and width of a letter, as shares of the map."""


def map(
    model: "ParsimoniousTopicModel",
    *,
    level: str | int | None = "topics",
    n_labels: int = 25,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw topics as circles, near to those with similar words.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    level : {"themes", "topics"} or int, optional
        As in `ParsimoniousTopicModel.topics_frame`. Topics have the colours of their
        themes, and themes are named.
    n_labels : int
        Most names to write; those that would overlap are left out.
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
    >>> len(plot.map(model).patches)
    4
    """
    at: Any = model_at(model, level)
    ax = axes_of(ax, 7.0, 7.0)
    from matplotlib.patches import Circle

    distance = evaluation.hellinger(at.salient_word_prob_, shared=at.shared_word_prob_)
    points, radius = topic_map(distance, at.topic_mass_)
    parents = model.parents_ if at is model.finer_ else None
    group = np.arange(at.n_topics_) if parents is None else parents
    for j, ((x, y), r) in enumerate(zip(points, radius, strict=True)):
        face, edge = shade(int(group[j]), 0.45), colour(int(group[j]))
        ax.add_patch(
            Circle((x, y), r, facecolor=face, edgecolor=edge, linewidth=0.6, alpha=0.85)
        )
    if parents is None:
        _label(ax, points, at.topic_names, n_labels)
    else:
        largest = _largest(at.topic_mass_, parents)
        named = [model.topic_names[int(parents[j])] for j in largest]
        _label(ax, points[largest], named, n_labels)
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    said = counted(at.n_topics_, "topic")
    if parents is not None:
        said += f" in the colours of {counted(model.n_topics_, 'theme')}"
    title(ax, said)
    return ax


def _largest(mass: np.ndarray, parents: np.ndarray) -> list[int]:
    """Return the topic of each theme that has the most words."""
    own = (np.flatnonzero(parents == k) for k in np.unique(parents))
    return [int(topics[np.argmax(mass[topics])]) for topics in own]


def _label(ax: "Axes", points: np.ndarray, names: list[str], most: int) -> None:
    """Write names that do not overlap those before them, on lines of two words."""
    taken: list[tuple[float, float, float, float]] = []
    for (x, y), name in zip(points, names, strict=True):
        words = name.split()
        lines = [" ".join(words[k : k + 2]) for k in range(0, len(words), 2)]
        wide = _LETTER * max(len(line) for line in [*lines, " "])
        high = _LINE * len(lines)
        box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        if len(taken) >= most or any(_overlap(box, other) for other in taken):
            continue
        taken.append(box)
        drawn = write(ax, x, y, "\n".join(lines), ha="center", va="center", fontsize=8)
        _outline(drawn)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _outline(text: Any) -> None:
    """Set a text off from what is behind it."""
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=2.5, foreground="white", alpha=0.9)])
