"""Figures of a report for papers, drawn by matplotlib as SVG and PNG."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leantopics._extras import check_extra
from leantopics._words import counted
from leantopics.report.palette import colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "png")
N_TOPICS = 12
"""Number of topics whose words are drawn."""
N_WORDS = 10
"""Number of words drawn of each."""


def write_figures(
    summary: dict[str, Any], folder: str | os.PathLike[str]
) -> list[Path]:
    """Draw BIC, the map, and the words of the largest topics.

    Parameters
    ----------
    summary : dict
        The summary of a model, from `summarise`.
    folder : path
        Where to write; created if missing.

    Returns
    -------
    list of Path
        The files.
    """
    check_extra("report")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    out = []
    pictures: dict[str, Any] = {"map": ((6, 6), _map), "words": ((9, 7), _words)}
    if len(summary["answer"]["orders"]) > 1:
        pictures = {"bic": ((6, 3.5), _bic), **pictures}
    for name, (size, draw) in pictures.items():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        draw(summary, figure)
        for kind in FORMATS:
            out.append(target / f"{name}.{kind}")
            quiet = {"Date": None} if kind == "svg" else {}
            figure.savefig(out[-1], dpi=200, metadata=quiet)
    return out


def _bic(summary: dict[str, Any], figure: Any) -> None:
    path, chosen = summary["answer"]["orders"], summary["answer"]["n_topics"]
    axes: Axes = figure.subplots()
    x, y = zip(*((row["n_topics"], row["criterion"]) for row in path), strict=True)
    axes.plot(x, y, marker=".", color="0.2")
    axes.plot(chosen, y[x.index(chosen)], marker="o", color="C0", markersize=9)
    axes.annotate(
        counted(chosen, "topic"),
        (chosen, y[x.index(chosen)]),
        textcoords="offset points",
        xytext=(0, 12),
        ha="center",
    )
    axes.set_xlabel("number of topics")
    axes.set_ylabel("BIC (nats)")
    axes.spines[["top", "right"]].set_visible(False)


def _map(summary: dict[str, Any], figure: Any) -> None:
    from matplotlib.patches import Circle

    axes: Axes = figure.subplots()
    for topic, (x, y, r) in zip(summary["topics"], summary["map"], strict=True):
        axes.add_patch(
            Circle((x, 1.0 - y), r, facecolor=colour(topic["number"]), alpha=0.4)
        )
        axes.text(x, 1.0 - y, str(topic["number"]), ha="center", va="center", size=7)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _words(summary: dict[str, Any], figure: Any) -> None:
    topics = summary["topics"][:N_TOPICS]
    for n, topic in enumerate(topics):
        axes: Axes = figure.add_subplot(-(-len(topics) // 4), 4, n + 1)
        listed = topic["words"][:N_WORDS][::-1]
        names = [_literal(summary["words"][entry[0]]) for entry in listed]
        axes.barh(
            range(len(listed)),
            [entry[1] for entry in listed],
            color=colour(topic["number"]),
        )
        axes.barh(
            range(len(listed)), [entry[2] for entry in listed], height=0.3, color="0.6"
        )
        axes.set_yticks(range(len(listed)), names, size=7)
        axes.set_xticks([])
        axes.set_title(f"topic {topic['number']}, {topic['share']:.1%}", size=8)
        axes.spines[["top", "right", "bottom"]].set_visible(False)


def _literal(text: str) -> str:
    """Escape signs of formulas, and replace what matplotlib cannot draw."""
    shown = "".join(char if char.isprintable() else "?" for char in text)
    return shown.replace("$", r"\$")
