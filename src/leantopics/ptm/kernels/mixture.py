"""Proportions of one document: maximise a concave function on a small simplex.

For a document with counts c and present topics k, put ``ratio[k, i] = beta[k, i] /
beta0[i]`` (one for a word that is not salient). Its log-likelihood relative to the
shared model is ``f(alpha) = sum_i c[i] log q[i]`` with ``q[i] = sum_k alpha[k]
ratio[k, i]``. With ``g[k] = df/dalpha[k]`` and ``L = sum c``, Jensen's inequality
bounds what any other proportions on the same topics can gain:

    f(alpha') - f(alpha) <= L log(max_k g[k] / L)

so the solver knows how far it is from the optimum, and a trial stops as soon as it
cannot reach its target.
"""

import math
import struct
from math import inf

import cython

from leantopics._arrays import Floats, Longs
from leantopics.ptm.kernels.constants import GAP
from leantopics.ptm.kernels.views import SolverView, TrialView, copy, largest

_MAX_STEPS = 200
_MAX_SHARES = 8
"""Steps towards the best share of a new topic, which is only a place to begin."""
_ROUGH = 0.05
"""A quadratic model is solved until no exchange has a larger slope, in nats."""
_FLAT = 1e-15
"""A step that promises less than this per word is the last: f cannot resolve it."""

_ONE = 1023 << 52
"""The bits of one."""
_SHIFT = _ONE - 0x3FE6A09E667F3BCD
"""From the bits of sqrt(1/2) to those of one: so shifted, exponents count from there,
and leave the mantissa around one."""
_WHOLE = 0x4330000000000000
"""The bits of 2^52. With a small whole number added, those of the sum."""
_OFFSET = 2.0**52 + 1023.0


_Word = cython.union(number=cython.double, bits=cython.ulonglong)


def _dot(a: Floats, b: Floats, n: int) -> float:
    """``a[:n] @ b[:n]``, in four interleaved sums that run side by side."""
    s0 = s1 = s2 = s3 = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
    for i in range(whole, n):
        s0 += a[i] * b[i]
    return (s0 + s1) + (s2 + s3)


def _products(
    a: Floats, rows: Floats, cols: Longs, count: int, n: int, out: Floats
) -> None:
    """``rows[cols[:count], :n] @ a[:n]``, each summed as by `_dot`. Writes: out.

    One call for all, as each call of `_dot` costs as much as a short sum.
    """
    whole = n - n % 4
    for k in range(count):
        row = cols[k]
        s0 = s1 = s2 = s3 = 0.0
        for i in range(0, whole, 4):
            s0 += a[i] * rows[row, i]
            s1 += a[i + 1] * rows[row, i + 1]
            s2 += a[i + 2] * rows[row, i + 2]
            s3 += a[i + 3] * rows[row, i + 3]
        for i in range(whole, n):
            s0 += a[i] * rows[row, i]
        out[k] = (s0 + s1) + (s2 + s3)


def _bits(number: float) -> int:
    """Return the bits of a number."""
    if cython.compiled:
        word = cython.declare(_Word)
        word.number = number
        return word.bits
    else:
        return struct.unpack("<Q", struct.pack("<d", number))[0]


def _number(bits: int) -> float:
    """Return the number that has these bits."""
    if cython.compiled:
        word = cython.declare(_Word)
        word.bits = bits
        return word.number
    else:
        return struct.unpack("<d", struct.pack("<Q", bits))[0]


def _lowest(q: Floats, n: int) -> float:
    """The smallest of the first n numbers, in four that are compared side by side."""
    m0 = m1 = m2 = m3 = inf
    whole = n - n % 4
    for i in range(0, whole, 4):
        m0 = min(m0, q[i])
        m1 = min(m1, q[i + 1])
        m2 = min(m2, q[i + 2])
        m3 = min(m3, q[i + 3])
    for i in range(whole, n):
        m0 = min(m0, q[i])
    return min(min(m0, m1), min(m2, m3))


def log_likelihood(counts: Floats, q: Floats, log_q: Floats) -> float:
    """``sum_i c_i log q_i``, or -inf where some q_i is zero.

    ``math.log`` would cost as much as everything else. Instead q = 2^e m with m in
    [sqrt(1/2), sqrt(2)), and log m is a series in s = (m - 1) / (m + 1), s^2 < 0.0295,
    exact to a few units in the last place. Nothing in the loop keeps a compiler from
    taking several numbers at once. Writes: log_q.
    """
    n = counts.shape[0]
    lowest = _lowest(q, n)
    if lowest < 1e-300:
        if lowest <= 0.0:
            return -inf
        for i in range(n):
            log_q[i] = math.log(q[i])
        return _dot(counts, log_q, n)
    for i in range(n):
        bits = _bits(q[i])
        exponent = (bits + _SHIFT) >> 52
        m = _number(bits + _ONE - (exponent << 52))
        s = (m - 1.0) / (m + 1.0)
        z = s * s
        series = 1.0 / 19.0
        series = series * z + 1.0 / 17.0
        series = series * z + 1.0 / 15.0
        series = series * z + 1.0 / 13.0
        series = series * z + 1.0 / 11.0
        series = series * z + 1.0 / 9.0
        series = series * z + 1.0 / 7.0
        series = series * z + 1.0 / 5.0
        series = series * z + 1.0 / 3.0
        series = series * z
        e = _number(exponent | _WHOLE) - _OFFSET
        log_q[i] = 2.0 * (s + s * series) + e * 0.6931471805599453
    return _dot(counts, log_q, n)


def _evaluate(cols: Longs, counts: Floats, alpha: Floats, work: SolverView) -> float:
    """f of (parsmdl) and its gradient g.

    Writes: work.q, weight (= c / q), grad. Returns f, or -inf where some q is zero.
    """
    n = counts.shape[0]
    _mix(cols, alpha, n, work)
    f = log_likelihood(counts, work.q, work.scratch)
    if f > -inf:
        _slopes(cols, counts, work)
    return f


def _mix(cols: Longs, alpha: Floats, n: int, work: SolverView) -> None:
    """``q = alpha @ ratio``, two topics at a time. Writes: work.q."""
    m, one = cols.shape[0], cols[0]
    a = alpha[0]
    for i in range(n):
        work.q[i] = a * work.ratio[one, i]
    for k in range(1, m - 1, 2):
        a, b = alpha[k], alpha[k + 1]
        one, two = cols[k], cols[k + 1]
        if a > 0.0 or b > 0.0:
            for i in range(n):
                q = work.q[i] + a * work.ratio[one, i]
                work.q[i] = q + b * work.ratio[two, i]
    if m % 2 == 0:
        a, one = alpha[m - 1], cols[m - 1]
        for i in range(n):
            work.q[i] += a * work.ratio[one, i]


def _slopes(cols: Longs, counts: Floats, work: SolverView) -> None:
    """``g = ratio @ (c / q)``. Writes: work.weight (= c / q), grad."""
    n = counts.shape[0]
    for i in range(n):
        work.weight[i] = counts[i] / work.q[i]
    _products(work.weight, work.ratio, cols, cols.shape[0], n, work.grad)


def _curvature(cols: Longs, known: int, n: int, work: SolverView) -> None:
    """Minus the Hessian, ``ratio diag(c / q^2) ratio'``, but for ``known`` rows.

    Writes: work.hess (lower), scratch, slope.
    """
    for k in range(known, cols.shape[0]):
        row = cols[k]
        for i in range(n):
            work.scratch[i] = work.ratio[row, i] * work.weight[i] / work.q[i]
        _products(work.scratch, work.ratio, cols, k + 1, n, work.slope)
        for j in range(k + 1):
            work.hess[k, j] = work.slope[j]


def _newton_point(
    m: int,
    alpha: Floats,
    grad: Floats,
    hess: Floats,
    tolerance: float,
    slope: Floats,
    out: Floats,
) -> None:
    """Maximum over the simplex of the quadratic model of f at alpha, by exchanges.

    Share moves from the present topic with the smallest slope to the one with the
    largest, as far as the model gains; all of it, if there is no curvature between the
    two (topics that are the same for this document). Writes: slope, out.
    """
    for k in range(m):
        out[k] = alpha[k]
        slope[k] = grad[k]
    for _ in range(20 * m):
        best = largest(slope, m)
        worst = -1
        for k in range(m):
            if out[k] > 0.0 and (worst < 0 or slope[k] < slope[worst]):
                worst = k
        rise = slope[best] - slope[worst]
        if rise <= tolerance:
            break
        high, low = max(best, worst), min(best, worst)
        bend = hess[best, best] + hess[worst, worst] - 2.0 * hess[high, low]
        share = out[worst]
        if bend * share > rise:
            share = rise / bend
            out[worst] -= share
        else:
            out[worst] = 0.0
        out[best] += share
        for k in range(m):
            slope[k] -= share * (
                hess[max(k, best), min(k, best)] - hess[max(k, worst), min(k, worst)]
            )


def _move(m: int, alpha: Floats, step: Floats, scale: float, out: Floats) -> None:
    """Move along step, on the simplex up to rounding. Writes: out."""
    total = 0.0
    for k in range(m):
        out[k] = max(0.0, alpha[k] + scale * step[k])
        total += out[k]
    for k in range(m):
        out[k] /= total


def expand(cols: Longs, counts: Floats, work: SolverView) -> None:
    """Slopes and curvature of f at work.q. Writes: work.weight, grad, hess (lower)."""
    _slopes(cols, counts, work)
    _curvature(cols, 0, counts.shape[0], work)


def best_share(
    counts: Floats, row: Floats, inverse: Floats, share: float, work: SolverView
) -> float:
    """The share of a new topic that is best if others keep theirs to each other.

    Maximises ``sum_i c_i log(1 + t (row_i / q_i - 1))`` over t in [0, 1], by Newton's
    method from ``share``. Writes: work.q, weight, scratch.
    """
    n = counts.shape[0]
    for i in range(n):
        work.q[i] = row[i] * inverse[i] - 1.0
    low, high = 0.0, 1.0
    for _ in range(_MAX_SHARES):
        for i in range(n):
            part = work.q[i] / (1.0 + share * work.q[i])
            work.scratch[i] = part
            work.weight[i] = counts[i] * part
        rise = _dot(counts, work.scratch, n)
        bend = _dot(work.weight, work.scratch, n)
        if rise > 0.0:
            low = share
        else:
            high = share
        before = share
        share += rise / bend
        if not low < share < high:
            share = 0.5 * (low + high)
        if abs(share - before) <= 0.01 * before:
            break
    return share


def quadratic_without(
    place: int,
    rows: Longs,
    alpha: Floats,
    start: Floats,
    trial: TrialView,
    work: SolverView,
) -> None:
    """Proportions without one topic that are best by the quadratic model of f at alpha.

    rows (m - 1,) are the others, and ``start`` their proportions to begin from.
    Reads: trial.slope, hess of all m topics at alpha. Writes: start; work.grad, slope,
    step, and hess, the curvature of the others.
    """
    rest, hess = rows.shape[0], trial.hess
    for k in range(rest):
        i = rows[k]
        work.grad[k] = trial.slope[i]
        work.grad[k] += hess[max(i, place), min(i, place)] * alpha[place]
        for j in range(k + 1):
            work.hess[k, j] = hess[i, rows[j]]
    for k in range(rest):
        for j in range(rest):
            bend = work.hess[max(j, k), min(j, k)]
            work.grad[k] -= bend * (start[j] - alpha[rows[j]])
    _newton_point(rest, start, work.grad, work.hess, _ROUGH, work.slope, work.step)
    copy(work.step, start, rest)


def solve(
    cols: Longs,
    counts: Floats,
    length: float,
    alpha: Floats,
    target: float,
    known: int,
    work: SolverView,
) -> tuple[float, float]:
    """Maximise f over the simplex of the topics ``cols``, from ``alpha``.

    Newton's method: move towards the maximum of the quadratic model over the simplex,
    and halve the step until f rises as promised. Stops within ``GAP`` of the optimum,
    or as soon as f + gap cannot exceed ``target``. The first step takes the first
    ``known`` rows of the curvature from work.hess, where those of proportions nearby
    will do.

    Reads: work.ratio[cols]. Writes: alpha (m,), work.q. Returns (f, gap).
    """
    m, n = cols.shape[0], counts.shape[0]
    f = _evaluate(cols, counts, alpha, work)
    gap = inf
    if f == -inf:
        return f, gap
    for _ in range(_MAX_STEPS):
        best = largest(work.grad, m)
        gap = length * math.log(max(work.grad[best] / length, 1.0))
        if gap <= GAP or f + gap <= target:
            break
        _curvature(cols, known, n, work)
        known = 0
        _newton_point(m, alpha, work.grad, work.hess, 0.01 * gap, work.slope, work.step)
        rise = 0.0
        for k in range(m):
            work.step[k] -= alpha[k]
            rise += work.step[k] * work.grad[k]
        if rise <= _FLAT * length:
            break
        scale = 1.0
        f_move = -inf
        for _ in range(20):
            _move(m, alpha, work.step, scale, work.move)
            f_move = _evaluate(cols, counts, work.move, work)
            if f_move > f + 0.1 * scale * rise:
                break
            scale *= 0.5
        if f_move <= f:
            return _evaluate(cols, counts, alpha, work), gap
        f = f_move
        copy(work.move, alpha, m)
    return f, gap
