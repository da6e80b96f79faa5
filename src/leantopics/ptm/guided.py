"""A fit with known topics: their switches are held, and BIC chooses the others.

The known topics are the first ones. A fit without them comes first; they take their
documents from it, and the search goes on from there (`search.from_before`).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from leantopics._arrays import Bools, Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.models.sweep import best_number
from leantopics.ptm import em, group_tasks
from leantopics.ptm.census import count, prices
from leantopics.ptm.guide import Beliefs
from leantopics.ptm.kernels import words
from leantopics.ptm.kernels.arrays import Prices, Salient, Table
from leantopics.ptm.moves import rearrange
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.search import from_before
from leantopics.ptm.search.choice import Found, Numbers
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.state import (
    Data,
    DocState,
    Documents,
    Parameters,
    given_topics,
    word_major,
)
from leantopics.ptm.updates import Pinned

_SEEDS = 5
"""A known topic without documents starts with this many, if none is clear."""


class Costs(NamedTuple):
    """By how many nats BIC would fall without each belief, everything else the same."""

    must: dict[int, Floats]
    """By topic, of its words."""
    may_not: dict[int, Floats]
    document: Floats
    """(D,): 0 for free documents, and for those that would stay."""


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
    data, workers = fitter.data, fitter.workers
    start = _begin(data, free.parameters, beliefs, counts, workers)
    dropped: list[dict[str, Any]] = []
    while True:
        found = _search(fitter, start, beliefs, numbers)
        best = found.path[found.best]
        costs = measure(fitter, best, beliefs)
        rows = _rows(beliefs, costs, vocabulary)
        refuted = [row for row in rows if row["nats"] > beliefs.bound]
        if not (beliefs.trust_data and refuted) or fitter.stopped:
            return Guided(found, beliefs, [*rows, *dropped])
        dropped += [{**row, "held": False} for row in refuted]
        beliefs = _without(beliefs, costs)
        start = _held(best.data, best.parameters, beliefs, workers)


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
    taken = seeds(beliefs, counts, data.shared.beta0)
    known = group_tasks.fetched(data, free.topics, workers)
    mixes = [mix for part in known for mix in part.mixes]
    size = np.concatenate([np.diff(mix.indptr) for mix in mixes])
    topic = np.concatenate([mix.topic for mix in mixes]).astype(np.int64) + n_known
    alpha = np.concatenate([mix.alpha for mix in mixes])
    stays = np.repeat(taken < 0, size)
    first = np.concatenate(([0], np.cumsum(size)))[:-1]
    stays[first[taken >= 0]] = True
    topic[first[taken >= 0]] = taken[taken >= 0]
    alpha[first[taken >= 0]] = 1.0
    size[taken >= 0] = 1
    topic, alpha = topic[stays], alpha[stays]
    common = int(data.shared.order[0])
    words_of = [beliefs.must.get(g, np.array([common])) for g in range(n_known)]
    ends = np.concatenate(([0], np.cumsum([len(own) for own in words_of])))
    placed = np.concatenate(words_of).astype(np.int32)
    own = Salient(ends.astype(np.int64), placed, np.zeros(len(placed)))
    indptr = np.concatenate(([0], np.cumsum(size)))
    states = given_topics(data, indptr, topic, alpha)
    both = Parameters(
        rearrange.stacked(own, free.salient), group_tasks.kept(data, states, workers)
    )
    used = np.flatnonzero(np.bincount(topic, minlength=both.n_topics))
    both = rearrange.renumber(data, both, used, workers)
    return _held(data, both, beliefs, workers)


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
        gains[g] = np.where((seen > expected) & (beliefs.topic_of < 0), gain, 0.0)
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
    """Hold the documents of known topics, and no others."""
    own = data.by_group(beliefs.topic_of >= 0)
    topics = workers.update(_hold, data.groups, parameters.topics, own=own)
    return parameters._replace(topics=topics)


def _hold(group: Documents, topics: DocState, workers: Engine, own: Bools) -> DocState:
    ends = np.cumsum([len(quiet) for quiet in topics.quiet])[:-1]
    quiet = [np.where(part, np.inf, -np.inf) for part in np.split(own, ends)]
    return topics._replace(quiet=quiet)


def measure(fitter: Fitter, fitted: em.Fit, beliefs: Beliefs) -> Costs:
    """What each belief costs: the gain of the flips that it forbids, one at a time."""
    data, workers = fitted.data, fitter.workers
    salient, topics = fitted.parameters
    _, census, expected = group_tasks.expected(
        group_tasks.recount, data, topics, workers, salient, data.n_words
    )
    n_switches = float(salient.n_topics * data.n_words)
    prior = fitter.prior(salient.n_topics)
    on, off = prior.flip_prices(float(salient.indptr[-1]), n_switches)
    common = 0.5 * np.log(census.tokens / TWO_PI)

    def flip(g: int, n: int) -> float:
        chosen = salient.word[salient.indptr[g] : salient.indptr[g + 1]]
        others = np.delete(np.arange(data.n_words, dtype=np.int32), n)
        price = common[g] + on, common[g] + off
        gain, _ = words.best_flip(g, expected, data.shared, chosen, others, *price)
        return float(gain) if np.isfinite(gain) else 0.0

    def of(held: Any) -> dict[int, Floats]:
        return {g: np.array([flip(g, int(n)) for n in own]) for g, own in held.items()}

    document = _document_costs(data, fitted.parameters, beliefs, workers)
    return Costs(of(beliefs.must), of(beliefs.may_not), document)


def _document_costs(
    data: Data, parameters: Parameters, beliefs: Beliefs, workers: Engine
) -> Floats:
    """(D,): by how much BIC would fall if each document were free."""
    salient, topics = parameters
    own = data.by_group(beliefs.topic_of >= 0)
    free = workers.update(_free, data.groups, topics, own=own)
    cost = prices(salient, count(data, parameters, workers))
    shared = (salient, word_major(salient, data.n_words), cost)
    return np.concatenate(workers.read(_gains, data.groups, free, *shared))


def _free(group: Documents, topics: DocState, workers: Engine, own: Bools) -> DocState:
    """Let documents that are held be visited, and no others."""
    ends = np.cumsum([len(quiet) for quiet in topics.quiet])[:-1]
    quiet = [np.where(part, -np.inf, np.inf) for part in np.split(own, ends)]
    return topics._replace(quiet=quiet)


def _gains(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    table: Table,
    cost: Prices,
) -> Floats:
    """What the visited documents would gain by other topics."""
    visited = group_tasks.visit(group, topics, workers, salient, table, cost, 0)
    changes, (proposals, _) = visited[0].changes, visited[1]
    out = [np.zeros(len(lengths)) for lengths in group.length]
    for gains, (doc, *_), proposed in zip(out, changes, proposals[0], strict=True):
        length, gain, before, old, after, new = proposed
        for i in range(len(doc)):
            topics_before = old[before[i] : before[i + 1]]
            topics_after = new[after[i] : after[i + 1]]
            price = _price(topics_before, topics_after, float(length[i]), cost)
            gains[doc[i]] = float(gain[i]) - price
    return np.concatenate(out)


def _price(old: Ints, new: Ints, length: float, cost: Prices) -> float:
    """Cost of other topics in a document (dcostv), with the others as they are."""
    gone, come = np.setdiff1d(old, new), np.setdiff1d(new, old)
    price = 0.5 * (len(new) - len(old)) * np.log(length / TWO_PI)
    price += cost.log_choose[len(new)] - cost.log_choose[len(old)]
    price += cost.half_salient[come] @ np.log1p(length / cost.tokens[come])
    saved = np.log(cost.tokens[gone] / (cost.tokens[gone] - length))
    return float(price - cost.half_salient[gone] @ saved)


def _rows(
    beliefs: Beliefs, costs: Costs, vocabulary: list[str]
) -> list[dict[str, Any]]:
    """A row for each belief, the dearest first."""
    rows = [
        _row(beliefs.names[g], kind, vocabulary[n], nats)
        for kind, held, found in (
            ("word", beliefs.must, costs.must),
            ("not word", beliefs.may_not, costs.may_not),
        )
        for g, own in held.items()
        for n, nats in zip(own, found[g], strict=True)
    ]
    rows += [
        _row(beliefs.names[beliefs.topic_of[d]], "document", int(row), nats)
        for d, (row, nats) in enumerate(zip(beliefs.rows, costs.document, strict=True))
        if beliefs.topic_of[d] >= 0
    ]
    return sorted(rows, key=lambda row: -float(row["nats"]))


def _row(name: str, kind: str, what: str | int, nats: float) -> dict[str, Any]:
    row = {"topic": name, "belief": kind, "what": what, "nats": float(nats)}
    return {**row, "held": True}


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
    )
