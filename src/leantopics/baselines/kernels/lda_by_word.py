"""Variational E-step of latent Dirichlet allocation, one word after the other.

Each word of a document in turn gets ``phi_ik ~ beta_kn exp(digamma(gamma_k))``, and
``gamma_k = eta_k + sum_i c_i phi_ik`` follows at once, so that the next word sees it.
A document ends when a pass over its words changes its bound by little. With this gamma
the terms of E[log alpha] cancel, and its bound is

    log B(gamma) - log B(eta) + sum_ik c_i phi_ik log(beta_kn / phi_ik),

with ``log B(x) = sum_k log Gamma(x_k) - log Gamma(sum_k x_k)``.
"""

import math
from math import inf

import cython
import numpy as np

from leantopics._arrays import Counts, Floats, longest
from leantopics.baselines.kernels.lda import in_logarithms
from leantopics.baselines.kernels.special import digamma, plain_exp_digamma

_FAINT = 1e-280
"""Words whose sum over topics is smaller are handled in logarithms."""
_NOTHING = 1e-18
"""``phi log phi`` of a smaller phi does not change the bound."""
_FADED = 1e-20
"""A topic with less expected words than this share of the least eta is left out."""
_LOST = 2.0**-55
"""In a pass, all topics that are left out may have that share; in the words before and
after the one in hand, which belong to two passes, they then have half an ulp of eta."""


class _Work:
    """The documents, the topics, and scratch for the document in hand.

    Of ``size`` topics, with numbers ``alive``, there are columns. ``rest`` has the sums
    over the topics left out. They have gamma = eta, so that these are constant.

    local, phi : (n, size)
    t, gamma, eta, total, fresh : (size,)
    q, rest : (n,)
    t_eta, lgamma_eta, digamma_eta, left : (K,)
    """

    def __init__(self, counts: Counts, beta: Floats, eta: Floats) -> None:
        self.indptr, self.indices, self.data = counts
        self.beta = np.ascontiguousarray(beta)
        n_words, n_topics = longest(counts.indptr), len(eta)
        self.local, self.phi = np.empty((2, n_words, n_topics))
        self.q, self.rest = np.empty((2, n_words))
        self.t, self.gamma, self.eta, self.total, self.fresh = np.empty((5, n_topics))
        self.t_eta, self.left = np.empty((2, n_topics))
        self.scratch, self.alive = np.empty(n_topics), np.empty(n_topics, np.int64)
        self.lgamma_eta = np.array([math.lgamma(one) for one in eta])
        self.digamma_eta = np.array([digamma(one) for one in eta])
        plain_exp_digamma(eta, n_topics, self.t_eta, self.scratch)
        self.whole, self.least = sum(eta), min(eta)
        self.prior = math.lgamma(self.whole)
        self.size = n_topics


def _pass(d: int, work: _Work) -> float:
    """Update the words of document d; return the lost words of topics left out.

    Writes: gamma, t, phi, q.
    """
    first, n_topics = work.indptr[d], work.size
    t, fresh, scratch, eta = work.t, work.fresh, work.scratch, work.eta
    gamma, local, phi, rest = work.gamma, work.local, work.phi, work.rest
    lost = 0.0
    for i in range(work.indptr[d + 1] - first):
        c = work.data[first + i]
        for k in range(n_topics):
            fresh[k] = t[k] * local[i, k]
        q = _sum(fresh, n_topics) + rest[i]
        if q < _FAINT:
            lost += inf if n_topics < work.t_eta.shape[0] else 0.0
            in_logarithms(gamma, local[i], 0.0, fresh)
            q = 1.0
        lost += c * rest[i] / q
        work.q[i] = q
        each = 1.0 / q
        for k in range(n_topics):
            share = fresh[k] * each
            new = gamma[k] + c * (share - phi[i, k])
            gamma[k] = max(new, eta[k])  # not below, but for rounding
            phi[i, k] = share
        plain_exp_digamma(gamma, n_topics, t, scratch)
    return lost


def _sum(x: Floats, n: int) -> float:
    """Sum of the first n numbers, in four parts that do not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for k in range(0, n - 3, 4):
        a += x[k]
        b += x[k + 1]
        c += x[k + 2]
        d += x[k + 3]
    for k in range(n - n % 4, n):
        a += x[k]
    return a + b + (c + d)


def _settle(
    d: int, eta: Floats, max_steps: int, tol: float, gamma: Floats, work: _Work
) -> float:
    """Update document d, from equal phi; return its bound. Writes: gamma, phi, q.

    Most topics fade: their expected words vanish beside eta in rounding, and gamma is
    eta. These are left out; if they would matter again, all are updated instead.
    """
    bound = _updated(d, eta, max_steps, tol, True, gamma, work)
    if bound == -inf:
        bound = _updated(d, eta, max_steps, tol, False, gamma, work)
    return bound


def _updated(
    d: int,
    eta: Floats,
    max_steps: int,
    tol: float,
    may_fade: bool,
    gamma: Floats,
    work: _Work,
) -> float:
    """Update document d; return its bound, or -inf if topics left out matter.

    In a pass, these have at most ``lost = sum_i c_i rest_i / q_i`` expected words. With
    the least eta e, while ``lost < 2^-55 e``, each gamma_k is ``eta_k + lost`` rounded
    for the words of any two passes, which is eta_k, as if it had been updated.
    """
    first, last = work.indptr[d], work.indptr[d + 1]
    n_topics, bound = gamma.shape[0], -inf
    _load(work, d, eta)
    for _ in range(max_steps):
        before = bound
        if not _pass(d, work) < _LOST * work.least:
            return -inf
        bound = _bound(d, work)
        if before > -inf and abs(bound - before) <= tol * abs(before):
            break
        if may_fade:
            _leave_out(last - first, work)
    for k in range(n_topics):
        gamma[k] = eta[k]
    for k in range(work.size):
        gamma[work.alive[k]] = work.gamma[k]
    return bound


def _load(work: _Work, d: int, eta: Floats) -> None:
    """Load document d with all topics, and equal phi."""
    first, last = work.indptr[d], work.indptr[d + 1]
    beta, local, phi = work.beta, work.local, work.phi
    n_topics, length = eta.shape[0], 0.0
    for i in range(first, last):
        length += work.data[i]
        work.rest[i - first] = 0.0
        n = work.indices[i]
        for k in range(n_topics):
            local[i - first, k] = beta[n, k]
            phi[i - first, k] = 1.0 / n_topics
    for k in range(n_topics):
        work.eta[k], work.gamma[k] = eta[k], eta[k] + length / n_topics
        work.alive[k] = k
    work.size = n_topics
    plain_exp_digamma(work.gamma, n_topics, work.t, work.scratch)


def _leave_out(n_words: int, work: _Work) -> None:
    """Leave out topics that have faded, if they are many.

    Reads total, the expected words. Writes: local, phi, t, gamma, eta, alive, rest,
    size.
    """
    kept, limit = 0, _FADED * work.least
    local, phi, t, total = work.local, work.phi, work.t, work.total
    for k in range(work.size):
        kept += work.total[k] > limit
    if 4 * kept > 3 * work.size:
        return
    for i in range(n_words):
        kept = 0
        for k in range(work.size):
            if total[k] > limit:
                local[i, kept], phi[i, kept] = local[i, k], phi[i, k]
                kept += 1
            else:
                work.rest[i] += t[k] * local[i, k]
    kept = 0
    for k in range(work.size):
        if work.total[k] > limit:
            work.t[kept], work.gamma[kept] = work.t[k], work.gamma[k]
            work.eta[kept], work.alive[kept] = work.eta[k], work.alive[k]
            kept += 1
    work.size = kept


def _bound(d: int, work: _Work) -> float:
    """The bound of document d; gamma is added up again. Writes: gamma, t, total."""
    first, last = work.indptr[d], work.indptr[d + 1]
    n_topics, total, gamma, bound = work.size, work.total, work.gamma, work.prior
    local, phi = work.local, work.phi
    for k in range(n_topics):
        total[k] = 0.0
    for i in range(first, last):
        at, own = i - first, 0.0
        for k in range(n_topics):
            total[k] += work.data[i] * phi[at, k]
        for k in range(n_topics):
            if phi[at, k] > _NOTHING:
                own += phi[at, k] * math.log(local[at, k] / phi[at, k])
        bound += work.data[i] * own
    whole = work.whole
    for k in range(n_topics):
        gamma[k] = work.eta[k] + total[k]
        whole += total[k]
        if gamma[k] != work.eta[k]:
            bound += math.lgamma(gamma[k]) - work.lgamma_eta[work.alive[k]]
    plain_exp_digamma(gamma, n_topics, work.t, work.scratch)
    return bound - math.lgamma(whole)


def infer(
    counts: Counts,
    beta: Floats,
    eta: Floats,
    max_steps: int,
    tol: float,
    gamma: Floats,
) -> None:
    """Gamma of documents, until a pass changes the bound by less than its tol share.

    counts : D documents over the U words of beta (U, K).
    Writes: gamma (D, K).
    """
    _infer(_Work(counts, beta, eta), eta, max_steps, tol, gamma)


def _infer(work: _Work, eta: Floats, max_steps: int, tol: float, gamma: Floats) -> None:
    with cython.nogil:
        for d in range(gamma.shape[0]):
            _settle(d, eta, max_steps, tol, gamma[d], work)


def e_step(
    counts: Counts,
    beta: Floats,
    eta: Floats,
    max_steps: int,
    tol: float,
    gamma: Floats,
    statistics: Floats,
    log_alpha: Floats,
) -> float:
    """Gamma, expected counts and bound of a shard.

    Writes: gamma (D, K); statistics (U, K), to which ``sum_d c phi`` is added;
    log_alpha (K,), to which ``sum_d E[log alpha_d]`` is added. Returns the sum of the
    documents' bounds.
    """
    work = _Work(counts, beta, eta)
    return _e_step(work, eta, max_steps, tol, gamma, statistics, log_alpha)


def _e_step(
    work: _Work,
    eta: Floats,
    max_steps: int,
    tol: float,
    gamma: Floats,
    statistics: Floats,
    log_alpha: Floats,
) -> float:
    """See `e_step`."""
    bounds = 0.0
    with cython.nogil:
        for d in range(gamma.shape[0]):
            bounds += _settle(d, eta, max_steps, tol, gamma[d], work)
            _add(d, gamma[d], work, statistics, log_alpha)
    return bounds


def _add(
    d: int, gamma: Floats, work: _Work, statistics: Floats, log_alpha: Floats
) -> None:
    """Add ``c phi`` and E[log alpha] of a document. Writes: statistics, log_alpha."""
    first, last, n_topics = work.indptr[d], work.indptr[d + 1], gamma.shape[0]
    total, left, beta, phi = 0.0, work.left, work.beta, work.phi
    for k in range(n_topics):
        total += gamma[k]
        left[k] = work.t_eta[k]
    offset = digamma(total)
    for k in range(n_topics):
        log_alpha[k] += work.digamma_eta[k] - offset
    for k in range(work.size):
        j = work.alive[k]
        log_alpha[j] += digamma(gamma[j]) - work.digamma_eta[j]
        left[j] = 0.0
    for i in range(first, last):
        n, scale = work.indices[i], work.data[i] / work.q[i - first]
        for k in range(n_topics):
            statistics[n, k] += scale * left[k] * beta[n, k]
        for k in range(work.size):
            statistics[n, work.alive[k]] += work.data[i] * phi[i - first, k]
