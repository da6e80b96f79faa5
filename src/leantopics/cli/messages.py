"""What goes to standard error: one sentence for everything that goes wrong."""

import io
import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ended, as shells have it."""


class Commands(click.Group):
    """Group of commands whose failures are one sentence, never a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they are used."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and turn what the library raises into a message."""
        try:
            with _one_line_each():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            tell("Interrupted.")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:  # the reader of a pipe has seen enough
            raise
        except (ValueError, OSError, MemoryError) as error:
            raise click.ClickException(sentence(error)) from error


def tell(message: str) -> None:
    """Print a line for people, also while a progress bar is shown."""
    print(message, file=sys.stderr)


def number(n: int, noun: str) -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> number(1, "topic"), number(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def sentence(error: Exception) -> str:
    r"""Return what an exception says in one line.

    Examples
    --------
    >>> sentence(PermissionError(13, "Permission denied", "notes.txt"))
    'notes.txt: permission denied.'
    >>> sentence(ValueError("Give a number\nfrom 1 up."))
    'Give a number from 1 up.'
    """
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror.lower()}."
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    return " ".join(str(error).split())


@contextmanager
def _one_line_each() -> Iterator[None]:
    """Print warnings and log records of the library without their source location.

    Characters that standard output cannot encode become question marks.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # no end halfway for one character
    handler = _Handler(logging.WARNING)
    logger = logging.getLogger("leantopics")
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _show_warning
            yield
    finally:
        logger.removeHandler(handler)


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        tell(record.getMessage())


def _show_warning(message: Warning | str, *where: object, **more: object) -> None:
    tell(f"Warning: {' '.join(str(message).split())}")
