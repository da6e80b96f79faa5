"""What the works of an iteration take and send, by documents and topics."""

from statistics import fmean
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import corpora, cost, ours
from benchmarks.timing import Settings, against_goal, curve
from leantopics.datasets import load_imdb

SIZES = (
    (12_500, 100),
    (25_000, 100),
    (50_000, 100),
    (100_000, 100),
    (400_000, 100),
    (50_000, 25),
    (50_000, 50),
    (50_000, 200),
)
TOYS = ((75, 3), (150, 3), (150, 5))
ITERATIONS = 4
COLUMNS = (
    "documents",
    "topics",
    "stored counts",
    "salient per count",
    "topics per document",
    "expected",
    "salient",
    "visit",
    "settle",
    "driver",
    "out",
    "back",
)


def works(settings: Settings) -> dict[str, Any]:
    """Processor time of each part of an iteration, and a model of it."""
    counts = corpora.toy()
    if not settings.quick:
        counts = load_imdb("all", folder=settings.data).counts
    rows = [_row(counts, *size) for size in settings.size(SIZES, TOYS)]
    adding = fmean(row["adding"] for row in rows)
    costs = cost.fitted(rows) | {"adding": {"entries": adding}}
    line = [row for row in rows if row["topics"] == rows[0]["topics"]]
    growth = cost.growths(line)
    errors = [
        abs(sum(cost.seconds(costs, row).values()) / _whole(row) - 1.0) for row in rows
    ]
    return {
        "question": (
            "IMDB, all 100,000 reviews, some, or four times over: processor seconds of "
            "an iteration, one thread, on average over iterations 2 to "
            f"{ITERATIONS}, by work (docs/scale.md); the driver has all else. The "
            "model of docs/scale.md is fitted to these rows. Bytes are pickled: what "
            "every group is given, and what comes back."
        ),
        "figures": {
            "greatest error of the model, of an iteration": against_goal(
                max(errors), ""
            ),
        }
        | {
            f"growth of {name} with documents": against_goal(value, "")
            for name, value in growth.items()
        },
        "table": {
            "columns": list(COLUMNS),
            "rows": [[row[name] for name in COLUMNS] for row in rows],
        },
        "curves": {
            "documents": curve(
                "CPU seconds of an iteration",
                [{"x": row["documents"], "y": _whole(row)} for row in line],
            )
        },
        "costs": costs,
        "growths": growth,
        "rows": rows,
    }


def _whole(row: dict[str, Any]) -> float:
    return float(row["visit"] + row["settle"] + row["driver"])


def _row(counts: sparse.csr_array, n_docs: int, n_topics: int) -> dict[str, Any]:
    n_once = min(n_docs, counts.shape[0])
    once = corpora.dealt(counts, n_once)[0]
    chosen = sparse.csr_array(sparse.vstack([once] * (n_docs // n_once)))
    chosen = chosen[np.diff(chosen.indptr) > 0]
    run = ours.calls_of_works(chosen, n_topics, ITERATIONS, seed=0)
    visit, settle = (
        {key: fmean(call[key] for call in calls) for key in calls[0]}
        for calls in (run["calls"]["visit"], run["calls"]["settle"])
    )
    spent = visit["cpu_seconds"] + settle["cpu_seconds"]
    return {
        "documents": chosen.shape[0],
        "words": chosen.shape[1],
        "topics": n_topics,
        "stored counts": int(chosen.nnz),
        "salient per count": run["entries"],
        "topics per document": run["mixed"],
        "expected": settle["entries"],
        "salient": run["salient"],
        "visit": visit["cpu_seconds"],
        "settle": settle["cpu_seconds"],
        "adding": settle["adding"],
        "driver": fmean(run["cpu"]) - spent - run["aside"],
        "out": visit["out"] + settle["out"],
        "back": visit["back"] + settle["back"],
    }
