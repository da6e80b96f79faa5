"""Proportions if every topic is allowed, as for the paper's test documents."""

import math
from math import inf

import cython
import numpy as np

from leantopics._arrays import Counts, Floats, Ints, Longs, longest
from leantopics.ptm.kernels.arrays import Salient, Table, Workspace, workspace
from leantopics.ptm.kernels.bounds import accumulate
from leantopics.ptm.kernels.constants import GAP
from leantopics.ptm.kernels.mixture import solve
from leantopics.ptm.kernels.ratios import Document, invert, load_row, mark, read
from leantopics.ptm.kernels.views import (
    CountsView,
    Pairs,
    SalientView,
    ScreenView,
    SolverView,
    TableView,
    TrialView,
    copy,
    copy_ints,
    has,
    largest,
    reserve,
)


def scratch(counts: Counts, n_topics: int, n_words: int) -> Workspace:
    """Scratch that `spread` needs for the documents of a shard."""
    return workspace(n_topics + 1, longest(counts.indptr), n_topics, n_words)


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
    n_docs, n_topics = len(counts.indptr) - 1, salient.n_topics
    indptr, mixes = np.zeros(n_docs + 1, np.int64), Pairs(2 * n_docs)
    documents = CountsView(counts)
    _spread(
        documents,
        first,
        SalientView(salient),
        TableView(table),
        values,
        indptr,
        SolverView(work.solver),
        ScreenView(work.screen),
        TrialView(work.trial),
        Document(),
        np.zeros(n_topics + 1, np.int32),
        np.zeros(n_topics + 1),
        mixes,
    )
    return indptr, *mixes.first(indptr[n_docs])


def _spread(
    counts: CountsView,
    first: Ints,
    salient: SalientView,
    table: TableView,
    values: Floats,
    indptr: Longs,
    solver: SolverView,
    found: ScreenView,
    trial: TrialView,
    doc: Document,
    topics: Ints,
    alpha: Floats,
    mixes: Pairs,
) -> int:
    """See `spread`; topics and alpha are scratch. Writes: values, indptr, mixes."""
    with cython.nogil:
        for d in range(values.shape[0]):
            read(counts, d, doc)
            mark(doc.words, trial.place, True)
            m, values[d] = _ascend(
                doc, first[d], salient, table, solver, found, trial, topics, alpha
            )
            mark(doc.words, trial.place, False)
            low = indptr[d]
            high = low + m
            indptr[d + 1] = high
            reserve(mixes, low, high)
            copy_ints(topics, mixes.number[low:high], m)
            copy(alpha, mixes.value[low:high], m)
    return 0


def _ascend(
    doc: Document,
    first: int,
    salient: SalientView,
    table: TableView,
    solver: SolverView,
    found: ScreenView,
    trial: TrialView,
    topics: Ints,
    alpha: Floats,
) -> tuple[int, float]:
    """Topics of one document: how many, and f. Writes: topics, alpha."""
    ratio, place, n = solver.ratio, trial.place, doc.words.shape[0]
    m, topics[0], alpha[0] = 1, first, 1.0
    load_row(salient, first, n, place, ratio[0])
    f = -inf
    while True:
        before = f
        f, _ = solve(trial.columns[:m], doc.counts, doc.length, alpha, -inf, 0, solver)
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
        steepest = largest(found.total, found.total.shape[0])
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
    return m, f
