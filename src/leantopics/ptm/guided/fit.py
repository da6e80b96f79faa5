"""A fit with known topics: their switches are held, and BIC chooses the others.

The known topics are the first ones. A fit without them comes first; they take their
documents from it, and the search goes on from there (`search.from_before`).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from leantopics._arrays import Floats, Longs
from leantopics.models.sweep import best_number
from leantopics.ptm import em
from leantopics.ptm.guided import costs as prices
from leantopics.ptm.guided import placing
from leantopics.ptm.guided.beliefs import Beliefs
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.moves import rearrange
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.search import from_before
from leantopics.ptm.search.choice import Found, Numbers
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.state import Parameters
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
    model: Any,
    fitter: Fitter,
    free: em.Fit,
    beliefs: Beliefs,
    counts: sparse.csr_array,
) -> Guided:
    """Hold what is believed, and let the search go on from a free fit.

    ``counts`` are those of the documents with words, as evidence. If the data are
    trusted, the beliefs that cost more than the bound are dropped, and the search goes
    on, until there are none.
    """
    numbers: Numbers = model._numbers()
    start = _begin(fitter, free.parameters, beliefs, counts)
    dropped: list[dict[str, Any]] = []
    while True:
        found = _placed_search(fitter, start, beliefs, numbers, counts)
        best = found.path[found.best]
        costs = prices.measure(fitter, best, beliefs, counts)
        rows = prices.rows(beliefs, costs, model.vocabulary_)
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
    if not beliefs.links:
        return _search(fitter, start, beliefs, numbers)
    known = (beliefs.blocks, counts, len(beliefs.names), fitter.workers)
    now, _ = placing.place(fitter.data, start, *known)
    for _ in range(_PLACINGS):
        found = _search(fitter, now, beliefs, numbers)
        best = found.path[found.best]
        now, moved = placing.place(fitter.data, best.parameters, *known)
        if not moved:
            return found._replace(path={found.best: best})
    fitted = fitter.fit(fitter.data, _held(fitter, now, beliefs))
    n_topics = fitted.parameters.n_topics
    return Found({n_topics: fitted}, n_topics, {n_topics: fitter.criterion(fitted)})


def _search(
    fitter: Fitter, start: Parameters, beliefs: Beliefs, numbers: Numbers
) -> Found:
    """Search with the beliefs held, at the numbers of topics that they allow."""
    fitter.pinned, fitter.barred = beliefs.must, beliefs.may_not
    fitter.held = len(beliefs.names)
    least, most = min(numbers.floor, fitter.data.n_docs), fitter.data.n_docs
    if numbers.n_topics is not None:
        least = most = numbers.n_topics
    least = max(min(least, start.n_topics), fitter.held)
    start = _held(fitter, start, beliefs)
    path = from_before.search(fitter, start, least, max(least, most))
    best = best_number(fitter, path)
    criteria = {m: fitter.criterion(fitted) for m, fitted in path.items()}
    path[best] = fitter.finish(path[best])
    return Found(path, best, criteria)


def _held(fitter: Fitter, parameters: Parameters, beliefs: Beliefs) -> Parameters:
    """Hold the documents of known topics and of links, and no others."""
    quiet = np.where(beliefs.held, np.inf, -np.inf)
    return placing.with_quiet(fitter.data, parameters, quiet, fitter.workers)


def _begin(
    fitter: Fitter, free: Parameters, beliefs: Beliefs, counts: sparse.csr_array
) -> Parameters:
    """First parameters: the known topics take their documents from the others."""
    data, n_known = fitter.data, len(beliefs.names)
    if not n_known:
        return free
    taken = _seeds(beliefs, counts, data.shared.beta0)
    before = placing.mixes(data, free, fitter.workers)
    shifted = before._replace(topic=before.topic + n_known)
    common = data.shared.order[:1]
    words_of = [beliefs.must.get(g, common) for g in range(n_known)]
    ends = np.concatenate(([0], np.cumsum([len(own) for own in words_of])))
    words = np.concatenate(words_of)
    both = rearrange.stacked(Salient(ends, words, np.zeros(len(words))), free.salient)
    return placing.assembled(
        data, both, placing.reassigned(shifted, taken), fitter.workers
    )


def _seeds(beliefs: Beliefs, counts: sparse.csr_array, beta0: Floats) -> Longs:
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
            free = (start < 0) | ~alone[start]
            near = [d for d in nearest if gain[d] > 0.0 and free[d]]
            if not near:
                raise ValueError(
                    f"The topic {beliefs.names[g]!r} of the guide must have a document "
                    "with its words that belongs to no other one, but has none."
                )
            start[near[:1] if start[near].max() >= 0 else near] = g
    return start


def _without(beliefs: Beliefs, costs: prices.Costs) -> Beliefs:
    """The beliefs that cost no more than the bound."""
    bound = beliefs.bound

    def left(held: Pinned, found: dict[int, Floats]) -> Pinned:
        kept = {g: own[found[g] <= bound] for g, own in held.items()}
        return {g: own for g, own in kept.items() if len(own)}

    priced = zip(beliefs.links, costs.links, strict=True)
    return beliefs._replace(
        must=left(beliefs.must, costs.must),
        may_not=left(beliefs.may_not, costs.may_not),
        topic_of=np.where(costs.document <= bound, beliefs.topic_of, -1),
        links=[link for link, cost in priced if cost <= bound],
    )


def take(model: Any, fitter: Fitter, guided: Guided) -> None:
    """Give a model what is known of its topics, and what that costs."""
    best = guided.found.path[guided.found.best]
    mass = rearrange.topic_mass(best.data, best.parameters, fitter.workers)
    place = np.argsort(np.argsort(-mass, kind="stable"))
    model.guide_costs_ = guided.rows
    model.pinned_words_ = {
        int(place[g]): [model.vocabulary_[n] for n in words]
        for g, words in guided.beliefs.must.items()
    }
    model._known = {int(place[g]): name for g, name in enumerate(guided.beliefs.names)}
