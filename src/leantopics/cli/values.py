"""Values of options, checked and converted; click calls these."""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from leantopics.text.words import Tokenizer


def names(value: str) -> tuple[str, ...]:
    """Split names at commas."""
    return tuple(name.strip() for name in value.split(",") if name.strip())


def number_of_topics(value: str) -> str | int:
    """Return a number of topics, or "auto"."""
    if value == "auto":
        return value
    if not (value.isdecimal() and int(value) > 0):
        raise click.BadParameter(f"{value!r} is neither auto nor a number from 1 up.")
    return int(value)


def level(value: str) -> str | int:
    """Return "themes", "topics", or a number of groups."""
    if value in ("themes", "topics"):
        return value
    if not (value.isdecimal() and int(value) > 1):
        raise click.BadParameter(
            f"{value!r} is neither themes, topics nor a number from 2 up."
        )
    return int(value)


def frequency(value: str) -> float:
    """Return a whole number as a number of documents, any other as a share."""
    try:
        return int(value) if value.isdecimal() else float(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is neither a number of documents, such as 5, nor a share of "
            "them, such as 0.5."
        ) from None


def ngrams(value: str) -> tuple[int, int]:
    """Return the smallest and the largest number of words in a term."""
    least, _, greatest = value.partition("-")
    whole = least.isdecimal() and greatest.isdecimal()
    if not (whole and 1 <= int(least) <= int(greatest)):
        raise click.BadParameter(f"{value!r} is not a range of lengths, such as 1-2.")
    return int(least), int(greatest)


def tokenizer(value: str) -> "Tokenizer":
    """Return the function with a name, which may be in the working folder."""
    from leantopics.text.words import find_tokenizer

    if os.getcwd() not in sys.path:  # last, so that it hides no installed module
        sys.path.append(os.getcwd())
    try:
        return find_tokenizer(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def jobs(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    """Return a number of threads or processes."""
    if value == 0:
        raise click.BadParameter("must be 1 or more, or -1 for all processors.")
    return value


def conditions(
    ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> dict[str, str] | None:
    """Turn ``FIELD=VALUE`` into a dictionary, or None if there are none."""
    found: dict[str, str] = {}
    for value in values:
        field, equals, wanted = value.partition("=")
        if not (field and equals):
            raise click.BadParameter(f"{value!r} is not of the form FIELD=VALUE.")
        if field in found:
            raise click.BadParameter(
                f"the field {field!r} must be given once, but is given twice."
            )
        found[field] = wanted
    return found or None
