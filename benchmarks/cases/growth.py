"""How time per iteration grows with documents, words and topics."""

import statistics
from collections.abc import Sequence
from typing import Any

from scipy import sparse

from benchmarks import corpora, ours
from benchmarks.timing import (
    Contender,
    Settings,
    against_goal,
    curve,
    interleave,
    slope,
)

DOCUMENTS = (0.1, 0.2, 0.5, 1.0)
WORDS = (0.125, 0.25, 0.5, 1.0)
TOPICS = (25, 50, 100, 200, 400)
TITLE = "seconds per iteration"


def growth(settings: Settings) -> dict[str, Any]:
    """Slopes of log time per iteration, and the points they go through."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    topics = settings.size(TOPICS, (3, 6))
    iterations = settings.size(10, 3)
    parts = [
        corpora.some_documents(counts, share)
        for share in settings.size(DOCUMENTS, (0.5, 1.0))
    ]
    narrow = [
        corpora.frequent_words(counts, share)
        for share in settings.size(WORDS, (0.5, 1.0))
    ]
    lines = {
        "documents": [(part.shape[0], part, n_topics) for part in parts],
        "words": [(part.shape[1], part, n_topics) for part in narrow],
        "topics": [(m, counts, m) for m in topics],
    }
    guides = {"documents": 1.0, "words": 1.0, "topics": 0.7}
    curves = {
        axis: curve(TITLE, _times(settings, points, iterations), guides[axis])
        for axis, points in lines.items()
    }
    slopes = {axis: found["slope"] for axis, found in curves.items()}
    return {
        "question": (
            f"Median processor time of iterations 2 to {iterations} (one thread) on "
            f"parts of 20-Newsgroups: random documents at {n_topics} topics, the most "
            f"frequent words at {n_topics} topics, and all of it at {topics[0]} to "
            f"{topics[-1]} topics; every repeat does the same work. Slopes are least "
            "squares of log time on log size. Salient entries of a word are the topics "
            "that have it as salient, a mean over the stored counts."
        ),
        "corpus": corpora.describe(counts),
        "figures": {
            "slope with documents": against_goal(
                slopes["documents"], "0.9 to 1.1", most=1.1, least=0.9
            ),
            "slope with words": against_goal(slopes["words"], ""),
            "slope with topics": against_goal(slopes["topics"], "below 0.7", most=0.7),
            **{
                f"slope of salient entries with {axis}": against_goal(
                    slope(
                        [point["x"] for point in one["points"]],
                        [point["entries"] for point in one["points"]],
                    ),
                    "",
                )
                for axis, one in curves.items()
            },
        },
        "curves": curves,
        "table": {
            "columns": [
                "growing",
                "size",
                TITLE,
                "least",
                "greatest",
                "salient entries of a word",
            ],
            "rows": [
                [axis, *(point[key] for key in ("x", "y", "min", "max", "entries"))]
                for axis, found in curves.items()
                for point in found["points"]
            ],
        },
    }


def _times(
    settings: Settings,
    points: Sequence[tuple[int, sparse.csr_array, int]],
    iterations: int,
) -> list[dict[str, Any]]:
    """Time of an iteration at each (size, matrix, topics), interleaved."""

    def contender(part: sparse.csr_array, n_topics: int) -> Contender:
        def run(_: int) -> dict[str, Any]:
            found = ours.per_iteration(part, n_topics, 1, iterations, seed=0)
            return found | {"seconds": statistics.median(found["cpu"])}

        return run

    timings = interleave(
        {str(x): contender(part, n_topics) for x, part, n_topics in points},
        settings.repeats,
    )
    out = []
    for x, *_ in points:
        found = timings[str(x)]
        entries = found["runs"][0]["entries"]
        out.append({"x": x, "y": found["median"], "entries": entries, **found})
    return out
