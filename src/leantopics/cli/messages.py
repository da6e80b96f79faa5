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

from leantopics.extras import MissingExtraError
from leantopics.names import shown

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


_OUTPUT = "standard output"


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

    def main(self, *arguments: Any, **more: Any) -> Any:
        """Run the program and end the process; what went wrong is told on one line."""
        _prepare_streams()
        try:
            code = super().main(*arguments, **{**more, "standalone_mode": False})
        except click.ClickException as error:
            out = io.StringIO()
            error.show(out)
            tell(out.getvalue().removesuffix("\n"))
            code = error.exit_code
        except click.Abort:
            tell("Interrupted.")
            code = INTERRUPTED
        except OSError as error:  # a help text that cannot be written
            _drop_output()
            tell(f"Error: {sentence(error)}")
            code = 1
        sys.exit(code)

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
        except (ValueError, OSError, MemoryError, MissingExtraError) as error:
            if getattr(error, "filename", None) == _OUTPUT:
                _drop_output()
            raise click.ClickException(sentence(error)) from error


def tell(message: str) -> None:
    """Print a line for people, also while a progress bar is shown."""
    print(shown(message), file=sys.stderr)


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
        name = shown(str(error.filename)).replace("\n", "\\n")
        place = f"{name}: " if error.filename else ""
        return f"{place}{error.strerror.lower()}."
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    return shown(" ".join(str(error).split()))


class _Output(io.FileIO):
    """Standard output that names itself where it fails."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = _OUTPUT
            raise


class _Closed(io.RawIOBase):
    """Stands for a standard output that is closed; says so once."""

    _told = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        if not self._told:
            self._told = True
            raise OSError(
                "Standard output is closed, but something must be printed: give it a "
                "place, such as > file."
            )
        return len(data)


def _prepare_streams() -> None:
    """Let standard output name itself in errors; stand in for streams that are closed.

    The number of a closed stream goes to nobody: a file that is opened would get it,
    and be written to by mistake.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is None:
            os.open(os.devnull, os.O_RDWR)
    out = sys.stdout
    if out is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed()), "utf-8")
    elif (
        isinstance(out, io.TextIOWrapper) and out is sys.__stdout__ and not out.isatty()
    ):
        raw = _Output(out.fileno(), "w", closefd=False)
        soon = out.line_buffering or out.write_through
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), out.encoding, line_buffering=soon
        )
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")


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
