"""What the strategies share: steps between numbers of topics, and paths."""

from typing import Protocol, TypeVar

from leantopics.models.sweep import Problem, best_number

Fitted = TypeVar("Fitted")

_COARSE, _FEW = 0.25, 20
"""A coarse step removes this share of the topics beyond ``_FEW``, or one topic."""
_FINE = 16
"""A fine step removes one of this many topics."""


class Searchable(Problem[Fitted], Protocol[Fitted]):
    """What a search with large steps needs from a model, besides `Problem`."""

    def fewer(
        self,
        fitted: Fitted,
        n_topics: int,
        *,
        merging: bool = False,
        max_iter: int | None = None,
    ) -> Fitted:
        """Fit without the topics that matter least, in at most ``max_iter`` iterations.

        If ``merging``, topics are first merged where this lowers the criterion.
        """

    def more(
        self, fitted: Fitted, n_topics: int, *, max_iter: int | None = None
    ) -> Fitted | None:
        """Fit with topics split, in ``max_iter`` iterations; None if none can be."""

    def merge(self, fitted: Fitted, least: int) -> tuple[int, Fitted] | None:
        """Fit with topics merged, and their number, if that lowers the criterion."""


def coarse(n_topics: int, floor: int) -> int:
    """The number of topics after a coarse step."""
    return max(floor, n_topics - max(1, int(_COARSE * (n_topics - _FEW))))


def fine(n_topics: int, floor: int) -> int:
    """The number of topics after a fine step."""
    return max(floor, n_topics - max(1, n_topics // _FINE))


def keep_better(
    problem: Problem[Fitted], path: dict[int, Fitted], n_topics: int, fitted: Fitted
) -> Fitted:
    """Keep the better fit of its number of topics; return the one kept."""
    known = path.get(n_topics)
    if known is None or problem.criterion(fitted) < problem.criterion(known):
        path[n_topics] = fitted
    return path[n_topics]


def merge_best(
    problem: Searchable[Fitted], path: dict[int, Fitted], floor: int
) -> dict[int, Fitted]:
    """Merge topics of the best fit while that lowers the criterion; sort the path."""
    merged = problem.merge(path[best_number(problem, path)], floor)
    while merged is not None:
        keep_better(problem, path, *merged)
        merged = problem.merge(merged[1], floor)
    return dict(sorted(path.items()))
