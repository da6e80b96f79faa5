"""Refuse settings that would have no effect on how a source is read."""

from collections.abc import Mapping
from typing import Any

from leantopics.io.streams import display_name

SAVED = "saved"
"""Name for a saved corpus, which `open_records` does not read."""
_TABLES = ("jsonl", "csv", "tsv", "parquet", "arrow")
_COUNTS = ("ldac", "uci", "mtx")
TAKEN_BY = {
    "text_field": _TABLES,
    "id_field": _TABLES,
    "label_field": _TABLES,
    "columns": ("csv", "tsv"),
    "skip_bad": (*_TABLES, "lines", "folder"),
    "vocabulary": _COUNTS,
    "labels": ("ldac",),
}
_NAMES = {
    "jsonl": "JSON lines",
    "csv": "CSV",
    "tsv": "TSV",
    "lines": "one document per line",
    "folder": "a folder of text files",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "ldac": "lda-c",
    "uci": "UCI docword",
    "mtx": "Matrix Market",
    SAVED: "a saved corpus",
}


def check_settings(
    source: str, format: str, given: Mapping[str, Any], where: Mapping[str, str] | None
) -> None:
    """Refuse a setting that this format ignores.

    Parameters
    ----------
    source : str
        The source, for the message.
    format : str
        How it is read: one of `leantopics.io.FORMATS`, or ``SAVED``.
    given : mapping
        Settings of `leantopics.io.open_records`, None if not given.
    where : mapping of str to str or None
        The conditions; names of the id and label fields have an effect if used here.

    Examples
    --------
    >>> check_settings("notes.txt", "lines", {"text_field": "body"}, None)
    Traceback (most recent call last):
    ...
    ValueError: notes.txt is read as one document per line, so text_field (--text-field)
    cannot apply: only JSON lines, CSV, TSV, Parquet and Arrow take it; leave it
    out, or give another format.
    """
    for setting, value in given.items():
        takers = TAKEN_BY.get(setting, (format,))
        is_alias = setting in ("id_field", "label_field") and value in (where or {})
        if value in (None, False) or format in takers or is_alias:
            continue
        *most, last = [_NAMES[taker] for taker in takers]
        only = f"{', '.join(most)} and {last} take" if most else f"{last} takes"
        raise ValueError(
            f"{display_name(source)} is read as {_NAMES[format]}, so {setting} "
            f"(--{setting.replace('_', '-')}) cannot apply: only {only} it; leave it "
            "out, or give another format."
        )
