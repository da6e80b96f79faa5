"""Saved folders and zip files: a JSON manifest, arrays and string lists, never pickle.

A save is either complete or absent: it is written next to its place, flushed to the
disk and renamed. Every file is listed in ``manifest.json`` with its size, SHA-256, type
and shape; a file that does not agree with the list is refused. ``docs/format.md``
describes the format for other languages.
"""

from leantopics.storage.durable import atomic_file
from leantopics.storage.files import json_bytes
from leantopics.storage.manifest import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    is_newer,
    not_understood,
    read_manifest,
)
from leantopics.storage.mapped import LazyList, Mapped, is_mapped, map_file, map_folder
from leantopics.storage.places import is_zip
from leantopics.storage.saved import (
    Folder,
    check_target,
    is_saved,
    load_folder,
    save_folder,
)

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "MANIFEST",
    "Folder",
    "LazyList",
    "Mapped",
    "atomic_file",
    "check_target",
    "is_mapped",
    "is_newer",
    "is_saved",
    "is_zip",
    "json_bytes",
    "load_folder",
    "map_file",
    "map_folder",
    "not_understood",
    "read_manifest",
    "save_folder",
]
