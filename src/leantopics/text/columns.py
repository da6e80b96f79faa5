"""Texts and what is known about them, from sequences or columns of a data frame."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from leantopics import _frames
from leantopics._dates import day_of
from leantopics._warnings import warn
from leantopics._words import counted
from leantopics.corpus.validation import metadata_rows

DATE = "date"
"""The metadata field of the dates of documents."""


class Columns(NamedTuple):
    """What `leantopics.fit_texts` was given, as lists."""

    texts: list[str]
    labels: list[Any] | None
    metadata: list[dict[str, Any]] | None
    ids: list[str] | None


def check_texts(texts: Any, call: str = "count_texts", name: str = "") -> list[str]:
    """Return texts as a list; refuse what is not a sequence of strings.

    Messages name the function that takes the texts, and their column if there is one.

    Examples
    --------
    >>> check_texts(["a cat", None])
    Traceback (most recent call last):
    ...
    ValueError: The texts must be strings, but row 1 of 2 is missing (None): leave such
    rows out, or put an empty text there.
    """
    if isinstance(texts, str):
        raise TypeError("The texts must be a sequence of strings, got one string.")
    if _frames.is_frame(texts):
        raise TypeError(
            f"{call} takes a sequence of texts, not a data frame: give it one column, "
            f"such as {call}(df[{_likely(texts)!r}])."
        )
    found = _frames.items(texts)
    wrong = [row for row, text in enumerate(found) if not isinstance(text, str)]
    if not wrong:
        return found
    first, value = wrong[0], found[wrong[0]]
    more = f" (and {counted(len(wrong) - 1, 'other row')})" if len(wrong) > 1 else ""
    place = f"row {first}{more} of {len(found):,}"
    if not _frames.is_missing(value):
        kind = type(value).__name__
        raise TypeError(
            f"The texts must be strings, but {place} is {value!r:.60} of type {kind}."
        )
    drop = f", df.dropna(subset=[{name!r}])" if name else ""
    raise ValueError(
        f"The texts must be strings, but {place} is missing ({value}): leave such rows "
        f"out{drop}, or put an empty text there."
    )


def read_columns(
    texts: Any,
    text: str | None = None,
    labels: Any = None,
    dates: Any = None,
    metadata: Any = None,
    ids: Any = None,
) -> Columns:
    """Return texts and what is known about them; see `leantopics.fit_texts`.

    Examples
    --------
    >>> table = _frames.frame({"body": ["a cat"], "year": [1987], "kind": ["tame"]})
    >>> read_columns(table, "body", labels="kind").metadata
    [{'year': 1987}]
    """
    if not _frames.is_frame(texts):
        for name, value in (("text", text), ("labels", labels), ("dates", dates)):
            if isinstance(value, str):
                raise TypeError(
                    f"{name}={value!r} names a column, but the texts are not a "
                    "data frame: give a sequence with one value for each text."
                )
        found, marks, names = check_texts(texts, "fit_texts"), labels, ids
        about = None if metadata is None else metadata_rows(metadata)
    else:
        text = _text_column(texts, text)
        found = check_texts(_frames.column(texts, text), "fit_texts", text)
        marks, days, names = (_given(texts, each) for each in (labels, dates, ids))
        used = {text, *(x for x in (labels, dates, ids) if isinstance(x, str))}
        about, dates = _rest(texts, metadata, used), days
    if dates is not None:
        about = _dated(about, _frames.items(dates), len(found))
    return Columns(
        found,
        None if marks is None else _frames.items(marks),
        about if about is not None and any(about) else None,
        None if names is None else [str(name) for name in _frames.items(names)],
    )


def _likely(table: Any) -> str:
    """The column of a data frame that most likely has the texts."""
    return next(iter([*_frames.text_columns(table), *_frames.column_names(table)]), "")


def _text_column(table: Any, text: str | None) -> str:
    names = _frames.column_names(table)
    if text is not None and text in names:
        return text
    found = _frames.text_columns(table) if text is None else []
    if len(found) == 1:
        return found[0]
    listed = ", ".join(repr(name) for name in names[:20])
    wrong = "" if text is None else f" there is no column {text!r}:"
    way = f"text={_likely(table)!r}" if names else "a frame with columns"
    raise ValueError(
        f"Name the column with the texts, such as {way};{wrong} the columns are "
        f"{listed or 'missing'}."
    )


def _given(table: Any, value: Any) -> Any:
    """Values of a column, if its name is given, or the values given."""
    if not isinstance(value, str):
        return value
    if value not in (names := _frames.column_names(table)):
        raise ValueError(
            f"The data frame must have the column {value!r}, but its columns are "
            f"{', '.join(repr(name) for name in names[:20])}."
        )
    return _frames.column(table, value)


def _rest(table: Any, metadata: Any, used: set[str]) -> list[dict[str, Any]]:
    """Metadata from the columns named, or from all others that JSON can hold."""
    if metadata is None:
        rest = [name for name in _frames.column_names(table) if name not in used]
        return _frames.rows(table, [n for n in rest if _is_plain(table, n)])
    are_names = isinstance(metadata, list | tuple | set) and all(
        isinstance(name, str) for name in metadata
    )
    if not are_names:
        return metadata_rows(metadata)
    for name in (names := list(metadata)):
        _given(table, name)
        if not _is_plain(table, name):
            raise ValueError(
                f"The column {name!r} cannot be metadata, which must be text, numbers, "
                "dates or lists of these: leave it out."
            )
    return _frames.rows(table, names)


def _is_plain(table: Any, name: str) -> bool:
    try:
        for value in _frames.column(table, name):
            _frames.plain(value)
    except TypeError:
        return False
    return True


def _dated(
    about: list[dict[str, Any]] | None, dates: Sequence[Any], n_docs: int
) -> list[dict[str, Any]]:
    """Put the dates of documents into their metadata."""
    if len(dates) != n_docs:
        raise ValueError(
            f"dates must have one entry for each of {counted(n_docs, 'text')}. Got "
            f"{len(dates)} instead."
        )
    rows = [{}] * n_docs if about is None else about
    days = [
        None
        if _frames.is_missing(day)
        else str(_frames.plain(day)).removesuffix("T00:00:00")
        for day in dates
    ]
    _warn_of_others([day for day in days if day])
    return [
        row if day is None else {**row, DATE: day}
        for row, day in zip(rows, days, strict=True)
    ]


def _warn_of_others(dates: list[str]) -> None:
    """Warn of dates that are not known, which are kept as they are."""
    unknown = [date for date in dates if not _is_date(date)]
    if unknown:
        warn(
            "dates should be in ISO 8601, such as 2026-11-16, or name the month, such "
            f"as 16 Nov 2026, but {len(unknown):,} of {len(dates):,} are not, such as "
            f"{unknown[0]!r}: topics cannot be shown over time by these. Write them "
            "so, or leave them out."
        )


def _is_date(date: str) -> bool:
    try:
        day_of(date)
    except ValueError:
        return False
    return True
