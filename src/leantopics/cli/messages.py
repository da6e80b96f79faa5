"""Messages on standard error: one sentence for every failure."""

import difflib
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

from leantopics._extras import MissingExtraError
from leantopics._words import shown

FOUND, INTERRUPTED, CLOSED_PIPE = 3, 130, 141
"""Exit codes of a watch that found something, and of an end by Ctrl-C or a pipe.

The last two are the codes that shells use for SIGINT and SIGPIPE.
"""
EXIT_CODES = """\b
Exit codes:
    0  success
    1  failure; one sentence on standard error says why
    2  wrong usage
    3  `watch` found a new topic
  130  interrupted (Ctrl-C)
  141  the reader of a pipe has closed it, as `| head` does
  143  terminated (SIGTERM)
"""


_OUTPUT = "standard output"


class Commands(click.Group):
    """Group of commands that report failures in one sentence, never a traceback.

    Each command is in a module of its name, which is imported only when it is needed.
    The list of commands imports none: it shows the lines of ``sections``, by name.
    """

    def __init__(
        self, *, sections: dict[str, dict[str, str]], **attributes: Any
    ) -> None:
        super().__init__(**attributes)
        self._sections = sections
        self._lines = {k: v for lines in sections.values() for k, v in lines.items()}

    def list_commands(self, ctx: click.Context | None = None) -> list[str]:
        """Return the commands in the order of the help."""
        return list(self._lines)

    def get_command(
        self, ctx: click.Context | None, cmd_name: str
    ) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self._lines:
            return None
        command: click.Command = import_module(f"leantopics.cli.{cmd_name}").command
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the commands, grouped by task."""
        width = max(map(len, self._lines))
        for title, lines in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(k.ljust(width), v) for k, v in lines.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; a name that is nearly one is answered with that."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if near := difflib.get_close_matches(args[0], self._lines, 1):
                said = error.message.rstrip(".")
                message = f"{said}. Did you mean {near[0]!r}?"
                raise click.UsageError(message, ctx) from None
            raise

    def main(self, *arguments: Any, **more: Any) -> Any:
        """Run the program and exit; a failure is reported on one line."""
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

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the arguments; this is where click prints help and the version."""
        with _quiet_if_closed():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and turn exceptions of the library into messages."""
        try:
            with _quiet_if_closed(), _one_line_each():
                result = super().invoke(ctx)
                sys.stdout.flush()  # a closed pipe can still be handled here
                return result
        except KeyboardInterrupt:
            tell("Interrupted.")
            ctx.exit(INTERRUPTED)
        except (ValueError, OSError, MemoryError, MissingExtraError) as error:
            if getattr(error, "filename", None) == _OUTPUT:
                _drop_output()
            raise click.ClickException(sentence(error)) from error


def tell(message: str) -> None:
    """Print a message to standard error, also while a progress bar is shown."""
    print(shown(message), file=sys.stderr)


def sentence(error: Exception) -> str:
    r"""Return the message of an exception as one line.

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
    """Standard output that names itself in its errors."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = _OUTPUT
            raise


class _Closed(io.RawIOBase):
    """Stand-in for a closed standard output; reports it once."""

    _reported = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        if not self._reported:
            self._reported = True
            raise OSError(
                "Standard output must be open for this command to print, but is "
                "closed: redirect it, for example with > file."
            )
        return len(data)


def _prepare_streams() -> None:
    """Make standard output name itself in errors, and replace closed streams.

    The file number of a closed stream is taken. Otherwise the next file to be opened
    would get it, and output would go there by mistake.
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


@contextmanager
def _quiet_if_closed() -> Iterator[None]:
    """End without a message if the reader has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        _drop_output()
        raise click.exceptions.Exit(CLOSED_PIPE) from None


def _drop_output() -> None:
    """Discard unwritten output, which Python would try to write again on exit."""
    with suppress(OSError):  # standard output may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _one_line_each() -> Iterator[None]:
    """Print warnings and log records of the library without their source location.

    Characters that standard output cannot encode are printed as question marks.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="replace"
        )  # one character must not end the output
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
