"""What checkpoints cost a fit."""

from functools import partial
from statistics import median
from typing import Any

from scipy import sparse

from benchmarks import corpora, ours
from benchmarks.timing import Contender, Run, Settings, against_goal, interleave, ratio

WITHOUT = "without"
INTERVALS = {"every 600 s, the default": 600.0, "every 3 s": 3.0}
AT_ONCE = {"at every iteration": 0.0}


def checkpoints(settings: Settings) -> dict[str, Any]:
    """The fit of `newsgroups_fit` with and without them, one thread, one seed."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)

    contenders: dict[str, Contender] = {
        WITHOUT: lambda _: ours.to_certificate(counts, n_topics, 1, seed=0)
    } | {
        label: partial(_kept, counts, n_topics, every)
        for label, every in settings.size(INTERVALS, AT_ONCE).items()
    }
    timings = interleave(contenders, settings.repeats)
    return {
        "question": (
            f"A fit of {n_topics} topics to 20-Newsgroups until no switch pays (one "
            "thread, one seed, the same bits), without and with checkpoints."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": {
            f"{label} / {WITHOUT}": ratio(
                timings, label, WITHOUT, goal="below 1.02", most=1.02
            )
            for label in contenders
            if label != WITHOUT
        },
        "figures": _figures(timings),
        "table": {
            "columns": ["run", "checkpoints", "their CPU seconds", "CPU seconds"],
            "rows": [
                [label, len(_cpu(run)), sum(_cpu(run)), run["cpu_seconds"]]
                for label, one in timings.items()
                for run in one["runs"]
            ],
        },
    }


def _figures(timings: dict[str, Any]) -> dict[str, Any]:
    """Processor time of a checkpoint, and its share of an interval."""
    runs = [run for one in timings.values() for run in one["runs"]]
    written = [seconds for run in runs for seconds in _cpu(run)]
    if not written:
        return {}
    each = median(written)
    return {"CPU seconds of a checkpoint": against_goal(each, "")} | {
        f"share of CPU time, {label}": against_goal(
            each / every, "below 0.02", most=0.02
        )
        for label, every in INTERVALS.items()
    }


def _cpu(run: Run) -> list[float]:
    return [one["cpu_seconds"] for one in run.get("checkpoints", [])]


def _kept(counts: sparse.csr_array, n_topics: int, every: float, _: int) -> Run:
    return ours.with_checkpoints(counts, n_topics, seed=0, every=every)
