"""Growing the topic that some documents of a batch share beyond those of the model.

Everything that the model knows is frozen. A new topic pays for itself: with k of N
words, over g of D documents with Lbar words in all, it is worth

    sum over its documents of what each gains
    - log C(D, g) - log D - log C(N, k) - log N - k / 2 log(Lbar / 2 pi)

nats, the latter being what it takes to say which documents and which words they are,
and how probable the words. It is there if that is positive. As a document alone makes
no topic, none counts for more than the third best (with ``least=3``).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from leantopics._arrays import Bools, Floats, Longs
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.watch.batch import Batch, entries_of, sums
from leantopics.ptm.watch.words import (
    TOLERANCE,
    Topic,
    best_words,
    log_binomial,
    price_of_words,
)

_SEEDS = 8
"""Documents that a topic is grown from; the best is kept."""
_SIZES, _CLIMBS = (2, 4, 8, 16, 32), (4, 8, 16, 32)
"""So many documents near a seed are taken together; at some sizes prices decide."""
_PRIOR = 50.0
"""Words of the shared model that are added to those of these documents."""
_STEPS = 8


class Grown(NamedTuple):
    """A new topic and its documents, best first."""

    nats: float
    docs: Longs
    gain: Floats
    """Nats that each document gains."""
    share: Floats
    """Proportion of the topic in each document."""
    topic: Topic


class Offers(NamedTuple):
    """What documents would gain from a topic."""

    docs: Longs
    gain: Floats
    share: Floats


def grow(batch: Batch, free: Bools, least: int) -> Grown | None:
    """Grow the topic that pays most, among documents that are free.

    Parameters
    ----------
    batch : Batch
        The documents.
    free : array of bool, shape (D,)
        Documents that may have the topic.
    least : int
        Least number of documents of a topic.

    Returns
    -------
    Grown or None
        It may not pay; None if no topic has enough documents.
    """
    best = None
    for seed in _seeds(batch, free):
        for docs, x in _neighbourhoods(batch, seed, free):
            best = _better(best, _climb(batch, x, docs, free, least))
    while best is not None:
        x = expected(batch, best.topic, best.docs, best.share)
        docs, x = _nearest(batch, x, best.docs[:1], 2 * len(best.docs), free)
        wider = _better(best, _climb(batch, x, docs, free, least))
        if wider is best:
            break
        best = wider
    return best


def _better(one: Grown | None, other: Grown | None) -> Grown | None:
    """The one that is worth more; the first, if they are worth the same."""
    if one is None or (other is not None and other.nats > one.nats + TOLERANCE):
        return other
    return one


def offers(batch: Batch, topic: Topic, free: Bools) -> Offers:
    """What each free document with a word of a topic would gain from it.

    A document may leave its topics for the new one, or take it in addition, in the
    proportion t that is best if its other topics keep theirs to each other:
    ``max_t sum_n c_n log(1 + t (rho_n / q_n - 1))``, less the price of a proportion.
    """
    words = np.flatnonzero(topic.log_ratio > 0.0)
    has = np.zeros(batch.n_docs, dtype=np.bool_)
    has[batch.by_word.indices[entries_of(batch.by_word.indptr, words)[0]]] = True
    docs = np.flatnonzero(has & free)
    entries, place = entries_of(batch.counts.indptr, docs)
    counts, n = batch.counts.data[entries], len(docs)
    log_rho = topic.log_ratio[batch.counts.indices[entries]]
    alone = batch.leaves[docs] + sums(place, counts * log_rho, n)
    over = np.expm1(log_rho - batch.log_q[entries])
    added, share = np.full(n, -np.inf), np.ones(n)
    rises = sums(place, counts * over, n) > 0.0
    kept = rises[place]
    gain, share[rises] = _best_share(
        counts[kept], over[kept], (np.cumsum(rises) - 1)[place[kept]], int(rises.sum())
    )
    added[rises] = gain - batch.one_more[docs[rises]]
    is_alone = alone >= added
    return Offers(
        docs, np.where(is_alone, alone, added), np.where(is_alone, 1.0, share)
    )


def _best_share(
    counts: Floats, over: Floats, place: Longs, n: int
) -> tuple[Floats, Floats]:
    """The largest ``sum_n c_n log(1 + t over_n)`` of each document, and its t.

    The sum is concave and rises at t = 0: Newton steps inside a bracket of its slope.
    """
    low, high = np.zeros(n), np.ones(n)
    share = np.full(n, 0.2)
    for _ in range(_STEPS):
        term = over / (1.0 + share[place] * over)
        slope = sums(place, counts * term, n)
        bend = sums(place, counts * term * term, n)
        rises = slope > 0.0
        low, high = np.where(rises, share, low), np.where(rises, high, share)
        step = share + slope / np.maximum(bend, 1e-300)
        inside = (step > low) & (step < high)
        share = np.where(inside, step, 0.5 * (low + high))
    gain = sums(place, counts * np.log1p(share[place] * over), n)
    return gain, share


def expected(batch: Batch, topic: Topic, docs: Longs, share: Floats) -> Floats:
    """(N,): how often each word of documents is expected to come from a topic."""
    entries, place = entries_of(batch.counts.indptr, docs)
    word, t = batch.counts.indices[entries], share[place]
    ratio = np.exp(topic.log_ratio[word] - batch.log_q[entries])
    posterior = t * ratio / (1.0 - t + t * ratio)
    return sums(word, batch.counts.data[entries] * posterior, len(batch.beta0))


def _climb(
    batch: Batch, x: Floats, docs: Longs, free: Bools, least: int
) -> Grown | None:
    """Settle words and documents by their prices in turns, while the topic gains."""
    best, n_free = None, int(free.sum())
    while True:
        topic = best_words(x, batch.beta0, float(batch.length[docs].sum()))
        found = _best_documents(batch, topic, offers(batch, topic, free), n_free, least)
        if found is None or (best and found.nats <= best.nats + TOLERANCE):
            return best
        best, docs = found, found.docs
        x = expected(batch, topic, docs, found.share)


def _best_documents(
    batch: Batch, topic: Topic, offered: Offers, n_free: int, least: int
) -> Grown | None:
    """Choose the documents of a topic: those that gain most, while that pays.

    None counts for more than the ``least``-th best, so that few cannot make a topic.
    """
    order = np.argsort(-offered.gain, kind="stable")
    order = order[: max(least, int((offered.gain > 0.0).sum()))]
    if len(order) < least:
        return None
    docs, gain = offered.docs[order], offered.gain[order]
    size = np.arange(1.0, len(order) + 1.0)
    tokens = np.log(np.maximum(np.cumsum(batch.length[docs]) / TWO_PI, 1.0))
    counted = np.minimum(gain, gain[least - 1])
    value = np.cumsum(counted) - log_binomial(n_free, size)
    value -= 0.5 * topic.n_salient * tokens
    n = least + int(value[least - 1 :].argmax())
    words = float(price_of_words(topic.n_salient, len(batch.beta0), TWO_PI))
    nats = float(value[n - 1]) - float(np.log(n_free)) - words
    return Grown(nats, docs[:n], gain[:n], offered.share[order[:n]], topic)


def _seeds(batch: Batch, free: Bools) -> Iterator[int]:
    """Yield documents with many of the words that the batch has more often.

    A word weighs log(O / E) if it occurs O times where the model expects E. Each seed
    takes its words away from the next ones.
    """
    counts, indptr = batch.counts, batch.counts.indptr
    length = np.where(free, batch.length, 0.0)
    row = np.repeat(np.arange(batch.n_docs), np.diff(indptr))
    seen = sums(counts.indices, counts.data * free[row], len(batch.beta0))
    ratio = float(length.sum()) + (length @ batch.mixes) @ batch.excess
    mean = np.maximum(batch.beta0 * ratio, np.finfo(np.float64).tiny)
    excess = np.log(np.maximum(seen, 1e-300) / mean)
    weight = np.where(seen * excess - seen + mean > 6.0, np.maximum(excess, 0.0), 0.0)
    for _ in range(_SEEDS):
        score = np.where(free, counts @ weight, 0.0)
        seed = int(score.argmax())
        if score[seed] <= 0.0:
            return
        yield seed
        weight[counts.indices[indptr[seed] : indptr[seed + 1]]] = 0.0


def _neighbourhoods(
    batch: Batch, seed: int, free: Bools
) -> Iterator[tuple[Longs, Floats]]:
    """Yield more and more documents near a seed, with the expected counts of a topic.

    The words of the seed that its own topics explain count for less.
    """
    docs, x = np.array([seed]), np.zeros(len(batch.beta0))
    entries, _ = entries_of(batch.counts.indptr, docs)
    unexplained = np.exp(-np.maximum(batch.log_q[entries], 0.0))
    x[batch.counts.indices[entries]] = batch.counts.data[entries] * unexplained
    for size in _SIZES:
        near, x = _nearest(batch, x, docs, size, free)
        if size in _CLIMBS:
            yield near, x


def _nearest(
    batch: Batch, x: Floats, kept: Longs, size: int, free: Bools
) -> tuple[Longs, Floats]:
    """Documents that gain most from all words of x, some kept, and their counts of it.

    The topic has probabilities ``(x_n + 50 beta0_n) / (sum_n x_n + 50)``, so a word of
    a single document does not weigh too much.
    """
    log_ratio, has = np.zeros(len(x)), np.flatnonzero(x)
    smooth = (x[has] / batch.beta0[has] + _PRIOR) / (x.sum() + _PRIOR)
    log_ratio[has] = np.maximum(np.log(smooth), 0.0)
    topic = Topic(log_ratio, 0, log_ratio)
    near, gain, share = offers(batch, topic, free)
    gain = np.where(np.isin(near, kept), np.inf, gain)
    order = np.argsort(-gain, kind="stable")[:size]
    docs = near[order]
    return docs, expected(batch, topic, docs, np.maximum(share[order], 0.1))
