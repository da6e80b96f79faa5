"""Codes of sparse topical coding: the convex problem of each document.

With the dictionary fixed, theta >= 0 and word codes s_n >= 0 of a document minimise

    lambda sum_k theta_k + sum_n (m_n - w_n log m_n)
        + sum_nk (gamma (s_nk - theta_k)^2 + rho s_nk),        m_n = sum_k s_nk b_nk.

The best word codes given theta are known (`leantopics.baselines.kernels.stc_words`).
The remaining problem is smooth and convex in theta alone, with gradient 2 gamma sum_n
(theta - s_n) + lambda.
"""

import math

import cython
import numpy as np

from leantopics._arrays import Counts, Floats
from leantopics.baselines.kernels.stc_words import Weights, word_ratio

_RIDGE = 1e-9
"""Keeps the Hessian regular if topics agree on all words of a document."""
_SWEEPS, _SWEEP_TOL = 30, 1e-3
"""Maximum sweeps over the coordinates of a Newton step, and the gain to stop at."""
_SHORTEST = 1e-6
"""Newton steps shorter than this are lost to rounding."""


class _Problem:
    """The documents, the weights, and scratch.

    offset : (M,), theta - lean
    total : (M,), sum_n s_n
    spread : (M,), sum_n (s_n - theta)^2
    free : (M,), topics whose theta may move
    """

    def __init__(self, counts: Counts, dictionary: Floats, weights: Weights) -> None:
        self.indptr, self.indices, self.data = counts
        self.dictionary = np.ascontiguousarray(dictionary)
        self.lambda_, self.gamma, self.rho = weights
        n_topics = dictionary.shape[1]
        self.offset, self.total, self.spread, self.trial = np.empty((4, n_topics))
        self.slope, self.after, self.step, self.part = np.empty((4, n_topics))
        self.hessian = np.empty((n_topics, n_topics))
        self.free = np.empty(n_topics, np.int64)


def _evaluate(
    problem: _Problem,
    d: int,
    theta: Floats,
    ratio: Floats,
) -> float:
    """Objective of document d at theta and the best word codes.

    Writes: ratio of the document's words, problem.offset and problem.total.
    """
    half = 0.5 / problem.gamma
    lean = problem.rho * half
    offset, total, spread = problem.offset, problem.total, problem.spread
    objective = 0.0
    for k in range(theta.shape[0]):
        offset[k] = theta[k] - lean
        total[k] = 0.0
        spread[k] = 0.0
    for i in range(problem.indptr[d], problem.indptr[d + 1]):
        w, b = problem.data[i], problem.dictionary[problem.indices[i]]
        ratio[i] = word_ratio(w, b, offset, half, ratio[i])
        shift = (ratio[i] - 1.0) * half
        mean = w / ratio[i]
        objective += mean - w * math.log(mean)
        for k in range(theta.shape[0]):
            s = max(0.0, offset[k] + shift * b[k])
            total[k] += s
            spread[k] += (s - theta[k]) * (s - theta[k])
    for k in range(theta.shape[0]):
        objective += problem.lambda_ * theta[k]
        objective += problem.gamma * spread[k] + problem.rho * total[k]
    return objective


def _newton(
    problem: _Problem,
    d: int,
    theta: Floats,
    ratio: Floats,
) -> tuple[int, float]:
    """Newton step that keeps theta >= 0, over the topics that may move.

    The Hessian is the sum over words of ``2 gamma`` on the diagonal where the code is
    0, and of ``kappa b b'`` over the topics A where it is not, with ``kappa = x / (m +
    x half sum_A b^2)``.

    Returns the number of topics that may move, and the decrease that the step promises.
    Writes, of these topics: problem.free, problem.step, problem.slope (the gradient).
    """
    half = 0.5 / problem.gamma
    offset, free = problem.offset, problem.free
    slope, part, hessian = problem.slope, problem.part, problem.hessian
    first, last = problem.indptr[d], problem.indptr[d + 1]
    n_free = 0
    for k in range(theta.shape[0]):
        moved = (last - first) * theta[k] - problem.total[k]
        gradient = 2.0 * problem.gamma * moved + problem.lambda_
        if theta[k] > 0.0 or gradient < 0.0:
            free[n_free] = k
            slope[n_free] = gradient
            n_free += 1
    for q in range(n_free):
        for r in range(q):
            hessian[q, r] = 0.0
        hessian[q, q] = _RIDGE * 2.0 * problem.gamma * (last - first)
    for i in range(first, last):
        b = problem.dictionary[problem.indices[i]]
        shift = (ratio[i] - 1.0) * half
        square = 0.0
        for k in range(theta.shape[0]):
            active = b[k] if offset[k] + shift * b[k] > 0.0 else 0.0
            square += active * active
        kappa = ratio[i] / (problem.data[i] / ratio[i] + ratio[i] * half * square)
        for q in range(n_free):
            k = free[q]
            if offset[k] + shift * b[k] > 0.0:
                part[q] = b[k]
                scaled = kappa * b[k]
                for r in range(q + 1):
                    hessian[q, r] += scaled * part[r]
            else:
                part[q] = 0.0
                hessian[q, q] += 2.0 * problem.gamma
    for q in range(n_free):
        part[q] = -theta[free[q]]
        problem.after[q] = slope[q]
        for r in range(q):
            hessian[r, q] = hessian[q, r]
    return n_free, descend(hessian, problem.after, part, n_free, problem.step)


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
    for q in range(size):
        step[q] = 0.0
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
    problem = _Problem(counts, dictionary, weights)
    _code_documents(problem, steps, tol, theta, ratio, objective)


def _code_documents(
    problem: _Problem,
    steps: int,
    tol: float,
    theta: Floats,
    ratio: Floats,
    objective: Floats,
) -> None:
    """See `code_documents`."""
    with cython.nogil:
        for d in range(objective.shape[0]):
            length = 0.0
            for i in range(problem.indptr[d], problem.indptr[d + 1]):
                length += problem.data[i]
            objective[d] = _code(problem, d, steps, tol * length, theta[d], ratio)


def _code(
    problem: _Problem, d: int, steps: int, least: float, theta: Floats, ratio: Floats
) -> float:
    """Lower the objective of document d, and return it. Writes: theta, ratio."""
    value = _evaluate(problem, d, theta, ratio)
    for _ in range(steps):
        n_free, promise = _newton(problem, d, theta, ratio)
        if promise <= least:
            break
        new = _step(problem, d, theta, value, n_free, ratio)
        if not new < value:
            value = _evaluate(problem, d, theta, ratio)
            break
        for k in range(theta.shape[0]):
            theta[k] = problem.trial[k]
        fell = value - new
        value = new
        if fell <= least:
            break
    return value


def _step(
    problem: _Problem,
    d: int,
    theta: Floats,
    value: float,
    n_free: int,
    ratio: Floats,
) -> float:
    """Objective after the Newton step, halved until the objective falls enough.

    This is Armijo's rule.

    Writes: problem.trial (theta after the step), ratio, problem.offset, problem.total.
    """
    promise = 0.0
    for q in range(n_free):
        promise += problem.slope[q] * problem.step[q]
    length = 1.0
    while length > _SHORTEST:
        for k in range(theta.shape[0]):
            problem.trial[k] = theta[k]
        for q in range(n_free):
            k = problem.free[q]
            problem.trial[k] = max(0.0, theta[k] + length * problem.step[q])
        new = _evaluate(problem, d, problem.trial, ratio)
        if new <= value + 1e-4 * length * promise:
            return new
        length *= 0.5
    return value
