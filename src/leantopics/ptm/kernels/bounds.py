"""Bounds on the gain of flipping a topic switch, so that few flips need a trial.

Let ``g_k = sum_i c_i (1 + r[k, i]) / q_i``. For proportions on present topics and k,

    f(alpha') - f(alpha) <= L log(max g / L)                              (one bin)
    f(alpha') - f(alpha) <= max_a sum_b C_b log(sum_l a_l g_l^b / C_b)  (more bins)

where words are put into bins by how much more likely topic k makes them than they are
now, and g_l^b, C_b are sums over bin b. The bounds hold for every alpha, so no flip
that pays is missed; docs/method.md has the proofs.
"""

import math
from math import inf

from leantopics._arrays import Bools
from leantopics.ptm.kernels.constants import MIN_GAIN
from leantopics.ptm.kernels.ratios import Document
from leantopics.ptm.kernels.views import (
    PricesView,
    ScreenView,
    SolverView,
    TableView,
)

_NEAR = 3.0


def presence_cost(
    prices: PricesView, topic: int, length: float, counted: bool
) -> float:
    """Word-probability cost of having a topic in a document, as in (dcostv).

    ``N_j / 2 log((Lbar + L_d) / Lbar)`` with Lbar the length of the other documents.
    """
    others = prices.tokens[topic] - (length if counted else 0.0)
    if others <= 0.0:
        return inf
    return prices.half_salient[topic] * math.log((others + length) / others)


def _collapsed(
    c1: float, c2: float, own1: float, own2: float, new1: float, new2: float
) -> tuple[float, float]:
    """Maximum over t in [0, 1] for the two-bin document, and the t that attains it.

    ``c1 log(y1 / c1) + c2 log(y2 / c2)`` with ``y = (1 - t) own + t new``.
    """
    d1, d2 = new1 - own1, new2 - own2
    if d1 * d2 >= 0.0:
        t = 1.0 if d1 + d2 > 0.0 else 0.0
    else:
        t = -(c1 * d1 * own2 + c2 * d2 * own1) / ((c1 + c2) * d1 * d2)
        t = min(max(t, 0.0), 1.0)
    y1, y2 = max(own1 + t * d1, 1e-300), max(own2 + t * d2, 1e-300)
    return c1 * math.log(y1 / c1) + c2 * math.log(y2 / c2), t


def accumulate(
    doc: Document, m: int, table: TableView, solver: SolverView, found: ScreenView
) -> float:
    """Gradients g of all topics at solver.q, and the part of them in bin 1.

    A word that is not salient in topic k has ``rho = 1 / q`` there, as in every other
    such topic; only salient entries are visited, to correct for them. The entries of a
    word are in order of decreasing excess, so those of bin 1 come first.
    Reads: solver.ratio, q; found.inverse. Writes: found.total (M,) so that ``g_k = base
    + total[k]``; near_count, near (M,) the count and gradient of bin 1 of topic k;
    near_own (M, m) the gradient of the present topics in it; solver.move, step. Returns
    base = sum c / q. Cost: the salient entries of the words.
    """
    words, counts, q, inverse = doc.words, doc.counts, solver.q, found.inverse
    ratio, own_sum, part = solver.ratio, solver.move, solver.step
    total, in_near = found.total, found.near_count
    near, near_own = found.near, found.near_own
    own = m if m > 1 else 0
    base = base_count = base_near = 0.0
    for j in range(own):
        own_sum[j] = 0.0
    for i in range(words.shape[0]):
        scaled = counts[i] * inverse[i]
        base += scaled
        if q[i] * _NEAR < 1.0:
            base_count += counts[i]
            base_near += scaled
            for j in range(own):
                own_sum[j] += scaled * ratio[j, i]
    for k in range(total.shape[0]):
        total[k] = 0.0
        in_near[k] = base_count
        near[k] = base_near
        for j in range(own):
            near_own[k, j] = own_sum[j]
    for i in range(words.shape[0]):
        count = counts[i]
        scaled = count * inverse[i]
        cut = q[i] * _NEAR
        first, end = table.indptr[words[i]], table.indptr[words[i] + 1]
        for j in range(own):
            part[j] = scaled * ratio[j, i]
        if cut < 1.0:
            for e in range(first, end):
                k, excess = table.topic[e], table.excess[e]
                total[k] += scaled * excess
                if 1.0 + excess > cut:
                    near[k] += scaled * excess
                else:
                    near[k] -= scaled
                    in_near[k] -= count
                    for j in range(own):
                        near_own[k, j] -= part[j]
            continue
        while first < end and 1.0 + table.excess[first] > cut:
            k, excess = table.topic[first], table.excess[first]
            total[k] += scaled * excess
            near[k] += scaled * (1.0 + excess)
            in_near[k] += count
            for j in range(own):
                near_own[k, j] += part[j]
            first += 1
        for e in range(first, end):
            total[table.topic[e]] += scaled * table.excess[e]
    return base


def screen(
    doc: Document,
    m: int,
    present: Bools,
    counted: Bools,
    slack: float,
    table: TableView,
    prices: PricesView,
    solver: SolverView,
    found: ScreenView,
) -> int:
    """Topics that may pay if added: a bound on the gain exceeds the price (dcostv).

    Writes: found.candidate, hope (bound - price), price, start (a good proportion to
    start with), short. Returns how many there are. ``slack`` is the gap of the present
    proportions: g of a present topic is taken as L, so the bounds grow by the gap.
    """
    base = accumulate(doc, m, table, solver, found)
    total, near, near_own = found.total, found.near, found.near_own
    length = doc.length
    common = prices.log_choose[m + 1] - prices.log_choose[m] + doc.own_price
    n_candidates, nearest = 0, found.short[0]
    for k in range(present.shape[0]):
        if present[k]:
            continue
        g = base + total[k]
        least = prices.half_salient[k] * length / (prices.tokens[k] + length)
        short = common + least - max(g - length, slack)
        if short >= 0.0:
            nearest = min(nearest, short)
            continue
        cost = common + presence_cost(prices, k, length, counted[k])
        bound = length * math.log(g / length) if g > length else 0.0
        short = cost + MIN_GAIN - max(bound, slack)
        if short >= 0.0:
            nearest = min(nearest, short)
            continue
        c1, g1, t = found.near_count[k], near[k], 0.5
        c2, g2 = length - c1, g - near[k]
        if min(c1, c2, g2) > 1e-9 * length:
            bound, t = _collapsed(c1, c2, c1, c2, g1, g2)
            for j in range(m if m > 1 else 0):
                own1 = near_own[k, j]
                value, _ = _collapsed(c1, c2, own1, length - own1, g1, g2)
                bound = max(bound, value)
        bound = max(bound, 0.0) + slack
        if bound <= cost + MIN_GAIN:
            nearest = min(nearest, cost + MIN_GAIN - bound)
            continue
        found.candidate[n_candidates] = k
        found.hope[n_candidates] = bound - cost
        found.price[n_candidates] = cost
        found.start[n_candidates] = min(max(t, 0.01), 0.99)
        n_candidates += 1
    found.short[0] = nearest
    return n_candidates
