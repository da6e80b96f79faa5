"""Codes of sparse topical coding: the convex problem of each document.

With the dictionary fixed, theta >= 0 and word codes s_n >= 0 of a document minimise

    lambda sum_k theta_k + sum_n (m_n - w_n log m_n)
        + sum_nk (gamma (s_nk - theta_k)^2 + rho s_nk),        m_n = sum_k s_nk b_nk.

The best word codes given theta are known (`leantopics.baselines.kernels.stc_words`).
The remaining problem is smooth and convex in theta alone, with gradient 2 gamma sum_n
(theta - s_n) + lambda.
"""

import math
from typing import NamedTuple

import numpy as np

from leantopics._arrays import Counts, Floats, Longs
from leantopics._jit import kernel
from leantopics.baselines.kernels.stc_words import Weights, word_ratio

_RIDGE = 1e-9
"""Keeps the Hessian regular if topics agree on all words of a document."""
_SWEEPS, _SWEEP_TOL = 30, 1e-3
"""Maximum sweeps over the coordinates of a Newton step, and the gain to stop at."""
_SHORTEST = 1e-6
"""Newton steps shorter than this are lost to rounding."""


class _Scratch(NamedTuple):
    """Buffers of one document."""

    offset: Floats
    """(M,): theta - lean."""
    total: Floats
    """(M,): sum_n s_n."""
    spread: Floats
    """(M,): sum_n (s_n - theta)^2."""
    trial: Floats
    slope: Floats
    after: Floats
    step: Floats
    part: Floats
    hessian: Floats
    free: Longs
    """Topics whose theta may move."""


@kernel
def _evaluate(
    counts: Counts,
    d: int,
    dictionary: Floats,
    weights: Weights,
    theta: Floats,
    ratio: Floats,
    scratch: _Scratch,
) -> float:
    """Objective of document d at theta and the best word codes.

    Writes: ratio of the document's words, scratch.offset and scratch.total.
    """
    half = 0.5 / weights.gamma
    lean = weights.rho * half
    offset, total, spread = scratch.offset, scratch.total, scratch.spread
    objective = 0.0
    for k in range(len(theta)):
        offset[k] = theta[k] - lean
        total[k] = 0.0
        spread[k] = 0.0
    for i in range(counts.indptr[d], counts.indptr[d + 1]):
        w, b = counts.data[i], dictionary[counts.indices[i]]
        ratio[i] = word_ratio(w, b, offset, half, ratio[i])
        shift = (ratio[i] - 1.0) * half
        mean = w / ratio[i]
        objective += mean - w * math.log(mean)
        for k in range(len(theta)):
            s = max(0.0, offset[k] + shift * b[k])
            total[k] += s
            spread[k] += (s - theta[k]) ** 2
    for k in range(len(theta)):
        objective += weights.lambda_ * theta[k]
        objective += weights.gamma * spread[k] + weights.rho * total[k]
    return objective


@kernel
def _newton(
    counts: Counts,
    d: int,
    dictionary: Floats,
    weights: Weights,
    theta: Floats,
    ratio: Floats,
    scratch: _Scratch,
) -> tuple[int, float]:
    """Newton step that keeps theta >= 0, over the topics that may move.

    The Hessian is the sum over words of ``2 gamma`` on the diagonal where the code is
    0, and of ``kappa b b'`` over the topics A where it is not, with ``kappa = x / (m +
    x half sum_A b^2)``.

    Returns the number of topics that may move, and the decrease that the step promises.
    Writes, of these topics: scratch.free, scratch.step, scratch.slope (the gradient).
    """
    half = 0.5 / weights.gamma
    offset, free = scratch.offset, scratch.free
    slope, part, hessian = scratch.slope, scratch.part, scratch.hessian
    first, last = counts.indptr[d], counts.indptr[d + 1]
    n_free = 0
    for k in range(len(theta)):
        moved = (last - first) * theta[k] - scratch.total[k]
        gradient = 2.0 * weights.gamma * moved + weights.lambda_
        if theta[k] > 0.0 or gradient < 0.0:
            free[n_free] = k
            slope[n_free] = gradient
            n_free += 1
    for q in range(n_free):
        hessian[q, : q + 1] = 0.0
        hessian[q, q] = _RIDGE * 2.0 * weights.gamma * (last - first)
    for i in range(first, last):
        b = dictionary[counts.indices[i]]
        shift = (ratio[i] - 1.0) * half
        square = 0.0
        for k in range(len(theta)):
            active = b[k] if offset[k] + shift * b[k] > 0.0 else 0.0
            square += active * active
        kappa = ratio[i] / (counts.data[i] / ratio[i] + ratio[i] * half * square)
        for q in range(n_free):
            k = free[q]
            if offset[k] + shift * b[k] > 0.0:
                part[q] = b[k]
                scaled = kappa * b[k]
                for r in range(q + 1):
                    hessian[q, r] += scaled * part[r]
            else:
                part[q] = 0.0
                hessian[q, q] += 2.0 * weights.gamma
    for q in range(n_free):
        part[q] = -theta[free[q]]
        scratch.after[q] = slope[q]
        for r in range(q):
            hessian[r, q] = hessian[q, r]
    return n_free, descend(hessian, scratch.after, part, n_free, scratch.step)


@kernel
def descend(
    hessian: Floats, gradient: Floats, floor: Floats, size: int, step: Floats
) -> float:
    """Minimise ``gradient p + p' hessian p / 2`` over p >= floor by coordinates.

    Parameters
    ----------
    hessian : its leading block of ``size`` rows and columns, positive definite
    gradient, floor : (size,) at least; floor <= 0

    Returns the decrease of the quadratic. Writes: step p (size,), gradient (at p).
    """
    step[:size] = 0.0
    total = 0.0
    for _ in range(_SWEEPS):
        fall = 0.0
        for q in range(size):
            new = max(floor[q], step[q] - gradient[q] / hessian[q, q])
            change = new - step[q]
            if change != 0.0:
                fall -= change * (gradient[q] + 0.5 * change * hessian[q, q])
                step[q] = new
                for r in range(size):
                    gradient[r] += change * hessian[q, r]
        total += fall
        if fall <= _SWEEP_TOL * total:
            break
    return total


@kernel
def code_documents(
    counts: Counts,
    dictionary: Floats,
    weights: Weights,
    steps: int,
    tol: float,
    theta: Floats,
    ratio: Floats,
    objective: Floats,
) -> None:
    """Lower the objective of each document over its codes.

    Newton steps over theta, with exact word codes at each. A document is done when a
    step promises or gains less than ``tol`` per word.

    Parameters
    ----------
    dictionary : (N, M), word-major, columns sum to one
    steps : maximum number of steps of a document
    theta : (D, M), the start; rows of zeros will do
    ratio : (entries,), guesses; zeros will do

    Writes: theta, ratio, objective (D,). Cost: O(entries M) per evaluation, and O(|d|
    F^2 + F^3) per step with F free topics.
    """
    n_topics = dictionary.shape[1]
    vectors = np.empty((8, n_topics))
    scratch = _Scratch(
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        vectors[5],
        vectors[6],
        vectors[7],
        np.empty((n_topics, n_topics)),
        np.empty(n_topics, np.int64),
    )
    for d in range(len(counts.indptr) - 1):
        here = theta[d]
        least = tol * counts.data[counts.indptr[d] : counts.indptr[d + 1]].sum()
        value = _evaluate(counts, d, dictionary, weights, here, ratio, scratch)
        for _ in range(steps):
            n_free, promise = _newton(
                counts, d, dictionary, weights, here, ratio, scratch
            )
            if promise <= least:
                break
            new = _step(
                counts, d, dictionary, weights, here, value, n_free, ratio, scratch
            )
            if not new < value:
                value = _evaluate(counts, d, dictionary, weights, here, ratio, scratch)
                break
            here[:] = scratch.trial
            fell = value - new
            value = new
            if fell <= least:
                break
        objective[d] = value


@kernel
def _step(
    counts: Counts,
    d: int,
    dictionary: Floats,
    weights: Weights,
    theta: Floats,
    value: float,
    n_free: int,
    ratio: Floats,
    scratch: _Scratch,
) -> float:
    """Objective after the Newton step, halved until the objective falls enough.

    This is Armijo's rule.

    Writes: scratch.trial (theta after the step), ratio, scratch.offset, scratch.total.
    """
    promise = 0.0
    for q in range(n_free):
        promise += scratch.slope[q] * scratch.step[q]
    length = 1.0
    while length > _SHORTEST:
        scratch.trial[:] = theta
        for q in range(n_free):
            k = scratch.free[q]
            scratch.trial[k] = max(0.0, theta[k] + length * scratch.step[q])
        new = _evaluate(counts, d, dictionary, weights, scratch.trial, ratio, scratch)
        if new <= value + 1e-4 * length * promise:
            return new
        length *= 0.5
    return value
