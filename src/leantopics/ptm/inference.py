"""Topics of new documents, given a fitted word model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Bools, Counts, Floats
from leantopics.engine.threads import Engine
from leantopics.models.shards import cut_filled
from leantopics.ptm.kernels import (
    assignments,
    documents,
    inference,
    statistics,
    together,
)
from leantopics.ptm.kernels.arrays import DocTopics, Prices, Salient, Table
from leantopics.ptm.moves.rearrange import TRACE
from leantopics.ptm.objective import log_choose
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.state import end_to_end, laid_out, single_topics, word_major

TOGETHER = 1e-4
"""A step that raises the log-likelihood by less than this share of it is the last."""


class Inferred(NamedTuple):
    """Topics of new documents; documents without a known word have none."""

    indptr: np.ndarray
    topic: np.ndarray
    alpha: Floats
    gain: Floats
    """Log-likelihood over that of the shared model."""


def traced(snapshot: Snapshot) -> Salient:
    """Salient words, with a trace of the shared model in every topic.

    A word salient by absence has probability 0 in training. In a new document it would
    exclude the topic, so topics become ``(1 - TRACE) beta + TRACE beta0``.
    """
    excess = (1.0 - TRACE) * snapshot.excess
    return Salient(snapshot.salient_indptr, snapshot.salient_word, excess)


def fresh_prices(snapshot: Snapshot) -> Prices:
    """Prices of topics in a document that was not part of the fit."""
    return Prices(
        log_choose(snapshot.n_topics),
        0.5 * np.diff(snapshot.salient_indptr),
        snapshot.tokens,
        snapshot.documents,
    )


class Tables(NamedTuple):
    """The word model and the prices used for new documents."""

    salient: Salient
    by_word: Table
    log_ratio: Floats
    """Logarithms of the ratios of ``by_word``."""
    prices: Prices


def tables(snapshot: Snapshot) -> Tables:
    """Arrange a fitted model for new documents."""
    salient = traced(snapshot)
    by_word = word_major(salient, len(snapshot.beta0))
    log_ratio = np.log1p(by_word.excess)
    return Tables(salient, by_word, log_ratio, fresh_prices(snapshot))


def infer(
    counts: sparse.csr_array,
    model: Tables,
    *,
    sparse_topics: bool,
    workers: Engine,
) -> Inferred:
    """Topics and proportions of documents, each on its own.

    With ``sparse_topics``, each document starts from its best single topic, and
    switches are flipped as in the fit until no flip lowers its share of BIC. Otherwise
    all topics are allowed, with maximum-likelihood proportions, as in the paper's
    experiments.
    """
    filled, n_words = np.diff(counts.indptr) > 0, counts.shape[1]

    def topics_of(shard: Counts) -> tuple[DocTopics, Floats]:
        best = np.full(len(shard.indptr) - 1, -1, dtype=np.int32)
        table, log_ratio = model.by_word, model.log_ratio
        assignments.best_topics(shard, table, log_ratio, model.prices, best)
        if sparse_topics:
            return _switched(shard, best, model, n_words)
        gain = np.empty(len(best))
        scratch = inference.scratch(shard, model.salient.n_topics, n_words)
        found = inference.spread(shard, best, model.salient, table, gain, scratch)
        return DocTopics(*found), gain

    found = workers.map(topics_of, cut_filled(counts, filled))
    return inferred(filled, [mixes for mixes, _ in found], [gain for _, gain in found])


def inferred(
    filled: Bools, mixes: Sequence[DocTopics], gains: Sequence[Floats]
) -> Inferred:
    """Put together the topics and gains of the documents with words, by shard."""
    known = end_to_end(mixes)
    size, gain = np.zeros(len(filled), dtype=np.int64), np.zeros(len(filled))
    size[filled] = np.diff(known.indptr)
    gain[filled] = np.concatenate([np.zeros(0), *gains])
    indptr = np.concatenate(([0], np.cumsum(size)))
    return Inferred(indptr, known.topic, known.alpha, gain)


def _switched(
    shard: Counts, best: np.ndarray, model: Tables, n_words: int
) -> tuple[DocTopics, Floats]:
    """Flip switches of documents, from their best topics, until no flip pays."""
    salient, table, _, prices = model
    mixes, tallies = single_topics(best), np.zeros(4, dtype=np.int64)
    gain, quiet = np.zeros(len(best)), np.full(len(best), -np.inf)
    while True:
        scratch = documents.scratch(shard, mixes, salient.n_topics, n_words)
        changes = documents.visit(
            shard, mixes, salient, table, prices, True, gain, quiet, tallies, scratch
        )
        if len(changes[0]) == 0:
            return mixes, gain
        accepted = np.ones(len(changes[0]), dtype=np.bool_)
        mixes = DocTopics(*assignments.replace(mixes, changes, accepted))


def infer_together(
    counts: sparse.csr_array, model: Tables, beta0: Floats, workers: Engine
) -> Inferred:
    """Proportions of all topics as the authors' program has them for test documents.

    All documents take steps of EM (label alphaupdate) from equal proportions, until a
    step raises the log-likelihood of all of them together by less than the share
    `TOGETHER` of it. Proportions are not at their optimum then, and those of a document
    depend on the others.
    """
    filled, n_topics = np.diff(counts.indptr) > 0, model.salient.n_topics
    shards = cut_filled(counts, filled)
    mixes = [all_topics(len(shard.indptr) - 1, n_topics) for shard in shards]
    values = [np.zeros(len(shard.indptr) - 1) for shard in shards]

    def step(place: int) -> None:
        alpha = mixes[place].alpha.reshape(-1, n_topics)
        together.step(shards[place], model.by_word, alpha, values[place])

    base, reached = base_log_likelihood(counts, beta0), -np.inf
    while shards:
        workers.map(step, range(len(shards)))
        before, reached = reached, base + sum(float(part.sum()) for part in values)
        if reached - before < TOGETHER * abs(reached):
            break
    return inferred(filled, mixes, values)


def all_topics(n_docs: int, n_topics: int) -> DocTopics:
    """Every topic in every document, with equal proportions."""
    return DocTopics(
        np.arange(n_docs + 1, dtype=np.int64) * n_topics,
        np.tile(np.arange(n_topics, dtype=np.int32), n_docs),
        np.full(n_docs * n_topics, 1.0 / n_topics),
    )


def with_gains(
    counts: sparse.csr_array, found: Inferred, model: Tables, workers: Engine
) -> Inferred:
    """The same topics, with their gains in documents of these counts."""
    filled, n_words = np.diff(counts.indptr) > 0, counts.shape[1]
    shards = cut_filled(counts, filled)
    sizes = [len(shard.indptr) - 1 for shard in shards]
    mixes = laid_out(sizes, np.diff(found.indptr)[filled], found.topic, found.alpha)

    def gain_of(task: tuple[Counts, DocTopics]) -> Floats:
        values = np.empty(len(task[0].indptr) - 1)
        statistics.expect(*task, model.salient, n_words, values)
        return values

    gains = workers.map(gain_of, list(zip(shards, mixes, strict=True)))
    return inferred(filled, mixes, gains)


def base_log_likelihood(counts: sparse.csr_array, beta0: Floats) -> float:
    """Log-likelihood of documents under the shared model; all words must be known."""
    return float((counts.data * np.log(beta0[counts.indices])).sum())
