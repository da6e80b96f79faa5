"""Bundles as kernels see them: the same arrays under the same names, looked up in C.

A view is made once where a kernel is entered; inside, a field costs a pointer.
"""

import cython
import numpy as np

from leantopics._arrays import Counts, Floats, Ints
from leantopics.ptm.kernels.arrays import (
    DocTopics,
    PartialCounts,
    Prices,
    Salient,
    Screen,
    Shared,
    Solver,
    Statistics,
    Table,
    Trial,
)


class CountsView:
    """See `Counts`."""

    def __init__(self, counts: Counts) -> None:
        self.indptr = counts.indptr
        self.indices = counts.indices
        self.data = counts.data


class MixesView:
    """See `DocTopics`."""

    def __init__(self, mixes: DocTopics) -> None:
        self.indptr = mixes.indptr
        self.topic = mixes.topic
        self.alpha = mixes.alpha


class SalientView:
    """See `Salient`."""

    def __init__(self, salient: Salient) -> None:
        self.indptr = salient.indptr
        self.word = salient.word
        self.excess = salient.excess


class TableView:
    """See `Table`."""

    def __init__(self, table: Table) -> None:
        self.indptr = table.indptr
        self.topic = table.topic
        self.excess = table.excess


class PartView:
    """See `PartialCounts`."""

    def __init__(self, part: PartialCounts | Statistics) -> None:
        self.indptr = part.indptr
        self.size = part.size
        self.word = part.word
        self.x = part.x


class StatisticsView(PartView):
    """See `Statistics`."""

    def __init__(self, statistics: Statistics) -> None:
        PartView.__init__(self, statistics)
        self.beta0 = statistics.beta0
        self.fixed = statistics.fixed


class SharedView:
    """See `Shared`."""

    def __init__(self, shared: Shared) -> None:
        self.beta0 = shared.beta0
        self.order = shared.order
        self.sorted_beta0 = shared.sorted_beta0
        self.cumulated = shared.cumulated


class PricesView:
    """See `Prices`."""

    def __init__(self, prices: Prices) -> None:
        self.log_choose = prices.log_choose
        self.half_salient = prices.half_salient
        self.tokens = prices.tokens
        self.documents = prices.documents


class SolverView:
    """See `Solver`."""

    def __init__(self, solver: Solver) -> None:
        self.ratio = solver.ratio
        self.q = solver.q
        self.weight = solver.weight
        self.scratch = solver.scratch
        self.grad = solver.grad
        self.hess = solver.hess
        self.slope = solver.slope
        self.step = solver.step
        self.move = solver.move


class ScreenView:
    """See `Screen`."""

    def __init__(self, screen: Screen) -> None:
        self.inverse = screen.inverse
        self.total = screen.total
        self.near_count = screen.near_count
        self.near = screen.near
        self.near_own = screen.near_own
        self.candidate = screen.candidate
        self.hope = screen.hope
        self.price = screen.price
        self.start = screen.start
        self.short = screen.short


class TrialView:
    """See `Trial`."""

    def __init__(self, trial: Trial) -> None:
        self.columns = trial.columns
        self.kept = trial.kept
        self.alpha = trial.alpha
        self.slope = trial.slope
        self.hess = trial.hess
        self.best_alpha = trial.best_alpha
        self.best_row = trial.best_row
        self.place = trial.place


class Pairs:
    """Numbers of topics or words, each with a value, in arrays that can grow."""

    def __init__(self, size: int) -> None:
        self.number = np.empty(size, np.int32)
        self.value = np.empty(size)

    def first(self, size: int) -> tuple[Ints, Floats]:
        """Return the first numbers and values."""
        return np.asarray(self.number)[:size], np.asarray(self.value)[:size]

    def grow(self, used: int, size: int) -> None:
        """Make room for size pairs, and keep those that are used."""
        number, value = self.first(used)
        self.number, self.value = np.empty(size, np.int32), np.empty(size)
        np.asarray(self.number)[:used] = number
        np.asarray(self.value)[:used] = value


def reserve(pairs: Pairs, used: int, size: int) -> int:
    """Make room for size pairs."""
    if size > pairs.number.shape[0]:
        with cython.gil:
            pairs.grow(used, 2 * size)
    return 0


def copy(source: Floats, target: Floats, n: int) -> None:
    """``target[:n] = source[:n]``."""
    for i in range(n):
        target[i] = source[i]


def copy_ints(source: Ints, target: Ints, n: int) -> None:
    """``target[:n] = source[:n]``."""
    for i in range(n):
        target[i] = source[i]


def copy_square(source: Floats, target: Floats, n: int) -> None:
    """``target[:n, :n] = source[:n, :n]``, on and below the diagonal."""
    for i in range(n):
        for j in range(i + 1):
            target[i, j] = source[i, j]


def has(topics: Ints, topic: int) -> bool:
    """Whether the topic is among the topics."""
    for i in range(topics.shape[0]):
        if topics[i] == topic:
            return True
    return False


def largest(values: Floats, n: int) -> int:
    """Index of the largest of the first n values, the first among equals."""
    best = 0
    for i in range(1, n):
        if values[i] > values[best]:
            best = i
    return best
