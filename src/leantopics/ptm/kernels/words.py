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
from typing import NamedTuple

import numpy as np

from leantopics._arrays import Bools, Floats, Ints, Longs
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import Shared, Statistics, copy, largest, room

_BAND_SEARCH = 12
_TOLERANCE = 0.01


class Topic(NamedTuple):
    """Words seen by a topic: their counts x, beta0, and x log(x / beta0) - x."""

    word: Ints
    x: Floats
    beta0: Floats
    fixed: Floats


@kernel
def divergence(x: float, y: float) -> float:
    """``D(x || y) = x log(x / y) - x + y``."""
    return (x * math.log(x / y) if x > 0.0 else 0.0) - x + y


@kernel
def _above(shared: Shared, level: float) -> int:
    """Number of words with beta0 > level."""
    low, high = 0, shared.order.shape[0]
    while low < high:
        middle = (low + high) // 2
        if shared.sorted_beta0[middle] > level:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _threshold(
    topic: Topic, shared: Shared, price: float, nu: float
) -> tuple[float, float, float]:
    """X, S and G of U(nu) = {dev_n(nu) > price}, including words with x = 0."""
    log_nu = math.log(nu)
    cut = price / nu
    mass = share = gain = 0.0
    unseen = _above(shared, cut)
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


@kernel
def _root(topic: Topic, shared: Shared, price: float, nu: float) -> tuple[float, float]:
    """Minimum of G in log nu, from a first guess: (nu, G - F) of the nearest set.

    An empty set means that no set gains; the search for the best of the others starts
    from the nearest one that is not empty.
    """
    low, high = 0.0, np.inf
    best_nu, best_gap = nu, np.inf
    for _ in range(100):
        mass, share, _ = _threshold(topic, shared, price, nu)
        if share == 0.0:
            if best_gap < np.inf:
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
            elif high == np.inf:
                nu = low * 4.0
            else:
                nu = math.sqrt(low * high)
    return best_nu, best_gap


@kernel
def _search(
    band: Ints,
    deviance: Floats,
    x_of: Floats,
    beta0: Floats,
    value: float,
    mass: float,
    share: float,
    nu: float,
) -> tuple[float, Bools]:
    """Best subset of a few words, given all others: (F, which words of the band).

    ``deviance`` is dev - c of the band; ``value, mass, share`` are the sums of dev - c,
    x and beta0 over the words that stay. All subsets of a small band are tried; a
    larger band is improved flip by flip.
    """
    n = band.shape[0]
    chosen, best_chosen = np.empty(n, np.bool_), np.empty(n, np.bool_)
    for i in range(n):
        chosen[i] = deviance[i] > 0.0
        if chosen[i]:
            value += deviance[i]
            mass += x_of[band[i]]
            share += beta0[band[i]]
    copy(chosen, best_chosen, n)
    best = value - divergence(mass, nu * share) if share > 0.0 else -np.inf
    small = n <= _BAND_SEARCH
    code = 0
    while True:
        flip, flip_f = -1, -np.inf if small else best + 1e-9
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
            copy(chosen, best_chosen, n)
    return best, best_chosen


@kernel
def set_value(
    words: Ints, x_of: Floats, shared: Shared, price: float, nu: float
) -> float:
    """F of a given set of words, with the counts in x_of (N,); -inf if empty."""
    value = mass = share = 0.0
    for n in words:
        x, b = x_of[n], shared.beta0[n]
        value += divergence(x, nu * b) - price
        mass += x
        share += b
    if share <= 0.0:
        return -np.inf
    return value - divergence(mass, nu * share)


@kernel
def choose_words(
    topic: Topic, shared: Shared, price: float, old: Ints, x_of: Floats, out: Ints
) -> tuple[int, int]:
    """Salient words of a topic that maximise F; the old ones are kept if as good.

    At least one word is chosen. x_of (N,) is all zero on entry and exit.
    Writes: out (N,) the words. Returns (number of words, flips against old).
    """
    n_words = shared.beta0.shape[0]
    n_seen = topic.x.shape[0]
    total = 0.0
    for x in topic.x:
        total += x
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
    for n in old:
        old_mass += x_of[n]
        old_share += shared.beta0[n]
    guess = old_mass / old_share if old_mass > 0.0 else total
    nu, gap = _root(topic, shared, price, guess)
    log_nu = math.log(nu)
    gap = max(gap, 1e-9)

    # Words beyond doubt are output at once; words within the gap wait in the band.
    size = n_band = 0
    value = mass = share = 0.0
    # Of words with x = 0, only those next to the cut: a wide gap would bring in all.
    cut = _above(shared, price / nu)
    surely = max(_above(shared, (price + gap) / nu), cut - _BAND_SEARCH)
    maybe = _above(shared, (price - gap) / nu * (1.0 - 1e-12))
    maybe = min(maybe, cut + _BAND_SEARCH)
    band = np.empty(n_seen + maybe - surely, np.int32)
    band_deviance = np.empty(band.shape[0])
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
            band_deviance[n_band] = excess
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
                band_deviance[n_band] = excess
                n_band += 1
    f, chosen = _search(
        band[:n_band], band_deviance, x_of, shared.beta0, value, mass, share, nu
    )
    for i in range(n_band):
        if chosen[i]:
            out[size] = band[i]
            size += 1
    if size == 0:
        out[0] = topic.word[largest(topic.x, n_seen)]
        size, f = 1, -price
    if old.shape[0] > 0 and set_value(old, x_of, shared, price, nu) >= f - 1e-9:
        size = old.shape[0]
        copy(old, out, size)
    for i in range(n_seen):
        x_of[topic.word[i]] = 0.0

    for n in old:
        x_of[n] = 1.0
    flips = old.shape[0]
    for n in out[:size]:
        flips += -1 if x_of[n] == 1.0 else 1
    for n in old:
        x_of[n] = 0.0
    return size, flips


@kernel
def _topic(statistics: Statistics, j: int) -> Topic:
    """The words seen by topic j."""
    low = statistics.indptr[j]
    high = low + statistics.size[j]
    return Topic(
        statistics.word[low:high],
        statistics.x[low:high],
        statistics.beta0[low:high],
        statistics.fixed[low:high],
    )


@kernel
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
    n_words = shared.beta0.shape[0]
    x_of, out = np.zeros(n_words), np.empty(n_words, np.int32)
    size = np.zeros(last - first, np.int64)
    words, excess = np.empty(1024, np.int32), np.empty(1024)
    end = flips = 0
    for j in range(first, last):
        topic = _topic(statistics, j)
        old = old_word[old_indptr[j] : old_indptr[j + 1]]
        n, changes = choose_words(topic, shared, price[j], old, x_of, out)
        flips += changes
        size[j - first] = n
        words, excess = room(words, end, end + n), room(excess, end, end + n)
        mass = share = 0.0
        for i in range(topic.x.shape[0]):
            x_of[topic.word[i]] = topic.x[i]
        for i in range(n):
            mass += x_of[out[i]]
            share += shared.beta0[out[i]]
        for i in range(n):
            expected = mass / share * shared.beta0[out[i]]
            words[end + i] = out[i]
            excess[end + i] = x_of[out[i]] / expected - 1.0 if expected > 0.0 else 0.0
        for i in range(topic.x.shape[0]):
            x_of[topic.word[i]] = 0.0
        end += n
    return size, words[:end], excess[:end], flips


@kernel
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
    topic = _topic(statistics, j)
    n_words = shared.beta0.shape[0]
    x_of, inside = np.zeros(n_words), np.zeros(n_words, np.bool_)
    for i in range(topic.x.shape[0]):
        x_of[topic.word[i]] = topic.x[i]
    mass = share = 0.0
    for n in words:
        inside[n] = True
        mass += x_of[n]
        share += shared.beta0[n]
    is_held = np.zeros(n_words, np.bool_)
    for n in held:
        is_held[n] = True
    best, best_word = -np.inf, -1
    mu = mass / share if share > 0.0 else 0.0
    if mu <= 0.0:
        mu = 1.0
        for x in topic.x:
            mu += x
    here = divergence(mass, mu * share)
    n_tried = topic.word.shape[0] + words.shape[0]
    for i in range(n_tried + 1):
        if i < topic.word.shape[0]:
            n = topic.word[i]
        elif i < n_tried:
            n = words[i - topic.word.shape[0]]
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


@kernel
def _value(
    topic: Topic, words: Ints, shared: Shared, price: float, x_of: Floats
) -> float:
    """F of some words of a topic; x_of (N,) is all zero on entry and exit."""
    for i in range(topic.x.shape[0]):
        x_of[topic.word[i]] = topic.x[i]
    value = set_value(words, x_of, shared, price, 1.0)
    for i in range(topic.x.shape[0]):
        x_of[topic.word[i]] = 0.0
    return value


@kernel
def values(
    first: int,
    last: int,
    statistics: Statistics,
    shared: Shared,
    price: Floats,
    indptr: Longs,
    word: Ints,
) -> Floats:
    """F of the salient words of topics first .. last - 1."""
    x_of, out = np.zeros(shared.beta0.shape[0]), np.empty(last - first)
    for j in range(first, last):
        salient = word[indptr[j] : indptr[j + 1]]
        out[j - first] = _value(_topic(statistics, j), salient, shared, price[j], x_of)
    return out


@kernel
def _together(statistics: Statistics, j: int, k: int, x_of: Floats) -> Topic:
    """The words seen by two topics, with their counts added up.

    x_of (N,) is all zero on entry and exit.
    """
    one, two = _topic(statistics, j), _topic(statistics, k)
    n, most = one.x.shape[0], one.x.shape[0] + two.x.shape[0]
    word, x = np.empty(most, np.int32), np.empty(most)
    beta0, fixed = np.empty(most), np.empty(most)
    for i in range(two.x.shape[0]):
        x_of[two.word[i]] = two.x[i]
    for i in range(n):
        word[i], beta0[i] = one.word[i], one.beta0[i]
        x[i] = one.x[i] + x_of[word[i]]
        x_of[word[i]] = 0.0
    for i in range(two.x.shape[0]):
        if x_of[two.word[i]] > 0.0:
            word[n], beta0[n], x[n] = two.word[i], two.beta0[i], two.x[i]
            x_of[word[n]] = 0.0
            n += 1
    for i in range(n):
        fixed[i] = x[i] * math.log(x[i] / beta0[i]) - x[i]
    return Topic(word[:n], x[:n], beta0[:n], fixed[:n])


@kernel
def merged_values(
    first: int,
    last: int,
    one: Longs,
    two: Longs,
    statistics: Statistics,
    shared: Shared,
    price: Floats,
) -> tuple[Floats, Longs]:
    """F and number of the best words of topics ``one`` and ``two`` merged into one.

    For the pairs first .. last - 1, each with its price. Cost: that of `salient_words`
    for the same number of topics.
    """
    n_words = shared.beta0.shape[0]
    x_of, out = np.zeros(n_words), np.empty(n_words, np.int32)
    none = np.empty(0, np.int32)
    found, size = np.empty(last - first), np.empty(last - first, np.int64)
    for i in range(first, last):
        topic = _together(statistics, one[i], two[i], x_of)
        n, _ = choose_words(topic, shared, price[i], none, x_of, out)
        found[i - first] = _value(topic, out[:n], shared, price[i], x_of)
        size[i - first] = n
    return found, size
