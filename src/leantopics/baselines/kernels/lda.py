"""Variational E-step of latent Dirichlet allocation for the documents of a shard.

Words have weights ``w[n, k] = exp(E[log beta_kn])``, scaled so that the largest of each
word is one; this does not affect phi, and the bound adds the scales back. Topics have
``t[k] = exp(digamma(gamma_k))`` up to a factor. Then phi_ik = t_k w_ik / q_i with

    q_i = sum_k t_k w_ik,        gamma_k = eta_k + t_k sum_i c_i w_ik / q_i.
"""

import math
from typing import NamedTuple

import numpy as np

from leantopics._arrays import Bools, Counts, Floats, longest
from leantopics._jit import kernel
from leantopics.baselines.kernels.special import digamma, exp_digamma

_FAINT = 1e-280
"""Words with a smaller q are handled in logarithms."""


class _Work(NamedTuple):
    """Scratch: the words of a document in both orders, so that loops need no sums."""

    by_word: Floats
    """(n, K)."""
    by_topic: Floats
    """(K n,): rows of n, one after the other."""
    q: Floats
    t: Floats
    total: Floats
    extra: Floats
    scratch: Floats
    phi: Floats


@kernel(error_model="numpy")
def _work(n_words: int, n_topics: int) -> _Work:
    return _Work(
        np.empty((n_words, n_topics)),
        np.empty(n_topics * n_words),
        np.empty(n_words),
        np.empty(n_topics),
        np.empty(n_topics),
        np.zeros(n_topics),
        np.empty(n_topics),
        np.empty(n_topics),
    )


@kernel(error_model="numpy")
def _load(counts: Counts, d: int, weights: Floats, work: _Work) -> Floats:
    """Copy the weights of a document's words; return their counts."""
    first, last = counts.indptr[d], counts.indptr[d + 1]
    n_words = last - first
    for i in range(n_words):
        row = weights[counts.indices[first + i]]
        for k in range(row.shape[0]):
            work.by_word[i, k] = row[k]
            work.by_topic[k * n_words + i] = row[k]
    return counts.data[first:last]


@kernel(error_model="numpy")
def _mixture(gamma: Floats, n_words: int, work: _Work) -> float:
    """q of all words; return the shift, log t - digamma(gamma). Writes: q, t."""
    shift = exp_digamma(gamma, work.t, work.scratch)
    q = work.q
    for i in range(n_words):
        q[i] = 0.0
    for k in range(gamma.shape[0]):
        t, row = work.t[k], work.by_topic[k * n_words : (k + 1) * n_words]
        for i in range(n_words):
            q[i] += t * row[i]
    return shift


@kernel(error_model="numpy")
def _faint(gamma: Floats, weights: Floats, shift: float, phi: Floats) -> float:
    """Phi of a word whose q underflows; return log q. Writes: phi."""
    n_topics = gamma.shape[0]
    top = -math.inf
    for k in range(n_topics):
        phi[k] = -math.inf
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


@kernel(error_model="numpy")
def _step(eta: Floats, c: Floats, gamma: Floats, work: _Work) -> float:
    """One update of phi and gamma; return the mean change of gamma. Writes: gamma."""
    n_words, n_topics = c.shape[0], gamma.shape[0]
    shift = _mixture(gamma, n_words, work)
    total, extra, q = work.total, work.extra, work.q
    faint = False
    for i in range(n_words):
        if q[i] < _FAINT:
            faint = True
            _faint(gamma, work.by_word[i], shift, work.phi)
            for k in range(n_topics):
                extra[k] += c[i] * work.phi[k]
            q[i] = math.inf
    for k in range(n_topics):
        total[k] = 0.0
    for i in range(n_words):
        ratio, row = c[i] / q[i], work.by_word[i]
        for k in range(n_topics):
            total[k] += ratio * row[k]
    for k in range(n_topics):
        total[k] = eta[k] + work.t[k] * total[k]
    if faint:
        for k in range(n_topics):
            total[k] += extra[k]
            extra[k] = 0.0
    change = 0.0
    for k in range(n_topics):
        change += abs(total[k] - gamma[k])
        gamma[k] = total[k]
    return float(change / n_topics)


@kernel(error_model="numpy")
def _settle(
    eta: Floats, c: Floats, max_steps: int, tol: float, gamma: Floats, work: _Work
) -> None:
    """Update a document, starting from ``eta + L / K``. Writes: gamma (K,)."""
    n_topics = gamma.shape[0]
    share = c.sum() / n_topics
    for k in range(n_topics):
        gamma[k] = eta[k] + share
    for _ in range(max_steps):
        if _step(eta, c, gamma, work) < tol:
            break


@kernel(error_model="numpy")
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
    work = _work(longest(counts.indptr), eta.shape[0])
    for d in range(gamma.shape[0]):
        c = _load(counts, d, weights, work)
        _settle(eta, c, max_steps, tol, gamma[d], work)


@kernel(error_model="numpy")
def _bound(
    eta: Floats, c: Floats, gamma: Floats, log_alpha: Floats, work: _Work
) -> tuple[float, float]:
    """``sum_i c_i log q_i - KL(q(alpha) | Dir(eta))`` without log B(eta); the shift.

    Writes: log_alpha (K,), which is E[log alpha]; q and t of the work.
    """
    shift = _mixture(gamma, c.shape[0], work)
    total = gamma.sum()
    offset = digamma(total)
    bound = -math.lgamma(total)
    for k in range(gamma.shape[0]):
        log_alpha[k] = digamma(gamma[k]) - offset
        bound += math.lgamma(gamma[k]) + (eta[k] - gamma[k]) * log_alpha[k]
    for i in range(c.shape[0]):
        if work.q[i] < _FAINT:
            log_q = _faint(gamma, work.by_word[i], shift, work.phi)
        else:
            log_q = math.log(work.q[i])
        bound += c[i] * (log_q - shift - offset)
    return bound, shift


@kernel(error_model="numpy")
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
    n_topics = eta.shape[0]
    work = _work(longest(counts.indptr), n_topics)
    fresh, own = np.empty(n_topics), np.empty(n_topics)
    prior = math.lgamma(eta.sum())
    for k in range(n_topics):
        prior -= math.lgamma(eta[k])
    total = 0.0
    for d in range(gamma.shape[0]):
        c, last = _load(counts, d, weights, work), gamma[d]
        bound, shift = -math.inf, 0.0
        if last[0] > 0.0:
            bound, shift = _bound(eta, c, last, own, work)
        _settle(eta, c, max_steps, tol, fresh, work)
        reached, shift = _bound(eta, c, fresh, own, work)
        if reached >= bound:
            bound = reached
            last[:] = fresh
        else:
            _step(eta, c, last, work)
            bound, shift = _bound(eta, c, last, own, work)
        total += prior + bound
        for k in range(n_topics):
            log_alpha[k] += own[k]
        for i in range(c.shape[0]):
            row = statistics[counts.indices[counts.indptr[d] + i]]
            weight = work.by_word[i]
            if work.q[i] < _FAINT:
                _faint(last, weight, shift, work.phi)
                for k in range(n_topics):
                    row[k] += c[i] * work.phi[k]
            else:
                ratio = c[i] / work.q[i]
                for k in range(n_topics):
                    row[k] += ratio * work.t[k] * weight[k]
    return total


@kernel(error_model="numpy")
def present(counts: Counts, weights: Floats, gamma: Floats, out: Bools) -> None:
    """Topics with the largest phi of at least one word. Writes: out (D, K)."""
    n_topics = gamma.shape[1]
    work = _work(longest(counts.indptr), n_topics)
    for d in range(gamma.shape[0]):
        c = _load(counts, d, weights, work)
        shift = _mixture(gamma[d], c.shape[0], work)
        for i in range(c.shape[0]):
            phi = work.phi
            if work.q[i] < _FAINT:
                _faint(gamma[d], work.by_word[i], shift, phi)
            else:
                for k in range(n_topics):
                    phi[k] = work.t[k] * work.by_word[i, k]
            best = 0
            for k in range(1, n_topics):
                if phi[k] > phi[best]:
                    best = k
            out[d, best] = True
