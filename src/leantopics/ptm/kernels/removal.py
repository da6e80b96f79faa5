"""What documents lose if one of their topics is removed."""

import math

import cython
import numpy as np

from leantopics._arrays import Counts, Floats, Ints
from leantopics.ptm.kernels.arrays import DocTopics, Table
from leantopics.ptm.kernels.ratios import Document, read
from leantopics.ptm.kernels.views import CountsView, MixesView, TableView, largest


def losses(
    counts: Counts,
    mixes: DocTopics,
    table: Table,
    log_ratio: Floats,
    log_choose: Floats,
    gain: Floats,
    loss: Floats,
    heir: Ints,
) -> None:
    """Estimate how much a document's share of BIC rises without each of its topics.

    A document with the topic keeps its other topics, rescaled, or moves to the most
    likely single topic, whichever costs less; nothing else is fitted again.
    ``log_ratio`` is log(1 + excess) of the table; gain (D,) is the current
    log-likelihood relative to the shared model. Cost: the salient entries of all words,
    once, and once more for every topic of documents with several.
    Writes: for each entry of mixes the loss, and the heir: the topic that gets most of
    its words.
    """
    documents, n_topics = CountsView(counts), len(log_choose) - 1
    _losses(
        documents,
        MixesView(mixes),
        TableView(table),
        log_ratio,
        log_choose,
        gain,
        Document(),
        np.zeros(n_topics),
        np.zeros(n_topics),
        loss,
        heir,
    )


def _losses(
    counts: CountsView,
    mixes: MixesView,
    table: TableView,
    log_ratio: Floats,
    log_choose: Floats,
    gain: Floats,
    doc: Document,
    score: Floats,
    weight: Floats,
    loss: Floats,
    heir: Ints,
) -> None:
    """See `losses`; score (M,) is scratch, and weight (M,) all zero."""
    n_topics = score.shape[0]
    with cython.nogil:
        for d in range(gain.shape[0]):
            read(counts, d, doc)
            _score(doc, table, log_ratio, score)
            first, second = 0, -1
            for k in range(1, n_topics):
                if score[k] > score[first]:
                    first, second = k, first
                elif second < 0 or score[k] > score[second]:
                    second = k
            low, high = mixes.indptr[d], mixes.indptr[d + 1]
            m = high - low
            for entry in range(low, high):
                j = mixes.topic[entry]
                other = second if first == j else first
                refund = (m - 1) * doc.own_price + log_choose[m] - log_choose[1]
                loss[entry], heir[entry] = gain[d] - score[other] - refund, other
                rest = 1.0 - mixes.alpha[entry]
                if m > 1 and rest > 0.0:
                    for e in range(low, high):
                        weight[mixes.topic[e]] = mixes.alpha[e] / rest
                    weight[j] = 0.0
                    f = _log_likelihood(doc, table, weight)
                    refund = doc.own_price + log_choose[m] - log_choose[m - 1]
                    if gain[d] - f - refund < loss[entry]:
                        loss[entry] = gain[d] - f - refund
                        heir[entry] = largest(weight, n_topics)
                    for e in range(low, high):
                        weight[mixes.topic[e]] = 0.0


def _score(doc: Document, table: TableView, log_ratio: Floats, score: Floats) -> None:
    """Log-likelihood of a document in each topic alone. Writes: score (M,)."""
    for k in range(score.shape[0]):
        score[k] = 0.0
    for i in range(doc.words.shape[0]):
        n = doc.words[i]
        for e in range(table.indptr[n], table.indptr[n + 1]):
            score[table.topic[e]] += doc.counts[i] * log_ratio[e]


def _log_likelihood(doc: Document, table: TableView, weight: Floats) -> float:
    """``sum_n c_n log(1 + sum_k weight_k excess_kn)``; the weights sum to one."""
    value = 0.0
    for i in range(doc.words.shape[0]):
        n, q = doc.words[i], 1.0
        for e in range(table.indptr[n], table.indptr[n + 1]):
            q += weight[table.topic[e]] * table.excess[e]
        value += doc.counts[i] * math.log(max(q, 1e-12))
    return value
