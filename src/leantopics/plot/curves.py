"""The curve by which the number of topics was chosen."""

from typing import TYPE_CHECKING

import numpy as np

from leantopics._words import counted
from leantopics.plot.style import (
    FAINT,
    QUIET,
    axes_of,
    bare,
    colour,
    grid,
    title,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leantopics import ParsimoniousTopicModel


def bic(model: "ParsimoniousTopicModel", *, ax: "Axes | None" = None) -> "Axes":
    """Draw BIC at every number of topics that was fitted.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus, plot
    >>> corpus, _ = make_corpus(200, 100, 3)
    >>> model = ParsimoniousTopicModel(max_topics=6, random_state=0).fit(corpus)
    >>> plot.bic(model).get_xlabel()
    'number of topics'
    """
    rows = sorted((row["n_topics"], row["criterion"]) for row in model.path_)
    if len(rows) < 2:
        raise ValueError(
            f"The model was fitted with {counted(model.n_topics_, 'topic')} only, so "
            'there is no curve: fit it with n_topics="auto".'
        )
    ax = axes_of(ax, 6.5, 3.6)
    numbers, values = np.array(rows).T
    above = values - values.min()
    chosen = int(np.flatnonzero(numbers == model.n_topics_)[0])
    # BIC is far worse with few topics: the range is that from half the number on.
    top = max(1.3 * float(above[2 * numbers >= model.n_topics_].max()), 1.0)
    ax.axvline(model.n_topics_, color=FAINT, linewidth=1, zorder=0)
    ax.plot(numbers, above, color="0.35", linewidth=1.4, marker=".", markersize=5)
    ax.plot(numbers[chosen], above[chosen], "o", color=colour(0), markersize=9)
    side = "left" if numbers[chosen] < np.sqrt(numbers[0] * numbers[-1]) else "right"
    gap = "  " if side == "left" else ""
    write(
        ax, model.n_topics_, 0.93 * top,
        f"{gap}{counted(model.n_topics_, 'topic')}{'' if gap else '  '}",
        ha=side, va="top", color=colour(0), fontweight="bold",
    )  # fmt: skip
    ax.set_xscale("log")
    ticks = np.unique(np.geomspace(numbers[0], numbers[-1], 6).round())
    ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    ax.minorticks_off()
    ax.set_ylim(-0.06 * top, top)
    ax.set_xlabel("number of topics")
    ax.set_ylabel("BIC above the lowest, in nats", color=QUIET)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    grid(ax, "y")
    bare(ax, "bottom")
    title(ax, f"BIC at {len(rows)} numbers of topics")
    return ax
