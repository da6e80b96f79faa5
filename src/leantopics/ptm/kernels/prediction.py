"""Proportions of documents under word distributions that have no switches."""

import numpy as np

from leantopics._arrays import Counts, Floats, longest
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import DocTopics, Table
from leantopics.ptm.kernels.mixture import log_likelihood

_CLOSE = 1e-5
_MOST = 200


@kernel
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
    column = np.full(base.shape[0], -1, np.int64)
    widest, most = longest(counts.indptr), longest(mixes.indptr)
    ratio, q, scratch = np.empty((most, widest)), np.empty(widest), np.empty(widest)
    own = np.empty(most)
    place = 0
    for d in range(counts.indptr.shape[0] - 1):
        words = counts.indices[counts.indptr[d] : counts.indptr[d + 1]]
        data = counts.data[counts.indptr[d] : counts.indptr[d + 1]]
        topics = mixes.topic[mixes.indptr[d] : mixes.indptr[d + 1]]
        alpha = mixes.alpha[mixes.indptr[d] : mixes.indptr[d + 1]]
        n, m = words.shape[0], topics.shape[0]
        length = 0.0
        for count in data:
            length += count
        total = length
        for k in range(m):
            column[topics[k]] = k
            total += prior[topics[k]]
            for i in range(n):
                ratio[k, i] = base[topics[k]]
        for i in range(n):
            for e in range(table.indptr[words[i]], table.indptr[words[i] + 1]):
                k = column[table.topic[e]]
                if k >= 0:
                    ratio[k, i] += table.excess[e]
        for k in range(m):
            column[topics[k]] = -1
        for _ in range(_MOST):
            _mix(ratio, alpha, n, q)
            for i in range(n):
                scratch[i] = data[i] / q[i]
            moved = 0.0
            for k in range(m):
                dot = 0.0
                for i in range(n):
                    dot += scratch[i] * ratio[k, i]
                own[k] = (prior[topics[k]] + alpha[k] * dot) / total
                moved += abs(own[k] - alpha[k])
            for k in range(m):
                alpha[k] = own[k]
            if moved <= _CLOSE:
                break
        _mix(ratio, alpha, n, q)
        values[d] = log_likelihood(data, q[:n], scratch)
        if split.shape[0] > 0:
            for k in range(m):
                for i in range(n):
                    split[place] = data[i] * alpha[k] * ratio[k, i] / q[i]
                    place += 1


@kernel
def _mix(ratio: Floats, alpha: Floats, n: int, q: Floats) -> None:
    """``q = alpha @ ratio``, row by row, for many rows. Writes: q (n,)."""
    for i in range(n):
        q[i] = 0.0
    for k in range(alpha.shape[0]):
        for i in range(n):
            q[i] += alpha[k] * ratio[k, i]
