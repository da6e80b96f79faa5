"""One thread against two, in time per iteration of the same work."""

from typing import Any

from benchmarks import corpora, ours
from benchmarks.timing import Settings, against_goal, interleave, ratio


def threads(settings: Settings) -> dict[str, Any]:
    """Time per iteration of one seed with 1 and with 2 threads."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    iterations = settings.size(10, 2)
    repeats = settings.size(max(5, settings.repeats), settings.repeats)
    timings = interleave(
        {
            "1 thread": lambda _: ours.per_iteration(
                counts, n_topics, 1, iterations, seed=0
            ),
            "2 threads": lambda _: ours.per_iteration(
                counts, n_topics, 2, iterations, seed=0
            ),
        },
        repeats,
    )
    goal = "1.7 or more"
    fastest = timings["1 thread"]["min"] / timings["2 threads"]["min"]
    return {
        "question": (
            f"Mean time of the first {iterations} iterations at {n_topics} topics on "
            "20-Newsgroups, one thread against two. Results are the same bits."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": {
            "1 thread / 2 threads": ratio(
                timings, "1 thread", "2 threads", goal=goal, least=1.7
            )
        },
        "figures": {
            "ratio of the fastest runs": against_goal(fastest, goal, least=1.7)
        },
    }
