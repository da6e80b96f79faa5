"""What an iteration spends its time on, and how near that is to the memory's limit."""

import statistics
from typing import Any

import numpy as np

from benchmarks import corpora, ours
from benchmarks.timing import Settings, summary, timed


def steps(settings: Settings) -> dict[str, Any]:
    """Share, traffic and bandwidth of each step, on one thread."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    iterations = settings.size(10, 2)
    runs, copies = [], []
    for _ in range(settings.repeats):
        runs.append(ours.steps(counts, n_topics, iterations, seed=0))
        copies.append(_copy_bandwidth(settings.size(1 << 28, 1 << 20)))
    limit = max(copies)
    whole = statistics.median(run["seconds"] for run in runs)
    rows = []
    for name in runs[0]["steps"]:
        found = [run["steps"][name] for run in runs]
        seconds = statistics.median(step["seconds"] for step in found)
        row = [name.replace("_", " "), 1e3 * seconds, seconds / whole]
        rows.append(row + _traffic(found[0]["bytes"], seconds, limit))
    return {
        "question": (
            f"Steps of an iteration at {n_topics} topics on 20-Newsgroups, mean of the "
            f"first {iterations} iterations, one thread. Bytes are those of the arrays "
            "a step reads and writes, each counted once: the least it must move. The "
            "limit is the fastest copy of a large array by numpy on one thread, reads "
            "and writes counted."
        ),
        "corpus": corpora.describe(counts),
        "timings": {"iteration": summary(runs)},
        "figures": {
            "copy GB/s": {"value": limit / 1e9, "goal": "", "met": None, "all": copies}
        },
        "table": {
            "columns": [
                "step",
                "ms",
                "share of the iteration",
                "MB moved",
                "GB/s",
                "share of the limit",
            ],
            "rows": rows,
        },
    }


def _traffic(size: float | None, seconds: float, limit: float) -> list[float | None]:
    """MB moved, GB/s and the share of the limit, where the bytes are known."""
    if size is None:
        return [None, None, None]
    return [size / 1e6, size / seconds / 1e9, size / seconds / limit]


def _copy_bandwidth(size: int) -> float:
    """Bytes a second that a copy of an array of this many bytes moves."""
    source = np.ones(size // 8)
    target = np.zeros_like(source)
    return 2 * size / min(timed(lambda: np.copyto(target, source)) for _ in range(5))
