"""Peak resident memory, of a million documents and of smaller corpora."""

from typing import Any

from benchmarks import probe
from benchmarks.timing import Settings, against_goal, slope

GIB = 2**30
ITERATIONS = 2
AXES = ("documents", "words", "topics")
DOCUMENTS = (100_000, 300_000, 1_000_000)
WORDS = (50_000, 150_000, 500_000)
TOPICS = (50, 150, 500)


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
    found = {size: probe.elsewhere(*size, ITERATIONS) for size in sizes}
    return {
        "question": (
            "Synthetic documents of 40 distinct words: peak resident memory (VmHWM) of "
            f"a process that makes the matrix and fits {ITERATIONS} full iterations "
            f"with switches (2 threads). The largest has {documents[-1]:,} documents, "
            f"a dictionary of {words[-1]:,} words and {topics[-1]} topics."
        ),
        "figures": _figures(lines, found),
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
        "probes": list(found.values()),
    }


def _figures(
    lines: dict[str, list[tuple[int, int, int]]],
    found: dict[tuple[int, int, int], dict[str, Any]],
) -> dict[str, Any]:
    """The largest peak, and how peaks grow along each axis; nothing if not known."""
    peaks = {size: one["peak_bytes"] for size, one in found.items()}
    if None in peaks.values():
        return {}
    largest = lines["documents"][-1]
    out = {
        f"peak GiB, {largest[0]:,} documents": against_goal(
            peaks[largest] / GIB, "below 6", most=6.0
        )
    }
    for place, axis in enumerate(AXES):
        x = [size[place] for size in lines[axis]]
        y = [peaks[size] for size in lines[axis]]
        out[f"slope of the peak with {axis}"] = against_goal(slope(x, y), "")
    return out


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
