"""Dictionary of sparse topical coding: a convex problem given the codes.

The loss ``sum m - w log m`` with m = sum_k s_k b_k is a sum over words, so the kernels
go through the counts word by word: rows of the counts are words here, and their indices
are documents. Codes are recovered from theta, the ratios and the dictionary that they
were made with (`leantopics.baselines.kernels.stc_words`).
"""

import math
from math import inf

import cython
import numpy as np

from leantopics._arrays import Floats, Ints, Longs

_FLATTEST = 1e-10
"""Smallest curvature of an entry, as a share of the largest of its topic."""


def slopes(
    indptr: Longs,
    indices: Ints,
    data: Floats,
    theta: Floats,
    ratio: Floats,
    coded: Floats,
    dictionary: Floats,
    half: float,
    lean: float,
    mean: Floats,
    gradient: Floats,
    curvature: Floats,
) -> None:
    """Derivatives of the loss with respect to the dictionary, with fixed codes.

    ``gradient = sum_d s (1 - w / m)`` and ``curvature = sum_d s^2 w / m^2``.

    Parameters
    ----------
    indptr, indices, data : counts of n words, indices are documents
    theta : (D, M)
    ratio : (entries,)
    coded, dictionary : (n, M), the one that the codes were made with and the current
        one
    half, lean : ``1 / (2 gamma)`` and ``rho half``

    Writes: mean m (entries,), gradient and curvature (n, M).
    """
    n_topics = theta.shape[1]
    s = np.empty(n_topics)
    with cython.nogil:
        for n in range(indptr.shape[0] - 1):
            for k in range(n_topics):
                gradient[n, k] = 0.0
                curvature[n, k] = 0.0
            for i in range(indptr[n], indptr[n + 1]):
                d, shift, m = indices[i], (ratio[i] - 1.0) * half, 0.0
                for k in range(n_topics):
                    s[k] = max(0.0, theta[d, k] - lean + shift * coded[n, k])
                    m += s[k] * dictionary[n, k]
                mean[i] = m
                pull = data[i] / m
                for k in range(n_topics):
                    gradient[n, k] += s[k] * (1.0 - pull)
                    curvature[n, k] += s[k] * s[k] * pull / m


def project(
    dictionary: Floats,
    gradient: Floats,
    curvature: Floats,
    tau: Floats,
    move: Floats,
) -> float:
    """Scaled gradient step of each topic, projected onto the simplex.

    With curvature h and v = b - gradient / h, the new topic is ``max(0, v - tau / h)``,
    where tau makes it sum to one: the point of the simplex nearest to v in the metric
    h. For h = 1 it is the Euclidean projection of Duchi et al. (2008). ``sum_n max(0, v
    - tau / h) - 1`` is convex and falls in tau: from any start, Newton's second point
    lies left of the root, and later ones rise to it.

    Parameters
    ----------
    dictionary, gradient, curvature : (N, M)
    tau : (M,), guesses

    From the second round on tau rises: entries once below it stay there, and only those
    ``left`` are visited.

    Returns the change of the loss to first order. Writes: move (N, M), new minus old;
    tau; curvature, which gets a floor.
    """
    n_words, n_topics = dictionary.shape[0], dictionary.shape[1]
    floor, above, inverse = np.zeros((3, n_topics))
    left = np.empty(n_words * n_topics + 1, np.int64)
    for n in range(n_words):
        for k in range(n_topics):
            floor[k] = max(floor[k], curvature[n, k] * _FLATTEST)
    for k in range(n_topics):
        floor[k] = floor[k] if floor[k] > 0.0 else 1.0
    for n in range(n_words):
        for k in range(n_topics):
            curvature[n, k] = max(curvature[n, k], floor[k])
            move[n, k] = dictionary[n, k] - gradient[n, k] / curvature[n, k]
    rounds, changed, n_left = 0, True, 0
    while changed:
        for k in range(n_topics):
            above[k], inverse[k] = 0.0, 0.0
        before, n_left = n_left, 0
        if rounds < 2:
            for n in range(n_words):
                for k in range(n_topics):
                    left[n_left] = n * n_topics + k
                    n_left += move[n, k] * curvature[n, k] > tau[k]
        else:
            for j in range(before):
                n, k = left[j] // n_topics, left[j] % n_topics
                left[n_left] = left[j]
                n_left += move[n, k] * curvature[n, k] > tau[k]
        for j in range(n_left):
            n, k = left[j] // n_topics, left[j] % n_topics
            above[k] += move[n, k]
            inverse[k] += 1.0 / curvature[n, k]
        changed = False
        for k in range(n_topics):
            if inverse[k] > 0.0:
                new = (above[k] - 1.0) / inverse[k]
            else:  # the guess was above all entries
                new = -inf
            if new > tau[k] or (rounds == 0 and new < tau[k]):
                tau[k] = new
                changed = True
        rounds += 1
    change = 0.0
    for n in range(n_words):
        for k in range(n_topics):
            new = max(0.0, move[n, k] - tau[k] / curvature[n, k])
            move[n, k] = new - dictionary[n, k]
            change += gradient[n, k] * move[n, k]
    return change


def means(
    indptr: Longs,
    indices: Ints,
    theta: Floats,
    ratio: Floats,
    coded: Floats,
    table: Floats,
    half: float,
    lean: float,
    out: Floats,
) -> None:
    """Products ``sum_k s_k table[n, k]`` of all entries; see `slopes`. Writes: out."""
    with cython.nogil:
        for n in range(indptr.shape[0] - 1):
            for i in range(indptr[n], indptr[n + 1]):
                d, shift, total = indices[i], (ratio[i] - 1.0) * half, 0.0
                for k in range(table.shape[1]):
                    s = max(0.0, theta[d, k] - lean + shift * coded[n, k])
                    total += s * table[n, k]
                out[i] = total


def loss_change(w: Floats, mean: Floats, move: Floats, length: float) -> float:
    """Change of the loss when each mean m goes to ``m + length move``."""
    change = 0.0
    for i in range(w.shape[0]):
        share = length * move[i] / mean[i]
        if share <= -1.0:
            return inf
        change += length * move[i] - w[i] * math.log1p(share)
    return change
