"""Choosing the strategy of a search and the number of starts; keeping the best."""

import logging
from collections.abc import Callable
from typing import NamedTuple

from leantopics.models.sweep import best_number, sweep
from leantopics.ptm import em
from leantopics.ptm.search import from_above, from_below, from_finer
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.snapshot import Snapshot

MANY = 12
"""A search from above starts with this many times the maximum number of topics."""

Path = dict[int, em.Fit]
_log = logging.getLogger("leantopics")


class Numbers(NamedTuple):
    """Numbers of topics to fit, as set in the estimator."""

    n_topics: int | None
    """The only number, if it is fixed."""
    ceiling: int
    floor: int
    step: int | None
    """Step of the paper's sweep; None for a search from above or below."""
    direction: str
    starts: int


class Found(NamedTuple):
    """The best path of a search."""

    path: Path
    best: int
    criteria: dict[int, float]
    """Criteria of all numbers of topics, before the best fit was finished."""


def find(
    fitter: Fitter,
    numbers: Numbers,
    announce: Callable[[int], object] = lambda n_fits: None,
    finer: Snapshot | None = None,
) -> Found:
    """Search from each start, finish the best fit of each, and keep the best path.

    ``announce`` is called with about how many numbers of topics will be fitted. The
    topics of a ``finer`` model of the same documents are the only start, if given.
    """
    best = _one_start(fitter, numbers, announce, finer)
    for _ in range(1, 1 if finer else numbers.starts):
        if fitter.stopped:
            break
        other = _one_start(fitter, numbers, announce, finer)
        if _lowest(fitter, other) < _lowest(fitter, best):
            best = other
    return best


def search(fitter: Fitter, ceiling: int, floor: int, limit: int) -> Path:
    """Fits by number of topics: from above, or from below where documents are mixed.

    First parameters with ``ceiling`` topics show whether they are (`Fitter.mixed`); the
    search from below draws its own. If the best number
    from above is the first one, the search starts again with twice as many topics, at
    most ``limit``.
    """
    while True:
        start = from_above.first(fitter, ceiling)
        if fitter.mixed:
            return from_below.search(fitter, floor, limit)
        path, try_more = from_above.search(fitter, start, floor, ceiling < limit)
        if not try_more:
            return path
        ceiling = min(2 * ceiling, limit)
        _log.warning(
            "The best number of topics is the largest one tried, %d: "
            "starting again from %d.",
            max(path),
            ceiling,
        )


def _lowest(fitter: Fitter, found: Found) -> float:
    return fitter.criterion(found.path[found.best])


def _one_start(
    fitter: Fitter,
    numbers: Numbers,
    announce: Callable[[int], object],
    finer: Snapshot | None,
) -> Found:
    if finer is None:
        path = _path(fitter, numbers, announce)
    elif numbers.n_topics is not None:
        path = {numbers.n_topics: from_finer.fit(fitter, finer, numbers.n_topics)}
    else:
        path = from_finer.search(fitter, finer, min(numbers.floor, finer.n_topics))
    best = best_number(fitter, path)
    criteria = {m: fitter.criterion(fitted) for m, fitted in path.items()}
    path[best] = fitter.finish(path[best])
    return Found(path, best, criteria)


def _path(fitter: Fitter, numbers: Numbers, announce: Callable[[int], object]) -> Path:
    """Fit one number, run the paper's sweep or search, according to the estimator."""
    n_docs, starts = fitter.data.n_docs, numbers.starts
    if numbers.n_topics is not None:
        announce(starts)
        return {numbers.n_topics: from_finer.start(fitter, numbers.n_topics)}
    ceiling, floor = min(numbers.ceiling, n_docs), min(numbers.floor, n_docs)
    if numbers.step is None:
        ceiling = max(ceiling, min(MANY * numbers.ceiling, n_docs // 3))
        announce(starts * from_above.length(ceiling, floor))
        return search(fitter, ceiling, floor, n_docs)
    announce(starts * ((ceiling - floor) // numbers.step + 1))
    return sweep(
        fitter,
        ceiling=ceiling,
        floor=floor,
        step=numbers.step,
        limit=n_docs,
        direction=numbers.direction,
    )
