"""Word switches of one topic: the best salient set for its expected counts.

For counts x, a set U with X = sum_U x and S = sum_U beta0, and a price c per word, let
``dev_n(nu) = x log(x / (nu beta0)) - x + nu beta0`` and ``D(X || Y) = X log(X / Y) - X
+ Y``. The gain of U over the shared model, less its price, is, for every nu > 0,

    F(U) = sum_U (dev_n(nu) - c) - D(X || nu S) <= G(nu) = sum_n max(0, dev_n(nu) - c)

G is convex in log nu, with its minimum where nu S = X for U(nu) = {dev_n(nu) > c}. This
set is found first. A better one can differ from it only in words with ``|dev_n - c| <=
G - F``; these few are searched. docs/method.md derives all this from (dqu).
"""

import math
from math import inf

import cython
import numpy as np

from leantopics._arrays import Bools, Floats, Ints, Longs
from leantopics.ptm.kernels.arrays import Shared, Statistics
from leantopics.ptm.kernels.views import (
    Pairs,
    SharedView,
    StatisticsView,
    copy_ints,
    largest,
    reserve,
)

_BAND_SEARCH = 12
_TOLERANCE = 0.01


class Topic:
    """Words seen by a topic: their counts x, beta0, and x log(x / beta0) - x."""

    def __init__(self) -> None:
        self.word = np.empty(0, np.int32)
        self.x, self.beta0, self.fixed = np.empty((3, 0))


class Scratch:
    """Scratch for choosing among N words."""

    def __init__(self, n_words: int) -> None:
        self.x_of = np.zeros(n_words)
        self.out = np.empty(n_words, np.int32)
        most = n_words + 2 * _BAND_SEARCH
        self.band, self.deviance = np.empty(most, np.int32), np.empty(most)
        self.chosen, self.best_chosen = np.empty((2, most), np.bool_)


def divergence(x: float, y: float) -> float:
    """``D(x || y) = x log(x / y) - x + y``."""
    return (x * math.log(x / y) if x > 0.0 else 0.0) - x + y


def above(shared: SharedView, level: float) -> int:
    """Number of words with beta0 > level."""
    low, high = 0, shared.order.shape[0]
    while low < high:
        middle = (low + high) // 2
        if shared.sorted_beta0[middle] > level:
            low = middle + 1
        else:
            high = middle
    return low


def _threshold(
    topic: Topic, shared: SharedView, price: float, nu: float
) -> tuple[float, float, float]:
    """X, S and G of U(nu) = {dev_n(nu) > price}, including words with x = 0."""
    log_nu = math.log(nu)
    cut = price / nu
    mass = share = gain = 0.0
    unseen = above(shared, cut)
    unseen_share = shared.cumulated[unseen]
    for i in range(topic.x.shape[0]):
        b = topic.beta0[i]
        excess = topic.fixed[i] - topic.x[i] * log_nu + nu * b - price
        if excess > 0.0:
            mass += topic.x[i]
            share += b
            gain += excess
        if b > cut:
            unseen -= 1
            unseen_share -= b
    if unseen > 0:
        share += unseen_share
        gain += nu * unseen_share - price * unseen
    return mass, share, gain


def _root(
    topic: Topic, shared: SharedView, price: float, nu: float
) -> tuple[float, float]:
    """Minimum of G in log nu, from a first guess: (nu, G - F) of the nearest set.

    An empty set means that no set gains; the search for the best of the others starts
    from the nearest one that is not empty.
    """
    low, high = 0.0, inf
    best_nu, best_gap = nu, inf
    for _step in range(100):
        mass, share, _ = _threshold(topic, shared, price, nu)
        if share == 0.0:
            if best_gap < inf:
                break
            nu *= 1.25
            continue
        gap = divergence(mass, nu * share)
        if gap < best_gap:
            best_nu, best_gap = nu, gap
        if gap <= _TOLERANCE or high <= low * (1.0 + 1e-12):
            break
        if nu * share > mass:
            high = nu
        else:
            low = nu
        nu = mass / share
        if not low < nu < high:
            if low == 0.0:
                nu = high / 4.0
            elif high == inf:
                nu = low * 4.0
            else:
                nu = math.sqrt(low * high)
    return best_nu, best_gap


def _search(
    n: int,
    scratch: Scratch,
    beta0: Floats,
    value: float,
    mass: float,
    share: float,
    nu: float,
) -> float:
    """Best subset of a few words, given all others: its F.

    scratch.band (n,) are the words, scratch.deviance their dev - c; ``value, mass,
    share`` are the sums of dev - c, x and beta0 over the words that stay. All subsets
    of a small band are tried; a larger band is improved flip by flip.
    Writes: scratch.best_chosen (n,).
    """
    band, deviance, x_of = scratch.band, scratch.deviance, scratch.x_of
    chosen, best_chosen = scratch.chosen, scratch.best_chosen
    for i in range(n):
        chosen[i] = deviance[i] > 0.0
        if chosen[i]:
            value += deviance[i]
            mass += x_of[band[i]]
            share += beta0[band[i]]
        best_chosen[i] = chosen[i]
    best = value - divergence(mass, nu * share) if share > 0.0 else -inf
    small = n <= _BAND_SEARCH
    code = 0
    while True:
        flip, flip_f = -1, -inf if small else best + 1e-9
        if small:
            code += 1
            if code == 1 << n:
                break
            flip = 0
            while not (code >> flip) & 1:
                flip += 1
        for i in range(flip if small else 0, flip + 1 if small else n):
            sign = -1.0 if chosen[i] else 1.0
            after = share + sign * beta0[band[i]]
            if after > 1e-15:
                f = value + sign * deviance[i]
                f -= divergence(max(mass + sign * x_of[band[i]], 0.0), nu * after)
                if f > flip_f:
                    flip, flip_f = i, f
        if flip < 0:
            break
        sign = -1.0 if chosen[flip] else 1.0
        chosen[flip] = not chosen[flip]
        value += sign * deviance[flip]
        mass += sign * x_of[band[flip]]
        share += sign * beta0[band[flip]]
        if flip_f > best + 1e-9:
            best = flip_f
            for i in range(n):
                best_chosen[i] = chosen[i]
    return best


def set_value(
    words: Ints, x_of: Floats, shared: SharedView, price: float, nu: float
) -> float:
    """F of a given set of words, with the counts in x_of (N,); -inf if empty."""
    value = mass = share = 0.0
    for i in range(words.shape[0]):
        x, b = x_of[words[i]], shared.beta0[words[i]]
        value += divergence(x, nu * b) - price
        mass += x
        share += b
    if share <= 0.0:
        return -inf
    return value - divergence(mass, nu * share)


def choose_words(
    topic: Topic, shared: SharedView, price: float, old: Ints, scratch: Scratch
) -> tuple[int, int]:
    """Salient words of a topic that maximise F; the old ones are kept if as good.

    At least one word is chosen. scratch.x_of (N,) is all zero on entry and exit.
    Writes: scratch.out (N,) the words. Returns (number of words, flips against old).
    """
    n_words = shared.beta0.shape[0]
    n_seen = topic.x.shape[0]
    x_of, out = scratch.x_of, scratch.out
    total = 0.0
    for i in range(n_seen):
        total += topic.x[i]
    if price <= 0.0:
        for n in range(n_words):
            out[n] = n
        return n_words, n_words - old.shape[0]
    if total <= 0.0:
        out[0] = old[0] if old.shape[0] > 0 else shared.order[0]
        return 1, max(old.shape[0] - 1, 0)
    for i in range(n_seen):
        x_of[topic.word[i]] = topic.x[i]
    old_mass = old_share = 0.0
    for i in range(old.shape[0]):
        old_mass += x_of[old[i]]
        old_share += shared.beta0[old[i]]
    guess = old_mass / old_share if old_mass > 0.0 else total
    nu, gap = _root(topic, shared, price, guess)
    log_nu = math.log(nu)
    gap = max(gap, 1e-9)

    # Words beyond doubt are output at once; words within the gap wait in the band.
    size = n_band = 0
    value = mass = share = 0.0
    # Of words with x = 0, only those next to the cut: a wide gap would bring in all.
    cut = above(shared, price / nu)
    surely = max(above(shared, (price + gap) / nu), cut - _BAND_SEARCH)
    maybe = above(shared, (price - gap) / nu * (1.0 - 1e-12))
    maybe = min(maybe, cut + _BAND_SEARCH)
    band, deviance = scratch.band, scratch.deviance
    for i in range(n_seen):
        excess = topic.fixed[i] - topic.x[i] * log_nu + nu * topic.beta0[i] - price
        if excess > gap:
            out[size] = topic.word[i]
            size += 1
            value += excess
            mass += topic.x[i]
            share += topic.beta0[i]
        elif excess >= -gap:
            band[n_band] = topic.word[i]
            deviance[n_band] = excess
            n_band += 1
    for i in range(maybe):
        n = shared.order[i]
        if x_of[n] == 0.0:
            excess = nu * shared.beta0[n] - price
            if i < surely:
                out[size] = n
                size += 1
                value += excess
                share += shared.beta0[n]
            else:
                band[n_band] = n
                deviance[n_band] = excess
                n_band += 1
    f = _search(n_band, scratch, shared.beta0, value, mass, share, nu)
    for i in range(n_band):
        if scratch.best_chosen[i]:
            out[size] = band[i]
            size += 1
    if size == 0:
        out[0] = topic.word[largest(topic.x, n_seen)]
        size, f = 1, -price
    if old.shape[0] > 0 and set_value(old, x_of, shared, price, nu) >= f - 1e-9:
        size = old.shape[0]
        copy_ints(old, out, size)
    for i in range(n_seen):
        x_of[topic.word[i]] = 0.0

    for i in range(old.shape[0]):
        x_of[old[i]] = 1.0
    flips = old.shape[0]
    for i in range(size):
        flips += -1 if x_of[out[i]] == 1.0 else 1
    for i in range(old.shape[0]):
        x_of[old[i]] = 0.0
    return size, flips


def take(statistics: StatisticsView, j: int, topic: Topic) -> None:
    """Take the words seen by topic j. Writes: topic."""
    low = statistics.indptr[j]
    high = low + statistics.size[j]
    topic.word, topic.x = statistics.word[low:high], statistics.x[low:high]
    topic.beta0, topic.fixed = statistics.beta0[low:high], statistics.fixed[low:high]


def salient_words(
    first: int,
    last: int,
    statistics: Statistics,
    shared: Shared,
    price: Floats,
    old_indptr: Longs,
    old_word: Ints,
) -> tuple[Longs, Ints, Floats, int]:
    """M-step with word switches for topics first .. last - 1: (pj), (muj), (dqu).

    Returns (words per topic, words, excess = x / (mu beta0) - 1, flips). A topic
    without counts stays at the shared model. Cost: a few passes over the words seen.
    """
    size, found = np.zeros(last - first, np.int64), Pairs(1024)
    flips = _salient_words(
        first,
        StatisticsView(statistics),
        SharedView(shared),
        price,
        old_indptr,
        old_word,
        Topic(),
        Scratch(len(shared.beta0)),
        size,
        found,
    )
    return size, *found.first(size.sum()), flips


def _salient_words(
    first: int,
    statistics: StatisticsView,
    shared: SharedView,
    price: Floats,
    old_indptr: Longs,
    old_word: Ints,
    topic: Topic,
    scratch: Scratch,
    size: Longs,
    found: Pairs,
) -> int:
    """Choose the words of topics: number of flips. Writes: size, found."""
    end = flips = 0
    with cython.nogil:
        x_of, out = scratch.x_of, scratch.out
        for j in range(first, first + size.shape[0]):
            take(statistics, j, topic)
            n, changes = choose_words(
                topic,
                shared,
                price[j],
                old_word[old_indptr[j] : old_indptr[j + 1]],
                scratch,
            )
            flips += changes
            size[j - first] = n
            reserve(found, end, end + n)
            mass = share = 0.0
            for i in range(topic.x.shape[0]):
                x_of[topic.word[i]] = topic.x[i]
            for i in range(n):
                mass += x_of[out[i]]
                share += shared.beta0[out[i]]
            for i in range(n):
                expected = mass / share * shared.beta0[out[i]]
                found.number[end + i] = out[i]
                found.value[end + i] = (
                    x_of[out[i]] / expected - 1.0 if expected > 0.0 else 0.0
                )
            for i in range(topic.x.shape[0]):
                x_of[topic.word[i]] = 0.0
            end += n
    return flips


def best_flip(
    j: int,
    statistics: Statistics,
    shared: Shared,
    words: Ints,
    held: Ints,
    price_on: float,
    price_off: float,
) -> tuple[float, int]:
    """Single flip of a word switch of topic j with the largest gain, priced exactly.

    ``held`` words stay as they are.

    ``s (dev_n(mu) - price) - D(X + s x_n || mu (S + s beta0_n))``, s = 1 on, -1 off:
    (dqu) minus (dcostu). Among words with x = 0 only the most frequent outside and the
    rarest inside can be best. Returns (gain, word).
    """
    n_words, topic = len(shared.beta0), Topic()
    take(StatisticsView(statistics), j, topic)
    inside, is_held = np.zeros((2, n_words), np.bool_)
    inside[words], is_held[held] = True, True
    view, x_of = SharedView(shared), np.zeros(n_words)
    return _best_flip(topic, view, words, inside, is_held, x_of, price_on, price_off)


def _best_flip(
    topic: Topic,
    shared: SharedView,
    words: Ints,
    inside: Bools,
    is_held: Bools,
    x_of: Floats,
    price_on: float,
    price_off: float,
) -> tuple[float, int]:
    """See `best_flip`; x_of (N,) is all zero. Writes: x_of."""
    n_words, n_seen = x_of.shape[0], topic.word.shape[0]
    for i in range(n_seen):
        x_of[topic.word[i]] = topic.x[i]
    mass = share = 0.0
    for i in range(words.shape[0]):
        mass += x_of[words[i]]
        share += shared.beta0[words[i]]
    best, best_word = -inf, -1
    mu = mass / share if share > 0.0 else 0.0
    if mu <= 0.0:
        mu = 1.0
        for i in range(n_seen):
            mu += topic.x[i]
    here = divergence(mass, mu * share)
    n_tried = n_seen + words.shape[0]
    for i in range(n_tried + 1):
        if i < n_seen:
            n = topic.word[i]
        elif i < n_tried:
            n = words[i - n_seen]
        else:
            place = 0
            while place < n_words and (
                inside[shared.order[place]] or x_of[shared.order[place]] > 0.0
            ):
                place += 1
            if place == n_words:
                break
            n = shared.order[place]
        if is_held[n]:
            continue
        x, b = x_of[n], shared.beta0[n]
        if not inside[n]:
            gain = divergence(x, mu * b) - price_on
            gain += here - divergence(mass + x, mu * (share + b))
        elif words.shape[0] > 1:
            gain = price_off - divergence(x, mu * b)
            gain += here - divergence(max(mass - x, 0.0), mu * max(share - b, 1e-300))
        else:
            continue
        if gain > best:
            best, best_word = gain, n
    return best, best_word
