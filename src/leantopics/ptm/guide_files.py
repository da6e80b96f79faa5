"""Guides in files: JSON, or YAML read by its safe loader."""

import importlib
import json
import os
from pathlib import Path
from typing import Any

from leantopics._extras import check_extra

_YAML = (".yaml", ".yml")


def check_readable(path: str | os.PathLike[str]) -> str:
    """Return the form of a file by its name; refuse YAML if its reader is missing.

    Examples
    --------
    >>> check_readable("guide.json")
    'JSON'
    """
    if Path(path).suffix.lower() not in _YAML:
        return "JSON"
    check_extra("yaml")
    return "YAML"


def read(path: str | os.PathLike[str], known: set[str]) -> dict[str, Any]:
    """Read an object whose fields are among the ``known`` ones.

    Parameters
    ----------
    path : path
        A file; YAML if its name says so, else JSON.
    known : set of str
        Names that its fields may have.
    """
    form = check_readable(path)
    load = json.loads
    if form == "YAML":
        load = importlib.import_module("yaml").safe_load
    try:
        found = load(Path(path).read_text(encoding="utf-8"))
    except OSError:
        raise
    except Exception as error:  # those of PyYAML have no base that json shares
        why = " ".join(str(error).split())
        raise ValueError(f"{path} must be a guide in {form}: {why}.") from None
    if not isinstance(found, dict) or set(found) - known:
        odd = sorted(map(str, set(found) - known)) if isinstance(found, dict) else found
        raise ValueError(
            f"{path} must be a {form} object with {', '.join(sorted(known))}. Got "
            f"{odd!r} instead."
        )
    return found
