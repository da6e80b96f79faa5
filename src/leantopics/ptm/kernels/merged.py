"""What the words of topics are worth, as they are and after two topics become one."""

import math

import cython
import numpy as np

from leantopics._arrays import Floats, Ints, Longs
from leantopics.ptm.kernels.arrays import Shared, Statistics
from leantopics.ptm.kernels.views import SharedView, StatisticsView
from leantopics.ptm.kernels.words import Scratch, Topic, choose_words, set_value, take


def _value(
    topic: Topic, words: Ints, shared: SharedView, price: float, x_of: Floats
) -> float:
    """F of some words of a topic; x_of (N,) is all zero on entry and exit."""
    for i in range(topic.x.shape[0]):
        x_of[topic.word[i]] = topic.x[i]
    value = set_value(words, x_of, shared, price, 1.0)
    for i in range(topic.x.shape[0]):
        x_of[topic.word[i]] = 0.0
    return value


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
    out = np.empty(last - first)
    _values(
        first,
        StatisticsView(statistics),
        SharedView(shared),
        price,
        indptr,
        word,
        np.zeros(len(shared.beta0)),
        Topic(),
        out,
    )
    return out


def _values(
    first: int,
    statistics: StatisticsView,
    shared: SharedView,
    price: Floats,
    indptr: Longs,
    word: Ints,
    x_of: Floats,
    topic: Topic,
    out: Floats,
) -> None:
    """See `values`; x_of (N,) is all zero. Writes: out."""
    with cython.nogil:
        for i in range(out.shape[0]):
            j = first + i
            take(statistics, j, topic)
            low, high = indptr[j], indptr[j + 1]
            out[i] = _value(topic, word[low:high], shared, price[j], x_of)


def _unite(
    statistics: StatisticsView, j: int, k: int, x_of: Floats, word: Ints, sums: Floats
) -> int:
    """Add up the counts of two topics: how many words they have.

    x_of (N,) is all zero on entry and exit. Writes: word, and x, beta0 and fixed, the
    rows of sums.
    """
    first, second = statistics.indptr[j], statistics.indptr[k]
    n, n_second = statistics.size[j], statistics.size[k]
    x, beta0, fixed = sums[0], sums[1], sums[2]
    for e in range(second, second + n_second):
        x_of[statistics.word[e]] = statistics.x[e]
    for i in range(n):
        word[i], beta0[i] = statistics.word[first + i], statistics.beta0[first + i]
        x[i] = statistics.x[first + i] + x_of[word[i]]
        x_of[word[i]] = 0.0
    for e in range(second, second + n_second):
        if x_of[statistics.word[e]] > 0.0:
            word[n], beta0[n] = statistics.word[e], statistics.beta0[e]
            x[n] = statistics.x[e]
            x_of[word[n]] = 0.0
            n += 1
    for i in range(n):
        fixed[i] = x[i] * math.log(x[i] / beta0[i]) - x[i]
    return n


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
    found, size = np.empty(last - first), np.empty(last - first, np.int64)
    counts, view = StatisticsView(statistics), SharedView(shared)
    topic, scratch = Topic(), Scratch(len(shared.beta0))
    for i in range(first, last):
        most = statistics.size[one[i]] + statistics.size[two[i]]
        word, sums = np.empty(most, np.int32), np.empty((3, most))
        found[i - first], size[i - first] = _merged_value(
            counts, one[i], two[i], view, price[i], word, sums, topic, scratch
        )
    return found, size


def _merged_value(
    statistics: StatisticsView,
    j: int,
    k: int,
    shared: SharedView,
    price: float,
    word: Ints,
    sums: Floats,
    topic: Topic,
    scratch: Scratch,
) -> tuple[float, int]:
    """See `merged_values`. Writes: word, sums, topic, scratch."""
    with cython.nogil:
        n = _unite(statistics, j, k, scratch.x_of, word, sums)
        topic.word, topic.x = word[:n], sums[0, :n]
        topic.beta0, topic.fixed = sums[1, :n], sums[2, :n]
        n, _ = choose_words(topic, shared, price, word[:0], scratch)
        value = _value(topic, scratch.out[:n], shared, price, scratch.x_of)
    return value, n
