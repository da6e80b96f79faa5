"""The picture of docs/architecture.md: rooms from the import contract, and the flow.

``python docs/make/rooms.py > docs/pictures/rooms.svg`` draws it again.
"""

import ast
import re
import tomllib
from html import escape
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[2]
WIDTH, EDGE, GAP, LINE = 600, 8, 8, 13
CROWD = 4
"""Most rooms of a row that still have room to say what they are for."""
FLOW = [
    ("files, tables, texts", "io cuts them into records, text counts their words"),
    ("Corpus", "one sparse matrix of counts, and names"),
    (
        "search over numbers of topics",
        "ptm.search: start, then split, merge and drop topics, and fit each number",
    ),
    (
        "in it: fit of one number of topics",
        "ptm.em: E-step, words, topics, BIC, until nothing changes",
    ),
    ("fitted model", "ptm.estimator: sparse arrays with names; themes above topics"),
    ("files, report, server, measures", "all read the same arrays"),
]
STYLE = """
  rect { fill: #fff; stroke: #00796b; rx: 6 }
  rect.page { stroke: none } rect.step { fill: #e0f2f1 }
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .name { font-weight: 600 } .small { font-size: 10.5px; fill: #555 }
  path { fill: none; stroke: #00796b; stroke-width: 1.5; marker-end: url(#tip) }
  #tip path { fill: #00796b; stroke: none; marker-end: none }
"""


def layers() -> list[list[str]]:
    """Rooms from the top down, as the first contract of import-linter has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    rows = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [re.findall(r"leantopics\.(\w+)", row) for row in rows]


def purpose(room: str) -> str:
    """What a room is for: the first words of its docstring."""
    home = ROOT / "src" / "leantopics" / room
    file = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return doc.splitlines()[0].rstrip(".")


def picture() -> str:
    """Draw the rooms, each row free to import those below; then the flow."""
    y = 34
    parts = [_text(EDGE, 20, "name", "Rooms: a row may import the rows below it")]
    for row in layers():
        wide = (WIDTH - 2 * EDGE + GAP) / len(row) - GAP
        spacious = len(row) <= CROWD
        said = [_lines(purpose(room), wide) if spacious else [] for room in row]
        high = 26 + LINE * max(map(len, said))
        for place, (room, lines) in enumerate(zip(row, said, strict=True)):
            x = EDGE + place * (wide + GAP)
            parts += _box(x, y, wide, high, "room", room, lines)
        y += high + GAP
    y += 3 * GAP
    parts.append(_text(EDGE, y, "name", "How data flow"))
    y += 12
    wide, high = WIDTH - 2 * EDGE, 26 + LINE
    for number, (name, text) in enumerate(FLOW):
        parts += _box(EDGE, y, wide, high, "step", name, [text])
        y += high
        if number < len(FLOW) - 1:
            parts.append(f'<path d="M{WIDTH / 2:.0f} {y}v17"/>')
            y += 18
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + EDGE}" '
        'role="img" aria-label="Rooms of the package, and how data flow">'
        f"<style>{STYLE}</style>"
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
        'markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>'
        f'<rect class="page" width="{WIDTH}" height="{y + EDGE}"/>'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def _lines(text: str, wide: float) -> list[str]:
    return wrap(text.replace("`", ""), int(wide / 6), max_lines=3, placeholder=" …")


def _box(
    x: float, y: float, wide: float, high: float, kind: str, name: str, lines: list[str]
) -> list[str]:
    return [
        f'<rect class="{kind}" x="{x:.0f}" y="{y}" width="{wide:.0f}" '
        f'height="{high}"/>',
        _text(x + 7, y + 17, "name", name),
        *(_text(x + 7, y + 31 + LINE * n, "small", t) for n, t in enumerate(lines)),
    ]


def _text(x: float, y: float, kind: str, text: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y}">{escape(text)}</text>'


if __name__ == "__main__":
    print(picture(), end="")
