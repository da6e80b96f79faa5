"""What every reader yields, and the error for a line that it cannot read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Place(NamedTuple):
    """Where the text of a record can be read again: bytes of an uncompressed file."""

    file: str
    offset: int
    length: int
    form: str = "plain"
    """What the bytes are: "plain" text, a "json" object or a "csv" row."""
    field: str | int = 0
    """Key of the object, or number of the column."""
    delimiter: str = ","
    """Between the columns of a row."""


class Record(NamedTuple):
    """One document: its text, or its counts.

    Examples
    --------
    >>> Record(id="7", text="a cat", labels=["animals"]).counts is None
    True
    """

    id: str
    text: str | None = None
    counts: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]] | None = None
    """Numbers of the words, and how often each occurs."""
    labels: Sequence[str] = ()
    metadata: Mapping[str, Any] = MappingProxyType({})
    place: Place | None = None


def fault(name: str, line: int, message: str) -> ValueError:
    """Return the error for a bad line, in the form that editors can jump to.

    Examples
    --------
    >>> fault("a.jsonl", 3, "this line is not JSON")
    ValueError('a.jsonl:3: this line is not JSON')
    """
    return ValueError(f"{name}:{line}: {message}")


@contextmanager
def at(name: str, line: int) -> Iterator[None]:
    """Put the place that an error is about in front of its message."""
    try:
        yield
    except ValueError as error:
        raise fault(name, line, str(error)) from None
