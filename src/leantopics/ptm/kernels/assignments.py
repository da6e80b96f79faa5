"""Which topics a document has: first guesses, and changes applied in order."""

import math
from math import inf

import cython
import numpy as np

from leantopics._arrays import Bools, Counts, Floats, Ints, Longs
from leantopics.ptm.kernels.arrays import (
    Changes,
    DocTopics,
    Prices,
    Proposals,
    Table,
)
from leantopics.ptm.kernels.bounds import presence_cost
from leantopics.ptm.kernels.ratios import Document, read
from leantopics.ptm.kernels.views import (
    CountsView,
    MixesView,
    PricesView,
    TableView,
    copy,
    copy_ints,
    has,
    largest,
)


def best_topics(
    counts: Counts, table: Table, log_ratio: Floats, prices: Prices, out: Ints
) -> None:
    """Best single topic of the documents with out < 0: log-likelihood minus cost.

    ``argmax_k sum_i c_i log(1 + r[k, i]) - cost_k(d)``, the lowest k among equals;
    log_ratio holds the logarithms of the table's entries. With half_salient = 0 the
    cost is zero: the maximum-likelihood decision rule of the paper's initialisation.
    Writes: out (D,). Cost: the salient entries of the words.
    """
    documents = CountsView(counts)
    _best_topics(
        documents,
        TableView(table),
        log_ratio,
        PricesView(prices),
        Document(),
        np.zeros(len(prices.tokens)),
        out,
    )


def _best_topics(
    counts: CountsView,
    table: TableView,
    log_ratio: Floats,
    prices: PricesView,
    doc: Document,
    score: Floats,
    out: Ints,
) -> None:
    """See `best_topics`; score (M,) is scratch. Writes: out."""
    with cython.nogil:
        for d in range(out.shape[0]):
            if out[d] >= 0:
                continue
            read(counts, d, doc)
            for k in range(score.shape[0]):
                score[k] = 0.0
                if prices.half_salient[k] > 0.0:
                    score[k] = -presence_cost(prices, k, doc.length, False)
            for i in range(doc.words.shape[0]):
                n = doc.words[i]
                for e in range(table.indptr[n], table.indptr[n + 1]):
                    score[table.topic[e]] += doc.counts[i] * log_ratio[e]
            out[d] = largest(score, score.shape[0])


def change_cost(old: Ints, new: Ints, length: float, prices: PricesView) -> float:
    """Cost of the topics ``new`` instead of ``old``: the sum of their (dcostv).

    Infinite if a topic would lose its last document.
    """
    before, after = old.shape[0], new.shape[0]
    cost = 0.5 * (after - before) * math.log(length / (2.0 * math.pi))
    cost += prices.log_choose[after] - prices.log_choose[before]
    for i in range(before):
        if not has(new, old[i]):
            if prices.documents[old[i]] == 1:
                return inf
            cost -= presence_cost(prices, old[i], length, True)
    for i in range(after):
        if not has(old, new[i]):
            cost += presence_cost(prices, new[i], length, False)
    return cost


def propose(
    counts: Counts, mixes: DocTopics, log_likelihood: Floats, changes: Changes
) -> Proposals:
    """What `accept` needs from changes, without the documents."""
    changed, ends, new_topic, _, new_log_likelihood = changes
    length, gain = np.empty(len(changed)), new_log_likelihood - log_likelihood[changed]
    indptr = np.zeros(len(changed) + 1, np.int64)
    np.cumsum(mixes.indptr[changed + 1] - mixes.indptr[changed], out=indptr[1:])
    topic = np.empty(indptr[len(changed)], np.int32)
    documents = CountsView(counts)
    _propose(
        documents,
        MixesView(mixes),
        changed,
        Document(),
        length,
        indptr,
        topic,
    )
    return length, gain, indptr, topic, ends, new_topic


def _propose(
    counts: CountsView,
    mixes: MixesView,
    changed: Longs,
    doc: Document,
    length: Floats,
    indptr: Longs,
    topic: Ints,
) -> None:
    """Look up documents that change. Writes: length, topic."""
    with cython.nogil:
        for i in range(changed.shape[0]):
            d = changed[i]
            read(counts, d, doc)
            length[i] = doc.length
            row, end = mixes.indptr[d], mixes.indptr[d + 1]
            copy_ints(mixes.topic[row:end], topic[indptr[i] :], end - row)


def accept(proposals: Proposals, prices: Prices, accepted: Bools) -> None:
    """Accept proposed changes one by one where they still lower BIC.

    Changes were found with Lbar frozen; here each is priced at the current Lbar. The
    first one always lowers BIC, so a pass with proposals makes progress.
    Writes: accepted (changes,), prices.tokens, prices.documents.
    """
    lengths, gains, old_indptr, old_topic, new_indptr, new_topic = proposals
    _accept(
        lengths,
        gains,
        old_indptr,
        old_topic,
        new_indptr,
        new_topic,
        PricesView(prices),
        prices.tokens,
        prices.documents,
        accepted,
    )


def _accept(
    lengths: Floats,
    gains: Floats,
    old_indptr: Longs,
    old_topic: Ints,
    new_indptr: Longs,
    new_topic: Ints,
    prices: PricesView,
    tokens: Floats,
    documents: Longs,
    accepted: Bools,
) -> None:
    """See `accept`; tokens and documents are those of the prices."""
    with cython.nogil:
        for i in range(lengths.shape[0]):
            low, high = old_indptr[i], old_indptr[i + 1]
            first, last = new_indptr[i], new_indptr[i + 1]
            cost = change_cost(
                old_topic[low:high], new_topic[first:last], lengths[i], prices
            )
            accepted[i] = gains[i] > cost
            if accepted[i]:
                for e in range(low, high):
                    tokens[old_topic[e]] -= lengths[i]
                    documents[old_topic[e]] -= 1
                for e in range(first, last):
                    tokens[new_topic[e]] += lengths[i]
                    documents[new_topic[e]] += 1


def replace(
    mixes: DocTopics, changes: Changes, accepted: Bools
) -> tuple[Longs, Ints, Floats]:
    """DocTopics (indptr, topic, alpha) with accepted changes in place."""
    changed, ends, new_topic, new_alpha, _ = changes
    n_docs = len(mixes.indptr) - 1
    source = np.full(n_docs, -1, np.int64)
    source[changed[accepted]] = np.flatnonzero(accepted)
    size = np.diff(mixes.indptr)
    size[changed[accepted]] = np.diff(ends)[accepted]
    indptr = np.concatenate(([0], np.cumsum(size)))
    topic, alpha = np.empty(indptr[n_docs], np.int32), np.empty(indptr[n_docs])
    _replace(MixesView(mixes), source, ends, new_topic, new_alpha, indptr, topic, alpha)
    return indptr, topic, alpha


def _replace(
    mixes: MixesView,
    source: Longs,
    ends: Longs,
    new_topic: Ints,
    new_alpha: Floats,
    indptr: Longs,
    topic: Ints,
    alpha: Floats,
) -> None:
    """Copy the topics of each document from its source. Writes: topic, alpha."""
    with cython.nogil:
        for d in range(source.shape[0]):
            low, size = indptr[d], indptr[d + 1] - indptr[d]
            if source[d] < 0:
                first = mixes.indptr[d]
                copy_ints(mixes.topic[first:], topic[low:], size)
                copy(mixes.alpha[first:], alpha[low:], size)
            else:
                first = ends[source[d]]
                copy_ints(new_topic[first:], topic[low:], size)
                copy(new_alpha[first:], alpha[low:], size)
