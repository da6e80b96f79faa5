"""A curve drawn with characters."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

SHOWN = 0.75
"""Share of the points that the frame holds; a steep end leaves it at the top."""


class Style(NamedTuple):
    """Characters to draw with."""

    dots: tuple[tuple[int, ...], ...]
    """Bit of each dot of a character, row by row."""
    blank: int
    """Code of the character without dots."""
    least: str
    side: str
    side_tick: str
    corner: str
    line: str
    line_tick: str
    pointer: str


BRAILLE = Style(
    ((1, 8), (2, 16), (4, 32), (64, 128)), 0x2800, "●", "│", "┤", "└", "─", "┬", "▲"
)
PLAIN = Style(((ord("*") - ord(" "),),), ord(" "), "O", "|", "|", "+", "-", "+", "^")


def curve(
    points: Sequence[tuple[int, float]],
    *,
    width: int = 80,
    height: int = 13,
    style: Style = BRAILLE,
) -> list[str]:
    """Draw a curve through two or more points, by rising x, and mark the least.

    The drawing is ``width`` characters wide. Its frame has ``height`` lines; below it
    are the axis and its labels.

    Examples
    --------
    >>> points = [(1, 90), (2, 40), (3, 10), (4, 20), (5, 30)]
    >>> for line in curve(points, width=25, height=4, style=PLAIN):
    ...     print(line)
    40 |     *
    30 |      **          ***
    20 |        **   *****
    10 |          O**
       ++----+----^----+----+
        1    2    3    4    5
    """
    ordered = sorted(value for _, value in points)
    bottom, top = ordered[0], ordered[round(SHOWN * (len(points) - 1))]
    labels = {
        row: f"{top - (top - bottom) * row / (height - 1):,.0f}"
        for row in range(0, height, max(1, (height - 1) // 3))
    }
    margin = max(map(len, labels.values()))
    columns = max(width - margin - 2, 2)
    least = min(points, key=lambda point: (point[1], point[0]))[0]
    (first, _), *_, (last, _) = points

    def column(x: int) -> int:
        return round((x - first) / (last - first) * (columns - 1))

    frame = _frame(points, (bottom, top), columns, height, style)
    frame[-1][column(least)] = style.least
    line, names = [style.line] * columns, [" "] * columns
    for x in [least, first, last, *_round_numbers(first, last, columns // 10)]:
        name, at = str(x), column(x)
        begin = min(max(at - (len(name) - 1) // 2, 0), columns - len(name))
        end = begin + len(name)
        if not "".join(names[max(begin - 1, 0) : end + 1]).strip():
            names[begin:end] = name
            line[at] = style.pointer if x == least else style.line_tick
    lines = [
        f"{labels.get(row, ''):>{margin}} "
        f"{style.side_tick if row in labels else style.side}{''.join(characters)}"
        for row, characters in enumerate(frame)
    ]
    lines.append(f"{'':{margin}} {style.corner}{''.join(line)}")
    lines.append(f"{'':{margin}}  {''.join(names)}")
    return [line.rstrip() for line in lines]


def _frame(
    points: Sequence[tuple[int, float]],
    ends: tuple[float, float],
    columns: int,
    height: int,
    style: Style,
) -> list[list[str]]:
    """Return the characters of the curve, row by row from the top."""
    (bottom, top), n_down, n_across = ends, len(style.dots), len(style.dots[0])
    scale = (height * n_down - 1) / ((top - bottom) or 1.0)
    depths = [
        max(round((top - value) * scale), -1)  # -1 is above the frame
        for value in _interpolate(points, columns * n_across)
    ]
    bits = [[0] * columns for _ in range(height)]
    for across, (before, here) in enumerate(pairwise([depths[0], *depths])):
        # From beside the dot before, so that there are no gaps where it is steep.
        beside = before + (before < here) - (before > here)
        for down in range(max(min(beside, here), 0), max(beside, here) + 1):
            dot = style.dots[down % n_down][across % n_across]
            bits[down // n_down][across // n_across] |= dot
    return [[chr(style.blank + b) if b else " " for b in row] for row in bits]


def _interpolate(points: Sequence[tuple[int, float]], n: int) -> Iterator[float]:
    """Yield the curve at n places of equal distance."""
    xs = [x for x, _ in points]
    for i in range(n):
        x = xs[0] + (xs[-1] - xs[0]) * i / (n - 1)
        right = min(max(bisect_left(xs, x), 1), len(xs) - 1)
        (x0, y0), (x1, y1) = points[right - 1], points[right]
        yield y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def _round_numbers(first: int, last: int, most: int) -> range:
    """Return whole numbers between two others, at a round distance."""
    distances = (d * 10**power for power in range(10) for d in (1, 2, 5))
    distance = next(d for d in distances if (last - first) / d <= max(most, 4))
    return range(-(-first // distance) * distance, last + 1, distance)
