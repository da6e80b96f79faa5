"""A fit with known topics: their switches are held, and BIC chooses the others.

The known topics are the first ones. A fit without them comes first; they take their
documents from it, and the search goes on from there (`search.from_before`).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from leantopics._arrays import Bools, Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.models.sweep import best_number
from leantopics.ptm import belief_costs, em, group_tasks, links, placing
from leantopics.ptm.belief_costs import Costs
from leantopics.ptm.guide import Beliefs
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.moves import rearrange
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.search import from_before
from leantopics.ptm.search.choice import Found, Numbers
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.state import Data, DocState, Documents, Parameters, given_topics
from leantopics.ptm.updates import Pinned

_PLACINGS = 5
"""Maximum number of searches, each from where linked documents gain most."""
_SEEDS = 5
"""A known topic without documents starts with this many, if none is clear."""


class Guided(NamedTuple):
    """A fit with known topics."""

    found: Found
    beliefs: Beliefs
    """Those that were held to the end."""
    rows: list[dict[str, Any]]
    """What each belief costs; see `ParsimoniousTopicModel.guide_costs_`."""


def impose(
    fitter: Fitter,
    free: em.Fit,
    beliefs: Beliefs,
    numbers: Numbers,
    counts: sparse.csr_array,
    vocabulary: list[str],
) -> Guided:
    """Hold what is believed, and let the search go on from a free fit.

    ``counts`` are those of the documents with words, as evidence. If the data are
    trusted, the beliefs that cost more than the bound are dropped, and the search goes
    on, until there are none.
    """
    start = _begin(fitter.data, free.parameters, beliefs, counts, fitter.workers)
    dropped: list[dict[str, Any]] = []
    while True:
        found = _placed_search(fitter, start, beliefs, numbers, counts)
        best = found.path[found.best]
        costs = belief_costs.measure(fitter, best, beliefs, counts)
        rows = belief_costs.rows(beliefs, costs, vocabulary)
        refuted = [row for row in rows if row["nats"] > beliefs.bound]
        if not (beliefs.trust_data and refuted) or fitter.stopped:
            return Guided(found, beliefs, [*rows, *dropped])
        dropped += [{**row, "held": False} for row in refuted]
        beliefs = _without(beliefs, costs)
        start = best.parameters


def _placed_search(
    fitter: Fitter,
    start: Parameters,
    beliefs: Beliefs,
    numbers: Numbers,
    counts: sparse.csr_array,
) -> Found:
    """Search with linked documents in their topics, until these stay the same.

    A search may join topics, or change them, so that other places are better. If places
    do not settle, the last ones are held in a fit without a search.
    """
    data, workers = fitter.data, fitter.workers
    if not beliefs.links:
        return _search(fitter, _held(data, start, beliefs, workers), beliefs, numbers)
    blocks = links.blocks(beliefs.links, beliefs.topic_of)
    now, _ = placing.place(data, start, blocks, counts, len(beliefs.names), workers)
    for _ in range(_PLACINGS):
        now = _held(data, now, beliefs, workers)
        found = _search(fitter, now, beliefs, numbers)
        best = found.path[found.best]
        found = found._replace(path={found.best: best})
        now, moved = placing.place(
            data, best.parameters, blocks, counts, len(beliefs.names), workers
        )
        if not moved:
            return found
    fitted = fitter.fit(data, _held(data, now, beliefs, workers))
    n_topics = fitted.parameters.n_topics
    return Found({n_topics: fitted}, n_topics, {n_topics: fitter.criterion(fitted)})


def _search(
    fitter: Fitter, start: Parameters, beliefs: Beliefs, numbers: Numbers
) -> Found:
    fitter.pinned, fitter.barred = beliefs.must, beliefs.may_not
    fitter.held = len(beliefs.names)
    least, most = min(numbers.floor, fitter.data.n_docs), fitter.data.n_docs
    if numbers.n_topics is not None:
        least = most = numbers.n_topics
    least = max(min(least, start.n_topics), fitter.held)
    path = from_before.search(fitter, start, least, max(least, most))
    best = best_number(fitter, path)
    criteria = {m: fitter.criterion(fitted) for m, fitted in path.items()}
    path[best] = fitter.finish(path[best])
    return Found(path, best, criteria)


def _begin(
    data: Data,
    free: Parameters,
    beliefs: Beliefs,
    counts: sparse.csr_array,
    workers: Engine,
) -> Parameters:
    """First parameters: the known topics take their documents from the others."""
    n_known = len(beliefs.names)
    if not n_known:
        return free
    taken = seeds(beliefs, counts, data.shared.beta0)
    indptr, topic, alpha = placing.mixes(data, free, workers)
    indptr, topic, alpha = placing.retaken(indptr, topic + n_known, alpha, taken)
    common = int(data.shared.order[0])
    words_of = [beliefs.must.get(g, np.array([common])) for g in range(n_known)]
    ends = np.concatenate(([0], np.cumsum([len(own) for own in words_of])))
    placed = np.concatenate(words_of).astype(np.int32)
    own = Salient(ends.astype(np.int64), placed, np.zeros(len(placed)))
    states = given_topics(data, indptr, topic, alpha)
    both = Parameters(
        rearrange.stacked(own, free.salient), group_tasks.kept(data, states, workers)
    )
    used = np.flatnonzero(np.bincount(topic, minlength=both.n_topics))
    return rearrange.renumber(data, both, used, workers)


def seeds(beliefs: Beliefs, counts: sparse.csr_array, beta0: Floats) -> Longs:
    """(D,): the known topic in which each document starts, -1 for none.

    A free document starts in a topic if it has its words so often that their Poisson
    deviance from the shared model is worth a topic, ``1/2 log(L_d / 2 pi) + log D``.
    If none has, those that come nearest start there.
    """
    start = beliefs.topic_of.copy()
    length = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    price = 0.5 * np.log(np.maximum(length / TWO_PI, 1.0)) + np.log(len(length))
    best = np.zeros(len(start))
    gains = {}
    for g, own in beliefs.must.items():
        seen = np.asarray(counts[:, own].sum(axis=1), dtype=np.float64).ravel()
        expected = length * beta0[own].sum()
        gain = xlogy(seen, seen / expected) - seen + expected
        gains[g] = np.where((seen > expected) & ~beliefs.held, gain, 0.0)
        better = gains[g] > np.maximum(best, price)
        start[better], best[better] = g, gains[g][better]
    for g, gain in gains.items():
        if not (start == g).any():
            nearest = np.argsort(-gain, kind="stable")[:_SEEDS]
            alone = np.bincount(start[start >= 0], minlength=len(beliefs.names)) == 1
            near = [d for d in nearest if gain[d] > 0.0 and not alone[start[d]]]
            if not near:
                raise ValueError(
                    f"The topic {beliefs.names[g]!r} of the guide must have a document "
                    "with its words that belongs to no other one, but has none."
                )
            start[near[:1] if start[near].max() >= 0 else near] = g
    return start


def _held(
    data: Data, parameters: Parameters, beliefs: Beliefs, workers: Engine
) -> Parameters:
    """Hold the documents of known topics and of links, and no others."""
    own = data.by_group(beliefs.held)
    topics = workers.update(_hold, data.groups, parameters.topics, own=own)
    return parameters._replace(topics=topics)


def _hold(group: Documents, topics: DocState, workers: Engine, own: Bools) -> DocState:
    ends = np.cumsum([len(quiet) for quiet in topics.quiet])[:-1]
    quiet = [np.where(part, np.inf, -np.inf) for part in np.split(own, ends)]
    return topics._replace(quiet=quiet)


def _without(beliefs: Beliefs, costs: Costs) -> Beliefs:
    """The beliefs that cost no more than the bound."""

    def left(held: Pinned, found: dict[int, Floats]) -> Pinned:
        kept = {g: own[found[g] <= beliefs.bound] for g, own in held.items()}
        return {g: own for g, own in kept.items() if len(own)}

    topic_of = np.where(costs.document <= beliefs.bound, beliefs.topic_of, -1)
    return beliefs._replace(
        must=left(beliefs.must, costs.must),
        may_not=left(beliefs.may_not, costs.may_not),
        topic_of=topic_of,
        links=[
            link
            for link, cost in zip(beliefs.links, costs.links, strict=True)
            if cost <= beliefs.bound
        ],
    )
