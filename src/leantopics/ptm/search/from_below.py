"""From few topics up, for documents that mix many topics, as pictures do.

Half of the topics are split at a time, with rough fits, until the criterion rises. Then
some topics are split and some removed, in rounds. At the best number topics are merged
while that lowers the criterion.
"""

from math import inf

from leantopics.models.sweep import best_number
from leantopics.ptm import em
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.search.steps import (
    Fitted,
    Searchable,
    fine,
    keep_better,
    merge_best,
)

_GROW = 2
"""One of this many topics is split at a time while the number grows."""
_SPLIT = 20
"""One of this many topics is split at a time at the best number."""
_ROUNDS = 3
"""Number of rounds of splitting and removing there."""
ROUGH = 12
"""Number of iterations of a rough fit."""


def search(fitter: Fitter, floor: int, limit: int) -> dict[int, em.Fit]:
    """Fits by number of topics, from ``floor`` up to at most ``limit``."""
    fitted = fitter.fit(fitter.data, fitter.first(floor), certify=False)
    rough = None if fitter.learns_shared else ROUGH
    return ascend(fitter, floor, fitted, limit, rough)


def ascend(
    problem: Searchable[Fitted],
    floor: int,
    fitted: Fitted,
    limit: int,
    rough: int | None = ROUGH,
) -> dict[int, Fitted]:
    """Go up from a fit of ``floor`` topics, then split and prune at the best number."""
    grown = {floor: fitted}
    _grow(problem, grown, floor, fitted, _GROW, limit, rough)
    best = best_number(problem, grown)
    path = split_and_prune(problem, best, grown[best], floor, limit, rough)
    return merge_best(problem, path, floor)


def split_and_prune(
    problem: Searchable[Fitted],
    n_topics: int,
    fitted: Fitted,
    floor: int,
    limit: int,
    rough: int | None = ROUGH,
    hasty: bool = True,
) -> dict[int, Fitted]:
    """Split some topics and remove some, in rounds.

    In each round, a twentieth of the topics is split at a time until the criterion
    rises, and a fifth is removed in fine steps. If ``hasty``, all fits are rough except
    the fine steps of the last round, and the other rounds remove a fifth at once. A
    round starts where the previous one ended. The fits of the last fine steps are kept,
    and also the best of all others if none of them is as good.
    """
    tried: dict[int, Fitted] = {n_topics: fitted}
    path: dict[int, Fitted] = {}
    for left in reversed(range(_ROUNDS)):
        n_topics, fitted = _grow(
            problem, tried, n_topics, fitted, _SPLIT, limit, rough if hasty else None
        )
        fewest = max(floor, 4 * n_topics // 5)
        at_once = hasty and left > 0
        while n_topics > fewest and not problem.stopped:
            n_topics = fewest if at_once else fine(n_topics, floor)
            max_iter = rough if at_once else None
            fitted = problem.fewer(fitted, n_topics, max_iter=max_iter)
            keep_better(problem, tried if left else path, n_topics, fitted)
    best = best_number(problem, tried)
    lowest = min(map(problem.criterion, path.values()), default=inf)
    if problem.criterion(tried[best]) < lowest:
        path[best] = tried[best]
    return path


def _grow(
    problem: Searchable[Fitted],
    path: dict[int, Fitted],
    n_topics: int,
    fitted: Fitted,
    share: int,
    limit: int,
    rough: int | None,
) -> tuple[int, Fitted]:
    """Split one of ``share`` topics at a time until the criterion rises.

    Returns the resulting number of topics and their fit.
    """
    falls = True
    while falls and n_topics < limit and not problem.stopped:
        more = min(limit, n_topics + max(1, n_topics // share))
        larger = problem.more(fitted, more, max_iter=rough)
        if larger is None:
            break
        falls = problem.criterion(larger) < problem.criterion(fitted)
        n_topics, fitted = more, larger
        keep_better(problem, path, n_topics, fitted)
    return n_topics, fitted
