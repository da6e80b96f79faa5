"""How things are measured: interleaved repeats, medians, ratios, slopes."""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

Size = TypeVar("Size")
Run = dict[str, Any]
"""One measured run: its "seconds", and whatever else it found."""
Contender = Callable[[int], Run]
"""Does the work once, given the number of the repeat, which is also its seed."""

CELLS = Path(__file__).resolve().parent / "results" / "cells"


@dataclass(frozen=True)
class Settings:
    """What the user asked for."""

    data: Path | None = None
    repeats: int = 3
    quick: bool = False
    without: frozenset[str] = frozenset()
    kept: bool = False
    """Answer from the cells that there are, and work out no others."""
    cells: Path = CELLS
    """Where work of hours is kept."""

    def size(self, full: Size, quick: Size) -> Size:
        """The real size, or a toy one."""
        return quick if self.quick else full


def timed(work: Callable[[], object]) -> float:
    """Wall time of a call, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def clock() -> Iterator[Run]:
    """Take the time of what is done inside: wall "seconds" and "cpu_seconds"."""
    spent: Run = {}
    wall, cpu = time.perf_counter(), time.process_time()
    yield spent
    spent["seconds"] = time.perf_counter() - wall
    spent["cpu_seconds"] = time.process_time() - cpu


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """Median and spread of the runs, with all of them."""
    seconds = [run["seconds"] for run in runs]
    return {
        "median": statistics.median(seconds),
        "min": min(seconds),
        "max": max(seconds),
        "runs": list(runs),
    }


def interleave(
    contenders: Mapping[str, Contender], repeats: int
) -> dict[str, dict[str, Any]]:
    """Run all contenders, then all again: drift of the machine meets them alike."""
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    for repeat in range(repeats):
        for name, work in contenders.items():
            runs[name].append(work(repeat))
    return {name: summary(found) for name, found in runs.items()}


def ratio(
    timings: Mapping[str, dict[str, Any]],
    above: str,
    below: str,
    *,
    goal: str = "",
    most: float | None = None,
    least: float | None = None,
) -> dict[str, Any]:
    """Median of one timing over that of another, and its spread over the repeats."""
    pairs = zip(timings[above]["runs"], timings[below]["runs"], strict=True)
    each = [a["seconds"] / b["seconds"] for a, b in pairs]
    value = timings[above]["median"] / timings[below]["median"]
    return against_goal(value, goal, most, least) | {"min": min(each), "max": max(each)}


def against_goal(
    value: float, goal: str, most: float | None = None, least: float | None = None
) -> dict[str, Any]:
    """A number with what it should be, and whether it is."""
    met = None
    if most is not None or least is not None:
        met = (most is None or value <= most) and (least is None or value >= least)
    return {"value": value, "goal": goal, "met": met}


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Exponent of growth: least-squares slope of log y against log x."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def curve(
    title: str, points: Sequence[dict[str, Any]], guide: float = 1.0
) -> dict[str, Any]:
    """Points (x, y) with their slope, and the slope to hold against it in a plot."""
    found = slope([point["x"] for point in points], [point["y"] for point in points])
    label = "linear" if guide == 1.0 else f"goal {guide:g}"
    return {
        "y": title,
        "points": list(points),
        "slope": found,
        "guide": {"slope": guide, "label": label},
    }
