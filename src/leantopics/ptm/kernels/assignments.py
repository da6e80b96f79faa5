"""Which topics a document has: first guesses, and changes applied in order."""

import math

import numpy as np

from leantopics.compiled import kernel
from leantopics.ptm.kernels.arrays import (
    Bools,
    Changes,
    Counts,
    Floats,
    Ints,
    Longs,
    Mixes,
    Prices,
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
    """Best single topic of the documents with out < 0: most likely, less its cost.

    ``argmax_k sum_i c_i log(1 + r[k, i]) - cost_k(d)``, the lowest k among equals;
    log_ratio holds the logarithms of the table's entries. With half_salient = 0 the
    cost vanishes: the maximum-likelihood decision rule of the paper's initialisation.
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
    """Cost of the topics ``new`` in place of ``old``: the sum of their (dcostv).

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
def accept(
    counts: Counts,
    mixes: Mixes,
    log_likelihood: Floats,
    changes: Changes,
    prices: Prices,
    accepted: Bools,
) -> None:
    """Apply proposed changes one by one where they still lower BIC.

    Changes were found with Lbar frozen; here each is priced at the current Lbar. The
    first of all is always good, so a pass with proposals makes progress.
    Writes: accepted (changes,), log_likelihood, prices.tokens, prices.documents.
    """
    changed, indptr, topic, _, new_log_likelihood, _ = changes
    for i in range(changed.shape[0]):
        d = changed[i]
        length = document(counts, d).length
        old = mixes.topic[mixes.indptr[d] : mixes.indptr[d + 1]]
        new = topic[indptr[i] : indptr[i + 1]]
        gain = new_log_likelihood[i] - log_likelihood[d]
        accepted[i] = gain > change_cost(old, new, length, prices)
        if accepted[i]:
            log_likelihood[d] = new_log_likelihood[i]
            for k in old:
                prices.tokens[k] -= length
                prices.documents[k] -= 1
            for k in new:
                prices.tokens[k] += length
                prices.documents[k] += 1


@kernel
def replace(
    counts: Counts, mixes: Mixes, split: Floats, changes: Changes, accepted: Bools
) -> tuple[Longs, Ints, Floats, Floats]:
    """Mixes (indptr, topic, alpha) and split counts with accepted changes in place."""
    changed, ends, new_topic, new_alpha, _, new_split = changes
    n_docs = mixes.indptr.shape[0] - 1
    source = np.full(n_docs, -1, np.int64)
    for i in range(changed.shape[0]):
        if accepted[i]:
            source[changed[i]] = i
    indptr = np.zeros(n_docs + 1, np.int64)
    n_split = 0
    for d in range(n_docs):
        i = source[d]
        size = mixes.indptr[d + 1] - mixes.indptr[d] if i < 0 else ends[i + 1] - ends[i]
        indptr[d + 1] = indptr[d] + size
        n_split += size * (counts.indptr[d + 1] - counts.indptr[d])
    topic, alpha = np.empty(indptr[n_docs], np.int32), np.empty(indptr[n_docs])
    out = np.empty(n_split)
    place = old = new = proposed = 0
    for d in range(n_docs):
        low, size = indptr[d], indptr[d + 1] - indptr[d]
        n = counts.indptr[d + 1] - counts.indptr[d]
        if source[d] < 0:
            copy(mixes.topic[mixes.indptr[d] :], topic[low:], size)
            copy(mixes.alpha[mixes.indptr[d] :], alpha[low:], size)
            copy(split[old:], out[place:], size * n)
        else:
            copy(new_topic[ends[source[d]] :], topic[low:], size)
            copy(new_alpha[ends[source[d]] :], alpha[low:], size)
            copy(new_split[new:], out[place:], size * n)
        place += size * n
        old += (mixes.indptr[d + 1] - mixes.indptr[d]) * n
        if proposed < changed.shape[0] and changed[proposed] == d:
            new += (ends[proposed + 1] - ends[proposed]) * n
            proposed += 1
    return indptr, topic, alpha, out
