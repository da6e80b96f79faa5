"""Figures of a study: curves over the number of topics, as in the paper."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leantopics._extras import check_extra
from leantopics.storage import atomic_file
from leantopics.study import published
from leantopics.study.methods import METHODS
from leantopics.study.results import Row

INK, GREY, FAINT = "#333333", "#8a8a8a", "#ececec"
COLOURS = {
    "ptm": "#0072b2",
    "ptm-published": "#56b4e9",
    "ptm-up": "#000000",
    "lda": "#d55e00",
    "lda-c-like": "#e69f00",
    "lda-background": "#cc79a7",
    "stc": "#009e73",
}
"""The palette of Okabe and Ito, which colour-blind readers can tell apart."""
STYLE: Any = {
    "svg.hashsalt": "leantopics",
    "svg.fonttype": "none",
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
WIDTH, HEIGHT = 3.2, 2.3
LEFT, RIGHT, BELOW, ABOVE = 0.65, 1.25, 0.5, 0.4
"""Size of a panel and its margins, in inches."""
GAP = 0.085
"""Smallest distance between labels, as a share of the height of a panel."""


class Panel(NamedTuple):
    """One measure, as a curve over the number of topics."""

    title: str
    value: Callable[[Row], float | None]
    focus: bool = False
    """Whether to cut off the curves above their value at the most topics."""
    crossing: tuple[int, str] | None = None
    """Where curves cross in the paper, and how."""


class Curve(NamedTuple):
    """A measure of one method: mean and deviation over seeds by number of topics."""

    n_topics: list[int]
    mean: list[float]
    std: list[float]


def panels(rows: Sequence[Row]) -> dict[str, Panel]:
    """Return the panels for rows of one corpus, by the names of their files.

    BIC is shown relative to its lowest value in each sweep, as only differences matter.

    Examples
    --------
    >>> panels([{"labels_per_document": 2.3}])["labels"].title
    'Labels: area under the precision/recall curve'
    """
    least: dict[tuple[Any, ...], float] = {}
    for row in rows:
        if row.get("criterion") is not None:
            sweep = row["method"], row["seed"]
            least[sweep] = min(least.get(sweep, np.inf), row["criterion"])

    def above(row: Row) -> float | None:
        if row.get("criterion") is None:
            return None
        return float(row["criterion"] - least[row["method"], row["seed"]]) / 1e3

    def thousands(row: Row) -> float | None:
        value = row.get("log_likelihood")
        return None if value is None else value / 1e3

    single = all((row.get("labels_per_document") or 1.0) <= 1.0 for row in rows)
    measure = "label_accuracy" if single else "label_auc"
    area = "area under the precision/recall curve"
    return {
        "bic": Panel("BIC above its least, thousand nats", above, focus=True),
        "training": Panel("Training log-likelihood, thousand nats", thousands),
        "held-out": Panel(
            "Held-out log-likelihood of a word", _column("held_out_per_word")
        ),
        "labels": Panel(f"Labels: {'accuracy' if single else area}", _column(measure)),
        "coherence": Panel("Coherence", _column("coh")),
        "npmi": Panel("Coherence as NPMI, 10 words", _column("npmi")),
    }


def curves(
    rows: Sequence[Row], value: Callable[[Row], float | None]
) -> dict[str, Curve]:
    """Return the curve of each method, at the numbers of topics that all seeds have.

    Examples
    --------
    >>> rows = [{"method": "ptm", "seed": s, "n_topics": 4, "npmi": v}
    ...         for s, v in enumerate([0.25, 0.75])]
    >>> curves(rows, lambda row: row["npmi"])["ptm"].mean
    [0.5]
    """
    found: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        number = value(row)
        if number is not None:
            curve = found.setdefault(row["method"], {})
            curve.setdefault(row["n_topics"], []).append(number)
    out = {}
    for method in (name for name in METHODS if name in found):
        n_seeds = max(map(len, found[method].values()))
        kept = {m: v for m, v in sorted(found[method].items()) if len(v) == n_seeds}
        spread = [
            float(np.std(v, ddof=1)) if n_seeds > 1 else 0.0 for v in kept.values()
        ]
        out[method] = Curve(
            list(kept), [float(np.mean(v)) for v in kept.values()], spread
        )
    return out


def write(folder: Path, name: str, rows: Sequence[Row]) -> list[Path]:
    """Write a figure of each measure of a corpus, and one of all, as SVG and PNG.

    The names of the files, which are returned, begin with that of the corpus.

    Examples
    --------
    >>> import tempfile
    >>> rows = [{"method": "lda", "seed": 0, "n_topics": m, "npmi": 0.1 * m}
    ...         for m in (2, 4)]
    >>> with tempfile.TemporaryDirectory() as place:
    ...     [file.name for file in write(Path(place), "toy", rows)]
    ['toy-npmi.svg', 'toy-npmi.png', 'toy-all.svg', 'toy-all.png']
    """
    check_extra("study")
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        part: (panel._replace(crossing=published.CROSSINGS.get((name, part))), found)
        for part, panel in panels(rows).items()
        if (found := curves(rows, panel.value))
    }
    groups = {part: [entry] for part, entry in drawn.items()}
    groups["all"] = list(drawn.values())
    files = []
    with matplotlib.rc_context(STYLE):
        for part, entries in groups.items():
            figure = _figure(name, entries, rows)
            for form in ("svg", "png"):
                out = io.BytesIO()
                metadata = {"Date": None} if form == "svg" else None
                figure.savefig(out, format=form, dpi=150, metadata=metadata)
                files.append(folder / f"{name}-{part}.{form}")
                with atomic_file(files[-1]) as file:
                    file.write(out.getvalue())
    return files


def _column(name: str) -> Callable[[Row], float | None]:
    return lambda row: row.get(name)


def _figure(
    name: str, entries: Sequence[tuple[Panel, dict[str, Curve]]], rows: Sequence[Row]
) -> Any:
    from matplotlib.figure import Figure

    columns = min(3, len(entries))
    lines = -(-len(entries) // columns)
    wide, high = LEFT + WIDTH + RIGHT, BELOW + HEIGHT + ABOVE
    size = columns * wide, lines * high
    figure = Figure(figsize=size)
    for n, (panel, found) in enumerate(entries):
        line, column = divmod(n, columns)
        x, y = column * wide + LEFT, size[1] - (line + 1) * high + BELOW
        place = x / size[0], y / size[1], WIDTH / size[0], HEIGHT / size[1]
        _draw(figure.add_axes(place), panel, found, name, rows)
    return figure


def _draw(
    axis: Any, panel: Panel, found: dict[str, Curve], name: str, rows: Sequence[Row]
) -> None:
    axis.set_title(f"{name}: {panel.title}", loc="left", fontsize=9.5)
    axis.set_xlabel("number of topics")
    axis.locator_params(axis="x", integer=True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="y", color=FAINT, linewidth=0.8)
    axis.set_axisbelow(True)
    for method, curve in found.items():
        _draw_curve(axis, curve, COLOURS[method])
        of_method = [row for row in rows if row["method"] == method]
        chosen = [row["n_topics"] for row in of_method if row.get("is_chosen")]
        axis.plot(
            chosen,
            [0.0] * len(chosen),
            transform=axis.get_xaxis_transform(),
            color=COLOURS[method],
            marker="^",
            markersize=6,
            linestyle="none",
            clip_on=False,
            alpha=0.7,
        )
    highest = max(curve.mean[-1] for curve in found.values())
    if panel.focus and highest > 0.0:
        axis.set_ylim(-0.05 * highest, 1.25 * highest)
    if name in published.N_TOPICS:
        number = published.N_TOPICS[name]
        _mark_published(axis, number.mean, f"published {number}", 1.0)
    if panel.crossing is not None:
        n_topics, what = panel.crossing
        _mark_published(axis, n_topics, f"published: {what}", 0.07)
    _label(axis, found)


def _draw_curve(axis: Any, curve: Curve, colour: str) -> None:
    """Draw the mean, and a band of one deviation around it."""
    mean, std = np.array(curve.mean), np.array(curve.std)
    line = {"linewidth": 1.6, "marker": "o", "markersize": 2.2}
    axis.plot(curve.n_topics, mean, color=colour, **line)
    if std.any():
        band = {"alpha": 0.18, "linewidth": 0}
        axis.fill_between(curve.n_topics, mean - std, mean + std, color=colour, **band)


def _mark_published(axis: Any, n_topics: float, text: str, height: float) -> None:
    """Mark a published number of topics with a dashed line."""
    dashes = (0, (4, 3))
    axis.axvline(n_topics, color=GREY, linewidth=1, linestyle=dashes, zorder=0)
    axis.text(
        n_topics,
        height,
        f" {text}",
        transform=axis.get_xaxis_transform(),
        color=GREY,
        fontsize=7.5,
        va="top",
    )


def _label(axis: Any, found: dict[str, Curve]) -> None:
    """Write the name of each method at the end of its curve, without overlaps."""
    low, high = axis.get_ylim()
    ends = {m: (curve.mean[-1] - low) / (high - low) for m, curve in found.items()}
    names = sorted(ends, key=lambda m: ends[m])
    places: list[float] = []
    for n, method in enumerate(names):
        room = 1.0 - GAP * (len(names) - 1 - n)
        least = places[-1] + GAP if places else 0.0
        places.append(max(least, min(ends[method], room)))
    for method, place in zip(names, places, strict=True):
        axis.text(
            1.02,
            place,
            METHODS[method].title,
            transform=axis.transAxes,
            color=COLOURS[method],
            va="center",
        )
