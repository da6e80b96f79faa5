"""Ordered work on groups of documents: who does it never changes the result."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")

FAN_IN = 8
"""Parts that are added up at once."""


class Group(Protocol):
    """Documents that are kept together, in memory or on disk."""

    def open(self) -> Any:
        """Return the documents."""


class Round(NamedTuple):
    """What came of one work on every group, in their order."""

    states: list[Any]
    """What is known of the documents of each group now, wherever that is kept."""
    results: list[Any]
    total: Any
    """The parts of all groups, added up."""


Work = Callable[..., tuple[Any, Any, Any]]
"""``work(documents, state, workers, *shared, own)`` gives the new state of a group, a
small result, and its part of the total, if there is one. The state that came is left as
it is, so that the work can be done again elsewhere."""


class Memory:
    """Large arrays that are filled anew time and again.

    Asking the system for fresh pages each time takes longer than filling them.
    """

    def __init__(self) -> None:
        self._held: dict[str, np.ndarray] = {}

    def array(self, name: str, size: int, dtype: type = np.float64) -> np.ndarray:
        """An array of this name, with what it last held still in it."""
        held = self._held.get(name)
        if held is None or len(held) < size:
            self._held.pop(name, None)
            held = self._held[name] = np.empty(size + size // 8, dtype)
        return held[:size]


class Engine(Protocol):
    """Anything that does work in order."""

    memory: Memory

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""

    def hold(self, groups: Sequence[Group]) -> list[Group]:
        """Put the documents where the work will be done."""

    def each(
        self,
        work: Work,
        groups: Sequence[Group],
        states: Sequence[Any],
        *shared: Any,
        own: Sequence[Any] | None = None,
        add: Callable[[list[Any]], Any] | None = None,
    ) -> Round:
        """Do a work on every group.

        Parameters
        ----------
        work : callable
            See `Work`; a function of a module, so that it has a name everywhere.
        groups, states : sequences
            The groups, and what is known of the documents of each.
        *shared
            What all groups are given.
        own : sequence, optional
            What each group is given besides.
        add : callable, optional
            Adds up a list of parts. A part that came of a work is good until the next
            one; the sum of it alone, and of several, lasts.
        """


class Inline:
    """The engine of one thread.

    Examples
    --------
    >>> Inline().map(abs, [1, -2])
    [1, 2]
    """

    def __init__(self) -> None:
        self.memory = Memory()

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""
        return [function(item) for item in items]

    def hold(self, groups: Sequence[Group]) -> list[Group]:
        """They are here."""
        return list(groups)

    def each(
        self,
        work: Work,
        groups: Sequence[Group],
        states: Sequence[Any],
        *shared: Any,
        own: Sequence[Any] | None = None,
        add: Callable[[list[Any]], Any] | None = None,
    ) -> Round:
        """Do a work on every group, one after the other; see `Engine`."""
        done = Round([], [], None)
        tree = None if add is None else Tree(add)
        for number, (group, state) in enumerate(zip(groups, states, strict=True)):
            more = () if own is None else (own[number],)
            new, result, part = work(group.open(), state, self, *shared, *more)
            done.states.append(new)
            done.results.append(result)
            if add is not None and tree is not None:
                tree.put(part if len(groups) == 1 else add([part]))
        return done if tree is None else done._replace(total=tree.total())


class Threads(Inline):
    """Several threads; kernels release the interpreter lock."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        super().__init__()
        self._executor = executor

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""
        return list(self._executor.map(function, items))


class Tree:
    """Adds up parts as they come, in an order that depends on their number alone.

    Every node of the tree is the sum of `FAN_IN` nodes below, from left to right; the
    last of each row has what is left. At no time are more than ``FAN_IN`` nodes of a
    row held.

    Examples
    --------
    >>> tree = Tree(lambda parts: "(" + "".join(parts) + ")")
    >>> for part in "abcdefghij":
    ...     tree.put(part)
    >>> tree.total()
    '((abcdefgh)(ij))'
    """

    def __init__(self, add: Callable[[list[Any]], Any]) -> None:
        self._add = add
        self._rows: list[list[Any]] = [[]]

    def put(self, part: Any, row: int = 0) -> None:
        """Take the next part."""
        if row == len(self._rows):
            self._rows.append([])
        self._rows[row].append(part)
        if len(self._rows[row]) == FAN_IN:
            whole, self._rows[row] = self._rows[row], []
            self.put(self._add(whole), row + 1)

    def total(self) -> Any:
        """The sum of all parts; there must be one at least."""
        row = 0
        while row + 1 < len(self._rows) or len(self._rows[row]) > 1:
            left, self._rows[row] = self._rows[row], []
            if left:
                self.put(left[0] if len(left) == 1 else self._add(left), row + 1)
            row += 1
        return self._rows[row][0]


_USED: ContextVar[tuple[Any, Path] | None] = ContextVar("cluster", default=None)


def used() -> tuple[Any, Path] | None:
    """The cluster that `use` has set, and its scratch folder."""
    return _USED.get()


@contextmanager
def use(client: Any, scratch: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Let fits of the parsimonious model inside run on a Dask cluster.

    Models are the same as without, bit for bit; ``n_jobs`` has no effect.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    scratch : path, optional
        A folder that all workers see, for the documents and what is known of them
        during a fit; by default the system's folder for temporary files, which is
        enough where all workers are on this machine.

    Examples
    --------
    ::

        with Client("tcp://scheduler:8786") as client:
            with leantopics.engine.use(client, scratch="/shared/scratch"):
                model.fit(corpus)
    """
    # A worker that was given up may write while the folder goes: no reason to fail.
    with tempfile.TemporaryDirectory(
        prefix="leantopics-", dir=scratch, ignore_cleanup_errors=True
    ) as folder:
        token = _USED.set((client, Path(folder)))
        try:
            yield
        finally:
            _USED.reset(token)


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
