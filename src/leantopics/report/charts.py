"""Coordinates of the report's charts, for its templates."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from leantopics._words import counted

Chart = dict[str, Any]

WIDTH, HEIGHT = 720, 316
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 16, 24, 56
_FRAME = {
    "width": WIDTH,
    "height": HEIGHT,
    "left": _LEFT,
    "right": WIDTH - _RIGHT,
    "top": _TOP,
    "bottom": HEIGHT - _BOTTOM,
}


def ticks(low: float, high: float, n: int = 5) -> list[float]:
    """Return about n round numbers from low to high.

    Examples
    --------
    >>> ticks(0, 97)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    if not high > low:
        return [low]
    raw = (high - low) / n
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * k for k in (1, 2, 2.5, 5, 10) if size * k >= raw)
    first = math.ceil(low / step)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def number(value: float) -> str:
    """Format a number for people.

    Examples
    --------
    >>> number(12345.6), number(99.7), number(0.1234), number(-1500000)
    ('12,346', '100', '0.12', '-1.5 M')
    """
    if abs(value) >= 1e6:
        millions = value / 1e6
        return f"{millions:,.0f} M" if abs(millions) >= 100 else f"{millions:.3g} M"
    if abs(value) >= 99.5 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.2g}"


def curve(answer: dict[str, Any]) -> Chart:
    """Return curves of BIC and its parts, as differences from the chosen number."""
    path, chosen = answer["orders"], answer["n_topics"]
    best = next(row for row in path if row["n_topics"] == chosen)
    series = {"BIC": [row["criterion"] - best["criterion"] for row in path]}
    for name in best["terms"]:
        series[name] = [row["terms"][name] - best["terms"][name] for row in path]
    x = [row["n_topics"] for row in path]
    values = [value for line in series.values() for value in line]
    # BIC is far worse with few topics, and its parts vary more than their sum. So the
    # range is that of the sum, from half the chosen number of topics on.
    near = [v for m, v in zip(x, series["BIC"], strict=True) if 2 * m >= chosen]
    top = max(near) * 1.3 or 1.0
    low, high = max(min(values), -top), min(max(values), top)
    place_x = _scale(min(x), max(x), _LEFT, WIDTH - _RIGHT)
    place_y = _scale(low, high, HEIGHT - _BOTTOM, _TOP)
    return {
        **_FRAME,
        "lines": [
            {
                "name": name,
                "path": _path(
                    [(place_x(m), place_y(v)) for m, v in zip(x, line, strict=True)]
                ),
            }
            for name, line in series.items()
        ],
        "points": [
            {
                "x": round(place_x(m), 1),
                "y": round(place_y(v), 1),
                "text": f"{counted(m, 'topic')}: {number(v)} nats above the lowest"
                if m != chosen
                else f"{counted(m, 'topic')}: the lowest BIC",
                "chosen": m == chosen,
            }
            for m, v in zip(x, series["BIC"], strict=True)
            if low <= v <= high
        ],
        "x_ticks": _marks(place_x, ticks(min(x), max(x), 8)),
        "y_ticks": _marks(place_y, ticks(low, high)),
    }


def _costs(price: float) -> str:
    return f"{'saves' if price < 0.0 else 'costs'} {number(abs(price))} nats"


def joins(prices: Sequence[float], now: int) -> Chart:
    """Return points of the price of each join by the number of groups it leaves.

    ``prices`` has the change of BIC by each join, in order; below one nat it is drawn
    as one. ``now`` is the number of groups to mark.
    """
    left = range(len(prices), 0, -1)
    most = max(*prices, 10.0)
    across = _scale(math.log(len(prices)), 0.0, _LEFT, WIDTH - _RIGHT)
    up = _scale(0.0, math.log(most), HEIGHT - _BOTTOM, _TOP)

    def place_x(n: float) -> float:
        return across(math.log(n))

    def place_y(price: float) -> float:
        return up(math.log(max(price, 1.0)))

    numbers = (n * 10**k for k in range(5) for n in (1, 2, 5))
    return {
        **_FRAME,
        "points": [
            {
                "x": round(place_x(n), 1),
                "y": round(place_y(price), 1),
                "text": f"The join that leaves {counted(n, 'group')} {_costs(price)}",
            }
            for n, price in zip(left, prices, strict=True)
        ],
        "x_ticks": _marks(place_x, [n for n in numbers if n <= len(prices)]),
        "y_ticks": _marks(
            place_y, [10**k for k in range(math.floor(math.log10(most)) + 1)]
        ),
        "now": round(place_x(min(now, len(prices))), 1),
    }


def _marks(place: Callable[[float], float], values: Sequence[float]) -> list[Chart]:
    return [{"at": round(place(value), 1), "text": number(value)} for value in values]


def _scale(
    low: float, high: float, first: float, last: float
) -> Callable[[float], float]:
    span = (high - low) or 1.0

    def place(value: float) -> float:
        return first + (value - low) / span * (last - first)

    return place


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
