"""Exponential of the digamma function, without logarithms, so that it vectorises.

With ``y = x + 15/2`` the recurrence over eight steps and an asymptotic series give

    digamma(x) = log e(y) - s(x),     s(x) = sum_{j < 8} 1 / (x + j),
    e(y) = y + 1 / 24 y - 37 / 5760 y^3 + ...,

to about 1e-13 for every x > 0.
"""

import math
from math import inf

from leantopics._arrays import Floats

_DEEP = -600.0
"""exp() of less counts as 0, because products with it would be subnormal and slow."""


def _steps(x: float) -> float:
    """s(x): terms j and 7 - j of the sum share the numerator 2 x + 7."""
    a = x * (x + 7.0)
    b, c, d = a + 6.0, a + 10.0, a + 12.0
    return (2.0 * x + 7.0) * ((a + b) / (a * b) + (c + d) / (c * d))


def _series(x: float) -> float:
    """e(x + 15/2)."""
    y = x + 7.5
    z = 1.0 / (y * y)
    series = -0.020734675824368137
    series = series * z + 0.007365033269308669
    series = series * z - 0.0039535574489730305
    series = series * z + 0.003552482914462081
    series = series * z - 0.006423611111111111
    series = series * z + 0.041666666666666664
    return y + y * z * series


def _exp(v: float) -> float:
    """``exp(v)`` for v in [-600, 0], as p(v / 1024)^1024 with a polynomial p."""
    v *= 1.0 / 1024.0
    p = 1.0 / 3628800.0
    p = p * v + 1.0 / 362880.0
    p = p * v + 1.0 / 40320.0
    p = p * v + 1.0 / 5040.0
    p = p * v + 1.0 / 720.0
    p = p * v + 1.0 / 120.0
    p = p * v + 1.0 / 24.0
    p = p * v + 1.0 / 6.0
    p = p * v + 0.5
    p = p * v + 1.0
    p = p * v + 1.0
    for _ in range(10):
        p *= p
    return p


def digamma(x: float) -> float:
    """``scipy.special.digamma(x)`` for x > 0."""
    return math.log(_series(x)) - _steps(x)


def exp_digamma(x: Floats, n: int, out: Floats, scratch: Floats) -> float:
    """``exp(digamma(x) + shift)`` with the shift that keeps the largest in range.

    Equivalent to ``np.exp(scipy.special.digamma(x) + shift)`` for the first n numbers.
    Writes: out, scratch (n,). Returns the shift.
    """
    shift = inf
    for k in range(n):
        scratch[k] = _steps(x[k])
    for k in range(n):
        shift = min(shift, scratch[k])
    _finish(x, n, shift, out, scratch)
    return shift


def plain_exp_digamma(x: Floats, n: int, out: Floats, scratch: Floats) -> None:
    """``np.exp(scipy.special.digamma(x))`` of the first n numbers, 0 if x is small.

    Writes: out, scratch (n,).
    """
    for k in range(n):
        scratch[k] = _steps(x[k])
    _finish(x, n, 0.0, out, scratch)


def _finish(x: Floats, n: int, shift: float, out: Floats, scratch: Floats) -> None:
    """``e(x + 15/2) exp(shift - scratch)``, without branches where it takes long.

    Writes: out, scratch.
    """
    for k in range(n):
        out[k] = _series(x[k])
    for k in range(n):
        v = shift - scratch[k]
        scratch[k] = v
        out[k] *= _exp(v if v > _DEEP else _DEEP)
    for k in range(n):
        if not scratch[k] > _DEEP:
            out[k] = 0.0
