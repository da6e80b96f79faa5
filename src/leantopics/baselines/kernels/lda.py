"""Variational E-step of latent Dirichlet allocation for the documents of a shard.

Words have weights ``w[n, k] = exp(E[log beta_kn])``, scaled so that the largest of each
word is one; this does not affect phi, and the bound adds the scales back. Topics have
``t[k] = exp(digamma(gamma_k))`` up to a factor. Then phi_ik = t_k w_ik / q_i with

    q_i = sum_k t_k w_ik,        gamma_k = eta_k + t_k sum_i c_i w_ik / q_i.
"""

import math
from math import inf

import cython
import numpy as np

from leantopics._arrays import Bools, Counts, Floats, longest
from leantopics.baselines.kernels.special import digamma, exp_digamma

_FAINT = 1e-280
"""Words with a smaller q are handled in logarithms."""


class _Work:
    """The document in hand, and scratch.

    Its words lie in both orders, so that loops need no sums.

    by_word : (n, K)
    by_topic : (K n,), rows of n, one after the other
    """

    def __init__(self, counts: Counts, weights: Floats) -> None:
        self.indptr, self.indices, self.data = counts
        self.weights = np.ascontiguousarray(weights)
        n_words, n_topics = longest(counts.indptr), weights.shape[1]
        self.by_word = np.empty((n_words, n_topics))
        self.by_topic = np.empty(n_topics * n_words)
        self.counts, self.q = np.empty(0), np.empty(n_words)
        self.t, self.total, self.scratch, self.phi = np.empty((4, n_topics))
        self.extra = np.zeros(n_topics)


def _load(work: _Work, d: int) -> None:
    """Load document d. Writes: work.counts, by_word, by_topic."""
    first, last = work.indptr[d], work.indptr[d + 1]
    n_words, weights = last - first, work.weights
    for i in range(n_words):
        n = work.indices[first + i]
        for k in range(weights.shape[1]):
            work.by_word[i, k] = weights[n, k]
            work.by_topic[k * n_words + i] = weights[n, k]
    work.counts = work.data[first:last]


def _mixture(gamma: Floats, work: _Work) -> float:
    """q of all words; return the shift, log t - digamma(gamma). Writes: q, t."""
    shift = exp_digamma(gamma, work.t, work.scratch)
    q, n_words = work.q, work.counts.shape[0]
    for i in range(n_words):
        q[i] = 0.0
    for k in range(gamma.shape[0]):
        t, row = work.t[k], work.by_topic[k * n_words : (k + 1) * n_words]
        for i in range(n_words):
            q[i] += t * row[i]
    return shift


def in_logarithms(gamma: Floats, weights: Floats, shift: float, phi: Floats) -> float:
    """Phi of a word whose q underflows; return log q. Writes: phi."""
    n_topics = gamma.shape[0]
    top = -inf
    for k in range(n_topics):
        phi[k] = -inf
        if weights[k] > 0.0:
            phi[k] = math.log(weights[k]) + digamma(gamma[k])
        top = max(top, phi[k])
    total = 0.0
    for k in range(n_topics):
        phi[k] = math.exp(phi[k] - top)
        total += phi[k]
    for k in range(n_topics):
        phi[k] /= total
    return top + math.log(total) + shift


def _step(eta: Floats, gamma: Floats, work: _Work) -> float:
    """One update of phi and gamma; return the mean change of gamma. Writes: gamma."""
    c, total, extra, q = work.counts, work.total, work.extra, work.q
    n_words, n_topics = c.shape[0], gamma.shape[0]
    shift = _mixture(gamma, work)
    faint = 0
    for i in range(n_words):
        if q[i] < _FAINT:
            faint = 1
            in_logarithms(gamma, work.by_word[i], shift, work.phi)
            for k in range(n_topics):
                extra[k] += c[i] * work.phi[k]
            q[i] = inf
    for k in range(n_topics):
        total[k] = 0.0
    for i in range(n_words):
        ratio, row = c[i] / q[i], work.by_word[i]
        for k in range(n_topics):
            total[k] += ratio * row[k]
    for k in range(n_topics):
        total[k] = eta[k] + work.t[k] * total[k]
    if faint == 1:
        for k in range(n_topics):
            total[k] += extra[k]
            extra[k] = 0.0
    change = 0.0
    for k in range(n_topics):
        change += abs(total[k] - gamma[k])
        gamma[k] = total[k]
    return change / n_topics


def _settle(
    eta: Floats, max_steps: int, tol: float, gamma: Floats, work: _Work
) -> None:
    """Update a document, starting from ``eta + L / K``. Writes: gamma (K,)."""
    length, n_topics = 0.0, gamma.shape[0]
    for i in range(work.counts.shape[0]):
        length += work.counts[i]
    for k in range(n_topics):
        gamma[k] = eta[k] + length / n_topics
    for _ in range(max_steps):
        if _step(eta, gamma, work) < tol:
            break


def infer(
    counts: Counts,
    weights: Floats,
    eta: Floats,
    max_steps: int,
    tol: float,
    gamma: Floats,
) -> None:
    """Gamma of documents, updated until its mean change is less than tol.

    counts : D documents over the U words of weights (U, K).
    Writes: gamma (D, K). Cost: steps times entries times K.
    """
    _infer(_Work(counts, weights), eta, max_steps, tol, gamma)


def _infer(work: _Work, eta: Floats, max_steps: int, tol: float, gamma: Floats) -> None:
    with cython.nogil:
        for d in range(gamma.shape[0]):
            _load(work, d)
            _settle(eta, max_steps, tol, gamma[d], work)


def _bound(
    eta: Floats, gamma: Floats, log_alpha: Floats, work: _Work
) -> tuple[float, float]:
    """``sum_i c_i log q_i - KL(q(alpha) | Dir(eta))`` without log B(eta); the shift.

    Writes: log_alpha (K,), which is E[log alpha]; q and t of the work.
    """
    c, total = work.counts, 0.0
    shift = _mixture(gamma, work)
    for k in range(gamma.shape[0]):
        total += gamma[k]
    offset = digamma(total)
    bound = -math.lgamma(total)
    for k in range(gamma.shape[0]):
        log_alpha[k] = digamma(gamma[k]) - offset
        bound += math.lgamma(gamma[k]) + (eta[k] - gamma[k]) * log_alpha[k]
    for i in range(c.shape[0]):
        if work.q[i] < _FAINT:
            log_q = in_logarithms(gamma, work.by_word[i], shift, work.phi)
        else:
            log_q = math.log(work.q[i])
        bound += c[i] * (log_q - shift - offset)
    return bound, shift


def e_step(
    counts: Counts,
    weights: Floats,
    eta: Floats,
    max_steps: int,
    tol: float,
    gamma: Floats,
    statistics: Floats,
    log_alpha: Floats,
) -> float:
    """Gamma, expected counts and bound of a shard.

    Each document is updated from scratch. If it already has a gamma that is not zero
    and better, that one is kept, with one more update.

    Writes: gamma (D, K); statistics (U, K), to which ``sum_d c phi`` is added;
    log_alpha (K,), to which ``sum_d E[log alpha_d]`` is added. Returns the sum of
    ``sum_i c_i log q_i - KL(q(alpha_d) | Dir(eta))``, without the scales of the words.
    """
    fresh, own = np.empty((2, len(eta)))
    return _e_step(
        _Work(counts, weights),
        eta,
        max_steps,
        tol,
        gamma,
        fresh,
        own,
        statistics,
        log_alpha,
    )


def _e_step(
    work: _Work,
    eta: Floats,
    max_steps: int,
    tol: float,
    gamma: Floats,
    fresh: Floats,
    own: Floats,
    statistics: Floats,
    log_alpha: Floats,
) -> float:
    """See `e_step`; fresh and own (K,) are scratch."""
    n_topics, whole, bounds = eta.shape[0], 0.0, 0.0
    for k in range(n_topics):
        whole += eta[k]
    prior = math.lgamma(whole)
    for k in range(n_topics):
        prior -= math.lgamma(eta[k])
    with cython.nogil:
        for d in range(gamma.shape[0]):
            _load(work, d)
            last = gamma[d]
            bound, shift = -inf, 0.0
            if last[0] > 0.0:
                bound, shift = _bound(eta, last, own, work)
            _settle(eta, max_steps, tol, fresh, work)
            reached, shift = _bound(eta, fresh, own, work)
            if reached >= bound:
                bound = reached
                for k in range(n_topics):
                    last[k] = fresh[k]
            else:
                _step(eta, last, work)
                bound, shift = _bound(eta, last, own, work)
            bounds += prior + bound
            for k in range(n_topics):
                log_alpha[k] += own[k]
            _add(d, last, shift, work, statistics)
    return bounds


def _add(d: int, gamma: Floats, shift: float, work: _Work, statistics: Floats) -> None:
    """Add the expected counts ``c phi`` of a document. Writes: statistics."""
    c, q, phi = work.counts, work.q, work.phi
    for i in range(c.shape[0]):
        n = work.indices[work.indptr[d] + i]
        if q[i] < _FAINT:
            in_logarithms(gamma, work.by_word[i], shift, phi)
            for k in range(gamma.shape[0]):
                statistics[n, k] += c[i] * phi[k]
        else:
            ratio = c[i] / q[i]
            for k in range(gamma.shape[0]):
                statistics[n, k] += ratio * work.t[k] * work.by_word[i, k]


def present(counts: Counts, weights: Floats, gamma: Floats, out: Bools) -> None:
    """Topics with the largest phi of at least one word. Writes: out (D, K)."""
    _present(_Work(counts, weights), gamma, out)


def _present(work: _Work, gamma: Floats, out: Bools) -> None:
    phi, n_topics = work.phi, gamma.shape[1]
    with cython.nogil:
        for d in range(gamma.shape[0]):
            _load(work, d)
            shift = _mixture(gamma[d], work)
            for i in range(work.counts.shape[0]):
                if work.q[i] < _FAINT:
                    in_logarithms(gamma[d], work.by_word[i], shift, phi)
                else:
                    for k in range(n_topics):
                        phi[k] = work.t[k] * work.by_word[i, k]
                best = 0
                for k in range(1, n_topics):
                    if phi[k] > phi[best]:
                        best = k
                out[d, best] = True
