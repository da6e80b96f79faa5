"""What documents lose if one of their topics is removed."""

import math

import numpy as np

from leantopics._arrays import Counts, Floats, Ints
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import DocTopics, Table, largest
from leantopics.ptm.kernels.ratios import document


@kernel
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
    n_topics = log_choose.shape[0] - 1
    score, weight = np.zeros(n_topics), np.zeros(n_topics)
    for d in range(counts.indptr.shape[0] - 1):
        doc = document(counts, d)
        for k in range(n_topics):
            score[k] = 0.0
        for i in range(doc.words.shape[0]):
            n = doc.words[i]
            for e in range(table.indptr[n], table.indptr[n + 1]):
                score[table.topic[e]] += doc.counts[i] * log_ratio[e]
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
                f = _log_likelihood(doc.words, doc.counts, table, weight)
                refund = doc.own_price + log_choose[m] - log_choose[m - 1]
                if gain[d] - f - refund < loss[entry]:
                    loss[entry] = gain[d] - f - refund
                    heir[entry] = largest(weight, n_topics)
                for e in range(low, high):
                    weight[mixes.topic[e]] = 0.0


@kernel
def _log_likelihood(words: Ints, data: Floats, table: Table, weight: Floats) -> float:
    """``sum_n c_n log(1 + sum_k weight_k excess_kn)``; the weights sum to one."""
    value = 0.0
    for i in range(words.shape[0]):
        q = 1.0
        for e in range(table.indptr[words[i]], table.indptr[words[i] + 1]):
            q += weight[table.topic[e]] * table.excess[e]
        value += data[i] * math.log(max(q, 1e-12))
    return value
