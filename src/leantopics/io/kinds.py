"""The formats of corpora: their names, how they are found, which settings they take."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leantopics.io.remote import is_remote
from leantopics.io.streams import (
    COMPRESSED,
    STDIN,
    UNKNOWN_COMPRESSED,
    bare_path,
    display_name,
    is_special,
)

SAVED = "saved"
"""Name for a saved corpus, which `open_records` does not read."""
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
FORMATS = tuple(name for name in _NAMES if name != SAVED)
_SUFFIXES = {
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "lines": (".txt",),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather"),
    "ldac": (".ldac", ".dat"),
    "mtx": (".mtx",),
}
_PANDOC = "pandoc --to plain"
_TOOLS = {
    ".pdf": "pdftotext",
    ".doc": "LibreOffice",
    **dict.fromkeys((".docx", ".odt", ".rtf", ".epub", ".html"), _PANDOC),
}
"""Programs that convert documents to text, by the end of a file's name."""
COUNT_FORMATS = ("ldac", "uci", "mtx")
_NOT_FROM_STDIN = ("folder", "parquet", "arrow", "uci", "mtx")
_TABLES = ("jsonl", "csv", "tsv", "parquet", "arrow")
TAKEN_BY = {
    "text_field": _TABLES,
    "id_field": _TABLES,
    "label_field": _TABLES,
    "columns": ("csv", "tsv"),
    "skip_bad": (*_TABLES, "lines", "folder"),
    "vocabulary": COUNT_FORMATS,
    "labels": ("ldac",),
}
"""The formats to which a setting applies; others apply to all."""


def find_format(name: str, format: str | None) -> str:
    """Choose the format; refuse a source that does not exist."""
    if format is not None and format not in FORMATS:
        raise ValueError(
            f"The format must be one of {', '.join(FORMATS)}, got {format!r}."
        )
    if name == STDIN:
        if format in _NOT_FROM_STDIN:
            raise ValueError(f"The format {format} cannot be read from standard input.")
        return format or "auto"
    path = Path(name)
    if is_remote(name):
        return _known_format(name, format)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {name}.")
    if path.suffix in UNKNOWN_COMPRESSED and path.is_file():
        raise ValueError(
            f"{name} has a compression that cannot be read; use one of "
            f"{', '.join(COMPRESSED)}."
        )
    if format is None and path.is_dir():
        return "folder"
    if format is not None:
        if path.is_dir() != (format == "folder"):
            what = "folder" if path.is_dir() else "file"
            raise ValueError(f"{name} is a {what}, not of the format {format}.")
    found = _known_format(name, format)
    if found in _NOT_FROM_STDIN and is_special(path):
        raise ValueError(
            f"{name} is a pipe, socket or device, from which the format {found} cannot "
            "be read: write it to a file first."
        )
    return found


def _known_format(name: str, format: str | None) -> str:
    """Return the format given, or that of the name; refuse a name without one."""
    found = format or format_of(name)
    if found is None and (tool := _TOOLS.get(bare_path(name).suffix.lower())):
        raise ValueError(
            f"{name} must be converted to text first, for example with {tool}; a "
            "folder of text files is a corpus, with each file a document."
        )
    if found is None or (found == "folder" and is_remote(name)):
        why = "is a folder" if found else "cannot be inferred from its name"
        raise ValueError(
            f"The format of {name} {why}; give one of {', '.join(FORMATS)} (--format)."
        )
    return found


def format_of(name: str) -> str | None:
    """Return the format that the name of a file implies, or None.

    Examples
    --------
    >>> format_of("docword.nips.txt.gz"), format_of("nips.txt"), format_of("nips.doc")
    ('uci', 'lines', None)
    """
    bare = bare_path(name)
    if bare.name.startswith("docword") and bare.suffix == ".txt":
        return "uci"
    suffix = bare.suffix.lower()
    return next((kind for kind, own in _SUFFIXES.items() if suffix in own), None)


def check_settings(
    source: str, format: str, given: Mapping[str, Any], where: Mapping[str, str] | None
) -> None:
    """Refuse a setting that would have no effect on how a source is read.

    Names of the id and label fields have an effect if they are used in ``where``.

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
