"""Data frames: made with pandas, or else polars; read from any library."""

import datetime
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

_MISSING = ("None", "nan", "NaT", "<NA>")
_OF_TEXT = ("object", "str", "large_str", "string", "utf8", "categor")
"""Beginnings of the types of columns that may hold texts, in lower case."""
_SEEN = 100
"""Values of a column from which the length of its texts is known."""


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Make a data frame of named columns.

    Raises
    ------
    ModuleNotFoundError
        If neither library is installed.

    Examples
    --------
    >>> frame({"topic": [0, 1], "share": [0.75, 0.25]})
       topic  share
    0      0   0.75
    1      1   0.25
    """
    for library in ("pandas", "polars"):
        if find_spec(library):
            made = import_module(library).DataFrame
            return made({name: list(values) for name, values in columns.items()})
    raise ModuleNotFoundError(
        "A data frame needs pandas or polars: pip install pandas, or polars."
    )


def is_frame(value: object) -> bool:
    """Whether a value is a data frame: pandas, polars, or a table of Arrow.

    Examples
    --------
    >>> is_frame(frame({"topic": [0]})), is_frame([[0]])
    (True, False)
    """
    return hasattr(value, "columns") and len(getattr(value, "shape", ())) == 2


def column_names(table: Any) -> list[str]:
    """Names of the columns of a data frame.

    Examples
    --------
    >>> column_names(frame({"topic": [0], "share": [0.75]}))
    ['topic', 'share']
    """
    return [str(name) for name in getattr(table, "column_names", table.columns)]


def column(table: Any, name: str) -> list[Any]:
    """Values of a column of a data frame.

    Examples
    --------
    >>> column(frame({"topic": [0, 1]}), "topic")
    [0, 1]
    """
    return items(table[name])


def items(values: Any) -> list[Any]:
    """Items of a column or of any sequence, as objects of Python where it can say so.

    Examples
    --------
    >>> items(frame({"topic": [0, 1]})["topic"]), items(("a", "b"))
    ([0, 1], ['a', 'b'])
    """
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, name):
            return list(getattr(values, name)())
    return list(values)


def text_columns(table: Any) -> list[str]:
    """Names of the columns of a data frame that hold texts, longest texts first.

    Examples
    --------
    >>> text_columns(frame({"id": ["a"], "topic": [0], "words": ["sea and sky"]}))
    ['words', 'id']
    """
    kinds = table.dtypes if hasattr(table, "dtypes") else table.schema.types
    length: dict[str, int] = {}
    for name, kind in zip(column_names(table), items(kinds), strict=True):
        if str(kind).lower().startswith(_OF_TEXT):
            known = (x for x in column(table, name) if not is_missing(x))
            first = list(islice(known, _SEEN))
            if first and isinstance(first[0], str):
                length[name] = sum(len(str(text)) for text in first) // len(first)
    return sorted(length, key=lambda name: -length[name])


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, NaT or NA, which data frames have for missing ones.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    return not isinstance(value, str) and str(value) in _MISSING


def plain(value: Any) -> Any:
    """Return a value of a table as JSON can hold it; dates are in ISO 8601.

    Raises
    ------
    TypeError
        If it cannot.

    Examples
    --------
    >>> plain(datetime.date(2026, 11, 16)), plain(float("nan")), plain(("a", 1))
    ('2026-11-16', None, ['a', 1])
    """
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(each) for each in value]
    if is_missing(value):
        return None
    if isinstance(value, datetime.date):
        return value.isoformat()
    if type(value).__module__ == "numpy" and not getattr(value, "shape", None):
        kind = getattr(value, "dtype", None)
        return str(value) if str(kind).startswith("datetime") else value.item()
    if isinstance(value, float):
        return value
    raise TypeError(f"{value!r:.60} of type {type(value).__name__}")


def rows(table: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of some columns of a data frame, without missing values.

    Examples
    --------
    >>> rows(frame({"topic": [0, 1], "name": ["sea", None]}), ["topic", "name"])
    [{'topic': 0, 'name': 'sea'}, {'topic': 1}]
    """
    found: list[dict[str, Any]] = [{} for _ in range(len(table))]
    for name in names:
        for row, value in zip(found, column(table, name), strict=True):
            kept = plain(value)
            if kept is not None:
                row[name] = kept
    return found
