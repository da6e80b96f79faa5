"""From the topics of a previous fit, on documents that have changed a little since.

Most of these topics are still good, so the search stays near them: topics that no
longer pay are merged or removed, and those whose halves are worth two are split, while
BIC falls.
"""

from leantopics.ptm import em
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.search.steps import keep_better
from leantopics.ptm.state import Parameters

_ROUNDS, _LEAST = 8, 1e-4
"""Maximum number of times that topics are split, and the share by which that must lower
BIC to be repeated."""

Path = dict[int, em.Fit]


def search(fitter: Fitter, start: Parameters, least: int, most: int) -> Path:
    """Fits by number of topics, near that of the first parameters.

    The best of them has from ``least`` to ``most`` topics.
    """
    fitted = fitter.fit(fitter.data, start, certify=False)
    if start.n_topics < least:
        fitted = fitter.more(fitted, least) or fitted
    fitted = _pruned(fitter, fitted, least, most)
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
