"""Small pages about objects, which notebooks show: a sentence, bars, and a curve."""

import html
import math
from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 260, 110
"""Size of the curve, in pixels."""
_MARGIN, _FOOT = 8, 16
_STYLE = """<style>
.leantopics{font:13px/1.45 system-ui,sans-serif;max-width:76em;color:inherit}
.leantopics p{margin:.3em 0 .6em}
.leantopics .say{font-size:15px}
.leantopics .quiet{opacity:.72}
.leantopics .two{display:flex;flex-wrap:wrap;gap:0 2em;align-items:flex-start}
.leantopics .rows{flex:1 1 26em;min-width:0}
.leantopics summary,.leantopics .row{display:grid;align-items:center;
 grid-template-columns:3.6em 6em minmax(0,1fr);gap:0 .7em;padding:1px 0}
.leantopics summary{cursor:pointer;list-style:none}
.leantopics summary::-webkit-details-marker{display:none}
.leantopics summary .name::before{content:"\\25B8";opacity:.6;padding-right:.4em}
.leantopics details[open]>summary .name::before{content:"\\25BE"}
.leantopics .share{text-align:right;font-variant-numeric:tabular-nums}
.leantopics .bar{height:9px;border-radius:2px;min-width:2px}
.leantopics .line{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.leantopics .name{font-weight:600}
.leantopics .below{margin:0 0 .3em 1.4em}
.leantopics .below .name{font-weight:400}
.leantopics svg{display:block;overflow:visible}
.leantopics code{font-size:12px}
</style>"""


class Row(NamedTuple):
    """A line of a card, with its bar."""

    name: str
    value: float = 0.0
    """Length of the bar, from 0 to 1."""
    label: str = ""
    """What stands at the bar."""
    more: str = ""
    """What follows the name."""
    hue: int = 210
    """Of the bar, in degrees."""
    below: Sequence["Row"] = ()
    """Lines that opening this one shows."""
    rest: str = ""
    """What is said after these."""


class Curve(NamedTuple):
    """A small curve with one point marked."""

    points: Sequence[tuple[float, float]]
    marked: tuple[float, float]
    text: str
    """What the curve shows."""
    ends: tuple[str, str]
    """Names of the ends of its horizontal axis."""


def card(
    title: str,
    sentence: str,
    rows: Sequence[Row] = (),
    *,
    rest: str = "",
    curve: Curve | None = None,
    hint: str = "",
    full: float = 0.0,
) -> str:
    """Return a small page as HTML that needs neither network nor script.

    All texts are escaped. Colours are those of the notebook, light or dark. The longest
    bar is that of the largest value, or of ``full`` if that is larger.

    Examples
    --------
    >>> card("Corpus", "2 documents", [Row("<b>", 0.5)]).count("&lt;b&gt;")
    1
    """
    longest = max([full, *(row.value for row in rows)]) or 1.0
    lines = "".join(_line(row, longest) for row in rows)
    body = f"<div class='rows'>{lines}{_quiet(rest)}</div>" if lines or rest else ""
    drawn = f"<div>{_draw(curve)}</div>" if curve else ""
    return (
        f"{_STYLE}<div class='leantopics' role='group' aria-label='{_text(title)}'>"
        f"<p class='quiet'>{_text(title)}</p><p class='say'>{_text(sentence)}</p>"
        f"<div class='two'>{body}{drawn}</div>"
        f"{f'<p class=quiet><code>{_text(hint)}</code></p>' if hint else ''}</div>"
    )


def hue(number: int) -> int:
    """Return the hue of a topic in degrees, far from those of its neighbours.

    Examples
    --------
    >>> [hue(j) for j in range(4)]
    [210, 347, 125, 262]
    """
    return int((210 + 137.508 * number) % 360)


def percent(value: float) -> str:
    """Format a share in percent.

    Examples
    --------
    >>> percent(1.0), percent(0.1234), percent(0.00123), percent(0.00001), percent(0.0)
    ('100%', '12%', '0.12%', '<0.01%', '0%')
    """
    if 0.0 < value < 0.0001:
        return "<0.01%"
    return f"{100.0 * value:.0f}%" if value >= 0.1 else f"{100.0 * value:.2g}%"


def _text(text: str) -> str:
    return html.escape(text).replace("\n", " ")


def _quiet(text: str) -> str:
    return f"<p class='quiet'>{_text(text)}</p>" if text else ""


def _line(row: Row, longest: float) -> str:
    width = 100.0 * max(0.0, min(1.0, row.value / longest))
    more = f" <span class='quiet'>{_bidi(row.more)}</span>" if row.more else ""
    cells = (
        f"<span class='share'>{_text(row.label)}</span>"
        f"<span><span class='bar' style='display:block;width:{width:.1f}%;"
        f"background:hsl({row.hue} 55% 52%)'></span></span>"
        f"<span class='line'><span class='name'>{_bidi(row.name)}</span>{more}</span>"
    )
    if not row.below:
        return f"<div class='row'>{cells}</div>"
    below = "".join(_line(each, longest) for each in row.below)
    return (
        f"<details><summary>{cells}</summary>"
        f"<div class='below'>{below}{_quiet(row.rest)}</div></details>"
    )


def _bidi(text: str) -> str:
    return f"<bdi>{_text(text)}</bdi>"


def _draw(curve: Curve) -> str:
    """Draw a curve; what is far above its marked point is cut off.

    Numbers of topics are on a logarithmic axis.
    """
    x = [math.log(point[0]) for point in curve.points]
    y = [point[1] for point in curve.points]
    base = min(y)
    near = [v - base for v, at in zip(y, x, strict=True) if at >= _middle(x, curve)]
    top = base + (max(near) or 1.0) * 1.25
    span = max(max(x) - min(x), 1e-9)

    def place(at: float, value: float) -> tuple[float, float]:
        across = _MARGIN + (WIDTH - 2 * _MARGIN) * (at - min(x)) / span
        high = HEIGHT - _FOOT - 2 * _MARGIN
        share = min(value - base, 2.0 * (top - base)) / (top - base)
        return across, HEIGHT - _FOOT - _MARGIN - high * min(share, 1.15)

    line = " ".join(
        f"{a:.1f},{b:.1f}" for a, b in (place(*each) for each in zip(x, y, strict=True))
    )
    a, b = place(math.log(curve.marked[0]), curve.marked[1])
    foot = HEIGHT - 3
    text = "font-size='11' fill='currentColor' opacity='.75'"
    return (
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' "
        f"role='img' aria-label='{_text(curve.text)}'><title>{_text(curve.text)}"
        f"</title><polyline points='{line}' fill='none' stroke='currentColor' "
        f"stroke-width='1.5' stroke-linejoin='round' opacity='.65'/>"
        f"<circle cx='{a:.1f}' cy='{b:.1f}' r='4.5' fill='hsl(210 75% 50%)'/>"
        f"<text x='{_MARGIN}' y='{foot}' {text}>{_text(curve.ends[0])}</text>"
        f"<text x='{WIDTH - _MARGIN}' y='{foot}' text-anchor='end' {text}>"
        f"{_text(curve.ends[1])}</text></svg>{_quiet(curve.text)}"
    )


def _middle(x: Sequence[float], curve: Curve) -> float:
    """Where the range of values begins to matter: half of the marked number."""
    return max(min(x), math.log(curve.marked[0]) - math.log(2.0))
