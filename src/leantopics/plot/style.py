"""What all plots share: axes, colours, and texts as they are written."""

from typing import TYPE_CHECKING, Any, Literal

from leantopics._extras import check_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255",
    "#44aa99", "#999933", "#6f63bb",
)  # fmt: skip
"""Colours of topics, which colour-blind people can tell apart."""
QUIET, FAINT = "0.4", "0.85"


def axes_of(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes given, or those of a new figure of a size in inches."""
    check_extra("plot")
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def colour(number: int) -> str:
    """Return the colour of a topic.

    Examples
    --------
    >>> colour(0), colour(10) == colour(0)
    ('#0072b2', True)
    """
    return COLOURS[number % len(COLOURS)]


def shade(number: int, part: float) -> tuple[float, float, float]:
    """Return the colour of a topic, mixed with white: 0 is the colour, 1 is white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour(number))
    return tuple(c + (1.0 - c) * part for c in (red, green, blue))  # type: ignore[return-value]


def title(ax: "Axes", text: str) -> None:
    """Put a sentence above the axes, at the left."""
    ax.set_title(text, loc="left", fontsize=11, pad=10)


def write(ax: "Axes", x: float, y: float, text: str, **style: Any) -> Any:
    """Write a text as it is: signs of formulas are only signs."""
    return ax.text(x, y, printable(text), parse_math=False, **style)


def labels(ax: "Axes", axis: str, places: Any, texts: list[str], **style: Any) -> None:
    """Label places of an axis, "x" or "y", with texts as they are."""
    shown = ax.yaxis if axis == "y" else ax.xaxis
    shown.set_ticks(places, labels=[printable(text) for text in texts], **style)
    for label in shown.get_ticklabels():
        label.set_parse_math(False)


def grid(ax: "Axes", axis: Literal["x", "y"]) -> None:
    """Draw faint lines at the ticks of an axis, behind everything."""
    ax.grid(axis=axis, color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)


def printable(text: str) -> str:
    r"""Replace what cannot be drawn.

    Examples
    --------
    >>> printable("a\tb\nc")
    'a?b\nc'
    """
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def bare(ax: "Axes", *kept: str) -> None:
    """Take away the lines around the axes, except some."""
    for side, line in ax.spines.items():
        line.set_visible(side in kept)
    ax.tick_params(length=0)
