"""What goes to standard error: one sentence for everything that goes wrong."""

import io
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import click

INTERRUPTED, CLOSED_PIPE = 130, 141
"""Exit codes of a command that Ctrl-C, or a pipe without reader, ended.

They are those that shells have for SIGINT and SIGPIPE.
"""
EXIT_CODES = """\b
Exit codes:
    0  all went well
    1  it failed; one sentence on standard error says why
    2  wrong use of the command
  130  interrupted (Ctrl-C)
  141  the reader of a pipe was gone, as with `| head`
  143  asked to end (SIGTERM)
"""


class Commands(click.Group):
    """Group of commands whose failures are one sentence, never a traceback.

    A command lies in a module of its name, which is imported when the command is met;
    the list of commands comes at once.

    Parameters
    ----------
    package : str
        Where the modules are.
    lines : dict
        What the list says of each command, the first line of its help.
    **attributes
        Those of `click.Group`.
    """

    def __init__(
        self, *, package: str, lines: dict[str, str], **attributes: Any
    ) -> None:
        super().__init__(**attributes)
        self._package, self._lines = package, lines

    def list_commands(self, ctx: click.Context | None = None) -> list[str]:
        """Return the commands in the order in which they are used."""
        return list(self._lines)

    def get_command(
        self, ctx: click.Context | None, cmd_name: str
    ) -> click.Command | None:
        """Return the command of a module."""
        if cmd_name not in self._lines:
            return None
        command: click.Command = import_module(f"{self._package}.{cmd_name}").command
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and turn what the library raises into a message."""
        try:
            with _one_line_each():
                result = super().invoke(ctx)
                sys.stdout.flush()  # here a closed pipe can still be met
                return result
        except KeyboardInterrupt:
            tell("Interrupted.")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:  # the reader of a pipe has seen enough
            _drop_output()
            ctx.exit(CLOSED_PIPE)
        except (ValueError, OSError, MemoryError) as error:
            raise click.ClickException(sentence(error)) from error


def tell(message: str) -> None:
    """Print a line for people, also while a progress bar is shown."""
    print(message, file=sys.stderr)


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


def _drop_output() -> None:
    """Let what is not yet written go nowhere; the end of Python would try it again."""
    with suppress(OSError):  # standard output may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
