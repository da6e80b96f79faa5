"""Progress of long work: history, callbacks, and a bar with the time left."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from leantopics._words import counted


class Progress:
    """Collects the iterations of a fit and shows them according to ``verbose``.

    1 shows a bar over the numbers of topics on a terminal, and a line for each of them
    elsewhere; 2 shows a line for each iteration. The model's ``callback`` and its
    scikit-learn callbacks are called after every iteration; one that returns True stops
    the fit.
    """

    def __init__(self, model: Any) -> None:
        self.history: list[Any] = []
        self._model = model
        self._orders = 1
        self._seen: list[int] = []
        self._context: Any = None
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if hasattr(self._model, "_skl_callbacks"):
            self._context = self._model._init_callback_context(max_subtasks=None)
            self._context.call_on_fit_task_begin(estimator=self._model)
        if self._model.verbose == 1 and sys.stderr.isatty():
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task("starting (first use compiles)", total=1)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._model)

    def orders(self, number: int) -> None:
        """Set how many numbers of topics will be fitted."""
        self._orders = number

    def report(self, step: Any) -> bool:
        """Record an iteration; return True to stop the fit."""
        self.history.append(step)
        new_order = not self._seen or self._seen[-1] != step.n_topics
        if new_order:
            if self._seen and step.n_topics > max(self._seen):
                stride = abs(self._seen[0] - self._seen[1]) if self._seen[1:] else 1
                more = (step.n_topics - max(self._seen)) // stride
                self._orders = len(self._seen) + max(1, more)
            self._seen.append(step.n_topics)
        self._show(step, new_order)
        stop = False
        if self._model.callback is not None:
            stop = self._model.callback(step) is True
        if self._context is not None:
            task = self._context.subcontext(task_name="iteration")
            task.call_on_fit_task_begin(estimator=self._model)
            stop = task.call_on_fit_task_end(estimator=self._model) is True or stop
        return stop

    def _show(self, step: Any, new_order: bool) -> None:
        topics = counted(step.n_topics, "topic")
        if self._bar is not None:
            self._bar.update(
                self._task,
                total=max(self._orders, len(self._seen)),
                completed=len(self._seen) - 1,
                description=f"{topics}, {self._objective(step, ',.0f')}",
            )
        elif self._model.verbose >= 2 or (self._model.verbose == 1 and new_order):
            print(
                f"{topics}, iteration {step.iteration}: "
                f"{self._values(step)}, {step.seconds:.1f} s",
                file=sys.stderr,
            )

    def _objective(self, step: Any, form: str) -> str:
        """Return the name and value of the objective."""
        return f"BIC {step.bic:{form}}"

    def _values(self, step: Any) -> str:
        """Describe the result of an iteration."""
        return (
            f"{self._objective(step, '.1f')}, log-likelihood {step.log_likelihood:.1f}"
        )


@contextmanager
def counting(what: str, total: int, verbose: int) -> Iterator[Callable[[int], None]]:
    """Show the progress of some work: a bar on a terminal, one line elsewhere.

    Parameters
    ----------
    what : str
        Description of the work.
    total : int
        Number of items to process.
    verbose : int
        0 shows nothing.

    Yields
    ------
    callable
        Call it with the number of items just processed.

    Examples
    --------
    >>> with counting("counting sheep", total=2, verbose=0) as done:
    ...     done(2)
    """
    if verbose and sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task(what, total=total)
            yield lambda number: bar.advance(task, number)
        return
    if verbose:
        print(f"{what}, {total:,} in all", file=sys.stderr)
    yield lambda number: None


def _bar() -> Any:
    """Return a bar on standard error that disappears at its end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
