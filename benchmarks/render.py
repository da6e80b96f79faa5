"""Turn result files into docs/benchmarks.md and the pictures in docs/benchmarks/.

python benchmarks/render.py
"""

import json
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import plots
from benchmarks.headlines import answered, figures, ordered, title_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
PICTURES = ROOT / "docs" / "benchmarks"
HEAD = """\
# Benchmarks

Ten questions, and what was measured. The links lead to full tables;
[the scorecard](#the-scorecard) has every goal, met or not.
"""
HOW = """
## How it was measured

Times are wall times in one process that has loaded everything. Contenders take turns,
once in every repeat; where fits are compared, the number of the repeat is the seed. A
ratio is one of medians; its spread is the least and the greatest ratio within a repeat.
Only ratios within one file mean anything. Of a question that was asked several times
the newest answer is shown. Our model takes every word as evidence here
(`evidence="words"`), as in the paper.

`make bench` measures again. `benchmarks/render.py` makes this page from the files in
`benchmarks/results/`: change those, not the page.
"""
NOTHING = "\nThere are no results yet.\n"
VERDICTS = {None: "", True: "yes", False: "**no**"}


def load() -> list[dict[str, Any]]:
    """All committed results, by name."""
    return [json.loads(file.read_text()) for file in sorted(RESULTS.glob("*.json"))]


def newest(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results from the last to the first, without cases that a later one has."""
    seen: set[str] = set()
    out = []
    for result in sorted(results, key=lambda one: one["meta"]["began"], reverse=True):
        cases = {k: case for k, case in result["cases"].items() if k not in seen}
        seen |= cases.keys()
        if cases:
            out.append({"meta": result["meta"], "cases": cases})
    return out


def render(results: list[dict[str, Any]]) -> str:
    """The page: ten lines, the scorecard, every case, and where they come from."""
    if not results:
        return HEAD + NOTHING
    shown = newest(results)
    cases = {
        k: (case, one["meta"]) for one in shown for k, case in one["cases"].items()
    }
    names = ordered({name: case for name, (case, _) in cases.items()})
    parts = [HEAD, _lines({name: cases[name][0] for name in names})]
    parts += [_scorecard({name: cases[name][0] for name in names}), HOW]
    parts += ["\n## Every case\n", *(_case(name, *cases[name]) for name in names)]
    parts += [
        "\n## Where the numbers come from\n",
        *(_meta(one["meta"]) for one in shown),
    ]
    return "".join(parts)


def pictures(results: list[dict[str, Any]]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Title and curves of each picture on the page, by the name of its file."""
    return {
        f"{name}.svg": (_caption(case["curves"]), case["curves"])
        for result in newest(results)
        for name, case in result["cases"].items()
        if case.get("curves")
    }


def _lines(cases: dict[str, dict[str, Any]]) -> str:
    """The lines that matter most."""
    rows = answered(cases)
    return "\n" + table(["question", "answer", "where"], rows) if rows else ""


def _scorecard(cases: dict[str, dict[str, Any]]) -> str:
    """Everything that has a goal; what misses its goal first."""
    rows = []
    for name, case in cases.items():
        for label, one in figures(case).items():
            if one["met"] is not None:
                link = f"[{title_of(name)}](#{name})"
                verdict = VERDICTS[one["met"]]
                rows.append([label, one["value"], one["goal"], verdict, link])
    if not rows:
        return ""
    missed = [row for row in rows if row[3] != VERDICTS[True]]
    rest = [row for row in rows if row[3] == VERDICTS[True]]
    head = f"\n## The scorecard\n\n{len(rest)} of {len(rows)} goals are met.\n\n"
    columns = ["figure", "value", "goal", "met", "case"]
    return head + table(columns, [*missed, *rest])


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
        f"- Repeats: {meta['repeats']}; using everything once took "
        f"{_number(meta['warm-up seconds'])} s",
    ]
    if meta["quick"]:
        lines.append("- **Toy sizes (`--quick`): these numbers mean nothing.**")
    return f"\n### {Path(meta['file']).stem}\n\n" + "\n".join(lines) + "\n"


def _case(name: str, case: dict[str, Any], meta: dict[str, Any]) -> str:
    head = f'\n<a id="{name}"></a>\n\n### {title_of(name)}\n'
    parts = [head, case["question"] + "\n"]
    if "corpus" in case:
        sizes = [f"{_number(value)} {what}" for what, value in case["corpus"].items()]
        parts.append(f"Corpus: {', '.join(sizes)}.\n")
    goals = figures(case)
    if goals:
        rows = [
            [label, one["value"], _spread(one), one["goal"], VERDICTS[one["met"]]]
            for label, one in goals.items()
        ]
        parts.append(table(["figure", "value", "spread", "goal", "met"], rows))
    if "timings" in case:
        parts.append(_timings(case["timings"]))
    if "table" in case:
        parts.append(table(case["table"]["columns"], case["table"]["rows"]))
    curves = case.get("curves", {})
    if curves:
        parts.append(f"![{_caption(curves)}](benchmarks/{name}.svg)\n")
    for label, reason in case.get("not run", {}).items():
        parts.append(f"**{label}: {reason}.**\n")
    load = f"load average {_loads(case['load before'])} before"
    source = f"`{meta['file']}`, commit `{meta['commit'][:10]}`, `{meta['command']}`"
    parts.append(f"From {source}; {load}.\n")
    return "\n".join(parts)


def _caption(curves: dict[str, Any]) -> str:
    *others, last = curves
    title = next(iter(curves.values()))["y"]
    return f"{title} against {', '.join(others)} and {last}, all logarithmic"


def _timings(timings: dict[str, dict[str, Any]]) -> str:
    rows = []
    for label, one in timings.items():
        topics = sorted({run["topics"] for run in one["runs"] if "topics" in run})
        listed = ", ".join(map(str, topics))
        rows.append([label, one["median"], _spread(one), len(one["runs"]), listed])
    return table(["run", "median s", "spread s", "runs", "topics"], rows)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
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


def main() -> None:
    """Write the page and its pictures."""
    results = load()
    if pictures(results) and find_spec("matplotlib") is None:
        sys.exit("The pictures need matplotlib: pip install -e '.[bench]'")
    drawn = {name: plots.svg(*what) for name, what in pictures(results).items()}
    for name, text in drawn.items():
        PICTURES.mkdir(exist_ok=True)
        (PICTURES / name).write_text(text)
    PAGE.write_text(render(results))


if __name__ == "__main__":
    main()
