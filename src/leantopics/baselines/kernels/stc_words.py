"""Codes of the words of sparse topical coding, given the code of their document.

A word that occurs w times has the code s >= 0 that minimises

    m - w log m + sum_k (gamma (s_k - theta_k)^2 + rho s_k),        m = sum_k s_k b_k.

It depends on one number, the ratio x = w / m:

    s_k = max(0, theta_k - lean + (x - 1) half b_k),    half = 1 / (2 gamma),
                                                        lean = rho half,

so that theta and the ratios stand for all codes.
"""

import math
from math import inf
from typing import NamedTuple

import cython

from leantopics._arrays import Bools, Floats, Ints, Longs


class Weights(NamedTuple):
    """Hyper-parameters of the objective."""

    lambda_: float
    """Price of the document codes."""
    gamma: float
    """Price of word codes that differ from the document code."""
    rho: float
    """Price of the word codes."""


def prices(weights: Weights) -> tuple[float, float]:
    """Half and lean, the form in which gamma and rho enter the codes of words."""
    half = 0.5 / weights.gamma
    return half, weights.rho * half


def word_ratio(
    w: float,
    topics: Ints,
    b: Floats,
    first: int,
    last: int,
    offset: Floats,
    half: float,
    x: float,
    start: int,
    active: Ints,
    part: Floats,
) -> tuple[float, int]:
    """Ratio x = w / m of one word at its best codes, exactly; how many are positive.

    It is the root of ``m(x) = w / x``, where ``m(x) = sum_k b_k max(0, offset_k +
    (x - 1) half b_k)`` is convex, piecewise linear and nondecreasing. Each round solves
    the quadratic of the piece at x; from the second round on x falls, piece by piece.
    As x rises, codes become positive and stay so: if x has moved and as many are
    positive as before, they are the same, and x solves the quadratic of its own piece.

    Topics with b_k = 0 do not change m, so that only the others are visited.

    Parameters
    ----------
    w : count of the word, above 0
    topics, b : its row of the dictionary lies between first and last; no b is 0
    offset : (M,) theta - lean
    half : 1 / (2 gamma)
    x : a guess, or 0

    Writes: from start on, topics whose code is positive to active, and their b to part.
    """
    count, before = 0, inf
    if x > 0.0:
        shift = (x - 1.0) * half
        count = _positive(topics, b, first, last, offset, shift, start, active, part)
    if count == 0:  # no piece at this guess: the line below all pieces
        count = _positive(topics, b, first, last, offset, inf, start, active, part)
    while True:
        level, slope = 0.0, 0.0
        for j in range(start, start + count):
            level += part[j] * offset[active[j]]
            slope += part[j] * part[j]
        slope *= half
        # slope x^2 + (level - slope) x - w = 0, its positive root without cancellation
        middle = level - slope
        root = math.hypot(middle, 2.0 * math.sqrt(slope) * math.sqrt(w))
        x = 2.0 * w / (middle + root) if middle > 0.0 else (root - middle) / slope / 2.0
        if not x < before:
            return before, count
        shift = (x - 1.0) * half
        now = _positive(topics, b, first, last, offset, shift, start, active, part)
        if now == count:
            return x, count
        count, before = now, x


def _positive(
    topics: Ints,
    b: Floats,
    first: int,
    last: int,
    offset: Floats,
    shift: float,
    start: int,
    active: Ints,
    part: Floats,
) -> int:
    """Gather the topics with positive codes; return their number.

    Without branches, which would be guessed wrongly. Writes: active, part.
    """
    end = start
    for j in range(first, last):
        active[end], part[end] = topics[j], b[j]
        end += offset[topics[j]] + shift * b[j] > 0.0
    return end - start


def account(
    indptr: Longs,
    indices: Ints,
    dictionary: Floats,
    half: float,
    lean: float,
    theta: Floats,
    ratio: Floats,
    present: Bools,
    by_code: Bools,
    mass: Floats,
) -> None:
    """Find the topic that contributes most to each word, and the parts of all topics.

    Topic k contributes the part ``s_k b_k / m`` of a word.

    Writes: present (D, M), True where a topic has the largest part of a word; by_code
    (D, M), where it has the largest code s of one; adds to mass (M,) the words of each
    topic.
    """
    with cython.nogil:
        for d in range(indptr.shape[0] - 1):
            for k in range(mass.shape[0]):
                present[d, k] = by_code[d, k] = False
            for i in range(indptr[d], indptr[d + 1]):
                n = indices[i]
                shift = (ratio[i] - 1.0) * half
                best, largest = 0, -1.0
                highest, code = 0, -1.0
                for k in range(mass.shape[0]):
                    own = max(0.0, theta[d, k] - lean + shift * dictionary[n, k])
                    part = own * dictionary[n, k]
                    mass[k] += part * ratio[i]
                    if part > largest:
                        best, largest = k, part
                    if own > code:
                        highest, code = k, own
                present[d, best] = True
                by_code[d, highest] = True
