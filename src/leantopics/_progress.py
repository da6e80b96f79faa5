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
        self._expected = 1
        self._seen: list[int] = []
        self._stopped = False
        self._context: Any = None
        self._bar = Bar("starting", 1, show=model.verbose == 1)

    def __enter__(self) -> Self:
        if hasattr(self._model, "_skl_callbacks"):
            self._context = self._model._init_callback_context(max_subtasks=None)
            self._context.call_on_fit_task_begin(estimator=self._model)
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._model)

    def expect(self, fits: int) -> None:
        """Set how many numbers of topics will be fitted."""
        self._expected = fits

    def report(self, step: Any) -> bool:
        """Record an iteration; return True to stop the fit, and all that follow."""
        self.history.append(step)
        is_new = not self._seen or self._seen[-1] != step.n_topics
        if is_new:
            if self._seen and step.n_topics > max(self._seen):
                stride = abs(self._seen[0] - self._seen[1]) if self._seen[1:] else 1
                more = (step.n_topics - max(self._seen)) // stride
                self._expected = len(self._seen) + max(1, more)
            self._seen.append(step.n_topics)
        self._show(step, is_new)
        if self._stopped:
            return True
        stop = False
        if self._model.callback is not None:
            stop = self._model.callback(step) is True
        if self._context is not None:
            task = self._context.subcontext(task_name="iteration")
            task.call_on_fit_task_begin(estimator=self._model)
            stop = task.call_on_fit_task_end(estimator=self._model) is True or stop
        self._stopped = stop
        return stop

    def _show(self, step: Any, is_new: bool) -> None:
        topics = counted(step.n_topics, "topic")
        if self._bar.is_shown:
            self._bar.update(
                total=max(self._expected, len(self._seen)),
                completed=len(self._seen) - 1,
                description=f"{topics}, {self._objective(step, ',.0f')}",
            )
        elif self._model.verbose >= 2 or (self._model.verbose == 1 and is_new):
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

    Yields a function to call with the number of items just processed. ``verbose=0``
    shows nothing.

    Examples
    --------
    >>> with counting("counting sheep", total=2, verbose=0) as done:
    ...     done(2)
    """
    with Bar(what, total, show=bool(verbose)) as bar:
        if verbose and not bar.is_shown:
            print(f"{what}, {total:,} in all", file=sys.stderr)
        yield lambda number: bar.update(advance=number)


class Bar:
    """A bar on standard error, with the time left; it disappears at its end.

    Nothing is shown if standard error is not a terminal. The total is None while it is
    not known. A bar ``of_bytes`` shows how many megabytes of how many are done.
    """

    def __init__(
        self,
        what: str,
        total: float | None,
        *,
        show: bool = True,
        of_bytes: bool = False,
    ) -> None:
        self.rich: Any = None
        if show and sys.stderr.isatty():
            self.rich = _rich_bar(of_bytes)
            self._task = self.rich.add_task(what, total=total)

    @property
    def is_shown(self) -> bool:
        """Whether there is a bar to see."""
        return self.rich is not None

    def __enter__(self) -> Self:
        if self.is_shown:
            self.rich.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.is_shown:
            self.rich.stop()

    def update(self, **changes: Any) -> None:
        """Change ``total``, ``completed`` or ``description``, or ``advance``."""
        if self.is_shown:
            self.rich.update(self._task, **changes)


def _rich_bar(of_bytes: bool) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),  # names may have brackets
        BarColumn(),
        *([DownloadColumn()] if of_bytes else []),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
