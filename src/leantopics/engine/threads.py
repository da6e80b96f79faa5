"""Ordered work on groups of documents: the result never depends on who does it."""

import os
import tempfile
from abc import ABC, abstractmethod
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
"""Number of parts that are added up at once."""


class Group(Protocol):
    """Documents that are kept together, in memory or on disk."""

    def open(self) -> Any:
        """Return the documents."""


Work = Callable[..., Any]
"""``work(documents, state, workers, *shared, own)`` is done on each group. It must be a
function of a module, so that every worker can import it. It does not change the state
that it is given, so the work can be repeated elsewhere. See `Engine` for what it
returns."""

Add = Callable[[list[Any]], Any]
"""Adds up a list of parts. A part is valid until the next work starts; a sum, even of a
single part, stays valid."""


class Task(NamedTuple):
    """A work, and what it is done for."""

    work: Work
    is_read: bool = False
    add: Add | None = None

    def do(self, *arguments: Any) -> tuple[Any, Any, Any]:
        """Return the new state of a group, its result and its part, if any."""
        found = self.work(*arguments)
        if self.is_read:
            return arguments[1], found, None
        return (found, None, None) if self.add is None else (found[0], None, found[1])


class Job(NamedTuple):
    """A task for every group; see `Engine` for the arguments."""

    task: Task
    groups: Sequence[Group]
    states: Sequence[Any]
    shared: tuple[Any, ...]
    own: Sequence[Any] | None

    @property
    def owned(self) -> list[tuple[Any, ...]]:
        """The arguments of each group alone."""
        if self.own is None:
            return [()] * len(self.groups)
        return [(each,) for each in self.own]


class Round(NamedTuple):
    """A task done on every group, in the order of the groups."""

    states: list[Any]
    """The new state of the documents of each group, wherever it is kept."""
    results: list[Any]
    total: Any
    """The sum of the parts of all groups."""


class Memory:
    """Large arrays that are filled again and again.

    Allocating fresh pages each time would take longer than filling them.
    """

    def __init__(self) -> None:
        self._held: dict[str, np.ndarray] = {}

    def array(self, name: str, size: int, dtype: type = np.float64) -> np.ndarray:
        """Return the array of this name; it still holds its previous values."""
        held = self._held.get(name)
        if held is None or len(held) < size:
            self._held.pop(name, None)
            held = self._held[name] = np.empty(size + size // 8, dtype)
        return held[:size]


class Engine(ABC):
    """Anything that does work on groups and keeps their order.

    A work reads, updates or accumulates. All three methods have the same parameters:

    work : callable
        See `Work`.
    groups, states : sequences
        The groups, and the state of the documents of each.
    *shared
        Arguments for all groups.
    own : sequence, optional
        One more argument for each group.
    """

    def __init__(self) -> None:
        self.memory = Memory()

    @abstractmethod
    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""

    @abstractmethod
    def hold(self, groups: Sequence[Group]) -> list[Group]:
        """Bring the documents to where the work will be done."""

    @abstractmethod
    def each(self, job: Job) -> Round:
        """Do a task on every group."""

    def read(
        self,
        work: Work,
        groups: Sequence[Group],
        states: Sequence[Any],
        *shared: Any,
        own: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Return what the work returns of each group: a small result."""
        job = Job(Task(work, is_read=True), groups, states, shared, own)
        return self.each(job).results

    def update(
        self,
        work: Work,
        groups: Sequence[Group],
        states: Sequence[Any],
        *shared: Any,
        own: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Return the new states; the work returns that of a group."""
        return self.each(Job(Task(work), groups, states, shared, own)).states

    def accumulate(
        self,
        work: Work,
        groups: Sequence[Group],
        states: Sequence[Any],
        *shared: Any,
        add: Add,
        own: Sequence[Any] | None = None,
    ) -> tuple[list[Any], Any]:
        """Return the new states and a total; the work returns a state and a part."""
        done = self.each(Job(Task(work, add=add), groups, states, shared, own))
        return done.states, done.total


class Inline(Engine):
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

    def hold(self, groups: Sequence[Group]) -> list[Group]:
        """Return the groups as they are."""
        return list(groups)

    def each(self, job: Job) -> Round:
        """Do a task on one group after the other."""
        task, done = job.task, Round([], [], None)
        tree = None if task.add is None else Tree(task.add)
        for group, state, own in zip(job.groups, job.states, job.owned, strict=True):
            new, result, part = task.do(group.open(), state, self, *job.shared, *own)
            done.states.append(new)
            done.results.append(result)
            if tree is not None:
                tree.put(part if len(job.groups) == 1 else tree.add([part]))
        return done if tree is None else done._replace(total=tree.total())


class Threads(Inline):
    """The engine of several threads; kernels release the interpreter lock."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        super().__init__()
        self._executor = executor

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Return ``[function(item) for item in items]``."""
        return list(self._executor.map(function, items))


class Tree:
    """Adds up parts as they come, in an order that depends only on their number.

    Every node of the tree is the sum of `FAN_IN` nodes below it, from left to right;
    the last node of a row may have fewer. At most ``FAN_IN`` nodes of a row are held
    at a time.

    Examples
    --------
    >>> tree = Tree(lambda parts: "(" + "".join(parts) + ")")
    >>> for part in "abcdefghij":
    ...     tree.put(part)
    >>> tree.total()
    '((abcdefgh)(ij))'
    """

    def __init__(self, add: Add) -> None:
        self.add = add
        self._rows: list[list[Any]] = [[]]

    def put(self, part: Any, row: int = 0) -> None:
        """Add the next part."""
        if row == len(self._rows):
            self._rows.append([])
        self._rows[row].append(part)
        if len(self._rows[row]) == FAN_IN:
            whole, self._rows[row] = self._rows[row], []
            self.put(self.add(whole), row + 1)

    def total(self) -> Any:
        """Return the sum of all parts, of which there must be at least one."""
        row = 0
        while row + 1 < len(self._rows) or len(self._rows[row]) > 1:
            left, self._rows[row] = self._rows[row], []
            if left:
                self.put(left[0] if len(left) == 1 else self.add(left), row + 1)
            row += 1
        return self._rows[row][0]


_USED: ContextVar[tuple[Any, Path] | None] = ContextVar("cluster", default=None)


def used() -> tuple[Any, Path] | None:
    """Return the cluster set by `use` and its scratch folder, or None."""
    return _USED.get()


@contextmanager
def use(client: Any, scratch: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Run fits of the parsimonious model inside the context on a Dask cluster.

    The fitted models are the same, bit for bit; ``n_jobs`` has no effect.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    scratch : path, optional
        A folder that all workers can read and write, for the documents and their state
        during a fit. The default is the system's folder for temporary files, which is
        enough if all workers run on this machine.

    Examples
    --------
    ::

        with Client("tcp://scheduler:8786") as client:
            with leantopics.engine.use(client, scratch="/shared/scratch"):
                model.fit(corpus)
    """
    # An abandoned worker may write while the folder is removed: no reason to fail.
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
