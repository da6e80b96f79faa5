"""Proportions of documents under word distributions that have no switches."""

import cython
import numpy as np

from leantopics._arrays import Counts, Floats, Longs, longest
from leantopics.ptm.kernels.arrays import DocTopics, Table
from leantopics.ptm.kernels.mixture import log_likelihood
from leantopics.ptm.kernels.ratios import Document, read
from leantopics.ptm.kernels.views import CountsView, MixesView, TableView

_CLOSE = 1e-5
_MOST = 200


def posterior(
    counts: Counts,
    mixes: DocTopics,
    table: Table,
    base: Floats,
    prior: Floats,
    values: Floats,
    split: Floats,
) -> None:
    """Maximise ``sum_n c_n log q_n + sum_k prior_k log alpha_k`` over the given topics.

    ``q_n = sum_k alpha_k (base_k + excess_kn)``, with the excess of the table. EM
    starts from the alpha of mixes and ends when an iteration moves less than ``_CLOSE``
    of the words. The problem is concave, so the start does not matter if the prior is
    positive. Cost: words times topics of a document in each iteration.
    Writes: the alpha of mixes; values (D,) sum c log q; split, if it has room, the
    counts of each document split among its topics as `split_counts` does.
    """
    widest, most = longest(counts.indptr), longest(mixes.indptr)
    documents = CountsView(counts)
    _posterior(
        documents,
        MixesView(mixes),
        mixes.alpha,
        TableView(table),
        base,
        prior,
        Document(),
        np.full(len(base), -1, np.int64),
        np.empty((most, widest)),
        np.empty(widest),
        np.empty(widest),
        np.empty(most),
        values,
        split,
    )


def _posterior(
    counts: CountsView,
    mixes: MixesView,
    new_alpha: Floats,
    table: TableView,
    base: Floats,
    prior: Floats,
    doc: Document,
    column: Longs,
    ratio: Floats,
    q: Floats,
    scratch: Floats,
    own: Floats,
    values: Floats,
    split: Floats,
) -> None:
    """See `posterior`; column (M,) is all -1, and ratio, q, scratch, own are scratch.

    Writes: new_alpha, which is that of the mixes; values, split.
    """
    place = 0
    with cython.nogil:
        for d in range(values.shape[0]):
            read(counts, d, doc)
            row, end = mixes.indptr[d], mixes.indptr[d + 1]
            n, m = doc.words.shape[0], end - row
            alpha = new_alpha[row:end]
            total = doc.length
            for k in range(m):
                j = mixes.topic[row + k]
                column[j] = k
                total += prior[j]
                for i in range(n):
                    ratio[k, i] = base[j]
            for i in range(n):
                w = doc.words[i]
                for e in range(table.indptr[w], table.indptr[w + 1]):
                    at = column[table.topic[e]]
                    if at >= 0:
                        ratio[at, i] += table.excess[e]
            for k in range(m):
                column[mixes.topic[row + k]] = -1
            for _ in range(_MOST):
                _mix(ratio, alpha, n, q)
                for i in range(n):
                    scratch[i] = doc.counts[i] / q[i]
                moved = 0.0
                for k in range(m):
                    dot = 0.0
                    for i in range(n):
                        dot += scratch[i] * ratio[k, i]
                    own[k] = (prior[mixes.topic[row + k]] + alpha[k] * dot) / total
                    moved += abs(own[k] - alpha[k])
                for k in range(m):
                    alpha[k] = own[k]
                if moved <= _CLOSE:
                    break
            _mix(ratio, alpha, n, q)
            values[d] = log_likelihood(doc.counts, q, scratch)
            if split.shape[0] > 0:
                for k in range(m):
                    for i in range(n):
                        part = doc.counts[i] * alpha[k] * ratio[k, i] / q[i]
                        split[place] = part
                        place += 1


def _mix(ratio: Floats, alpha: Floats, n: int, q: Floats) -> None:
    """``q = alpha @ ratio``, row by row, for many rows. Writes: q (n,)."""
    for i in range(n):
        q[i] = 0.0
    for k in range(alpha.shape[0]):
        for i in range(n):
            q[i] += alpha[k] * ratio[k, i]
