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
from leantopics.baselines.kernels.special import digamma, exp_of_digamma

_FAINT = 1e-280
"""Words whose sum over topics is smaller are handled in logarithms."""
_NOTHING = 1e-18
"""``phi log phi`` of a smaller phi does not change the bound."""


class _Work:
    """The documents, the topics, and scratch for the document in hand."""

    def __init__(self, counts: Counts, beta: Floats) -> None:
        self.indptr, self.indices, self.data = counts
        self.beta = np.ascontiguousarray(beta)
        self.phi = np.empty((longest(counts.indptr), beta.shape[1]))
        self.t, self.fresh = np.empty((2, beta.shape[1]))


def _word(i: int, n: int, c: float, eta: Floats, gamma: Floats, work: _Work) -> None:
    """Update word n, which lies in row i. Writes: gamma, row i of phi, t, fresh."""
    t, fresh, beta, phi = work.t, work.fresh, work.beta[n], work.phi[i]
    n_topics = gamma.shape[0]
    for k in range(n_topics):
        fresh[k] = t[k] * beta[k]
    q = _sum(fresh, n_topics)
    if q < _FAINT:
        in_logarithms(gamma, beta, 0.0, fresh)
        q = 1.0
    each = 1.0 / q
    for k in range(n_topics):
        share = fresh[k] * each
        fresh[k] = gamma[k] + c * (share - phi[k])
        phi[k] = share
    for k in range(n_topics):
        if fresh[k] != gamma[k]:
            gamma[k] = max(fresh[k], eta[k])  # not below, but for rounding
            t[k] = exp_of_digamma(gamma[k])


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
    """Update document d, from equal phi; return its bound. Writes: gamma, phi, t."""
    first, last = work.indptr[d], work.indptr[d + 1]
    n_topics, length = gamma.shape[0], 0.0
    for i in range(first, last):
        length += work.data[i]
        for k in range(n_topics):
            work.phi[i - first, k] = 1.0 / n_topics
    for k in range(n_topics):
        gamma[k] = eta[k] + length / n_topics
        work.t[k] = exp_of_digamma(gamma[k])
    bound = -inf
    for _ in range(max_steps):
        before = bound
        for i in range(first, last):
            _word(i - first, work.indices[i], work.data[i], eta, gamma, work)
        bound = _bound(d, eta, gamma, work)
        if before > -inf and abs(bound - before) <= tol * abs(before):
            break
    return bound


def _bound(d: int, eta: Floats, gamma: Floats, work: _Work) -> float:
    """The bound of document d; gamma is added up again. Writes: gamma, t."""
    first, last = work.indptr[d], work.indptr[d + 1]
    n_topics, before, total, bound = gamma.shape[0], 0.0, 0.0, 0.0
    for k in range(n_topics):
        value = eta[k]
        for i in range(first, last):
            value += work.data[i] * work.phi[i - first, k]
        if value != gamma[k]:
            gamma[k] = value
            work.t[k] = exp_of_digamma(value)
        before += eta[k]
        total += value
        if value != eta[k]:
            bound += math.lgamma(value) - math.lgamma(eta[k])
    bound += math.lgamma(before) - math.lgamma(total)
    for i in range(first, last):
        beta, phi, own = work.beta[work.indices[i]], work.phi[i - first], 0.0
        for k in range(n_topics):
            if phi[k] > _NOTHING:
                own += phi[k] * math.log(beta[k] / phi[k])
        bound += work.data[i] * own
    return bound


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
    _infer(_Work(counts, beta), eta, max_steps, tol, gamma)


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
    work = _Work(counts, beta)
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
            total = 0.0
            for k in range(eta.shape[0]):
                total += gamma[d, k]
            offset = digamma(total)
            for k in range(eta.shape[0]):
                log_alpha[k] += digamma(gamma[d, k]) - offset
            first, last = work.indptr[d], work.indptr[d + 1]
            for i in range(first, last):
                n = work.indices[i]
                for k in range(eta.shape[0]):
                    statistics[n, k] += work.data[i] * work.phi[i - first, k]
    return bounds
