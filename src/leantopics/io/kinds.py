"""Which format a source has: the one that is given, or that its name shows."""

from pathlib import Path

from leantopics.io.remote import is_remote
from leantopics.io.streams import (
    COMPRESSED,
    STDIN,
    UNKNOWN_COMPRESSED,
    bare_path,
    is_special,
)

FORMATS = (
    "jsonl", "csv", "tsv", "lines", "folder", "parquet", "arrow", "ldac", "uci", "mtx",
)  # fmt: skip

_BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "lines",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ldac": "ldac",
    ".dat": "ldac",
    ".mtx": "mtx",
}
COUNT_FORMATS = ("ldac", "uci", "mtx")
_NOT_FROM_STDIN = ("folder", "parquet", "arrow", "uci", "mtx")


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
    return _BY_SUFFIX.get(bare.suffix.lower())
