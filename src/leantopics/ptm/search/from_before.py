"""From the topics of a previous fit, on documents that have changed a little since.

Most of these topics are still good, so the search stays near them. Topics that no
longer pay are merged or removed. Then topics grow: some begin in documents drawn at
random, join the others, and those that do not pay go again, in large steps of rough
fits. If none of them pays, topics whose halves are worth two are split. Splits alone
find no topic whose documents are spread over many others, and what they miss adds up
from one refresh to the next.
"""

import numpy as np

from leantopics.ptm import em
from leantopics.ptm.census import count
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.search.steps import keep_better
from leantopics.ptm.state import Parameters

_ROUGH, _ROUGH_ROUNDS = 2, 3
"""Iterations of a rough fit of new topics, and rounds with one topic per document
before it."""
_STEP, _STEP_ITER = 8, 1
"""One of this many topics, or more, go at a time while the others are chosen, and
iterations of the fit after that."""
_ROUNDS, _LEAST = 8, 1e-4
"""Maximum number of times that topics are split, and the share by which that must lower
BIC to be repeated."""

Path = dict[int, em.Fit]


def search(
    fitter: Fitter, start: Parameters, least: int, most: int, n_new: int = 0
) -> Path:
    """Fits by number of topics, near that of the first parameters.

    The best of them has from ``least`` to ``most`` topics. ``n_new`` topics are
    tried that do not come from the previous ones, unless the shared model is learned.
    If none of them pays, topics are split.
    """
    fitted = fitter.fit(fitter.data, start, certify=False)
    if start.n_topics < least:
        fitted = fitter.more(fitted, least) or fitted
    fitted = _pruned(fitter, fitted, least, most)
    n_new = min(n_new, fitter.data.n_docs // 3)
    if n_new > 1 and not (fitter.stopped or fitter.learns_shared):
        grown = _grown(fitter, fitted, n_new, least, most)
        n_topics = grown.parameters.n_topics
        if n_topics <= most and fitter.criterion(grown) < fitter.criterion(fitted):
            return {n_topics: grown}
    return _split(fitter, fitted, least, most)


def _grown(fitter: Fitter, fitted: em.Fit, n_new: int, least: int, most: int) -> em.Fit:
    """Join topics that begin in documents drawn at random; keep those that pay."""
    data = fitter.data
    drawn = fitter.first(n_new, _ROUGH_ROUNDS)
    new = fitter.fit(data, drawn, certify=False, max_iter=_ROUGH)
    pooled = rearrange.together(data, fitted.parameters, new.parameters, fitter.workers)
    used = np.flatnonzero(count(data, pooled, fitter.workers).documents)
    if fitter.stopped or (used[: fitter.held] >= fitter.held).any():
        return fitted
    pooled = rearrange.renumber(data, pooled, used, fitter.workers)
    larger = fitter.fit(data, pooled, certify=False, max_iter=_ROUGH)
    while not fitter.stopped:
        n_topics = larger.parameters.n_topics
        more = max(1, n_topics // _STEP)
        smaller = fitter.without_idle(larger, least, more, max_iter=_STEP_ITER)
        lower = smaller and fitter.criterion(smaller) < fitter.criterion(larger)
        if smaller is None or not (lower or n_topics > most):
            break
        larger = smaller
    if fitter.criterion(larger) < fitter.criterion(fitted):
        return larger
    return fitter.fit(data, larger.parameters, certify=False, quiet=True)


def _split(fitter: Fitter, fitted: em.Fit, least: int, most: int) -> Path:
    """Fits with topics split, as long as that lowers BIC."""
    path = {fitted.parameters.n_topics: fitted}
    for _ in range(_ROUNDS):
        larger = None if fitter.stopped else fitter.split(fitted)
        if larger is None:
            break
        other = _pruned(fitter, larger, least, most)
        before, now = fitter.criterion(fitted), fitter.criterion(other)
        if now >= before:
            break
        fitted = keep_better(fitter, path, other.parameters.n_topics, other)
        if before - now <= _LEAST * abs(before):
            break
    return dict(sorted(path.items()))


def _pruned(fitter: Fitter, fitted: em.Fit, least: int, most: int) -> em.Fit:
    """Merge and remove topics while that lowers BIC, and until ``most`` are left."""
    while not fitter.stopped:
        n_topics = fitted.parameters.n_topics
        smaller = fitter.without_idle(fitted, least)
        if n_topics > most and (smaller is None or smaller.parameters.n_topics > most):
            smaller = fitter.fewer(fitted, most, merging=True)
        lower = smaller and fitter.criterion(smaller) < fitter.criterion(fitted)
        if smaller is None or not (lower or n_topics > most):
            break
        fitted = smaller
    return fitted
