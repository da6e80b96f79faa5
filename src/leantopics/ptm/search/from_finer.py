"""From finer topics up: their tree is cut, and a fit begins from the groups.

Groups begin with whole topics, which a fit from scratch would have to find first. The
finer topics are those of a model fitted to stronger evidence: then joins lower BIC at
first, the cut is where it is lowest, and the steps from there are those of a search
from above. For one number of topics, the pooled topics of two rough fits will do.
"""

import numpy as np

from leantopics._arrays import Longs
from leantopics.ptm import em, snapshot, tree
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search import from_above
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.state import Parameters

_MANY, _LEAST = 12, 100
"""A fit of one number starts with this many times as many topics, or the least."""

Path = dict[int, em.Fit]


def search(fitter: Fitter, finer: Snapshot, floor: int) -> Path:
    """Fits by number of topics, from those of a finer model of the same documents."""
    joins = _tree(fitter, finer)
    n_topics = max(tree.cheapest_cut(joins), floor)
    fitted = _cut(fitter, finer, joins, n_topics)
    path, _ = from_above.descend(fitter, n_topics, fitted, floor, may_grow=False)
    return path


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
