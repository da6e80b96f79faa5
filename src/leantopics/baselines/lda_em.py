"""Variational EM of latent Dirichlet allocation at one number of topics."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import digamma, gammaln

from leantopics._arrays import Bools, Counts, Floats, Ints
from leantopics.baselines.dirichlet import newton, newton_equal
from leantopics.baselines.kernels import lda as kernels
from leantopics.baselines.kernels import lda_by_word
from leantopics.baselines.order import Iteration
from leantopics.engine.threads import Engine
from leantopics.models.shards import cut_shards

_WAVE = 16
"""Number of shards whose statistics are held at a time."""


class Shard(NamedTuple):
    """Some documents; their counts are indexed by the U words that occur in them."""

    words: Ints
    """(U,): numbers of these words in the dictionary."""
    counts: Counts

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.counts.indptr) - 1


class Words(NamedTuple):
    """The word model: N words by M topics, and its fixed parts.

    ``table`` holds beta, whose columns sum to one; with ``smoothing`` it holds the
    parameters lambda of the Dirichlet distribution of each topic.
    """

    table: Floats
    smoothing: float | None
    background: Floats | None
    """(N,): word probabilities of one more topic, which never changes."""


class Settings(NamedTuple):
    """When to stop, and whether eta is learned."""

    max_iter: int
    tol: float
    doc_max_iter: int
    doc_tol: float
    learn_eta: bool
    by_word: bool = False
    """Whether documents are updated one word after the other, and all eta are equal;
    ``doc_tol`` is then a share of the bound of a document."""


class Fit(NamedTuple):
    """A fit at one number of topics: its parameters with their gamma and mass (K,)."""

    words: Words
    eta: Floats
    gamma: list[Floats]
    mass: Floats
    history: list[Iteration]
    stop_reason: str


class Expected(NamedTuple):
    """The results of an E-step."""

    gamma: list[Floats]
    counts: Floats
    """(N, K): sums of c phi."""
    log_alpha: Floats
    """(K,): sums of E[log alpha]."""
    bound: float
    """The bound without the scales of the weights and the part of the topics."""


def cut(counts: sparse.csr_array) -> list[Shard]:
    """Cut the rows of a matrix into shards, each over its own words.

    Examples
    --------
    >>> shard, = cut(sparse.csr_array([[0.0, 2.0, 0.0, 1.0]]))
    >>> shard.words, shard.counts.indices
    (array([1, 3], dtype=int32), array([0, 1], dtype=int32))
    """
    shards = []
    for part in cut_shards(counts):
        words, local = np.unique(part.indices, return_inverse=True)
        shards.append(Shard(words, part._replace(indices=local.astype(np.int32))))
    return shards


def normalised(gamma: Floats) -> Floats:
    """``E[alpha]``: rows that sum to one.

    Examples
    --------
    >>> normalised(np.array([[3.0, 1.0]]))
    array([[0.75, 0.25]])
    """
    proportions: Floats = gamma / gamma.sum(axis=1, keepdims=True)
    return proportions


def word_weights(words: Words, *, scaled: bool = True) -> tuple[Floats, Floats]:
    """``exp(E[log beta])`` (N, K), scaled so that each word's largest is one.

    Also returns the logarithms of the scales. A word that no topic has, because it does
    not occur in training, has weights and scale 0. If not ``scaled``, scales are 0,
    and the words must have no smoothing.
    """
    table, background = words.table, words.background
    if words.smoothing is None:
        if background is not None:
            table = np.column_stack((table, background))
        if not scaled:
            return table, np.zeros(len(table))
        top = table.max(axis=1)
        known = top > 0.0
        weights = table / np.where(known, top, 1.0)[:, None]
        return weights, np.log(top, out=np.zeros_like(top), where=known)
    log_beta = digamma(table) - digamma(table.sum(axis=0))
    if background is not None:
        never = np.full(len(background), -np.inf)
        last = np.log(background, out=never, where=background > 0.0)
        log_beta = np.column_stack((log_beta, last))
    scale = log_beta.max(axis=1)
    return np.exp(log_beta - scale[:, None]), scale


def words_bound(words: Words) -> float:
    """``-KL(q(beta) | Dir(smoothing))``, the topics' part of the bound."""
    if words.smoothing is None:
        return 0.0
    n_words, n_topics = words.table.shape
    prior, total = words.smoothing, words.table.sum(axis=0)
    constant = gammaln(n_words * prior) - n_words * gammaln(prior)
    log_beta = digamma(words.table) - digamma(total)
    own = gammaln(words.table).sum() - gammaln(total).sum()
    change = np.einsum("nj,nj->", prior - words.table, log_beta)
    return float(n_topics * constant + own + change)


def infer(
    shards: Sequence[Shard],
    weights: Floats,
    eta: Floats,
    settings: Settings,
    workers: Engine,
) -> Floats:
    """Gamma (D, K) of documents for given topics."""
    steps = (settings.doc_max_iter, settings.doc_tol)
    infer = lda_by_word.infer if settings.by_word else kernels.infer

    def one(shard: Shard) -> Floats:
        gamma = np.empty((shard.n_docs, len(eta)))
        infer(shard.counts, weights[shard.words], eta, *steps, gamma)
        return gamma

    return np.concatenate(workers.map(one, shards))


def present(
    shards: Sequence[Shard], weights: Floats, gamma: list[Floats], workers: Engine
) -> Bools:
    """(D, K): topics that have the largest phi of at least one word of a document."""

    def one(place: int) -> Bools:
        shard, out = shards[place], np.zeros(gamma[place].shape, dtype=np.bool_)
        kernels.present(shard.counts, weights[shard.words], gamma[place], out)
        return out

    return np.concatenate(workers.map(one, range(len(shards))))


def e_step(
    shards: Sequence[Shard],
    weights: Floats,
    eta: Floats,
    settings: Settings,
    last: list[Floats] | None,
    workers: Engine,
) -> Expected:
    """Topics of all documents, found from scratch; a better ``last`` gamma is kept.

    Statistics are added in the order of the shards.
    """
    steps = (settings.doc_max_iter, settings.doc_tol)
    visit = lda_by_word.e_step if settings.by_word else kernels.e_step
    if last is None:
        gamma = [np.zeros((shard.n_docs, len(eta))) for shard in shards]
    else:
        gamma = [own.copy() for own in last]

    def one(place: int) -> tuple[Floats, Floats, float]:
        (words, counts), own = shards[place], gamma[place]
        local, log_alpha = np.ascontiguousarray(weights[words]), np.zeros(len(eta))
        statistics = np.zeros_like(local)
        bound = visit(counts, local, eta, *steps, own, statistics, log_alpha)
        return statistics, log_alpha, bound

    counts, log_alpha, bound = np.zeros_like(weights), np.zeros(len(eta)), 0.0
    for first in range(0, len(shards), _WAVE):
        places = range(first, min(first + _WAVE, len(shards)))
        for place, found in zip(places, workers.map(one, places), strict=True):
            counts[shards[place].words] += found[0]
            log_alpha += found[1]
            bound += found[2]
    return Expected(gamma, counts, log_alpha, bound)


def m_step(words: Words, expected: Floats) -> Words:
    """Word model from expected counts; a topic without any is kept as it is."""
    own = expected[:, : words.table.shape[1]]
    if words.smoothing is not None:
        return words._replace(table=own + words.smoothing)
    total = own.sum(axis=0)
    table = np.divide(own, total, out=words.table.copy(), where=total > 0.0)
    return words._replace(table=table)


def fit(
    shards: Sequence[Shard],
    words: Words,
    eta: Floats,
    settings: Settings,
    workers: Engine,
    report: Callable[[Iteration], object] = lambda iteration: None,
) -> Fit:
    """Raise the bound until an iteration raises it by less than its ``tol`` share.

    Documents start from scratch in each E-step, which finds better optima than starting
    from their previous gamma. If the bound would fall, documents that were better
    before keep their gamma; word by word, a fall ends the fit. The parameters returned
    are those of the last E-step.
    """
    learn = newton_equal if settings.by_word else newton
    n_topics = words.table.shape[1]
    totals = np.zeros(len(words.table))
    for shard in shards:
        totals[shard.words] += np.bincount(shard.counts.indices, shard.counts.data)
    n_docs = sum(shard.n_docs for shard in shards)
    history: list[Iteration] = []
    found, bound = None, -np.inf
    stop_reason, start = "", time.perf_counter()
    while True:
        last, before = found, bound
        weights, scale = word_weights(words, scaled=not settings.by_word)
        rest = float((totals * scale).sum()) + words_bound(words)
        found = e_step(shards, weights, eta, settings, None, workers)
        fell = last is not None and found.bound + rest < before
        if last is not None and fell and not settings.by_word:
            found = e_step(shards, weights, eta, settings, last.gamma, workers)
        bound = found.bound + rest
        spent = time.perf_counter() - start
        history.append(Iteration(n_topics, len(history) + 1, bound, spent))
        if report(history[-1]) is True:
            stop_reason = "callback"
        elif bound - before <= settings.tol * abs(bound):
            stop_reason = "converged"
        elif len(history) >= settings.max_iter:
            stop_reason = "max_iter"
        if stop_reason:
            mass = found.counts.sum(axis=0)
            return Fit(words, eta, found.gamma, mass, history, stop_reason)
        words = m_step(words, found.counts)
        if settings.learn_eta:
            eta = learn(eta, found.log_alpha / n_docs)
