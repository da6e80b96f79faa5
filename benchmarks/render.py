"""Turn result files into docs/benchmarks.md.

python benchmarks/render.py
"""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """\
# Benchmarks

Made by `benchmarks/render.py` from the files in `benchmarks/results/`; change those,
not this page. `make bench` measures anew. Times are wall times in one process, kernels
compiled before; contenders take turns, once in every repeat, whose number is the seed
where fits are compared. A ratio is one of medians; its spread is the least and the
greatest ratio within a repeat. Only ratios within one file mean anything.
"""
NOTHING = "\nThere are no results yet.\n"
WIDTH, HEIGHT = 48, 12


def load() -> list[dict[str, Any]]:
    """All committed results, by name."""
    return [json.loads(file.read_text()) for file in sorted(RESULTS.glob("*.json"))]


def render(results: list[dict[str, Any]]) -> str:
    """The page."""
    if not results:
        return HEAD + NOTHING
    return HEAD + "".join(_result(result) for result in results)


def _result(result: dict[str, Any]) -> str:
    meta = result["meta"]
    parts = [f"\n## {Path(meta['file']).stem}\n", _meta(meta)]
    for name, case in result["cases"].items():
        parts.append(_case(name, case, meta))
    return "\n".join(parts)


def _meta(meta: dict[str, Any]) -> str:
    machine = meta["machine"]
    memory = machine["memory_bytes"]
    room = f", {memory / 2**30:.0f} GiB" if memory else ""
    versions = [f"Python {meta['python']}"]
    versions += [f"{name} {number}" for name, number in meta["versions"].items()]
    lines = [
        f"- File: `{meta['file']}`, {meta['began']} to {meta['ended']}",
        f"- Commit: `{meta['commit']}`",
        f"- Command: `{meta['command']}`",
        f"- Machine: {machine['cpu']}, {machine['cores']} cores{room}, "
        f"{machine['system']}; load average {_loads(meta['load before'])} before, "
        f"{_loads(meta['load after'])} after",
        f"- Versions: {', '.join(versions)}",
        f"- Repeats: {meta['repeats']}; loading or compiling the kernels took "
        f"{_number(meta['warm-up seconds'])} s",
    ]
    if meta["quick"]:
        lines.append("- **Toy sizes (`--quick`): these numbers mean nothing.**")
    return "\n".join(lines) + "\n"


def _case(name: str, case: dict[str, Any], meta: dict[str, Any]) -> str:
    parts = [f"### {name}\n", case["question"] + "\n"]
    if "corpus" in case:
        sizes = [f"{_number(value)} {what}" for what, value in case["corpus"].items()]
        parts.append(f"Corpus: {', '.join(sizes)}.\n")
    goals = case.get("ratios", {}) | case.get("figures", {})
    if goals:
        parts.append(_goals(goals))
    if "timings" in case:
        parts.append(_timings(case["timings"]))
    if "table" in case:
        parts.append(_table(case["table"]["columns"], case["table"]["rows"]))
    for axis, points in case.get("curves", {}).items():
        parts.append(_curve(axis, points))
    for label, reason in case.get("not run", {}).items():
        parts.append(f"**{label}: {reason}.**\n")
    load = f"load average {_loads(case['load before'])} before"
    source = f"`{meta['file']}`, commit `{meta['commit'][:10]}`, `{meta['command']}`"
    parts.append(f"From {source}; {load}.\n")
    return "\n".join(parts)


def _goals(goals: dict[str, dict[str, Any]]) -> str:
    verdicts = {None: "", True: "yes", False: "**no**"}
    rows = [
        [label, one["value"], _spread(one), one["goal"], verdicts[one["met"]]]
        for label, one in goals.items()
    ]
    return _table(["figure", "value", "spread", "goal", "met"], rows)


def _timings(timings: dict[str, dict[str, Any]]) -> str:
    rows = []
    for label, one in timings.items():
        topics = sorted({run["topics"] for run in one["runs"] if "topics" in run})
        listed = ", ".join(map(str, topics))
        rows.append([label, one["median"], _spread(one), len(one["runs"]), listed])
    return _table(["run", "median s", "spread s", "runs", "topics"], rows)


def _curve(axis: str, points: list[dict[str, Any]]) -> str:
    rows = [[point["x"], point["median"], _spread(point)] for point in points]
    table = _table([axis, "median s per iteration", "spread s"], rows)
    drawn = _plot([p["x"] for p in points], [p["median"] for p in points])
    title = f"seconds per iteration against {axis}, both logarithmic"
    return f"{table}\n```text\n{title}\n{drawn}\n```\n"


def _plot(x: Sequence[float], y: Sequence[float]) -> str:
    """Points in a frame of logarithmic axes, drawn in letters."""
    columns, rows = _places(x, WIDTH), _places(y, HEIGHT)
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    for column, row in zip(columns, rows, strict=True):
        grid[HEIGHT - 1 - row][column] = "o"
    marks = {0: _number(max(y)), HEIGHT - 1: _number(min(y))}
    lines = [
        f"{marks.get(i, ''):>10} |{''.join(row)}".rstrip() for i, row in enumerate(grid)
    ]
    low, high = _number(min(x)), _number(max(x))
    lines.append(f"{'':>10} +{'-' * WIDTH}")
    lines.append(f"{'':>12}{low}{high:>{WIDTH - len(low)}}")
    return "\n".join(lines)


def _places(values: Sequence[float], size: int) -> list[int]:
    low, high = math.log(min(values)), math.log(max(values))
    span = (high - low) or 1.0
    return [round((math.log(value) - low) / span * (size - 1)) for value in values]


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [list(columns), ["---"] * len(columns)]
    lines += [[_cell(value) for value in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    """Three digits; whole numbers and large ones in full."""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def _spread(one: dict[str, Any]) -> str:
    if "min" not in one:
        return ""
    return f"{_number(one['min'])} to {_number(one['max'])}"


def _loads(values: Sequence[float]) -> str:
    return f"{values[0]:.1f}"


if __name__ == "__main__":
    PAGE.write_text(render(load()))
