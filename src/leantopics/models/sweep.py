"""The paper's sweep over the number of topics, for any model."""

import logging
from collections.abc import Iterator
from typing import Protocol, TypeVar

Fitted = TypeVar("Fitted")

_log = logging.getLogger("leantopics")


class Problem(Protocol[Fitted]):
    """What the sweep needs from a model."""

    stopped: bool
    """Whether the user has stopped the search."""

    def start(self, n_topics: int) -> Fitted:
        """Fit from scratch."""

    def fewer(self, fitted: Fitted, n_topics: int) -> Fitted:
        """Fit from a larger model, without the topics that matter least."""

    def more(self, fitted: Fitted, n_topics: int) -> Fitted | None:
        """Fit from a smaller model, with topics split; None if none can be split."""

    def criterion(self, fitted: Fitted) -> float:
        """Return the criterion for the number of topics; the lowest wins."""


def best_number(problem: Problem[Fitted], path: dict[int, Fitted]) -> int:
    """Number of topics with the lowest criterion; the smaller one if equal."""
    return min(sorted(path), key=lambda m: problem.criterion(path[m]))


def sweep(
    problem: Problem[Fitted],
    *,
    ceiling: int,
    floor: int,
    step: int,
    limit: int,
    direction: str = "down",
) -> dict[int, Fitted]:
    """Fit every number from ceiling to floor by step, each from the previous one.

    If the best of a sweep down of two or more numbers lies within two steps of its
    ceiling, another sweep starts from twice the ceiling, at most ``limit``, and goes
    down to the numbers already fitted.

    Returns
    -------
    dict
        Fitted models by number of topics, ascending.
    """
    if direction == "up":
        return dict(_up(problem, ceiling, floor, step))
    path = dict(_down(problem, ceiling, floor, step))
    while (
        len(path) > 1
        and not problem.stopped
        and ceiling < limit
        and best_number(problem, path) > ceiling - 2 * step
    ):
        _log.warning(
            "The best number of topics, %d, is within two steps of max_topics, %d: "
            "starting again from %d.",
            best_number(problem, path),
            ceiling,
            min(2 * ceiling, limit),
        )
        floor, ceiling = ceiling + 1, min(2 * ceiling, limit)
        path.update(_down(problem, ceiling, floor, step))
    return dict(sorted(path.items()))


def _down(
    problem: Problem[Fitted], ceiling: int, floor: int, step: int
) -> Iterator[tuple[int, Fitted]]:
    fitted = problem.start(ceiling)
    yield ceiling, fitted
    for n_topics in range(ceiling - step, floor - 1, -step):
        if problem.stopped:
            break
        fitted = problem.fewer(fitted, n_topics)
        yield n_topics, fitted


def _up(
    problem: Problem[Fitted], ceiling: int, floor: int, step: int
) -> Iterator[tuple[int, Fitted]]:
    fitted = problem.start(floor)
    yield floor, fitted
    for n_topics in range(floor + step, ceiling + 1, step):
        larger = None if problem.stopped else problem.more(fitted, n_topics)
        if larger is None:
            break
        fitted = larger
        yield n_topics, fitted
