"""Joins of topics: the value of all pairs of groups, and the cheapest pair.

A group of topics has the sums x of their expected counts and the sum nu of their scales
mu. Its salient words are those with ``dev_n(nu) > h``, h the price of a word. Deviances
are subadditive: ``dev(x + x', nu + nu') <= dev(x, nu) + dev(x', nu')``, and h only
grows. So a word can be salient in two groups together only if it is *strong* in one,
``dev > h / 2``, and all others are passed over.

Words are numbered by their rank in the shared model, the most frequent first.
"""

import math
from math import inf
from typing import NamedTuple

import cython
import numpy as np

from leantopics._arrays import Bools, Floats, Ints, Longs
from leantopics.ptm.kernels.arrays import Shared
from leantopics.ptm.kernels.views import SharedView
from leantopics.ptm.kernels.words import above, divergence


class Groups(NamedTuple):
    """Words seen by groups of topics; those of group g are ``start[g]:end[g]``."""

    start: Longs
    end: Longs
    rank: Ints
    x: Floats
    strong: Bools
    level: Floats
    """nu of each group."""
    price: Floats
    """h of each group."""


class _GroupsView:
    """See `Groups`."""

    def __init__(self, groups: Groups) -> None:
        self.start = groups.start
        self.end = groups.end
        self.rank = groups.rank
        self.x = groups.x
        self.strong = groups.strong
        self.level = groups.level
        self.price = groups.price


def mark_strong(groups: Groups, shared: Shared, first: int, last: int) -> None:
    """Find the strong words of groups first .. last - 1. Writes: groups.strong."""
    _mark_strong(_GroupsView(groups), SharedView(shared), first, last)


def _mark_strong(
    groups: _GroupsView, shared: SharedView, first: int, last: int
) -> None:
    with cython.nogil:
        for g in range(first, last):
            for i in range(groups.start[g], groups.end[g]):
                expected = groups.level[g] * shared.sorted_beta0[groups.rank[i]]
                deviance = divergence(groups.x[i], expected)
                groups.strong[i] = deviance > 0.5 * groups.price[g]


def unite(groups: Groups, a: int, b: int, rank: Ints, x: Floats) -> int:
    """Add up the counts of two groups. Writes: rank, x. Returns how many words."""
    return _unite(_GroupsView(groups), a, b, rank, x)


def _unite(groups: _GroupsView, a: int, b: int, rank: Ints, x: Floats) -> int:
    i, j, size = groups.start[a], groups.start[b], 0
    while i < groups.end[a] or j < groups.end[b]:
        from_a = j == groups.end[b]
        from_b = i == groups.end[a]
        if not (from_a or from_b):
            from_a = groups.rank[i] <= groups.rank[j]
            from_b = groups.rank[j] <= groups.rank[i]
        x[size] = 0.0
        if from_a:
            rank[size] = groups.rank[i]
            x[size] += groups.x[i]
            i += 1
        if from_b:
            rank[size] = groups.rank[j]
            x[size] += groups.x[j]
            j += 1
        size += 1
    return size


def pair_values(
    a: int, others: Longs, prices: Floats, groups: Groups, shared: Shared
) -> tuple[Floats, Longs]:
    """F and number of the salient words of group ``a`` with each of the others.

    ``prices`` has h of each pair. Cost: the words seen by the others, and a logarithm
    for each strong one.
    """
    n_words, n_others = len(shared.order), len(others)
    value, size = np.empty(n_others), np.empty(n_others, np.int64)
    _pair_values(
        a,
        others,
        prices,
        _GroupsView(groups),
        SharedView(shared),
        np.zeros(n_words),
        np.zeros(n_words, np.bool_),
        np.empty(groups.end[a] - groups.start[a], np.int64),
        np.full(n_words, -1, np.int64),
        value,
        size,
    )
    return value, size


def _pair_values(
    a: int,
    others: Longs,
    prices: Floats,
    groups: _GroupsView,
    shared: SharedView,
    x_of: Floats,
    strong_in_a: Bools,
    own: Longs,
    seen: Longs,
    value: Floats,
    size: Longs,
) -> None:
    """See `pair_values`; x_of, strong_in_a (N,) are zero, and seen (N,) is -1.

    Writes: value, size, all scratch.
    """
    n_own = 0
    with cython.nogil:
        for i in range(groups.start[a], groups.end[a]):
            x_of[groups.rank[i]] = groups.x[i]
            if groups.strong[i]:
                strong_in_a[groups.rank[i]] = True
                own[n_own] = i
                n_own += 1
        for k in range(others.shape[0]):
            value[k], size[k] = _pair_value(
                a,
                others[k],
                prices[k],
                groups,
                shared,
                x_of,
                strong_in_a,
                own,
                n_own,
                seen,
            )


def _pair_value(
    a: int,
    b: int,
    price: float,
    groups: _GroupsView,
    shared: SharedView,
    x_of: Floats,
    strong_in_a: Bools,
    own: Longs,
    n_own: int,
    seen: Longs,
) -> tuple[float, int]:
    """F and number of the salient words of groups a and b. Writes: seen."""
    level = groups.level[a] + groups.level[b]
    often = above(shared, price / level)
    often_a = above(shared, 0.5 * groups.price[a] / groups.level[a])
    often_b = above(shared, 0.5 * groups.price[b] / groups.level[b])
    # Words that neither has seen are salient if they are frequent enough.
    unseen, unseen_share = often, shared.cumulated[often]
    gain = mass = share = 0.0
    n = 0
    for i in range(groups.start[b], groups.end[b]):
        r = groups.rank[i]
        seen[r] = b
        if r < often:
            unseen -= 1
            unseen_share -= shared.sorted_beta0[r]
        if groups.strong[i] or strong_in_a[r] or (r < often_a and x_of[r] == 0.0):
            beta0 = shared.sorted_beta0[r]
            x = groups.x[i] + x_of[r]
            excess = divergence(x, level * beta0) - price
            if excess > 0.0:
                gain += excess
                mass += x
                share += beta0
                n += 1
    frequent = max(often, often_b)
    i = groups.start[a]
    while i < groups.end[a] and groups.rank[i] < frequent:
        r = groups.rank[i]
        i += 1
        if seen[r] == b:
            continue
        beta0 = shared.sorted_beta0[r]
        if r < often:
            unseen -= 1
            unseen_share -= beta0
        excess = divergence(x_of[r], level * beta0) - price
        if excess > 0.0:
            gain += excess
            mass += x_of[r]
            share += beta0
            n += 1
    for j in range(n_own):
        r = groups.rank[own[j]]
        if r < frequent or seen[r] == b:
            continue
        beta0 = shared.sorted_beta0[r]
        excess = divergence(x_of[r], level * beta0) - price
        if excess > 0.0:
            gain += excess
            mass += x_of[r]
            share += beta0
            n += 1
    if unseen > 0:
        gain += level * unseen_share - price * unseen
        share += unseen_share
        n += unseen
    return (gain - divergence(mass, level * share) if n > 0 else 0.0), n


def regroup(indptr: Longs, size: Longs, group: Ints, into: Ints) -> None:
    """Rename the groups of documents, each kept once. Writes: size, group."""
    for d in range(size.shape[0]):
        first, n = indptr[d], 0
        for i in range(first, first + size[d]):
            new = into[group[i]]
            known = False
            for j in range(first, first + n):
                known = known or group[j] == new
            if not known:
                group[first + n] = new
                n += 1
        size[d] = n


def overlaps(
    indptr: Longs,
    size: Longs,
    group: Ints,
    length: Floats,
    apart: Floats,
    joined: Floats,
    tokens: Floats,
    saved: Floats,
) -> None:
    """What documents with both groups of a pair change, for each pair.

    ``apart[m]`` and ``joined[m]`` are the rises of BIC by a document with m groups, if
    it has not both, and if it has. Writes: tokens (K, K) their length, saved (K, K).
    """
    for d in range(size.shape[0]):
        m = size[d]
        if m < 2:
            continue
        rise = joined[m] - apart[m] - 0.5 * math.log(length[d] / (2.0 * math.pi))
        for i in range(indptr[d], indptr[d] + m):
            for j in range(indptr[d], indptr[d] + m):
                if i != j:
                    tokens[group[i], group[j]] += length[d]
                    saved[group[i], group[j]] += rise


def word_cost(n_salient: float, n_switches: float, exact: bool) -> float:
    """The same as `WordPrior.cost`."""
    p = n_salient / n_switches
    if exact or p >= 0.5:
        return n_switches * math.log(2.0)
    if p == 0.0:
        return 0.0
    return -n_switches * (p * math.log(p) + (1.0 - p) * math.log1p(-p))


def cheapest(
    n_groups: int,
    value: Floats,
    size: Longs,
    own_value: Floats,
    own_size: Longs,
    saved: Floats,
    kin: Longs,
    n_words: int,
    exact: bool,
) -> tuple[float, int, int]:
    """The pair of groups of one ``kin`` whose join raises BIC least: (rise, a, b).

    ``value`` (K, K) and ``own_value`` (K,) are likelihood gains without the entropy of
    the word switches, whose cost is counted exactly. Of equal pairs the first is taken.
    """
    table = np.full(3 * n_words + 1, np.nan)
    return _cheapest(
        n_groups, value, size, own_value, own_size, saved, kin, n_words, exact, table
    )


def _cheapest(
    n_groups: int,
    value: Floats,
    size: Longs,
    own_value: Floats,
    own_size: Longs,
    saved: Floats,
    kin: Longs,
    n_words: int,
    exact: bool,
    table: Floats,
) -> tuple[float, int, int]:
    """See `cheapest`; table has the costs of words that are known, else NaN."""
    total = 0
    for g in range(n_groups):
        total += own_size[g]
    fewer = (n_groups - 1.0) * n_words
    best, best_a, best_b = inf, 0, 1
    for a in range(n_groups):
        for b in range(a + 1, n_groups):
            if kin[a] != kin[b]:
                continue
            more = size[a, b] - own_size[a] - own_size[b]
            cost = table[more + 2 * n_words]
            if math.isnan(cost):
                cost = word_cost(total + more, fewer, exact)
                table[more + 2 * n_words] = cost
            rise = own_value[a] + own_value[b] - value[a, b] + saved[a, b] + cost
            if rise < best:
                best, best_a, best_b = rise, a, b
    return best, best_a, best_b
