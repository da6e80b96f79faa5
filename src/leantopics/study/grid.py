"""Cells of a study, each computed once and then kept on disk."""

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Self

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from leantopics._progress import Bar
from leantopics._words import shown
from leantopics.storage import load_folder, save_folder
from leantopics.study.measure import Cell

_RECIPE = 2  # raised when the same settings must give other cells


class Task(NamedTuple):
    """One cell to compute."""

    name: str
    """Name for messages."""
    depends: Sequence[Any]
    """Everything that its result depends on, as JSON types."""
    cost: float
    """Rough time, for planning; only ratios matter."""
    function: Callable[..., Cell]
    arguments: tuple[Any, ...]

    @property
    def place(self) -> str:
        """Name of the folder that holds the cell."""
        depends = [_RECIPE, version("leantopics"), *self.depends]
        digest = hashlib.sha256(json.dumps(depends).encode()).hexdigest()
        return f"{'-'.join(self.name.split())}-{digest[:16]}"


def run(
    tasks: Sequence[Task], folder: Path, *, n_jobs: int = 1, show: bool = True
) -> list[Cell]:
    """Compute all cells that the folder does not hold, and return all in order.

    A cell is written atomically when it is done, so an interrupted run continues where
    it stopped. Every cell runs in one thread and depends only on its own settings: the
    same settings give the same numbers with any number of processes, ``n_jobs``.

    Examples
    --------
    >>> import tempfile
    >>> def count(n):
    ...     print("counting")
    ...     return Cell([{"n": n}], {})
    >>> tasks = [Task("toy", ["toy", 3], 1.0, count, (3,))]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = run(tasks, Path(folder), show=False)
    ...     run(tasks, Path(folder), show=False) == first
    counting
    True
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [task for task in tasks if _kept(task, folder) is None]
    missing.sort(key=lambda task: -task.cost)
    work = Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", max_nbytes=None, batch_size=1
    )
    with Progress(missing, len(tasks), show) as progress:
        jobs = (delayed(_work)(n, task, folder) for n, task in enumerate(missing))
        for n, seconds in work(jobs):
            progress.done(missing[n], seconds)
    cells = [_kept(task, folder) for task in tasks]
    return [cell for cell in cells if cell is not None]


class Progress:
    """Shows how many cells are done and how long the rest may take.

    On a terminal this is a bar, elsewhere a line for each cell.
    """

    def __init__(self, missing: Sequence[Task], n_tasks: int, show: bool) -> None:
        self._show = show and bool(missing)
        self._kept = n_tasks - len(missing)
        self._n_tasks = n_tasks
        self._cost, self._all = 0.0, sum(task.cost for task in missing)
        self._begin = perf_counter()
        self._bar = Bar("", self._all, show=self._show)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        self._tell("working")
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def done(self, task: Task, seconds: float) -> None:
        """Record a finished cell."""
        self._kept += 1
        self._cost += task.cost
        self._tell(f"{shown(task.name)} took {seconds:.0f} s")

    def _tell(self, what: str) -> None:
        counts = f"{self._kept} of {self._n_tasks} parts done"
        if self._bar.is_shown:
            self._bar.update(completed=self._cost, description=f"{counts}: {what}")
        elif self._show:
            print(f"{counts}{self._left()}: {what}", file=sys.stderr, flush=True)

    def _left(self) -> str:
        """Return about how long the rest may take, once there is a hint."""
        if not 0.0 < self._cost < self._all:
            return ""
        passed = perf_counter() - self._begin
        return f", about {_time(passed * (self._all / self._cost - 1.0))} left"


def _time(seconds: float) -> str:
    """Return a rough time in words.

    Examples
    --------
    >>> _time(41.0), _time(100.0), _time(9000.0)
    ('50 seconds', '2 minutes', '2.5 hours')
    """
    if seconds < 60.0:
        return f"{10 * int(seconds / 10 + 1)} seconds"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} minutes"
    return f"{seconds / 3600.0:.1f} hours"


def _work(n: int, task: Task, folder: Path) -> tuple[int, float]:
    """Compute and save a cell; return its number and how long it took."""
    begin = perf_counter()
    with threadpool_limits(1):  # matrix products differ in the last bits on two threads
        cell = task.function(*task.arguments)
    save_folder(
        folder / task.place,
        kind="cell",
        content={"rows": cell.rows},
        arrays=cell.arrays,
        strings={},
    )
    return n, perf_counter() - begin


def _kept(task: Task, folder: Path) -> Cell | None:
    with suppress(OSError, ValueError):  # missing or damaged
        content, arrays, _ = load_folder(folder / task.place, kind="cell")
        return Cell(content["rows"], arrays)
    return None
