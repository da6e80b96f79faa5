"""One step of EM for the proportions of documents in which every topic is allowed."""

import math

import cython
import numpy as np

from leantopics._arrays import Counts, Floats
from leantopics.ptm.kernels.arrays import Table
from leantopics.ptm.kernels.ratios import Document, read
from leantopics.ptm.kernels.views import CountsView, TableView


def step(counts: Counts, table: Table, alpha: Floats, values: Floats) -> None:
    """``alpha_k <- alpha_k / L sum_i c_i (1 + r_ki) / q_i`` (label alphaupdate).

    Writes: alpha (D, M); values (D,) the f = ``sum_i c_i log q_i`` before the step.
    Cost: the salient entries of the words, and D times M.
    """
    total = np.empty(alpha.shape[1])
    _step(CountsView(counts), TableView(table), alpha, values, total, Document())


def _step(
    counts: CountsView,
    table: TableView,
    alpha: Floats,
    values: Floats,
    total: Floats,
    doc: Document,
) -> int:
    """See `step`; total (M,) is scratch."""
    with cython.nogil:
        for d in range(values.shape[0]):
            read(counts, d, doc)
            base, f = 0.0, 0.0
            for k in range(total.shape[0]):
                total[k] = 0.0
            for i in range(doc.words.shape[0]):
                n, q = doc.words[i], 1.0
                for e in range(table.indptr[n], table.indptr[n + 1]):
                    q += alpha[d, table.topic[e]] * table.excess[e]
                f += doc.counts[i] * math.log(q)
                ratio = doc.counts[i] / q
                base += ratio
                for e in range(table.indptr[n], table.indptr[n + 1]):
                    total[table.topic[e]] += ratio * table.excess[e]
            values[d] = f
            for k in range(total.shape[0]):
                alpha[d, k] *= (base + total[k]) / doc.length
    return 0
