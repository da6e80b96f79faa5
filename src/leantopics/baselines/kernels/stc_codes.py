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

from leantopics._arrays import Counts, Floats, longest
from leantopics.baselines.kernels.stc_words import Weights, word_ratio

_RIDGE = 1e-9
"""Keeps the Hessian regular if topics agree on all words of a document."""
_SWEEPS, _SWEEP_TOL = 30, 1e-3
"""Maximum sweeps over the coordinates of a Newton step, and the gain to stop at."""
_SHORTEST = 1e-6
"""Newton steps shorter than this are lost to rounding."""


class _Problem:
    """The documents, rows of the dictionary without zeros, the weights, and scratch.

    offset : (M,), theta - lean
    total : (M,), sum_n s_n
    spread : (M,), sum_n (s_n - theta)^2
    idle : (M,), number of words that are not active
    zeros : (M,), number of those whose code is 0, where that of others is not
    free : (M,), topics whose theta may move
    place : (M,), where they are in free, or -1
    ends : (n + 1,), where the positive codes of each word lie
    active, b_active : topics of positive codes, if their b is not 0, and this b
    """

    def __init__(self, counts: Counts, rows: Counts, n_topics: int, weights: Weights):
        self.indptr, self.indices, self.data = counts
        self.starts, self.topics, self.b = rows
        self.lambda_, self.gamma, self.rho = weights
        self.offset, self.idle, self.total, self.spread = np.empty((4, n_topics))
        self.slope, self.after, self.step, self.part = np.empty((4, n_topics))
        self.trial, self.zeros = np.empty((2, n_topics))
        self.hessian = np.empty((n_topics, n_topics))
        self.free, self.place = np.empty((2, n_topics), np.int64)
        n_words = longest(counts.indptr)
        self.ends = np.zeros(n_words + 1, np.int64)
        self.active = np.empty(n_words * n_topics + 1, np.int32)
        self.b_active = np.empty(n_words * n_topics + 1)


def _evaluate(problem: _Problem, d: int, theta: Floats, ratio: Floats) -> float:
    """Objective of document d at theta and the best word codes.

    A word whose b_k is 0 has the code ``max(0, theta_k - lean)``, whatever its ratio.
    So has one whose code is not positive, unless the ratio is below 1: then it can be 0
    where others have ``theta_k - lean > 0``. Only active topics, where b and code are
    positive, are visited word by word.

    Writes: ratio of the document's words; problem.offset, total, idle, zeros, ends,
    active, b_active.
    """
    half = 0.5 / problem.gamma
    lean = problem.rho * half
    offset, total, spread = problem.offset, problem.total, problem.spread
    topics, b, data, zeros = problem.topics, problem.b, problem.data, problem.zeros
    active, part, idle = problem.active, problem.b_active, problem.idle
    n_topics = theta.shape[0]
    begin, end = problem.indptr[d], problem.indptr[d + 1]
    objective = 0.0
    for k in range(n_topics):
        offset[k] = theta[k] - lean
        total[k], spread[k], zeros[k], idle[k] = 0.0, 0.0, 0.0, end - begin
    for i in range(begin, end):
        n, w, start = problem.indices[i], data[i], problem.ends[i - begin]
        first, last, x = problem.starts[n], problem.starts[n + 1], ratio[i]
        x, count = word_ratio(
            w, topics, b, first, last, offset, half, x, start, active, part
        )
        ratio[i], problem.ends[i - begin + 1] = x, start + count
        shift, mean = (x - 1.0) * half, w / x
        objective += mean - w * math.log(mean)
        for j in range(start, start + count):
            k = active[j]
            s = max(0.0, offset[k] + shift * part[j])
            total[k] += s
            spread[k] += (s - theta[k]) * (s - theta[k])
            idle[k] -= 1.0
        if x < 1.0:
            for j in range(first, last):
                k = topics[j]
                if offset[k] > 0.0 and offset[k] + shift * b[j] <= 0.0:
                    zeros[k] += 1.0
    for k in range(n_topics):
        s, alike = max(0.0, offset[k]), idle[k] - zeros[k]
        total[k] += alike * s
        spread[k] += alike * (s - theta[k]) * (s - theta[k])
        spread[k] += zeros[k] * theta[k] * theta[k]
        objective += problem.lambda_ * theta[k]
        objective += problem.gamma * spread[k] + problem.rho * total[k]
    return objective


def _newton(
    problem: _Problem, d: int, theta: Floats, ratio: Floats
) -> tuple[int, float]:
    """Newton step that keeps theta >= 0, over the topics that may move.

    The Hessian is the sum over words of ``2 gamma`` on the diagonal where the code is
    0, and of ``kappa b b'`` over the topics A where it is not, with ``kappa = x / (m +
    x half sum_A b^2)``.

    Returns the number of topics that may move, and the decrease that the step promises.
    Writes, of these topics: problem.free, problem.step, problem.slope (the gradient).
    """
    twice, half = 2.0 * problem.gamma, 0.5 / problem.gamma
    free, place = problem.free, problem.place
    slope, part, hessian = problem.slope, problem.part, problem.hessian
    active, b, ends = problem.active, problem.b_active, problem.ends
    begin, n_words = problem.indptr[d], problem.indptr[d + 1] - problem.indptr[d]
    n_free = 0
    for k in range(theta.shape[0]):
        gradient = twice * (n_words * theta[k] - problem.total[k]) + problem.lambda_
        place[k] = -1
        if theta[k] > 0.0 or gradient < 0.0:
            place[k], free[n_free], slope[n_free] = n_free, k, gradient
            n_free += 1
    for q in range(n_free):
        k, part[q] = free[q], 0.0
        for r in range(q):
            hessian[q, r] = 0.0
        none = problem.zeros[k] if problem.offset[k] > 0.0 else problem.idle[k]
        hessian[q, q] = twice * (_RIDGE * n_words + none)
    for i in range(n_words):
        x, square = ratio[begin + i], 0.0
        for j in range(ends[i], ends[i + 1]):
            square += b[j] * b[j]
            if place[active[j]] >= 0:
                part[place[active[j]]] = b[j]
        kappa = x / (problem.data[begin + i] / x + x * half * square)
        for j in range(ends[i], ends[i + 1]):
            q, scaled = place[active[j]], kappa * b[j]
            for r in range(q + 1):
                hessian[q, r] += scaled * part[r]
        for j in range(ends[i], ends[i + 1]):
            if place[active[j]] >= 0:
                part[place[active[j]]] = 0.0
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
    rows: Counts,
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
    rows : the dictionary: the N words by M topics, without zeros; topics in order
    steps : maximum number of steps of a document
    theta : (D, M), the start; rows of zeros will do
    ratio : (entries,), guesses; zeros will do

    Writes: theta, ratio, objective (D,). Cost: O(M) per evaluation, and per word its
    topics with b > 0; per step also their squares, and O(F^3) with F free topics.
    """
    problem = _Problem(counts, rows, theta.shape[1], weights)
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
