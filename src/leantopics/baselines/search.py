"""A baseline as the sweep sees it: it starts at the largest number of topics."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from leantopics.baselines.order import Iteration, Order
from leantopics.engine.threads import Engine


class Search(ABC):
    """Fits of one baseline to one corpus, each from the previous one.

    Parameters
    ----------
    init_docs : int
        Number of random documents whose words a topic starts from.
    random : RandomState
        Draws them.
    workers : Engine
        Does the work.
    report : callable
        Called after each iteration; if it returns True, the search is ``stopped``.
    """

    def __init__(
        self,
        init_docs: int,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[Iteration], object],
    ) -> None:
        self._init_docs, self._random = init_docs, random
        self._workers, self._report = workers, report
        self.stopped = False

    @abstractmethod
    def start(self, n_topics: int) -> Order:
        """Fit from topics grown from random documents."""

    @abstractmethod
    def fewer(self, fitted: Order, n_topics: int) -> Order:
        """Fit from the most massive topics, which come first."""

    def more(self, fitted: Order, n_topics: int) -> Order | None:
        """Return None: topics are only removed."""
        return None

    @abstractmethod
    def criterion(self, fitted: Order) -> float:
        """Return the objective, where lower is better."""
