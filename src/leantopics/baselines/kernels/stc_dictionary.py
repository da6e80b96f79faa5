"""Dictionary of sparse topical coding: a convex problem given the codes.

The loss ``sum m - w log m`` with m = sum_k s_k b_k is a sum over words, so the kernels
go through the counts word by word: rows of the counts are words here, and their indices
are documents. Codes are recovered from theta, the ratios and the dictionary that they
were made with (`leantopics.baselines.kernels.stc_words`).
"""

import math

import numpy as np

from leantopics._arrays import Counts, Floats
from leantopics._jit import kernel
from leantopics.baselines.kernels.stc_words import Weights

_FLATTEST = 1e-10
"""Smallest curvature of an entry, as a share of the largest of its topic."""


@kernel
def slopes(
    words: Counts,
    theta: Floats,
    ratio: Floats,
    coded: Floats,
    dictionary: Floats,
    weights: Weights,
    mean: Floats,
    gradient: Floats,
    curvature: Floats,
) -> None:
    """Derivatives of the loss with respect to the dictionary, with fixed codes.

    ``gradient = sum_d s (1 - w / m)`` and ``curvature = sum_d s^2 w / m^2``.

    Parameters
    ----------
    words : counts of n words, indices are documents
    theta : (D, M)
    ratio : (entries,)
    coded, dictionary : (n, M), the one that the codes were made with and the current
        one

    Writes: mean m (entries,), gradient and curvature (n, M).
    """
    half = 0.5 / weights.gamma
    lean = weights.rho * half
    n_topics = dictionary.shape[1]
    s = np.empty(n_topics)
    for n in range(len(words.indptr) - 1):
        gradient[n] = 0.0
        curvature[n] = 0.0
        for i in range(words.indptr[n], words.indptr[n + 1]):
            code = theta[words.indices[i]]
            shift = (ratio[i] - 1.0) * half
            m = 0.0
            for k in range(n_topics):
                s[k] = max(0.0, code[k] - lean + shift * coded[n, k])
                m += s[k] * dictionary[n, k]
            mean[i] = m
            pull = words.data[i] / m
            for k in range(n_topics):
                gradient[n, k] += s[k] * (1.0 - pull)
                curvature[n, k] += s[k] * s[k] * pull / m


@kernel
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

    Returns the change of the loss to first order. Writes: move (N, M), new minus old;
    tau; curvature, which gets a floor.
    """
    n_words, n_topics = dictionary.shape
    floor = np.zeros(n_topics)
    above, inverse = np.empty(n_topics), np.empty(n_topics)
    for n in range(n_words):
        for k in range(n_topics):
            floor[k] = max(floor[k], curvature[n, k] * _FLATTEST)
    for k in range(n_topics):
        floor[k] = floor[k] if floor[k] > 0.0 else 1.0
    for n in range(n_words):
        for k in range(n_topics):
            curvature[n, k] = max(curvature[n, k], floor[k])
            move[n, k] = dictionary[n, k] - gradient[n, k] / curvature[n, k]
    rounds, changed = 0, True
    while changed:
        above[:], inverse[:] = 0.0, 0.0
        for n in range(n_words):
            for k in range(n_topics):
                if move[n, k] * curvature[n, k] > tau[k]:
                    above[k] += move[n, k]
                    inverse[k] += 1.0 / curvature[n, k]
        changed = False
        for k in range(n_topics):
            if inverse[k] > 0.0:
                new = (above[k] - 1.0) / inverse[k]
            else:  # the guess was above all entries
                new = -math.inf
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


@kernel
def means(
    words: Counts,
    theta: Floats,
    ratio: Floats,
    coded: Floats,
    table: Floats,
    weights: Weights,
    out: Floats,
) -> None:
    """Products ``sum_k s_k table[n, k]`` of all entries. Writes: out (entries,)."""
    half = 0.5 / weights.gamma
    lean = weights.rho * half
    for n in range(len(words.indptr) - 1):
        for i in range(words.indptr[n], words.indptr[n + 1]):
            code = theta[words.indices[i]]
            shift = (ratio[i] - 1.0) * half
            total = 0.0
            for k in range(table.shape[1]):
                s = max(0.0, code[k] - lean + shift * coded[n, k])
                total += s * table[n, k]
            out[i] = total


@kernel
def loss_change(w: Floats, mean: Floats, move: Floats, length: float) -> float:
    """Change of the loss when each mean m goes to ``m + length move``."""
    change = 0.0
    for i in range(len(w)):
        share = length * move[i] / mean[i]
        if share <= -1.0:
            return math.inf
        change += length * move[i] - w[i] * math.log1p(share)
    return change
