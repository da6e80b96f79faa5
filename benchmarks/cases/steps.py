"""What an iteration spends its time on, and how near that is to the memory's limits."""

import statistics
from typing import Any

import numpy as np

from benchmarks import corpora, ours
from benchmarks.timing import Settings, against_goal, summary, timed

COLUMNS = [
    "step",
    "ms",
    "share of the iteration",
    "MB moved",
    "GB/s",
    "share of the copy limit",
    "million lines",
    "million lines/s",
    "share of the gather limit",
]


def steps(settings: Settings) -> dict[str, Any]:
    """Share, traffic and lookups of each step, on one thread."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    iterations = settings.size(10, 2)
    runs, copies, gathers = [], [], []
    for _ in range(settings.repeats):
        runs.append(ours.steps(counts, n_topics, iterations, seed=0))
        copies.append(_copied(settings.size(1 << 28, 1 << 20)))
        gathers.append(_gathered(runs[0]["table_bytes"], settings.size(1 << 22, 1000)))
    whole = statistics.median(run["seconds"] for run in runs)
    rows = []
    for name, step in runs[0]["steps"].items():
        seconds = statistics.median(run["steps"][name]["seconds"] for run in runs)
        row = [name.replace("_", " "), 1e3 * seconds, seconds / whole]
        row += _rate(step["bytes"], seconds, 1e6, 1e9, max(copies))
        rows.append(row + _rate(step["lines"], seconds, 1e6, 1e6, max(gathers)))
    return {
        "question": (
            f"Steps of an iteration at {n_topics} topics on 20-Newsgroups, mean of the "
            f"first {iterations} iterations, one thread. Two limits: bytes are those "
            "of the arrays a step reads and writes, each counted once, against the "
            "fastest copy of a large array by numpy, reads and writes counted. Lines "
            "of 64 bytes are those of the salient table that hold the entries of every "
            "word of every document the step looks up once, and where they begin, "
            "against gathers of random lines, independent of each other, from an array "
            "of the size of the table. A share of one would leave no time to compute; "
            "lines that are met again at once come cheaper."
        ),
        "corpus": corpora.describe(counts),
        "timings": {"iteration": summary(runs)},
        "figures": {
            "salient table MB": against_goal(runs[0]["table_bytes"] / 1e6, ""),
            "copy GB/s": _limit(copies, 1e9),
            "gathers, million lines/s": _limit(gathers, 1e6),
        },
        "table": {"columns": COLUMNS, "rows": rows},
    }


def _limit(rates: list[float], unit: float) -> dict[str, Any]:
    """The fastest of some rates, with the spread of all."""
    found = [rate / unit for rate in rates]
    return against_goal(max(found), "") | {"min": min(found), "max": max(found)}


def _rate(
    amount: float | None, seconds: float, unit: float, rate_unit: float, limit: float
) -> list[float | None]:
    """Amount, rate and share of the limit, where there is an amount."""
    if not amount:
        return [None, None, None]
    rate = amount / seconds
    return [amount / unit, rate / rate_unit, rate / limit]


def _copied(size: int) -> float:
    """Bytes a second that a copy of an array of this many bytes moves."""
    source = np.ones(size // 8)
    target = np.zeros_like(source)
    return 2 * size / min(timed(lambda: np.copyto(target, source)) for _ in range(5))


def _gathered(size: int, n_gathers: int) -> float:
    """Lines a second that come, one after the other, from random places of an array."""
    lines = np.ones((max(1, size // ours.LINE), ours.LINE // 8), dtype=np.int64)
    places = np.random.default_rng(0).integers(len(lines), size=n_gathers)
    places = places.astype(np.int32)
    return n_gathers / min(timed(lambda: lines[places, 0].sum()) for _ in range(5))
