"""Reuters: the sweep in units of a yardstick that carries over to other machines."""

from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import corpora, ours
from benchmarks.timing import Contender, Settings, interleave, ratio, timed

JOBS = 2


def reuters_sweep(settings: Settings) -> dict[str, Any]:
    """Our sweep over the time of many logarithms of the stored counts."""
    counts = corpora.reuters(settings)
    ceiling, floor, step = settings.size((100, 4, 2), (10, 4, 2))
    repeats = settings.size(1000, 20)
    timings = interleave(
        {
            "sweep": lambda seed: ours.sweep(counts, ceiling, floor, step, JOBS, seed),
            "yardstick": _yardstick(counts, repeats),
        },
        settings.repeats,
    )
    return {
        "question": (
            f"Our sweep from {ceiling} to {floor} topics by {step} ({JOBS} threads) in "
            f"units of {repeats} repeats of np.log(x, out=out) over the stored counts "
            "(float64, one thread)."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": {
            "sweep / yardstick": ratio(
                timings, "sweep", "yardstick", goal="at most 40; aim at 20", most=40.0
            )
        },
    }


def _yardstick(counts: sparse.csr_array, repeats: int) -> Contender:
    x = counts.data.astype(np.float64)
    out = np.empty_like(x)

    def logarithms() -> None:
        for _ in range(repeats):
            np.log(x, out=out)

    return lambda seed: {"seconds": timed(logarithms)}
