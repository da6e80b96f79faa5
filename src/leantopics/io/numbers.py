"""Read files with the same number of numbers on every line, many lines at once."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from leantopics.io.lines import read_blocks
from leantopics.io.record import fault
from leantopics.io.streams import display_name

_WHOLE = re.compile(r"[0-9\s]*", re.ASCII)


class Block(NamedTuple):
    """The numbers of some consecutive lines, without the blank ones."""

    numbers: npt.NDArray[np.float64]
    """(n, width)"""
    line: npt.NDArray[np.int64]
    """(n,): line number of each row in the file."""


def read_numbers(
    source: str, encoding: str, after: int, width: int, *, whole: bool
) -> Iterator[Block]:
    r"""Yield the numbers of a file, thousands of lines at a time.

    ``after`` lines of its header are skipped; each other line must have ``width``
    numbers, of digits only if they must be ``whole``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "toy")
    ...     _ = file.write_text("head\n1 2\n\n3 4.5\n")
    ...     block, = read_numbers(str(file), "utf-8", 1, 2, whole=False)
    >>> block.numbers.tolist(), block.line.tolist()
    ([[1.0, 2.0], [3.0, 4.5]], [2, 4])
    """
    for first, text in read_blocks(source, encoding, after):
        lines = text.removesuffix("\n").replace("\r\n", "\n").split("\n")
        if not whole or _WHOLE.fullmatch(text):
            numbers = _at_once(lines, width)
            if numbers is not None:
                yield Block(numbers, np.arange(first, first + len(lines)))
                continue
        yield _one_by_one(lines, width, whole, display_name(source), first)


def _at_once(lines: list[str], width: int) -> npt.NDArray[np.float64] | None:
    """Parse all lines at once; return None if one is blank or wrong."""
    if not lines[0].strip():
        return None
    try:
        found: npt.NDArray[np.float64] = np.loadtxt(
            lines, np.float64, comments=None, ndmin=2
        )
    except (ValueError, OverflowError):
        return None
    sound = found.shape == (len(lines), width) and np.isfinite(found).all()
    return found if sound else None


def _one_by_one(
    lines: list[str], width: int, whole: bool, name: str, first: int
) -> Block:
    """Parse lines one by one; the error names the first wrong line."""
    rows, places = [], []
    for number, line in enumerate(lines, start=first):
        tokens = line.split()
        if not tokens:
            continue
        try:
            row = [_number(token, whole) for token in tokens]
        except ValueError:
            row = []
        if len(row) != width:
            kind = "whole number(s), not negative" if whole else "number(s)"
            got = line.strip()[:40]
            raise fault(
                name, number, f"this line must hold {width} {kind}, got {got!r}."
            )
        rows.append(row)
        places.append(number)
    numbers = np.array(rows, dtype=np.float64).reshape(-1, width)
    return Block(numbers, np.array(places, dtype=np.int64))


def _number(token: str, whole: bool) -> float:
    number = float(token)
    sound = token.isdigit() and number < np.inf if whole else "_" not in token
    if not (sound and token.isascii()):
        raise ValueError(token)
    return number
