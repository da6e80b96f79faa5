"""Curves of a case as an SVG: the same curves and matplotlib give the same bytes."""

import hashlib
import io
import json
import math
from collections.abc import Callable
from typing import Any

from leantopics.study.figures import GREY, INK, STYLE

__all__ = ["BLUE", "FAINT", "GREY", "INK", "figure", "fingerprint", "svg", "written"]

INCHES = 2.0
"""Length of a decade on both axes, so that a slope of one rises at 45 degrees."""
LEFT, RIGHT, BELOW, ABOVE, BETWEEN = 0.7, 0.15, 0.55, 0.3, 0.3
MARGIN = 0.12
"""Decades left free around the points."""
BLUE, FAINT = "#1f5fa8", "#e6e6e6"


def fingerprint(curves: dict[str, Any]) -> str:
    """Short name of the numbers that a picture is made of; the picture has it."""
    return hashlib.sha256(json.dumps(curves).encode()).hexdigest()[:16]


def svg(title: str, curves: dict[str, Any]) -> str:
    """Picture of curves, by axis, each of points (x, y) with its slope and a guide."""
    import matplotlib

    creator = f"matplotlib {matplotlib.__version__}"
    points = f"points {fingerprint(curves)}"
    return written(
        lambda: figure(curves), Title=title, Description=points, Creator=creator
    )


def written(draw: Callable[[], Any], **metadata: str) -> str:
    """A figure as SVG without a date."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        out = io.StringIO()
        draw().savefig(out, format="svg", metadata={**metadata, "Date": None})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def figure(curves: dict[str, Any]) -> Any:
    """A panel for each curve, side by side over one vertical axis, all logarithmic."""
    from matplotlib.figure import Figure

    points = [point for curve in curves.values() for point in curve["points"]]
    low, high = _range(
        [p[key] for p in points for key in ("y", "min", "max") if key in p]
    )
    spans = {
        axis: _range([point["x"] for point in curve["points"]])
        for axis, curve in curves.items()
    }
    widths = [INCHES * math.log10(last / first) for first, last in spans.values()]
    height = INCHES * math.log10(high / low)
    size = (
        LEFT + sum(widths) + BETWEEN * (len(widths) - 1) + RIGHT,
        BELOW + height + ABOVE,
    )
    drawing = Figure(figsize=size)
    place = LEFT
    for (axis, curve), width in zip(curves.items(), widths, strict=True):
        panel = drawing.add_axes(
            (place / size[0], BELOW / size[1], width / size[0], height / size[1])
        )
        panel.set(xscale="log", yscale="log", xlim=spans[axis], ylim=(low, high))
        _frame(panel, axis, curve, first=place == LEFT)
        _lines(panel, curve)
        place += width + BETWEEN
    return drawing


def _frame(panel: Any, axis: str, curve: dict[str, Any], first: bool) -> None:
    """Axes with few, plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    sizes = [point["x"] for point in curve["points"]]
    panel.xaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_minor_locator(NullLocator())
    panel.set_xticks(sizes, [_short(size) for size in sizes])
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.tick_params(length=0, labelleft=first)
    panel.grid(color=FAINT, linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.set_xlabel(axis)
    if first:
        panel.set_title(curve["y"], loc="left", fontsize=9.0, x=-0.02)


def _lines(panel: Any, curve: dict[str, Any]) -> None:
    """Points with their spread, the fitted line, and a thin one of the guide's slope.

    The guide ends where the fitted line does; each has its label along it, on the side
    away from the other, the guide only if there is place for it.
    """
    points, slope, guide = curve["points"], curve["slope"], curve["guide"]
    x, y = [p["x"] for p in points], [p["y"] for p in points]
    last = x[-1], _mean(y) * (x[-1] / _mean(x)) ** slope
    seen = max(x[0], x[-1] * (panel.get_ylim()[0] / last[1]) ** (1 / guide["slope"]))
    side = 1 if slope <= guide["slope"] else -1
    for point in points:
        if "min" in point:
            panel.plot(2 * [point["x"]], [point["min"], point["max"]], color=BLUE, lw=1)
    panel.plot(x, y, "o", color=BLUE, markersize=4.5)
    long = math.log(x[-1] / seen) > 0.4 * math.log(x[-1] / x[0])
    label = guide["label"] if long else ""
    _line(panel, seen, last, guide["slope"], label, -side, GREY, 0.7)
    _line(panel, x[0], last, slope, f"slope {slope:.2f}", side, BLUE, 1.6)


def _line(
    panel: Any,
    first: float,
    last: tuple[float, float],
    slope: float,
    label: str,
    side: int,
    color: str,
    width: float,
) -> None:
    """A line of a slope that ends at last, with its label above (1) or below (-1)."""

    def height(x: float) -> Any:
        return last[1] * (x / last[0]) ** slope

    panel.plot([first, last[0]], [height(first), last[1]], color=color, linewidth=width)
    angle = math.atan(slope)
    middle = math.sqrt(first * last[0])
    panel.annotate(
        label,
        (middle, height(middle)),
        xytext=(-11 * side * math.sin(angle), 11 * side * math.cos(angle)),
        textcoords="offset points",
        ha="center",
        va="center",
        rotation=math.degrees(angle),
        color=color,
    )


def _range(values: list[float]) -> tuple[float, float]:
    return min(values) / 10**MARGIN, max(values) * 10**MARGIN


def _mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _short(size: float) -> str:
    """A size in a few letters: 950, 1.5k, 11k, 1M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if size >= unit:
            digits = 1 if size < 9.95 * unit else 0
            return f"{round(size / unit, digits):g}{letter}"
    return f"{size:g}"
