"""Which topics a document has: first guesses, and changes applied in order."""

import math

import numpy as np

from leantopics._arrays import Bools, Counts, Floats, Ints, Longs
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import (
    Changes,
    DocTopics,
    Prices,
    Proposals,
    Table,
    copy,
    has,
    largest,
)
from leantopics.ptm.kernels.bounds import presence_cost
from leantopics.ptm.kernels.ratios import document


@kernel
def best_topics(
    counts: Counts, table: Table, log_ratio: Floats, prices: Prices, out: Ints
) -> None:
    """Best single topic of the documents with out < 0: log-likelihood minus cost.

    ``argmax_k sum_i c_i log(1 + r[k, i]) - cost_k(d)``, the lowest k among equals;
    log_ratio holds the logarithms of the table's entries. With half_salient = 0 the
    cost is zero: the maximum-likelihood decision rule of the paper's initialisation.
    Writes: out (D,). Cost: the salient entries of the words.
    """
    n_topics = prices.tokens.shape[0]
    score = np.zeros(n_topics)
    for d in range(counts.indptr.shape[0] - 1):
        if out[d] >= 0:
            continue
        doc = document(counts, d)
        for k in range(n_topics):
            score[k] = 0.0
            if prices.half_salient[k] > 0.0:
                score[k] = -presence_cost(prices, k, doc.length, False)
        for i in range(doc.words.shape[0]):
            n = doc.words[i]
            for e in range(table.indptr[n], table.indptr[n + 1]):
                score[table.topic[e]] += doc.counts[i] * log_ratio[e]
        out[d] = largest(score, n_topics)


@kernel
def change_cost(old: Ints, new: Ints, length: float, prices: Prices) -> float:
    """Cost of the topics ``new`` instead of ``old``: the sum of their (dcostv).

    Infinite if a topic would lose its last document.
    """
    before, after = len(old), len(new)
    cost = 0.5 * (after - before) * math.log(length / (2.0 * math.pi))
    cost += prices.log_choose[after] - prices.log_choose[before]
    for k in old:
        if not has(new, k):
            if prices.documents[k] == 1:
                return np.inf
            cost -= presence_cost(prices, k, length, True)
    for k in new:
        if not has(old, k):
            cost += presence_cost(prices, k, length, False)
    return float(cost)


@kernel
def propose(
    counts: Counts, mixes: DocTopics, log_likelihood: Floats, changes: Changes
) -> Proposals:
    """What `accept` needs from changes, without the documents."""
    changed, ends, new_topic, _, new_log_likelihood = changes
    n_changes = changed.shape[0]
    length, gain = np.empty(n_changes), np.empty(n_changes)
    indptr = np.zeros(n_changes + 1, np.int64)
    for i in range(n_changes):
        d = changed[i]
        indptr[i + 1] = indptr[i] + mixes.indptr[d + 1] - mixes.indptr[d]
    topic = np.empty(indptr[n_changes], np.int32)
    for i in range(n_changes):
        d = changed[i]
        length[i] = document(counts, d).length
        gain[i] = new_log_likelihood[i] - log_likelihood[d]
        old = mixes.topic[mixes.indptr[d] : mixes.indptr[d + 1]]
        copy(old, topic[indptr[i] :], old.shape[0])
    return length, gain, indptr, topic, ends, new_topic


@kernel
def accept(proposals: Proposals, prices: Prices, accepted: Bools) -> None:
    """Accept proposed changes one by one where they still lower BIC.

    Changes were found with Lbar frozen; here each is priced at the current Lbar. The
    first one always lowers BIC, so a pass with proposals makes progress.
    Writes: accepted (changes,), prices.tokens, prices.documents.
    """
    lengths, gains, old_indptr, old_topic, new_indptr, new_topic = proposals
    for i in range(lengths.shape[0]):
        length = lengths[i]
        old = old_topic[old_indptr[i] : old_indptr[i + 1]]
        new = new_topic[new_indptr[i] : new_indptr[i + 1]]
        accepted[i] = gains[i] > change_cost(old, new, length, prices)
        if accepted[i]:
            for k in old:
                prices.tokens[k] -= length
                prices.documents[k] -= 1
            for k in new:
                prices.tokens[k] += length
                prices.documents[k] += 1


@kernel
def replace(
    mixes: DocTopics, changes: Changes, accepted: Bools
) -> tuple[Longs, Ints, Floats]:
    """DocTopics (indptr, topic, alpha) with accepted changes in place."""
    changed, ends, new_topic, new_alpha, _ = changes
    n_docs = mixes.indptr.shape[0] - 1
    source = np.full(n_docs, -1, np.int64)
    for i in range(changed.shape[0]):
        if accepted[i]:
            source[changed[i]] = i
    indptr = np.zeros(n_docs + 1, np.int64)
    for d in range(n_docs):
        i = source[d]
        size = mixes.indptr[d + 1] - mixes.indptr[d] if i < 0 else ends[i + 1] - ends[i]
        indptr[d + 1] = indptr[d] + size
    topic, alpha = np.empty(indptr[n_docs], np.int32), np.empty(indptr[n_docs])
    for d in range(n_docs):
        low, size = indptr[d], indptr[d + 1] - indptr[d]
        if source[d] < 0:
            copy(mixes.topic[mixes.indptr[d] :], topic[low:], size)
            copy(mixes.alpha[mixes.indptr[d] :], alpha[low:], size)
        else:
            copy(new_topic[ends[source[d]] :], topic[low:], size)
            copy(new_alpha[ends[source[d]] :], alpha[low:], size)
    return indptr, topic, alpha
