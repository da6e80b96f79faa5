"""Topics of new documents, given a fitted word model."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Counts, Floats
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
from leantopics.ptm.objective import TWO_PI, log_choose
from leantopics.ptm.receipts import Receipt, receipts
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.state import laid_out, single_topics, word_major

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

    size, gain = np.zeros(len(filled), dtype=np.int64), np.zeros(len(filled))
    if not filled.any():
        nothing = np.zeros(0)
        return Inferred(
            np.zeros(len(filled) + 1, dtype=np.int64), nothing, nothing, gain
        )
    found = workers.map(topics_of, cut_filled(counts, filled))
    size[filled] = np.concatenate([np.diff(mixes.indptr) for mixes, _ in found])
    gain[filled] = np.concatenate([part for _, part in found])
    return Inferred(
        np.concatenate(([0], np.cumsum(size))),
        np.concatenate([mixes.topic for mixes, _ in found]),
        np.concatenate([mixes.alpha for mixes, _ in found]),
        gain,
    )


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
    sizes = [len(shard.indptr) - 1 for shard in shards]
    alpha = [np.full((size, n_topics), 1.0 / n_topics) for size in sizes]
    values = [np.zeros(size) for size in sizes]

    def step(place: int) -> None:
        together.step(shards[place], model.by_word, alpha[place], values[place])

    base, reached = base_log_likelihood(counts, beta0), -np.inf
    while shards:
        workers.map(step, range(len(shards)))
        before, reached = reached, base + sum(float(part.sum()) for part in values)
        if reached - before < TOGETHER * abs(reached):
            break
    gain = np.zeros(len(filled))
    gain[filled] = np.concatenate([np.zeros(0), *values])
    size = np.where(filled, n_topics, 0)
    return Inferred(
        np.concatenate(([0], np.cumsum(size))),
        np.tile(np.arange(n_topics, dtype=np.int32), int(filled.sum())),
        np.concatenate([np.zeros(0), *(part.ravel() for part in alpha)]),
        gain,
    )


def gains(
    counts: sparse.csr_array, found: Inferred, model: Tables, workers: Engine
) -> Floats:
    """Log-likelihood of documents over that of the shared model, shape (D,)."""
    filled, n_words = np.diff(counts.indptr) > 0, counts.shape[1]
    shards, gain = cut_filled(counts, filled), np.zeros(len(filled))
    sizes = [len(shard.indptr) - 1 for shard in shards]
    mixes = laid_out(sizes, np.diff(found.indptr)[filled], found.topic, found.alpha)

    def of(task: tuple[Counts, DocTopics]) -> Floats:
        values = np.empty(len(task[0].indptr) - 1)
        statistics.expect(*task, model.salient, n_words, values)
        return values

    parts = workers.map(of, list(zip(shards, mixes, strict=True)))
    gain[filled] = np.concatenate([np.zeros(0), *parts])
    return gain


def base_log_likelihood(counts: sparse.csr_array, beta0: Floats) -> float:
    """Log-likelihood of documents under the shared model; all words must be known."""
    return float((counts.data * np.log(beta0[counts.indices])).sum())


class Explanation(NamedTuple):
    """What explains each distinct word of a document.

    ``topic`` is the topic with the largest share of the word among those for which the
    word pays, or -1 if the shared model has the largest; ``share`` is that share.
    """

    word: np.ndarray
    counts: Floats
    topic: np.ndarray
    share: Floats
    shared: Floats
    """Share of the shared model."""
    receipt: Receipt | None = None
    """What the document's part of BIC is made of, if asked for."""

    @property
    def shared_share(self) -> float:
        """Share of the document's words that the shared model explains."""
        if not len(self.shared):
            return 1.0
        share = float(self.counts @ self.shared / self.counts.sum())
        return min(share, 1.0)  # sums of fractions may round up


def explain(
    counts: sparse.csr_array,
    inferred: Inferred,
    snapshot: Snapshot,
    evidence: sparse.csr_array | None = None,
) -> list[Explanation]:
    """Posteriors (pz) of each word; those that do not pay go to the shared model.

    What topic j gains in a document is ``sum_n g_n`` over its salient words, with
    ``g_n = x_n log(1 + r_n) - x beta0_n r_n``, where x_n is the number of times that
    word n is expected to come from the topic, and ``x = alpha_j L_d`` that of all
    words. A word pays if the topic uses it more than the shared model (r_n > 0) and
    ``g_n`` exceeds ``x_n / x`` of the topic's price in the document.

    Parameters
    ----------
    counts : csr_array of shape (D, N)
        The documents.
    inferred : Inferred
        Their topics.
    snapshot : Snapshot
        The word model.
    evidence : csr_array of shape (D, N), optional
        The counts as evidence, with the same pattern; see `leantopics.ptm.evidence`.
    """
    excess = (1.0 - TRACE) * snapshot.excess
    switched = sparse.csr_array(
        (excess, snapshot.salient_word, snapshot.salient_indptr),
        shape=(snapshot.n_topics, counts.shape[1]),
    )
    prices = fresh_prices(snapshot)
    worth = counts.data if evidence is None else evidence.data
    out = []
    for d in range(counts.shape[0]):
        words = slice(counts.indptr[d], counts.indptr[d + 1])
        row = slice(inferred.indptr[d], inferred.indptr[d + 1])
        word, occurs = counts.indices[words], counts.data[words]
        topics = inferred.topic[row].astype(np.int64)
        none = np.zeros(0)
        found = Explanation(word, occurs, none, none, none)
        if len(topics) and len(word):
            alpha, r = inferred.alpha[row], switched[topics][:, word].toarray()
            part = alpha[:, None] * (1.0 + r)
            part /= part.sum(axis=0)
            length = float(worth[words].sum())
            expected = alpha[:, None] * length
            gain = worth[words] * part * np.log1p(r)
            gain -= expected * snapshot.beta0[word] * r
            price = _prices(topics, length, prices)[:, None] * worth[words] * part
            pays = (r > 0.0) & (gain * expected > price)
            found = _shared_out(found, topics, part, pays)
        out.append(found)
    return out


def _shared_out(
    unexplained: Explanation, topics: np.ndarray, part: Floats, pays: np.ndarray
) -> Explanation:
    """Explain words by posteriors ``part`` of topics, where these pay."""
    shared = np.where(pays, 0.0, part).sum(axis=0)
    own = np.where(pays, part, 0.0)
    best = own.argmax(axis=0)
    share = own[best, np.arange(part.shape[1])]
    from_topic = share > shared
    return unexplained._replace(
        topic=np.where(from_topic, topics[best], -1),
        share=np.where(from_topic, share, shared),
        shared=shared,
    )


def with_receipts(
    explained: list[Explanation],
    evidence: sparse.csr_array,
    shares: sparse.csr_array,
    snapshot: Snapshot,
) -> list[Explanation]:
    """Add to explanations what each document's part of BIC is made of."""
    arrays = (traced(snapshot).excess, snapshot.salient_word, snapshot.salient_indptr)
    excess = sparse.csr_array(arrays, shape=(snapshot.n_topics, evidence.shape[1]))
    found = receipts(evidence, shares, excess, snapshot.beta0, fresh_prices(snapshot))
    pairs = zip(explained, found, strict=True)
    return [each._replace(receipt=receipt) for each, receipt in pairs]


def _prices(topics: np.ndarray, length: float, prices: Prices) -> Floats:
    """Price of each topic of a document: its own, and an equal part of what they share.

    Its own is ``N_j / 2 log(1 + L_d / Lbar_j)``. All m share what it costs to say which
    they are, ``log C(M, m)``, and in which shares, ``(m - 1) / 2 log(L_d / 2 pi)``.
    """
    m = len(topics)
    own = prices.half_salient[topics] * np.log1p(length / prices.tokens[topics])
    common = prices.log_choose[m] + 0.5 * (m - 1) * np.log(length / TWO_PI)
    out: Floats = np.maximum(own + common / m, 0.0)
    return out
