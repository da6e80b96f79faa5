"""Proportions if every topic is allowed, as for the paper's test documents."""

import math

import numpy as np

from leantopics._arrays import Counts, Floats, Ints, Longs, longest
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import (
    Salient,
    Table,
    Workspace,
    copy,
    has,
    largest,
    room,
    workspace,
)
from leantopics.ptm.kernels.bounds import accumulate
from leantopics.ptm.kernels.mixture import GAP, solve
from leantopics.ptm.kernels.ratios import document, invert, load_row, mark


def scratch(counts: Counts, n_topics: int, n_words: int) -> Workspace:
    """Scratch that `spread` needs for the documents of a shard."""
    return workspace(n_topics + 1, longest(counts.indptr), n_topics, n_words)


@kernel
def spread(
    counts: Counts,
    first: Ints,
    salient: Salient,
    table: Table,
    values: Floats,
    work: Workspace,
) -> tuple[Longs, Ints, Floats]:
    """Maximise f over all topics: start from topic first[d], and add the steepest.

    By (one bin) no proportions on any topics gain more than ``L log(max g / L)``, so
    topics with g > L are added until that is zero; topics left at zero are dropped.
    Writes: values (D,) the f. Returns the mixes (indptr, topic, alpha).
    """
    n_docs, n_topics = counts.indptr.shape[0] - 1, salient.indptr.shape[0] - 1
    solver, found, place = work.solver, work.screen, work.trial.place
    ratio, columns = solver.ratio, work.trial.columns
    topics, alpha = np.zeros(n_topics + 1, np.int32), np.zeros(n_topics + 1)
    indptr = np.zeros(n_docs + 1, np.int64)
    all_topics, all_alpha = np.empty(2 * n_docs, np.int32), np.empty(2 * n_docs)
    for d in range(n_docs):
        doc = document(counts, d)
        m, topics[0], alpha[0] = 1, first[d], 1.0
        n = doc.words.shape[0]
        mark(doc.words, place, True)
        load_row(salient, topics[0], n, place, ratio[0])
        f = -np.inf
        while True:
            before = f
            f, _ = solve(
                columns[:m], doc.counts, doc.length, alpha[:m], -np.inf, solver
            )
            kept = 0
            for k in range(m):
                if alpha[k] > 0.0:
                    topics[kept], alpha[kept] = topics[k], alpha[k]
                    if kept < k:
                        copy(ratio[k], ratio[kept], n)
                    kept += 1
            m = kept
            invert(solver.q, n, found.inverse)
            base = accumulate(doc, 1, table, solver, found)
            steepest = largest(found.total, n_topics)
            slope = (base + found.total[steepest]) / doc.length
            if doc.length * math.log(max(slope, 1.0)) <= GAP or f <= before:
                break
            if has(topics[:m], steepest):
                break
            load_row(salient, steepest, n, place, ratio[m])
            for k in range(m):
                alpha[k] *= 0.9
            topics[m], alpha[m] = steepest, 0.1
            m += 1
        mark(doc.words, place, False)
        values[d] = f
        low = indptr[d]
        indptr[d + 1] = low + m
        all_topics = room(all_topics, low, low + m)
        all_alpha = room(all_alpha, low, low + m)
        copy(topics, all_topics[low:], m)
        copy(alpha, all_alpha[low:], m)
    return indptr, all_topics[: indptr[n_docs]], all_alpha[: indptr[n_docs]]
