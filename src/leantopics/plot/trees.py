"""The hierarchy of topics as a tree."""

from typing import TYPE_CHECKING

import numpy as np

from leantopics._arrays import Floats
from leantopics._card import percent
from leantopics._words import counted
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
    from leantopics.ptm.hierarchy import Hierarchy


def tree(
    model: "ParsimoniousTopicModel", *, n: int = 30, ax: "Axes | None" = None
) -> "Axes":
    """Draw how groups of topics join, and at which price.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    n : int
        Number of groups at the tips, or of topics if there are fewer.
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
    >>> len(plot.tree(model).get_yticklabels())
    4
    """
    found = model.hierarchy()
    shown = max(1, min(n, found.n_topics))
    ax = axes_of(ax, 8.0, 1.0 + 0.24 * shown)
    nodes = found.nodes(shown)
    tips = _order(found, shown)
    place = {node: float(row) for row, node in enumerate(tips)}
    price = dict.fromkeys(tips, 0.0)
    own = {node: {node} for node in tips}
    share = {node: float(found.shares[nodes == node].sum()) for node in tips}
    group = _colours(found, shown, tips)
    for step in range(found.n_topics - shown, len(found.children)):
        one, two = (int(node) for node in found.children[step])
        node = found.n_topics + step
        price[node] = max(float(found.prices[step]), price[one], price[two])
        own[node] = own[one] | own[two]
        hues = {group[tip] for tip in own[node]}
        line = colour(hues.pop()) if len(hues) == 1 else "0.35"
        low, high = sorted((place[one], place[two]))
        ax.plot([price[node]] * 2, [low, high], color=line, linewidth=1.4)
        for child in (one, two):
            x = [price[child], price[node]]
            ax.plot(x, [place[child]] * 2, color=line, linewidth=1.4)
        place[node] = (low + high) / 2.0
    names = [f"{found.names[node]}  {percent(share[node])}" for node in tips]
    labels(ax, "y", range(shown), names, fontsize=8.5)
    for tip, label in zip(tips, ax.get_yticklabels(), strict=True):
        label.set_color(colour(group[tip]))
    _finish(ax, found, shown, max(price.values()))
    return ax


def _finish(ax: "Axes", found: "Hierarchy", shown: int, most: float) -> None:
    ax.set_xscale("function", functions=(_root, np.square))
    ax.set_xlim(0.0, 1.03 * max(most, 1.0))
    ax.set_ylim(shown - 0.4, -0.6)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.tick_params(axis="x", labelsize=8, labelcolor=QUIET)
    grid(ax, "x")
    ax.set_xlabel("price of the join, in nats", color=QUIET, fontsize=9)
    bare(ax)
    said = counted(found.n_topics, "topic")
    if shown < found.n_topics:
        said = f"{counted(shown, 'group')} of {said}"
    title(ax, f"How {said} join, and what each join costs")
    if most <= 0.0:
        write(ax, 0.5, shown / 2, "no join", ha="center", color=QUIET)


def _root(x: Floats) -> Floats:
    root: Floats = np.sqrt(np.maximum(x, 0.0))
    return root


def _order(found: "Hierarchy", shown: int) -> list[int]:
    """Return the groups at the tips from top to bottom, so that no lines cross."""
    below = {
        found.n_topics + step: [int(node) for node in pair]
        for step, pair in enumerate(found.children)
    }
    tips, out = set(found.nodes(shown).tolist()), []
    stack = [found.n_topics + len(found.children) - 1]
    while stack:
        node = stack.pop()
        if node in tips:
            out.append(node)
        else:
            stack += below[node]
    return out


def _colours(found: "Hierarchy", shown: int, tips: list[int]) -> dict[int, int]:
    """Return the number of the broad group of each tip, at most eight of them."""
    broad, nodes = found.cut(min(8, shown)), found.nodes(shown)
    return {tip: int(broad[np.flatnonzero(nodes == tip)[0]]) for tip in tips}
