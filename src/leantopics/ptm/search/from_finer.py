"""From finer topics up: their tree is cut, and a fit begins from the groups.

Groups begin with whole topics, which a fit from scratch would have to find first. The
finer topics are those of a model fitted to stronger evidence: then joins lower BIC at
first, and the first fit begins where it is lowest. From there two ways to fewer topics
take turns until neither lowers BIC: cuts of the tree of a fit with some more topics,
which join what belongs together, and steps that remove the topics that matter least.
For one number of topics, the pooled topics of two rough fits will do.
"""

from collections.abc import Callable

import numpy as np

from leantopics._arrays import Longs
from leantopics.models.sweep import best_number
from leantopics.ptm import em, snapshot, tree
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search import from_above
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.search.steps import (
    Fitted,
    Searchable,
    keep_better,
    merge_best,
)
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.state import Parameters

_MANY, _LEAST = 12, 100
"""A fit of one number starts with this many times as many topics, or the least."""
_FIRST = 20
"""Least number of topics of the first cut: before EM, cuts into few look too good."""
_TURNS = 3
"""Maximum number of turns of cuts and steps."""
_ABOVE = 1.3
"""The tree that is cut is that of a fit with this many times the best number."""
_COARSE = 5
"""Cuts remove one of this many groups at a time, before they close in on the best."""
_CUTS_TO, _STEPS_TO = 0.6, 0.75
"""Cuts and steps go down to these shares of the best number."""

Path = dict[int, em.Fit]


def search(fitter: Fitter, finer: Snapshot, floor: int) -> Path:
    """Fits by number of topics, from those of a finer model of the same documents."""

    def cuts_of(fitted: em.Fit) -> Callable[[int], em.Fit]:
        taken, _ = snapshot.take(fitted, fitter.criterion(fitted), fitter.workers)
        own = _tree(fitter, taken)
        return lambda n_topics: _cut(fitter, taken, own, n_topics)

    joins = _tree(fitter, finer)
    n_topics = max(tree.cheapest_cut(joins), min(_FIRST, finer.n_topics), floor)
    fitted = _cut(fitter, finer, joins, n_topics)
    return descend(fitter, n_topics, fitted, floor, cuts_of)


def descend(
    problem: Searchable[Fitted],
    first: int,
    fitted: Fitted,
    floor: int,
    cuts_of: Callable[[Fitted], Callable[[int], Fitted]],
) -> dict[int, Fitted]:
    """Turns of cuts and steps from a fit of ``first`` topics, while BIC falls.

    ``cuts_of`` a fit fits groups of its topics, as many as it is asked for.
    """
    path, best, source = {first: fitted}, first, None
    for _ in range(_TURNS):
        before = problem.criterion(path[best])
        above = min((m for m in path if m >= _ABOVE * best), default=max(path))
        if above > floor and path[above] is not source and not problem.stopped:
            source = path[above]
            _try_cuts(problem, path, best, range(floor, above), cuts_of(source))
            best = best_number(problem, path)
        start = best, path[best]
        path = from_above.fine_descent(problem, path, start, best, floor, _STEPS_TO)
        best = best_number(problem, path)
        if problem.stopped or problem.criterion(path[best]) >= before:
            break
    return merge_best(problem, path, floor)


def _try_cuts(
    problem: Searchable[Fitted],
    path: dict[int, Fitted],
    best: int,
    numbers: range,
    cut: Callable[[int], Fitted],
) -> None:
    """Coarse cuts from the best number down; others close in on the lowest of them."""
    cuts: dict[int, Fitted] = {}

    def try_cut(n_topics: int) -> None:
        if n_topics in numbers and n_topics not in cuts and not problem.stopped:
            cuts[n_topics] = cut(n_topics)
            keep_better(problem, path, n_topics, cuts[n_topics])

    n_topics = min(best, numbers[-1])
    while n_topics in numbers and (not cuts or n_topics >= _CUTS_TO * best):
        try_cut(n_topics)
        best = best_number(problem, path)
        n_topics -= max(1, n_topics // _COARSE)
    step = max(1, best // (2 * _COARSE))
    while step > 0:
        lowest = best_number(problem, cuts)
        try_cut(lowest - step)
        try_cut(lowest + step)
        if best_number(problem, cuts) == lowest:
            step //= 2


def fit(fitter: Fitter, finer: Snapshot, n_topics: int) -> em.Fit:
    """Fit ``n_topics`` topics that begin as groups of those of a finer model."""
    return _cut(fitter, finer, _tree(fitter, finer), n_topics)


def start(fitter: Fitter, n_topics: int) -> em.Fit:
    """Fit ``n_topics`` topics that begin as groups of many rough ones.

    Documents that mix many topics, or are too few for many topics, start from scratch.
    A shared model is learned at the end.
    """
    if fitter.learns_shared:
        plain = fitter.with_frequencies()
        begun = start(plain, n_topics)
        fitter.stopped, fitter.mixed = plain.stopped, plain.mixed
        return fitter.fit(fitter.data, begun.parameters, certify=False)
    many = min(max(_MANY * n_topics, _LEAST), fitter.data.n_docs // 3)
    if fitter.is_published or many < 2 * n_topics:
        return fitter.start(n_topics)
    first = from_above.first(fitter, many)
    if fitter.mixed:
        return fitter.start(n_topics)
    pooled, _ = from_above.begin(fitter, first, n_topics)
    if fitter.stopped or pooled.parameters.n_topics <= n_topics:
        return fitter.start(n_topics)
    finer, _ = snapshot.take(pooled, fitter.criterion(pooled), fitter.workers)
    return fit(fitter, finer, n_topics)


def _tree(fitter: Fitter, finer: Snapshot) -> tree.Tree:
    known = tree.topic_words(finer, fitter.data, fitter.workers)
    here = finer._replace(beta0=fitter.data.shared.beta0)
    return tree.agglomerate(known, here, fitter.prior(finer.n_topics), fitter.workers)


def _cut(fitter: Fitter, finer: Snapshot, joins: tree.Tree, n_topics: int) -> em.Fit:
    parameters = merged(fitter, finer, tree.groups(joins, n_topics))
    return fitter.fit(fitter.data, parameters, certify=False)


def merged(fitter: Fitter, finer: Snapshot, group: Longs) -> Parameters:
    """First parameters: documents have the groups of their topics.

    Until the first iteration, the words of a group are those of its largest topic.
    """
    data, workers = fitter.data, fitter.workers
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    before = snapshot.parameters(finer, data, workers)
    joined = rearrange.merge(data, before, first[place], workers)
    return rearrange.renumber(data, joined, np.sort(first), workers)
