"""Coordinates of the report's charts, for its templates."""

import math
from typing import Any

from leantopics._words import counted

Chart = dict[str, Any]

WIDTH, HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 16, 40
_ROW = 14
_LABEL = 190
_STEP_LEAST, _STEP_MOST = 9, 28


def hue(number: int) -> int:
    """Return the hue of a topic in degrees, far from those of its neighbours.

    Examples
    --------
    >>> [hue(j) for j in range(4)]
    [210, 347, 125, 262]
    """
    return int((210 + 137.508 * number) % 360)


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


def share(value: float) -> str:
    """Format a share in percent.

    Examples
    --------
    >>> share(1.0), share(0.1234), share(0.00123), share(0.00001), share(0.0)
    ('100%', '12%', '0.12%', '<0.01%', '0%')
    """
    if 0.0 < value < 0.0001:
        return "<0.01%"
    return f"{100.0 * value:.0f}%" if value >= 0.1 else f"{100.0 * value:.2g}%"


def curve(answer: dict[str, Any]) -> Chart:
    """Return curves of BIC and its parts, as differences from the chosen number."""
    orders, chosen = answer["orders"], answer["n_topics"]
    best = next(row for row in orders if row["n_topics"] == chosen)
    series = {"BIC": [row["criterion"] - best["criterion"] for row in orders]}
    for name in best["terms"]:
        series[name] = [row["terms"][name] - best["terms"][name] for row in orders]
    x = [row["n_topics"] for row in orders]
    values = [value for line in series.values() for value in line]
    # BIC is far worse with few topics, and its parts vary more than their sum. So the
    # range is that of the sum, from half the chosen number of topics on.
    near = [v for m, v in zip(x, series["BIC"], strict=True) if 2 * m >= chosen]
    top = max(near) * 1.3 or 1.0
    low, high = max(min(values), -top), min(max(values), top)
    place_x = _scale(min(x), max(x), _LEFT, WIDTH - _RIGHT)
    place_y = _scale(low, high, HEIGHT - _BOTTOM, _TOP)
    return {
        "width": WIDTH,
        "height": HEIGHT,
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
                "text": f"{counted(m, 'topic')}: {number(v)} nats above the least"
                if m != chosen
                else f"{counted(m, 'topic')}: the least",
                "chosen": m == chosen,
            }
            for m, v in zip(x, series["BIC"], strict=True)
            if low <= v <= high
        ],
        "x_ticks": [
            {"at": round(place_x(m), 1), "text": number(m)}
            for m in ticks(min(x), max(x), 8)
        ],
        "y_ticks": [
            {"at": round(place_y(v), 1), "text": number(v)} for v in ticks(low, high)
        ],
        "zero": round(place_y(0.0), 1),
        "left": _LEFT,
        "right": WIDTH - _RIGHT,
        "top": _TOP,
        "bottom": HEIGHT - _BOTTOM,
    }


def lineage(found: dict[str, Any]) -> Chart:
    """Return lines of topics; each joins the one that absorbs its topic."""
    orders, lines = found["orders"], found["lines"]
    step = min(max(600 / max(len(orders) - 1, 1), _STEP_LEAST), _STEP_MOST)

    def x(place: int) -> float:
        return _LABEL + place * step

    def y(line: int) -> float:
        return 34.0 + _ROW * float(lines[line]["row"])

    drawn = []
    for n, line in enumerate(lines):
        last = line["begin"] + len(line["numbers"]) - 1
        path = f"M{x(line['begin']):.0f} {y(n):.0f}H{x(last):.0f}"
        if line["into"] is not None:
            at, to = x(last), x(last + 1)
            path += f"C{at + step / 2:.0f} {y(n):.0f} {at + step / 2:.0f} "
            path += f"{y(line['into']):.0f} {to:.0f} {y(line['into']):.0f}"
        lives = line["begin"] <= found["chosen"] <= last
        topic = line["numbers"][found["chosen"] - line["begin"]] if lives else None
        drawn.append(
            {
                "path": path,
                "topic": topic,
                "hue": None if topic is None else hue(topic),
                "y": y(n),
                "words": ", ".join(line["words"]),
                "text": _fate(line, orders, last, lines),
            }
        )
    return {
        "width": round(x(len(orders) - 1) + 60),
        "height": round(34 + _ROW * len(lines) + 10),
        "lines": drawn,
        "label": _LABEL - 8,
        "chosen": round(x(found["chosen"])),
        "ticks": [
            {"at": round(x(place)), "text": str(m)}
            for place, m in enumerate(orders)
            if place % max(1, round(40 / step)) == 0
        ],
    }


def trends(groups: dict[str, Any]) -> list[Chart]:
    """Return a chart per topic with its share by group and the intervals."""
    width, height, top, base = 300, 90, 16, 84
    names, ordered = groups["names"], groups["ordered"]
    place_x = _scale(0, max(len(names) - 1, 1), 8, width - 8)
    out = []
    for topic in groups["topics"]:
        most = max(point[2] for point in topic["points"]) or 1.0
        place_y = _scale(0.0, most, base, top)
        marks = [
            {
                "x": round(place_x(g), 1),
                "y": round(place_y(value), 1),
                "low": round(place_y(low), 1),
                "high": round(place_y(high), 1),
                "text": f"{names[g]}: {value:.2%}, {low:.2%} to {high:.2%}",
            }
            for g, (value, low, high) in enumerate(topic["points"])
        ]
        out.append(
            {
                "topic": topic["number"],
                "width": width,
                "height": height,
                "base": base,
                "most": f"{most:.1%}" if most >= 0.001 else share(most),
                "marks": marks,
                "line": _path([(mark["x"], mark["y"]) for mark in marks])
                if ordered
                else None,
                "heads": [] if ordered else _largest(topic["points"], names),
            }
        )
    return out


def _largest(points: list[list[float]], names: list[str]) -> list[Chart]:
    """Return up to three groups with the largest shares of a topic, none with zero."""
    order = sorted(range(len(names)), key=lambda g: -points[g][0])[:3]
    return [
        {"name": names[g], "share": points[g][0]} for g in order if points[g][0] > 0.0
    ]


def _fate(
    line: dict[str, Any], orders: list[int], last: int, lines: list[dict[str, Any]]
) -> str:
    """Describe what happens to a topic."""
    if line["into"] is None:
        first = counted(orders[line["begin"]], "topic")
        return f"Present from {first} down to {orders[last]}."
    into = ", ".join(lines[line["into"]]["words"])
    return (
        f"Not present below {counted(orders[last], 'topic')}: {line['share']:.0%} of "
        f"it went to the topic of {into}."
    )


def _scale(low: float, high: float, first: float, last: float) -> Any:
    span = (high - low) or 1.0

    def place(value: float) -> float:
        return first + (value - low) / span * (last - first)

    return place


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
