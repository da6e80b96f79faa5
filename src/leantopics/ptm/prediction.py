"""The shrunk model, which predicts words; the switched model is for reading.

In the switched model, a word that is not salient has its shared probability, whatever
its count. To predict, the expected counts x of the same fit are shrunk towards the word
frequencies beta0 of the corpus instead:

    beta~[j, n] = (x[j, n] + tau beta0[n]) / (X_j + tau),     X_j = sum_n x[j, n],

the mean of the posterior under the prior Dirichlet(tau beta0) on the words of each
topic. The proportions of new documents have the prior Dirichlet(1 + a); their posterior
mode is used. Both tau and a maximise the probability of the training counts with the
distributions integrated out, so there is nothing to tune.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import digamma

from leantopics._arrays import Bools, Counts, Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.models.shards import cut_filled
from leantopics.ptm.expected_counts import compact
from leantopics.ptm.group_tasks import expect, expected, relax
from leantopics.ptm.inference import Inferred, all_topics, inferred
from leantopics.ptm.kernels import prediction
from leantopics.ptm.kernels.arrays import (
    DocTopics,
    Salient,
    Statistics,
    Table,
)
from leantopics.ptm.moves.rearrange import topic_words
from leantopics.ptm.state import (
    Data,
    DocState,
    Documents,
    Parameters,
    laid_out,
    row_sums,
    transposed,
)

_LEAST, _MOST = 1e-3, 1e4
"""Bounds of tau, the second one per word of the corpus. At the first, the shared model
does not matter; at the second, no topic has words of its own."""


class Shrunk(NamedTuple):
    """A fitted model as a predictor: only entries with counts are stored."""

    shrunk_indptr: Longs
    shrunk_word: Ints
    shrunk_x: Floats
    """Expected counts x[j, n] of the words ``shrunk_word`` of each topic."""
    shrunk_strength: Floats
    """(1,): tau."""
    shrunk_prior: Floats
    """(M,): a."""


def learn(
    data: Data, parameters: Parameters, workers: Engine, passes: int = 0
) -> Shrunk:
    """Shrink a fitted model, given the documents of the fit.

    In as many EM ``passes`` the shrunk model, not the switched one, then assigns the
    words of a document to its topics.
    """
    shared = (parameters.salient, data.n_words, True)
    topics, _, counts = expected(expect, data, parameters.topics, workers, *shared)
    prior = topic_prior(data, topics, parameters.n_topics, workers)
    shrunk = _shrink(counts, data.frequency, prior)
    for _ in range(passes):
        table, base = ratios(shrunk, data.frequency)
        topics, _, counts = expected(relax, data, topics, workers, table, base, prior)
        shrunk = _shrink(counts, data.frequency, prior)
    return shrunk


def _shrink(counts: Statistics, beta0: Floats, prior: Floats) -> Shrunk:
    indptr, _, word, x = compact(counts)
    tau = strength(indptr, x, beta0[word])
    return Shrunk(indptr, word, x, np.array([tau]), prior)


def strength(indptr: Longs, x: Floats, beta0: Floats) -> float:
    """The tau with the largest evidence for the expected counts of all topics.

    sum_jn log G(x + tau beta0) - log G(tau beta0) + sum_j log G(tau) - log G(X_j + tau)

    has its slope in tau set to zero; G is the gamma function. All counts x, with topics
    as rows, are positive; ``beta0`` has the shared probability of the word of each.

    Examples
    --------
    Topics that use words just as the shared model does shrink to it entirely; topics
    that have nothing in common with it do not shrink at all.

    >>> shared, rows = np.array([0.5, 0.5]), np.array([0, 2])
    >>> round(strength(rows, np.array([50.0, 50.0]), shared))
    1000000
    >>> strength(np.array([0, 1, 2]), np.array([1e4, 1e4]), shared) < 1
    True
    """
    mass = row_sums(indptr, x)

    def slope(log_tau: float) -> float:
        tau = np.exp(log_tau)
        seen = beta0 * (digamma(x + tau * beta0) - digamma(tau * beta0))
        return float(seen.sum() - (digamma(mass + tau) - digamma(tau)).sum())

    low, high = np.log(_LEAST), np.log(_MOST * mass.sum())
    if slope(high) >= 0.0:
        return float(np.exp(high))
    if slope(low) <= 0.0:
        return _LEAST
    return float(np.exp(brentq(slope, low, high, xtol=1e-4)))


def topic_prior(
    data: Data, topics: list[Any], n_topics: int, workers: Engine
) -> Floats:
    """The prior a (M,) with the largest evidence for the topics of the documents.

    With L_d alpha[d, j] words of topic j in document d, by Minka's fixed point.
    """
    found = workers.read(_words, data.groups, topics)
    topic, words, length = (np.concatenate(each) for each in zip(*found, strict=True))
    prior = np.full(n_topics, 1.0 / n_topics)
    for _ in range(100):
        total = prior.sum()
        gained = digamma(words + prior[topic]) - digamma(prior[topic])
        spent = (digamma(length + total) - digamma(total)).sum()
        new = prior * np.bincount(topic, gained, minlength=n_topics) / spent
        new = np.maximum(new, 1e-6)
        moved = np.abs(new - prior).sum()
        prior = new
        if moved <= 1e-4 * total:
            break
    return prior


def _words(
    group: Documents, topics: DocState, workers: Engine
) -> tuple[Ints, Floats, Floats]:
    """Topics of documents, with their words, and the lengths of the documents."""
    topic = np.concatenate([mix.topic for mix in topics.mixes])
    words, length = topic_words(group, topics), np.concatenate(group.length)
    return topic, words, length


def ratios(shrunk: Shrunk, beta0: Floats) -> tuple[Table, Floats]:
    """``beta~ / beta0``: a base of each topic (M,), and the excess of words over it."""
    size = np.diff(shrunk.shrunk_indptr)
    tau, x, word = shrunk.shrunk_strength[0], shrunk.shrunk_x, shrunk.shrunk_word
    whole = row_sums(shrunk.shrunk_indptr, x) + tau
    excess = x / (np.repeat(whole, size) * beta0[word])
    extra = Salient(shrunk.shrunk_indptr, word, excess)
    return transposed(extra, len(beta0)), tau / whole


def components(shrunk: Shrunk, beta0: Floats) -> Floats:
    """(M, N), dense: beta~; rows sum to one."""
    tau = shrunk.shrunk_strength[0]
    out: Floats = np.tile(tau * beta0, (len(shrunk.shrunk_prior), 1))
    topic = np.repeat(np.arange(len(out)), np.diff(shrunk.shrunk_indptr))
    out[topic, shrunk.shrunk_word] += shrunk.shrunk_x
    out /= out.sum(axis=1, keepdims=True)
    return out


class Tables(NamedTuple):
    """The shrunk model in the form used for new documents."""

    by_word: Table
    base: Floats
    """(M,): the part that is the same for every word; see `ratios`."""
    prior: Floats


def tables(shrunk: Shrunk, beta0: Floats) -> Tables:
    """Arrange a shrunk model for new documents."""
    return Tables(*ratios(shrunk, beta0), shrunk.shrunk_prior)


def infer(
    counts: sparse.csr_array, model: Tables, few: Inferred | None, workers: Engine
) -> Inferred:
    """Proportions of documents, each on its own, by the shrunk model.

    All topics are allowed, or only the ``few`` that the switched model found.
    """
    table, base, prior = model
    filled, n_topics = np.diff(counts.indptr) > 0, len(base)
    shards = cut_filled(counts, filled)
    n_docs = [len(shard.indptr) - 1 for shard in shards]
    if few is None:
        mixes = [all_topics(n, n_topics) for n in n_docs]
    else:
        mixes = _used(few, filled, n_docs)

    def spread(task: tuple[Counts, DocTopics]) -> Floats:
        shard, mix = task
        values = np.empty(len(shard.indptr) - 1)
        prediction.posterior(shard, mix, table, base, prior, values, np.empty(0))
        return values

    gains = workers.map(spread, list(zip(shards, mixes, strict=True)))
    return inferred(filled, mixes, gains)


def _used(few: Inferred, filled: Bools, n_docs: list[int]) -> list[DocTopics]:
    """The topics found that have words, by shard, with equal proportions in a document.

    In a short document a topic without words may be present.
    """
    used = few.alpha > 1e-6
    size = np.diff(np.concatenate(([0], np.cumsum(used)))[few.indptr])[filled]
    topic = few.topic[used].astype(np.int32)
    return laid_out(n_docs, size, topic, 1.0 / np.repeat(size, size))
