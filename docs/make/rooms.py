"""The picture of docs/architecture.md: rooms from the import contract, and the flow.

``python docs/make/rooms.py > docs/pictures/rooms.svg`` draws it anew.
"""

import ast
import tomllib
from html import escape
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[2]
WIDTH, LEFT, ROW, GAP = 1000, 620, 62, 8
FLOW = [
    ("files, tables, matrices", "readers cut them into records"),
    ("Corpus", "one sparse matrix of counts, and names"),
    ("start", "seeds grow into topics: ptm.initialise"),
    ("fit of one number of topics", "E-step, words, topics, BIC; again: ptm.em"),
    ("search over numbers of topics", "drop topics, fit, least BIC: sweep"),
    ("fitted model", "sparse arrays with names: ptm.model"),
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
    return [[room.strip().split(".")[1] for room in row.split("|")] for row in rows]


def purpose(room: str) -> str:
    """What a room is for: the first words of its docstring."""
    home = ROOT / "src" / "leantopics" / room
    file = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return doc.splitlines()[0].rstrip(".")


def picture() -> str:
    """Draw the rooms on the left, each row free to import those below; then the flow."""
    rows = layers()
    height = 40 + len(rows) * (ROW + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'role="img" aria-label="Rooms of the package, and how data flow">',
        f"<style>{STYLE}</style>",
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>',
        f'<rect class="page" width="{WIDTH}" height="{height}"/>',
        '<text x="8" y="22" class="name">Rooms: a row may import the rows below it</text>',
        f'<text x="{LEFT + 40}" y="22" class="name">How data flow</text>',
    ]
    for number, row in enumerate(rows):
        y, wide = 34 + number * (ROW + GAP), (LEFT - 8 - GAP * len(row)) / len(row)
        for place, room in enumerate(row):
            x = 8 + place * (wide + GAP)
            parts += _box(x, y, wide, room, purpose(room), "room")
    step = (height - 34 - ROW) / (len(FLOW) - 1)
    x, wide = LEFT + 40, WIDTH - LEFT - 48
    for number, (name, text) in enumerate(FLOW):
        y = 30 + number * step
        parts += _box(x, y, wide, name, text, "step")
        if number:
            parts.append(f'<path d="M{x + wide / 2:.0f} {y - step + ROW:.0f}V{y - 1:.0f}"/>')
    return "\n".join([*parts, "</svg>", ""])


def _box(x: float, y: float, wide: float, name: str, text: str, kind: str) -> list[str]:
    lines = wrap(text.replace("`", ""), int(wide / 5.2), max_lines=3, placeholder=" …")
    return [
        f'<rect class="{kind}" x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{ROW}"/>',
        f'<text class="name" x="{x + 7:.0f}" y="{y + 17:.0f}">{escape(name)}</text>',
        *(
            f'<text class="small" x="{x + 7:.0f}" y="{y + 31 + 12 * n:.0f}">{escape(line)}</text>'
            for n, line in enumerate(lines)
        ),
    ]


if __name__ == "__main__":
    print(picture(), end="")
