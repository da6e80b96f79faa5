"""Peak resident memory, of a million documents and of smaller corpora."""

from typing import Any

from benchmarks import machine
from benchmarks.timing import Settings, against_goal, curve

GIB = 2**30
ITERATIONS = 2
AXES = ("documents", "words", "topics")
DOCUMENTS = (100_000, 300_000, 1_000_000)
WORDS = (50_000, 150_000, 500_000)
TOPICS = (50, 150, 500)
Sizes = tuple[int, int, int]
"""Documents, words and topics of a probe."""


def memory(settings: Settings) -> dict[str, Any]:
    """Peak memory of processes that each make a corpus and fit two iterations."""
    documents, words, topics = settings.size(
        (DOCUMENTS, WORDS, TOPICS), ((200, 400), (1000, 2000), (3, 5))
    )
    lines = {
        "documents": [(size, words[-1], topics[-1]) for size in documents],
        "words": [(documents[0], size, topics[-1]) for size in words],
        "topics": [(documents[0], words[-1], size) for size in topics],
    }
    sizes = sorted({size for line in lines.values() for size in line})
    found = {size: machine.elsewhere("probe", *size, ITERATIONS) for size in sizes}
    peaks = {size: one["peak_bytes"] for size, one in found.items()}
    curves = {}
    if None not in peaks.values():
        curves = {axis: _curve(axis, line, peaks) for axis, line in lines.items()}
    return {
        "question": (
            "Synthetic documents of 40 distinct words: peak resident memory (VmHWM) of "
            f"a process that makes the matrix and fits {ITERATIONS} full iterations "
            f"with switches (2 threads). The largest has {documents[-1]:,} documents, "
            f"a dictionary of {words[-1]:,} words and {topics[-1]} topics."
        ),
        "figures": _figures(curves),
        "table": {
            "columns": [
                *AXES,
                "stored counts",
                "matrix GiB",
                "peak GiB",
                "seconds to fit",
                "seconds per iteration",
            ],
            "rows": [_row(one) for one in found.values()],
        },
        "curves": curves,
        "probes": list(found.values()),
    }


def _curve(
    axis: str, line: list[Sizes], peaks: dict[Sizes, int | None]
) -> dict[str, Any]:
    """Peaks along one axis."""
    place = AXES.index(axis)
    points = [{"x": size[place], "y": (peaks[size] or 0) / GIB} for size in line]
    return curve("peak resident memory, GiB", points)


def _figures(curves: dict[str, Any]) -> dict[str, Any]:
    """The largest peak, and how peaks grow along each axis; nothing if not known."""
    if not curves:
        return {}
    largest = curves["documents"]["points"][-1]
    peak = f"peak GiB, {largest['x']:,} documents"
    return {peak: against_goal(largest["y"], "below 6", most=6.0)} | {
        f"slope of the peak with {axis}": against_goal(found["slope"], "")
        for axis, found in curves.items()
    }


def _row(one: dict[str, Any]) -> list[float | None]:
    peak = one["peak_bytes"]
    return [
        *(one[axis] for axis in AXES),
        one["stored counts"],
        one["matrix_bytes"] / GIB,
        None if peak is None else peak / GIB,
        one["seconds"],
        one["seconds per iteration"],
    ]
