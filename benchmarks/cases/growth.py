"""How time per iteration grows with documents, words and topics."""

from collections.abc import Callable, Sequence
from typing import Any

from scipy import sparse

from benchmarks import corpora, ours
from benchmarks.timing import Settings, against_goal, interleave, slope

DOCUMENTS = (0.1, 0.2, 0.5, 1.0)
WORDS = (0.125, 0.25, 0.5, 1.0)
TOPICS = (25, 50, 100, 200, 400)
JOBS = 2


def growth(settings: Settings) -> dict[str, Any]:
    """Slopes of log time per iteration, and the points they go through."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    topics = settings.size(TOPICS, (3, 6))
    parts = {
        share: corpora.some_documents(counts, share)
        for share in settings.size(DOCUMENTS, (0.5, 1.0))
    }
    narrow = {
        share: corpora.frequent_words(counts, share)
        for share in settings.size(WORDS, (0.5, 1.0))
    }
    curves = {
        "documents": _curve(
            settings,
            [(part.shape[0], part, n_topics) for part in parts.values()],
        ),
        "words": _curve(
            settings,
            [(part.shape[1], part, n_topics) for part in narrow.values()],
        ),
        "topics": _curve(settings, [(m, counts, m) for m in topics]),
    }
    slopes = {
        name: slope(*zip(*((p["x"], p["median"]) for p in points), strict=True))
        for name, points in curves.items()
    }
    return {
        "question": (
            f"Mean time of the first {_iterations(settings)} iterations ({JOBS} "
            f"threads) on parts of 20-Newsgroups: random documents at {n_topics} "
            f"topics, the most frequent words at {n_topics} topics, and all of it at "
            f"{topics[0]} to {topics[-1]} topics. Slopes are least squares of log time "
            "on log size."
        ),
        "corpus": corpora.describe(counts),
        "figures": {
            "slope with documents": against_goal(
                slopes["documents"], "0.9 to 1.1", most=1.1, least=0.9
            ),
            "slope with words": against_goal(slopes["words"], ""),
            "slope with topics": against_goal(slopes["topics"], "below 0.7", most=0.7),
        },
        "curves": curves,
    }


def _iterations(settings: Settings) -> int:
    return settings.size(10, 2)


def _curve(
    settings: Settings, points: Sequence[tuple[int, sparse.csr_array, int]]
) -> list[dict[str, Any]]:
    """Time per iteration at each (size, matrix, topics), interleaved."""
    iterations = _iterations(settings)

    def contender(
        part: sparse.csr_array, n_topics: int
    ) -> Callable[[int], dict[str, Any]]:
        return lambda seed: ours.per_iteration(part, n_topics, JOBS, iterations, seed)

    timings = interleave(
        {str(x): contender(part, n_topics) for x, part, n_topics in points},
        settings.repeats,
    )
    return [{"x": x, **timings[str(x)]} for x, _, _ in points]
