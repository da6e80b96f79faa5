"""Which numbers of topics are fitted, from how many starts, and which is taken."""

from collections.abc import Callable
from typing import NamedTuple

from leantopics.ptm import em
from leantopics.ptm.search import Search
from leantopics.sweep import best_order, prune, prune_length, sweep

MANY = 12
"""Times ``most`` topics with which a search begins that is not the paper's."""

Path = dict[int, em.Fit]


class Orders(NamedTuple):
    """Numbers of topics to fit, as the estimator has them."""

    n_topics: int | None
    """The only one, if it is known."""
    most: int
    least: int
    step: int | None
    """Of the paper's sweep; None prunes from many topics instead."""
    direction: str
    starts: int


class Found(NamedTuple):
    """The best path of a search."""

    path: Path
    best: int
    criteria: dict[int, float]
    """What the orders were compared by, before the best one was fitted to the end."""


def find(
    search: Search,
    orders: Orders,
    n_docs: int,
    announce: Callable[[int], object] = lambda number: None,
) -> Found:
    """Fit the orders from each start, the best order to the end; keep the best path.

    ``announce`` is told about how many orders there will be.
    """
    best = _one_start(search, orders, n_docs, announce)
    for _ in range(1, orders.starts):
        if search.stopped:
            break
        other = _one_start(search, orders, n_docs, announce)
        if _lowest(search, other) < _lowest(search, best):
            best = other
    return best


def _lowest(search: Search, found: Found) -> float:
    return search.criterion(found.path[found.best])


def _one_start(
    search: Search, orders: Orders, n_docs: int, announce: Callable[[int], object]
) -> Found:
    path = _path(search, orders, n_docs, announce)
    best = best_order(search, path)
    criteria = {m: search.criterion(fitted) for m, fitted in path.items()}
    path[best] = search.finish(path[best])
    return Found(path, best, criteria)


def _path(
    search: Search, orders: Orders, n_docs: int, announce: Callable[[int], object]
) -> Path:
    if orders.n_topics is not None:
        announce(orders.starts)
        return {orders.n_topics: search.start(orders.n_topics)}
    ceiling, floor = min(orders.most, n_docs), min(orders.least, n_docs)
    if orders.step is None:
        ceiling = max(ceiling, min(MANY * orders.most, n_docs // 3))
        announce(orders.starts * prune_length(ceiling, floor))
        return prune(search, ceiling=ceiling, floor=floor, limit=n_docs)
    announce(orders.starts * ((ceiling - floor) // orders.step + 1))
    return sweep(
        search,
        ceiling=ceiling,
        floor=floor,
        step=orders.step,
        limit=n_docs,
        direction=orders.direction,
    )
