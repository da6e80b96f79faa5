"""Proportions of one document: maximise a concave function on a small simplex.

For a document with counts c and present topics k, put ``ratio[k, i] = beta[k, i] /
beta0[i]`` (one for a word that is not salient). Its log-likelihood relative to the
shared model is ``f(alpha) = sum_i c[i] log q[i]`` with ``q[i] = sum_k alpha[k]
ratio[k, i]``. With ``g[k] = df/dalpha[k]`` and ``L = sum c``, Jensen's inequality bounds
what any other proportions on the same topics can gain:

    f(alpha') - f(alpha) <= L log(max_k g[k] / L)

so the solver knows how far it is from the optimum, and a trial that cannot reach its
target stops at once.
"""

import math

import numpy as np
from numba import njit

GAP = 1e-6
"""Proportions are solved until they are within this many nats of their optimum."""

_MAX_STEPS = 200


@njit(cache=True, nogil=True)
def evaluate(ratio, cols, counts, alpha, q, grad, hess):
    """Log-likelihood ratio f of (parsmdl) with its gradient g and -Hessian.

    ``q = alpha @ ratio[cols]``, ``f = sum c log q``, ``g = ratio @ (c / q)`` and
    ``hess = ratio (c / q^2) ratio'``. Returns f, or -inf where some q is zero.
    Writes: q, grad, hess (lower triangle). Cost: n_words m^2.
    """
    m = cols.shape[0]
    n_words = counts.shape[0]
    for i in range(n_words):
        q[i] = 0.0
    for k in range(m):
        a = alpha[k]
        if a > 0.0:
            row = ratio[cols[k]]
            for i in range(n_words):
                q[i] += a * row[i]
    f = 0.0
    for i in range(n_words):
        if q[i] <= 0.0:
            return -np.inf
        f += counts[i] * math.log(q[i])
    for k in range(m):
        row = ratio[cols[k]]
        total = 0.0
        for i in range(n_words):
            total += counts[i] * row[i] / q[i]
        grad[k] = total
        for j in range(k + 1):
            other = ratio[cols[j]]
            total = 0.0
            for i in range(n_words):
                total += counts[i] * (row[i] / q[i]) * (other[i] / q[i])
            hess[k, j] = total
    return f


@njit(cache=True, nogil=True)
def _newton_direction(alpha, grad, length, hess, free, step, factor):
    """Solve ``hess[free, free] step[free] = grad[free] - L`` by Cholesky.

    A pivot that vanishes (two topics that say the same of this document) leaves its
    coordinate where it is. Writes: step (zero outside free), factor.
    """
    m = alpha.shape[0]
    for k in range(m):
        step[k] = 0.0
        if not free[k]:
            continue
        for j in range(k + 1):
            if not free[j]:
                continue
            total = hess[k, j]
            for i in range(j):
                if free[i]:
                    total -= factor[k, i] * factor[j, i]
            if j < k:
                factor[k, j] = total / factor[j, j] if factor[j, j] > 0.0 else 0.0
            else:
                tiny = 1e-12 * hess[k, k]
                factor[k, k] = math.sqrt(total) if total > tiny else 0.0
    for k in range(m):
        if free[k] and factor[k, k] > 0.0:
            total = grad[k] - length
            for i in range(k):
                if free[i]:
                    total -= factor[k, i] * step[i]
            step[k] = total / factor[k, k]
    for k in range(m - 1, -1, -1):
        if free[k] and factor[k, k] > 0.0:
            total = step[k]
            for i in range(k + 1, m):
                if free[i]:
                    total -= factor[i, k] * step[i]
            step[k] = total / factor[k, k]


@njit(cache=True, nogil=True)
def _move(alpha, step, scale, out):
    """Go along step, stay on the simplex. Writes: out. Returns False if all is cut."""
    total = 0.0
    for k in range(alpha.shape[0]):
        out[k] = max(0.0, alpha[k] + scale * step[k])
        total += out[k]
    if total <= 0.0:
        return False
    for k in range(alpha.shape[0]):
        out[k] /= total
    return True


@njit(cache=True, nogil=True)
def solve(cols, counts, length, alpha, target, work):
    """Maximise f over the simplex of the topics ``cols``, from ``alpha``.

    Newton steps on ``sum c log q - L sum alpha``, whose maximum over alpha >= 0 lies on
    the simplex; steps that leave it are cut and rescaled, and a step that does not
    climb is halved, then replaced by one towards the steepest vertex. Stops within
    ``GAP`` of the optimum, or as soon as f + gap cannot exceed ``target``.

    Reads: work.ratio[cols]. Writes: alpha (m,), work.q. Returns (f, gap).
    """
    m = cols.shape[0]
    ratio, q, hess = work.ratio, work.q, work.hess
    grad, move = work.grad[:m], work.move[:m]
    step, free = work.step[:m], work.free[:m]
    f = evaluate(ratio, cols, counts, alpha, q, grad, hess)
    gap = np.inf
    if f == -np.inf:
        return f, gap
    for _ in range(_MAX_STEPS):
        best = 0
        for k in range(1, m):
            if grad[k] > grad[best]:
                best = k
        gap = length * math.log(max(grad[best] / length, 1.0))
        if gap <= GAP or f + gap <= target:
            break
        for k in range(m):
            free[k] = alpha[k] > 0.0 or grad[k] > length
        _newton_direction(alpha, grad, length, hess, free, step, work.factor)
        scale = 1.0
        climbed = False
        for halving in range(12):
            if halving == 4:
                for k in range(m):
                    step[k] = -alpha[k]
                step[best] += 1.0
                scale = 0.5
            if _move(alpha, step, scale, move):
                f_move = evaluate(ratio, cols, counts, move, q, grad, hess)
                if f_move > f:
                    climbed = True
                    break
            scale *= 0.5
        if not climbed:
            f = evaluate(ratio, cols, counts, alpha, q, grad, hess)
            break
        f = f_move
        for k in range(m):
            alpha[k] = move[k]
    return f, gap
