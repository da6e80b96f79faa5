"""Ordered map over shards: who does the work never changes the result."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """Anything that maps a function over items and keeps their order."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""


class Inline:
    """The engine of one thread.

    Examples
    --------
    >>> Inline().map(abs, [1, -2])
    [1, 2]
    """

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""
        return [function(item) for item in items]


class Threads:
    """Several threads; kernels release the interpreter lock."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self._executor = executor

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""
        return list(self._executor.map(function, items))


@contextmanager
def engine(n_threads: int = 1) -> Iterator[Engine]:
    """Open an engine of ``n_threads`` threads.

    Examples
    --------
    >>> with engine(2) as workers:
    ...     workers.map(abs, [1, -2])
    [1, 2]
    """
    if n_threads == 1:
        yield Inline()
    else:
        with ThreadPoolExecutor(n_threads, "leantopics") as executor:
            yield Threads(executor)
