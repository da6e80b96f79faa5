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
_FADED = 1e-20
"""A topic with less expected words than this share of the least eta is left out."""
_LOST = 2.0**-54
"""All topics that are left out may have that share; more would show in gamma."""


class _Work:
    """The document in hand, and scratch.

    Its words lie in both orders, so that loops need no sums. Of ``size`` topics, with
    numbers ``alive``, there are rows; ``rest`` is at least the q of those left out.

    by_word : (n, size)
    by_topic : (size n,), rows of n, one after the other
    """

    def __init__(self, counts: Counts, weights: Floats) -> None:
        self.indptr, self.indices, self.data = counts
        self.weights = np.ascontiguousarray(weights)
        n_words, n_topics = longest(counts.indptr), weights.shape[1]
        self.by_word = np.empty((n_words, n_topics))
        self.by_topic = np.empty(n_topics * n_words)
        self.counts, self.q = np.empty(0), np.empty(n_words)
        self.t, self.total, self.scratch, self.phi = np.empty((4, n_topics))
        self.eta, self.gamma, self.lgamma_eta, self.digamma_eta = np.empty(
            (4, n_topics)
        )
        self.extra, self.rest = np.zeros(n_topics), np.zeros(n_words)
        self.alive = np.empty(n_topics, np.int64)
        self.size, self.shift, self.least = n_topics, 0.0, 0.0


def _load(work: _Work, d: int) -> None:
    """Load document d with all topics. Writes: counts, by_word, by_topic, alive."""
    first, last = work.indptr[d], work.indptr[d + 1]
    n_words, weights = last - first, work.weights
    by_word, by_topic = work.by_word, work.by_topic
    for i in range(n_words):
        n = work.indices[first + i]
        for k in range(weights.shape[1]):
            by_word[i, k] = weights[n, k]
            by_topic[k * n_words + i] = weights[n, k]
        work.rest[i] = 0.0
    for k in range(weights.shape[1]):
        work.alive[k] = k
    work.counts, work.size = work.data[first:last], weights.shape[1]


def _mix(t: Floats, shift: float, work: _Work) -> bool:
    """q of all words; return whether topics that were left out may change gamma.

    With the least eta e, these topics have at most ``lost = sum_i c_i rest_i / q_i``
    expected words. While ``lost < 2^-54 e``, each has ``eta_k + lost`` rounded, which
    is eta_k, as if it had been updated. Writes: q, rest (for this shift).
    """
    q, by_topic, n_words = work.q, work.by_topic, work.counts.shape[0]
    for i in range(n_words):
        q[i] = 0.0
    for k in range(work.size):
        share, row = t[k], k * n_words
        for i in range(n_words):
            q[i] += share * by_topic[row + i]
    if work.size == work.weights.shape[1]:
        return False
    lost, scale = 0.0, math.exp(shift - work.shift)
    work.shift = shift
    for i in range(n_words):
        work.rest[i] *= scale
        lost += work.counts[i] * work.rest[i] / q[i]
        if q[i] < _FAINT:
            lost = inf
    return not lost < _LOST * work.least


def _leave_out(work: _Work) -> None:
    """Leave out topics that have faded, if they are many.

    Reads work.total, which has expected words. Writes: by_word, by_topic, alive, eta,
    gamma, rest, size.
    """
    n_words, kept, limit = work.counts.shape[0], 0, _FADED * work.least
    by_word, by_topic, rest = work.by_word, work.by_topic, work.rest
    for k in range(work.size):
        kept += work.total[k] > limit
    if 4 * kept > 3 * work.size:
        return
    kept = 0
    for k in range(work.size):
        if work.total[k] > limit:
            for i in range(n_words):
                by_word[i, kept] = by_word[i, k]
                by_topic[kept * n_words + i] = by_topic[k * n_words + i]
            work.alive[kept] = work.alive[k]
            work.eta[kept], work.gamma[kept] = work.eta[k], work.gamma[k]
            kept += 1
        else:  # its t only falls from here on
            for i in range(n_words):
                rest[i] += work.t[k] * by_word[i, k]
    work.size = kept


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


def _step(work: _Work) -> float:
    """One update; return the change of gamma, or -1 if topics must come back.

    Writes: work.gamma, work.total (the expected words of topics).
    """
    c, total, extra, q, gamma = work.counts, work.total, work.extra, work.q, work.gamma
    n_words, n_topics, by_word = c.shape[0], work.size, work.by_word
    shift = exp_digamma(gamma, n_topics, work.t, work.scratch)
    if _mix(work.t, shift, work):
        return -1.0
    faint = 0
    for i in range(n_words):
        if q[i] < _FAINT:
            faint = 1
            in_logarithms(gamma, by_word[i], shift, work.phi)
            for k in range(n_topics):
                extra[k] += c[i] * work.phi[k]
            q[i] = inf
    for k in range(n_topics):
        total[k] = 0.0
    for i in range(n_words):
        ratio = c[i] / q[i]
        for k in range(n_topics):
            total[k] += ratio * by_word[i, k]
    for k in range(n_topics):
        total[k] = work.t[k] * total[k]
    if faint == 1:
        for k in range(n_topics):
            total[k] += extra[k]
            extra[k] = 0.0
    change = 0.0
    for k in range(n_topics):
        new = work.eta[k] + total[k]
        change += abs(new - gamma[k])
        gamma[k] = new
    work.shift = shift
    return change


def _settle(
    d: int, eta: Floats, max_steps: int, tol: float, gamma: Floats, work: _Work
) -> None:
    """Update document d, starting from ``eta + L / K``. Writes: gamma (K,).

    Most topics fade: their expected words vanish beside eta in rounding, and gamma is
    eta. These are left out; if they would matter again, all are updated instead.
    """
    if not _updated(d, eta, max_steps, tol, True, gamma, work):
        _updated(d, eta, max_steps, tol, False, gamma, work)


def _updated(
    d: int,
    eta: Floats,
    max_steps: int,
    tol: float,
    may_fade: bool,
    gamma: Floats,
    work: _Work,
) -> bool:
    """Update document d; return False if topics that were left out matter."""
    length, n_topics = 0.0, gamma.shape[0]
    _load(work, d)
    for i in range(work.counts.shape[0]):
        length += work.counts[i]
    work.least = inf
    for k in range(n_topics):
        work.eta[k] = eta[k]
        work.gamma[k] = eta[k] + length / n_topics
        work.least = min(work.least, eta[k])
    for _ in range(max_steps):
        change = _step(work)
        if change < 0.0:
            return False
        if change / n_topics < tol:
            break
        if may_fade:
            _leave_out(work)
    for k in range(n_topics):
        gamma[k] = eta[k]
    for k in range(work.size):
        gamma[work.alive[k]] = work.gamma[k]
    return True


def _mixture(d: int, gamma: Floats, work: _Work) -> float:
    """q of all words of the loaded document d at gamma (K,), and t (K,).

    Returns the shift, log t - digamma(gamma). Writes: work.q, work.t.
    """
    shift = exp_digamma(gamma, gamma.shape[0], work.t, work.scratch)
    for k in range(work.size):
        work.total[k] = work.t[work.alive[k]]
    if _mix(work.total, shift, work):
        _load(work, d)
        _mix(work.t, shift, work)
    return shift


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
            _settle(d, eta, max_steps, tol, gamma[d], work)


def _bound(
    d: int, eta: Floats, gamma: Floats, log_alpha: Floats, work: _Work
) -> tuple[float, float]:
    """``sum_i c_i log q_i - KL(q(alpha) | Dir(eta))`` without log B(eta); the shift.

    Document d is loaded. Writes: log_alpha (K,), which is E[log alpha]; q and t of the
    work.
    """
    c, total = work.counts, 0.0
    shift = _mixture(d, gamma, work)
    for k in range(gamma.shape[0]):
        total += gamma[k]
    offset = digamma(total)
    bound = -math.lgamma(total)
    for k in range(gamma.shape[0]):
        if gamma[k] == eta[k]:
            log_alpha[k] = work.digamma_eta[k] - offset
            bound += work.lgamma_eta[k]
        else:
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
        work.lgamma_eta[k], work.digamma_eta[k] = math.lgamma(eta[k]), digamma(eta[k])
    prior = math.lgamma(whole)
    for k in range(n_topics):
        prior -= work.lgamma_eta[k]
    with cython.nogil:
        for d in range(gamma.shape[0]):
            last = gamma[d]
            bound, shift = -inf, 0.0
            if last[0] > 0.0:
                _load(work, d)
                bound, shift = _bound(d, eta, last, own, work)
            _settle(d, eta, max_steps, tol, fresh, work)
            reached, shift = _bound(d, eta, fresh, own, work)
            if reached >= bound:
                bound = reached
                for k in range(n_topics):
                    last[k] = fresh[k]
            else:
                _once_more(d, eta, last, work)
                bound, shift = _bound(d, eta, last, own, work)
            bounds += prior + bound
            for k in range(n_topics):
                log_alpha[k] += own[k]
            _add(d, last, shift, work, statistics)
    return bounds


def _once_more(d: int, eta: Floats, gamma: Floats, work: _Work) -> None:
    """One update of document d from a given gamma. Writes: gamma (K,)."""
    _load(work, d)
    for k in range(gamma.shape[0]):
        work.eta[k], work.gamma[k] = eta[k], gamma[k]
    _step(work)
    for k in range(gamma.shape[0]):
        gamma[k] = work.gamma[k]


def _add(d: int, gamma: Floats, shift: float, work: _Work, statistics: Floats) -> None:
    """Add the expected counts ``c phi`` of a document. Writes: statistics."""
    c, q, phi, t, weights = work.counts, work.q, work.phi, work.t, work.weights
    for i in range(c.shape[0]):
        n = work.indices[work.indptr[d] + i]
        if q[i] < _FAINT:
            in_logarithms(gamma, weights[n], shift, phi)
            for k in range(gamma.shape[0]):
                statistics[n, k] += c[i] * phi[k]
        else:
            ratio = c[i] / q[i]
            for k in range(gamma.shape[0]):
                statistics[n, k] += ratio * t[k] * weights[n, k]


def present(counts: Counts, weights: Floats, gamma: Floats, out: Bools) -> None:
    """Topics with the largest phi of at least one word. Writes: out (D, K)."""
    _present(_Work(counts, weights), gamma, out)


def _present(work: _Work, gamma: Floats, out: Bools) -> None:
    phi, n_topics = work.phi, gamma.shape[1]
    with cython.nogil:
        for d in range(gamma.shape[0]):
            _load(work, d)
            shift = _mixture(d, gamma[d], work)
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
