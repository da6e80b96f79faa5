"""From many topics down, for documents of few topics each, as most texts are.

Two rough fits with many topics lose three quarters of them. The topics left by both are
pooled, and each document chooses from the pool. Coarse steps, of a quarter of the
topics beyond twenty, find the lowest criterion; fine steps, of a sixteenth, go over
that region again. At the best number topics are merged while that lowers the criterion.

With fewer than three documents for each of the first topics, or a learned shared model,
it is one fit, and none is rough.

Documents are blended if a rough fit leaves many of them with three topics or more.
Rough fits then cannot tell a good number from others, so all steps are fine.
"""

import numpy as np

from leantopics.models.sweep import best_number
from leantopics.ptm import em
from leantopics.ptm.census import count
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.search.steps import (
    Fitted,
    Searchable,
    coarse,
    fine,
    keep_better,
    merge_best,
)
from leantopics.ptm.state import Parameters

_KEPT = 4
"""A rough fit keeps one of this many topics."""
_ROUGH = 1
"""Number of iterations of a rough fit; one more if from scratch."""
_ROUGH_ROUNDS = 3
"""Maximum number of rounds with one topic per document before such a rough fit."""
_BLENDED = 0.2
"""Documents are blended if more than this share starts with three topics or more."""
_CAREFUL = 0.6
"""If they are, each start goes on, no longer roughly, to this share of its topics."""
_FINE_TO, _COARSE_TO = 4 / 5, 1 / 2
"""Fine steps go down to this share of the best number; coarse ones may go further."""

Path = dict[int, em.Fit]


def may_be_rough(fitter: Fitter, n_topics: int) -> bool:
    """Whether fits may be rough: many documents, and no learned shared model."""
    return not fitter.learns_shared and n_topics < fitter.data.n_docs // 3


def first(fitter: Fitter, n_topics: int) -> Parameters:
    """First parameters with ``n_topics`` topics."""
    if may_be_rough(fitter, n_topics):
        return fitter.first(n_topics, _ROUGH_ROUNDS)
    return fitter.first(n_topics)


def search(
    fitter: Fitter, start: Parameters, floor: int, may_grow: bool
) -> tuple[Path, bool]:
    """Fits by number of topics, and whether to try more topics.

    That is so if the first number is the best one and it ``may_grow``.
    """
    n_topics = start.n_topics
    if not may_be_rough(fitter, n_topics):
        fitted = fitter.fit(fitter.data, start, certify=False)
        return descend(fitter, n_topics, fitted, floor, may_grow)
    fitted, blended = begin(fitter, start, floor)
    n_topics = fitted.parameters.n_topics
    if blended:
        return descend_finely(fitter, n_topics, fitted, floor, may_grow)
    return descend(fitter, n_topics, fitted, floor, may_grow, _ROUGH)


def begin(fitter: Fitter, start: Parameters, floor: int) -> tuple[em.Fit, bool]:
    """A fit of ``floor`` topics or more, and whether documents are blended.

    Two rough fits from scratch lose three quarters of their topics each. If documents
    are blended, each then loses two fifths of the rest, no longer roughly.
    """
    n_topics, data = start.n_topics, fitter.data
    n_kept = max(n_topics // _KEPT, floor)
    fits: list[em.Fit] = []
    blended = False
    while len(fits) < 2 and not fitter.stopped:
        if fits:
            start = fitter.first(n_topics, _ROUGH_ROUNDS)
        fitted = fitter.fit(data, start, certify=False, max_iter=_ROUGH + 1)
        fitted = _pruned(fitter, fitted, n_kept, _ROUGH)
        if not fits:
            blended = _share_with_several(fitter, fitted) > _BLENDED
        if blended:
            fitted = _pruned(fitter, fitted, max(int(_CAREFUL * n_kept), floor), None)
        fits.append(fitted)
    fitted = fits[0]
    if not fitter.stopped:
        pooled = _pool(fitter, fits[0].parameters, fits[1].parameters, blended)
        if pooled.n_topics >= floor:
            fitted = fitter.fit(data, pooled, certify=False, max_iter=_ROUGH + 1)
    return fitted, blended


def descend(
    problem: Searchable[Fitted],
    first: int,
    fitted: Fitted,
    floor: int,
    may_grow: bool,
    rough: int | None = None,
) -> tuple[dict[int, Fitted], bool]:
    """Coarse steps from a fit of ``first`` topics, then fine ones around the best.

    If the coarse steps are ``rough``, they are not kept. Returns the same as `search`.
    """
    path = _coarse_descent(problem, first, fitted, floor, rough)
    if best_number(problem, path) == first and may_grow and not problem.stopped:
        return path, True
    path = _refine(problem, path, floor, was_rough=rough is not None)
    return merge_best(problem, path, floor), False


def descend_finely(
    problem: Searchable[Fitted],
    first: int,
    fitted: Fitted,
    floor: int,
    may_grow: bool,
) -> tuple[dict[int, Fitted], bool]:
    """Fine steps from a fit of ``first`` topics. Returns the same as `search`."""
    path = fine_descent(problem, {}, (first, fitted), first, floor, merging=True)
    best = best_number(problem, path)
    if best == max(path) and may_grow and not problem.stopped:
        return path, True
    return merge_best(problem, path, floor), False


def length(ceiling: int, floor: int) -> int:
    """Estimate how many numbers of topics are fitted, if the best is an eighth.

    Examples
    --------
    >>> length(1200, 2)
    31
    """
    fits, n_topics = 20, ceiling
    while n_topics > max(floor, ceiling // 16):
        fits, n_topics = fits + 1, coarse(n_topics, floor)
    return fits


def _coarse_descent(
    problem: Searchable[Fitted],
    first: int,
    fitted: Fitted,
    floor: int,
    rough: int | None,
) -> dict[int, Fitted]:
    """Coarse steps, which remove a quarter of the topics beyond twenty.

    They end at two thirds of the best number; fits above twice the best are dropped.
    """
    n_topics = best = first
    path = {first: fitted}
    while n_topics > floor and 3 * n_topics >= 2 * best and not problem.stopped:
        fewer = coarse(n_topics, floor)
        path[fewer] = problem.fewer(path[n_topics], fewer, max_iter=rough)
        n_topics, best = fewer, best_number(problem, path)
        path = {m: fitted for m, fitted in path.items() if m <= 2 * best}
    return path


def _refine(
    problem: Searchable[Fitted], path: dict[int, Fitted], floor: int, was_rough: bool
) -> dict[int, Fitted]:
    """Fine steps around the best of the coarse ones.

    They start at the next number above the best, at least two topics more. If the
    coarse steps were rough, they are not kept; the fine steps then start one coarse
    step higher, and coarse steps follow them further down.
    """
    best = best_number(problem, path)
    above = sorted(m for m in path if m > best + 1)[: 2 if was_rough else 1]
    n_topics = above[-1] if above else max(path)
    start, kept = (n_topics, path[n_topics]), {} if was_rough else path
    lowest = _COARSE_TO if was_rough else _FINE_TO
    return fine_descent(problem, kept, start, best, floor, lowest, merging=was_rough)


def fine_descent(
    problem: Searchable[Fitted],
    path: dict[int, Fitted],
    start: tuple[int, Fitted],
    best: int,
    floor: int,
    lowest: float = _FINE_TO,
    merging: bool = False,
) -> dict[int, Fitted]:
    """Fine steps down from a number of topics and its fit; adds to ``path``.

    They end at the share ``lowest`` of the best number; below `_FINE_TO` of it, steps
    are coarse. If ``path`` has a number already, the better fit is kept and the search
    goes on from it.
    """
    n_topics, fitted = start
    while n_topics > floor and n_topics >= lowest * best and not problem.stopped:
        step = fine if n_topics >= _FINE_TO * best else coarse
        fewer = step(n_topics, floor)
        n_topics = max(m for m in (fewer, *path) if m < n_topics)
        smaller = problem.fewer(fitted, n_topics, merging=merging)
        fitted = keep_better(problem, path, n_topics, smaller)
        best = best_number(problem, path)
    return path or {n_topics: fitted}


def _pruned(fitter: Fitter, fitted: em.Fit, n_topics: int, rough: int | None) -> em.Fit:
    """Remove topics in coarse steps until ``n_topics`` are left."""
    while fitted.parameters.n_topics > n_topics and not fitter.stopped:
        fewer = coarse(fitted.parameters.n_topics, n_topics)
        fitted = fitter.fewer(fitted, fewer, merging=rough is None, max_iter=rough)
    return fitted


def _share_with_several(fitter: Fitter, fitted: em.Fit) -> float:
    """Share of documents with three topics or more."""
    census = count(fitted.data, fitted.parameters, fitter.workers)
    return float(census.with_topics[3:].sum()) / fitter.data.n_docs


def _pool(
    fitter: Fitter, one: Parameters, two: Parameters, blended: bool
) -> Parameters:
    """Pool the topics of two fits; each document has its most likely one.

    If documents are blended, it has all its topics of the likelier fit.
    """
    data, workers = fitter.data, fitter.workers
    if blended:
        pooled = rearrange.together(data, one, two, workers)
    else:
        both = rearrange.stacked(one.salient, two.salient)
        nothing = [None] * len(data.groups)
        best = rearrange.best_topics(data, nothing, both, workers)
        pooled = Parameters(both, rearrange.single(data, nothing, best, workers))
    used = np.flatnonzero(count(data, pooled, workers).documents)
    return rearrange.renumber(data, pooled, used, workers)
