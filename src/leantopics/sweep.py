"""Order selection: fit a range of numbers of topics, keep the path, take the best."""

import logging
from collections.abc import Iterator
from math import inf
from typing import Protocol, TypeVar

Fitted = TypeVar("Fitted")

_log = logging.getLogger("leantopics")

_COARSE, _FEW = 0.25, 20
"""A coarse step removes this share of the topics beyond so many, or one topic."""
_FINE = 16
"""A fine step removes one of so many topics."""
_GROW = 2
"""One of so many topics is split while few grow to many."""
_SPLIT = 20
"""One of so many topics is split at the best order."""
_ROUNDS = 3
"""How often topics are split and others removed there."""


class Problem(Protocol[Fitted]):
    """What a model offers to be swept."""

    stopped: bool
    """Whether the user wants no further fits."""

    def start(self, n_topics: int) -> Fitted:
        """Fit from scratch."""

    def fewer(self, fitted: Fitted, n_topics: int) -> Fitted:
        """Fit from a larger model without the topics that it misses least."""

    def more(self, fitted: Fitted, n_topics: int) -> Fitted | None:
        """Fit from a smaller model with topics split; None if none can be."""

    def criterion(self, fitted: Fitted) -> float:
        """Return the number that chooses the order; the least wins."""


class Prunable(Problem[Fitted], Protocol[Fitted]):
    """What it offers besides to be pruned."""

    hurried: bool
    """Whether a search from above is rough where it may be, after `begin`."""

    blended: bool
    """Whether rough fits do not tell a good order from others, after `begin`."""

    mixed: bool
    """Whether documents have several topics each, after `begin`."""

    def begin(self, n_topics: int, least: int) -> tuple[int, Fitted]:
        """Begin with so many topics; return how many are left, and their fit.

        Where documents are mixed, begin with ``least``.
        """

    def fewer(self, fitted: Fitted, n_topics: int, rough: bool = False) -> Fitted:
        """Fit without the topics that are missed least; roughly, if that will do."""

    def more(self, fitted: Fitted, n_topics: int, rough: bool = False) -> Fitted | None:
        """Fit with topics split, roughly if that will do; None if none can be."""

    def merge(self, fitted: Fitted, least: int) -> tuple[int, Fitted] | None:
        """Fit with topics merged, and their number, if that lowers the criterion."""


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


def best_order(problem: Problem[Fitted], path: dict[int, Fitted]) -> int:
    """Order with the least criterion, the smaller one among equals."""
    return min(sorted(path), key=lambda m: problem.criterion(path[m]))


def coarse(n_topics: int, floor: int) -> int:
    """The next order of a coarse step."""
    return max(floor, n_topics - max(1, int(_COARSE * (n_topics - _FEW))))


def fine(n_topics: int, floor: int) -> int:
    """The next order of a fine step."""
    return max(floor, n_topics - max(1, n_topics // _FINE))


def prune_length(ceiling: int, floor: int) -> int:
    """About how many orders `prune` fits: the best may be an eighth of the ceiling.

    Examples
    --------
    >>> prune_length(1200, 2)
    31
    """
    length, n_topics = 20, ceiling
    while n_topics > max(floor, ceiling // 16):
        length, n_topics = length + 1, coarse(n_topics, floor)
    return length


def prune(
    problem: Prunable[Fitted], *, ceiling: int, floor: int, limit: int
) -> dict[int, Fitted]:
    """Find the best order from above, or from below where documents are mixed.

    From above, coarse steps are followed by fine ones, or all are fine where rough fits
    tell little; if the first order is the best, all begins again with twice as many
    topics, at most ``limit``. From below, half of the topics are split at a time,
    roughly, until the criterion rises; then some are split and some removed, in rounds.
    At the best order topics are merged while that lowers the criterion.

    Returns
    -------
    dict
        Fitted models by number of topics, ascending.
    """
    first, fitted = problem.begin(ceiling, floor)
    if problem.mixed:
        grown = {first: fitted}
        _grow(problem, grown, first, fitted, _GROW, limit, rough=True)
        best = best_order(problem, grown)
        path = split_and_prune(problem, best, grown[best], floor=floor, limit=limit)
    else:
        if problem.blended:
            path = _finely(problem, {first: fitted}, floor)
            first = max(path)
        else:
            path = _coarsely(problem, first, fitted, floor)
        best = best_order(problem, path)
        if best == first and ceiling < limit and not problem.stopped:
            more = min(2 * ceiling, limit)
            _log.warning(
                "The best number of topics is the largest one tried, %d: going on from "
                "%d.",
                best,
                more,
            )
            return prune(problem, ceiling=more, floor=floor, limit=limit)
        if not problem.blended:
            path = _finely(problem, path, floor)
    merge_best(problem, path, floor)
    return dict(sorted(path.items()))


def _coarsely(
    problem: Prunable[Fitted], first: int, fitted: Fitted, floor: int
) -> dict[int, Fitted]:
    """Coarse steps take away a quarter of the topics beyond twenty.

    They end at two thirds of the best order; those above twice the best are not kept.
    """
    n_topics = best = first
    path = {first: fitted}
    while n_topics > floor and 3 * n_topics >= 2 * best and not problem.stopped:
        fewer = coarse(n_topics, floor)
        path[fewer] = problem.fewer(path[n_topics], fewer, rough=True)
        n_topics, best = fewer, best_order(problem, path)
        path = {m: fitted for m, fitted in path.items() if m <= 2 * best}
    return path


def _finely(
    problem: Prunable[Fitted], path: dict[int, Fitted], floor: int
) -> dict[int, Fitted]:
    """Fine steps, of a sixteenth, around the best of the coarse ones.

    They go from the order above the best, of two topics more at least, down to four
    fifths of it. If the coarse steps were rough, they are not kept, fine ones begin one
    coarse order further up, and coarse ones go on below to half of the best. Where an
    order is met twice, the better fit counts, and is gone on from.
    """
    best = best_order(problem, path)
    after_rough = problem.hurried and not problem.blended
    higher, within = (2, 1 / 2) if after_rough else (1, 4 / 5)
    above = sorted(m for m in path if m > best + 1)[:higher]
    n_topics = above[-1] if above else max(path)
    fitted = path[n_topics]
    if problem.hurried:
        path = {}
    while n_topics > floor and n_topics >= within * best and not problem.stopped:
        step = fine if 5 * n_topics >= 4 * best else coarse
        fewer = step(n_topics, floor)
        n_topics = max(m for m in (fewer, *path) if m < n_topics)
        fitted = _better(problem, path, n_topics, problem.fewer(fitted, n_topics))
        best = best_order(problem, path)
    return path or {n_topics: fitted}


def _grow(
    problem: Prunable[Fitted],
    path: dict[int, Fitted],
    n_topics: int,
    fitted: Fitted,
    share: int,
    limit: int,
    rough: bool = False,
) -> tuple[int, Fitted]:
    """Split one of ``share`` topics at a time until the criterion rises.

    Returns how many topics there are then, and their fit.
    """
    falls = True
    while falls and n_topics < limit and not problem.stopped:
        more = min(limit, n_topics + max(1, n_topics // share))
        larger = problem.more(fitted, more, rough=rough)
        if larger is None:
            break
        falls = problem.criterion(larger) < problem.criterion(fitted)
        n_topics, fitted = more, larger
        _better(problem, path, n_topics, fitted)
    return n_topics, fitted


def split_and_prune(
    problem: Prunable[Fitted],
    n_topics: int,
    fitted: Fitted,
    *,
    floor: int,
    limit: int,
    hasty: bool = True,
) -> dict[int, Fitted]:
    """Split some topics and remove some, in rounds.

    In each, a twentieth of the topics is split at a time until the criterion rises, and
    a fifth is removed by fine steps. If it is to be ``hasty``, all is rough but the
    fine steps of the last round, and the others remove a fifth at once. A round begins
    where the one before has ended. Fits of the last fine steps are kept, and the best
    of all others if none of them is as good.
    """
    tried: dict[int, Fitted] = {n_topics: fitted}
    path: dict[int, Fitted] = {}
    for left in reversed(range(_ROUNDS)):
        n_topics, fitted = _grow(
            problem, tried, n_topics, fitted, _SPLIT, limit, rough=hasty
        )
        least = max(floor, 4 * n_topics // 5)
        at_once = hasty and left > 0
        while n_topics > least and not problem.stopped:
            n_topics = least if at_once else fine(n_topics, floor)
            fitted = problem.fewer(fitted, n_topics, rough=at_once)
            _better(problem, tried if left else path, n_topics, fitted)
    best = best_order(problem, tried)
    lowest = min(map(problem.criterion, path.values()), default=inf)
    if problem.criterion(tried[best]) < lowest:
        path[best] = tried[best]
    return path


def merge_best(problem: Prunable[Fitted], path: dict[int, Fitted], floor: int) -> None:
    """Merge topics of the best order while that lowers the criterion."""
    merged = problem.merge(path[best_order(problem, path)], floor)
    while merged is not None:
        _better(problem, path, *merged)
        merged = problem.merge(merged[1], floor)


def _better(
    problem: Problem[Fitted], path: dict[int, Fitted], n_topics: int, fitted: Fitted
) -> Fitted:
    """Keep a fit if its order has none as good; return the one that is kept."""
    known = path.get(n_topics)
    if known is None or problem.criterion(fitted) < problem.criterion(known):
        path[n_topics] = fitted
    return path[n_topics]


def sweep(
    problem: Problem[Fitted],
    *,
    ceiling: int,
    floor: int,
    step: int,
    limit: int,
    direction: str = "down",
) -> dict[int, Fitted]:
    """Fit every order from ceiling to floor by step, each from the one before.

    If the best of a sweep down of two orders or more lies within two steps of its
    ceiling, another goes on from twice the ceiling, at most ``limit``, down to the
    orders already seen.

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
        and best_order(problem, path) > ceiling - 2 * step
    ):
        _log.warning(
            "The best number of topics, %d, is within two steps of max_topics, %d: "
            "going on from %d.",
            best_order(problem, path),
            ceiling,
            min(2 * ceiling, limit),
        )
        floor, ceiling = ceiling + 1, min(2 * ceiling, limit)
        path.update(_down(problem, ceiling, floor, step))
    return dict(sorted(path.items()))
