"""Save settings as JSON, arrays and lists of strings, completely or not at all."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from leantopics.storage.durable import claimed
from leantopics.storage.files import (
    read_array,
    read_strings,
    write_array,
    write_strings,
)
from leantopics.storage.manifest import (
    DTYPES,
    FORMAT,
    FORMAT_VERSION,
    LIMIT,
    MANIFEST,
    STRINGS,
    files_of,
    head_of,
    manifest_of,
    sealed,
    warn_if_unsealed,
)
from leantopics.storage.places import (
    PLAIN_NAME,
    Opened,
    Place,
    is_zip,
    new_place,
    read_place,
)


class Folder(NamedTuple):
    """The content of a saved folder or zip file."""

    content: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]
    strings: dict[str, Sequence[str]]


def save_folder(
    path: str | os.PathLike[str],
    *,
    kind: str,
    content: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
    strings: Mapping[str, Sequence[str]],
) -> None:
    """Write a folder, or one zip file, that is either complete or absent.

    A previous save of the same kind is replaced; it stays on disk until the new one is
    in place. Anything else at `path` is left alone. If several processes save to one
    place at once, they do so one after the other. If the disk is full or fails, the
    previous save is kept.

    Parameters
    ----------
    path : path
        Where to save; its parent must exist. It is a zip file if it ends in ``.zip``.
    kind : str
        What is saved, such as "corpus" or "model"; it is checked when loading.
    content : mapping
        Settings and small results, of types that JSON can hold.
    arrays, strings : mapping
        Arrays of booleans or numbers, and lists of strings, by name.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_folder(
    ...         folder + "/toy.zip",
    ...         kind="model",
    ...         content={"n_topics": 2},
    ...         arrays={"mass": np.array([0.75, 0.25])},
    ...         strings={"words": ["leaf", "tree"]},
    ...     )
    ...     load_folder(folder + "/toy.zip", kind="model")
    Folder(content={'n_topics': 2}, arrays={'mass': array([0.75, 0.25])},
           strings={'words': ['leaf', 'tree']})
    """
    folder = Folder(dict(content), dict(arrays), dict(strings))
    _check_savable(folder)
    # A link is followed, so that what it points to is replaced, not the link.
    target = Path(os.path.realpath(path))
    with _explaining(path, kind):
        check_target(target, kind)  # before a lock file is created there
        with claimed(target):
            check_target(target, kind)
            with new_place(target) as create:
                _write(create, kind, folder)


def load_folder(path: str | os.PathLike[str], *, kind: str) -> Folder:
    """Read what `save_folder` wrote, checking every file against the manifest.

    Sizes and types are checked before memory is allocated for a file. What is of
    another kind, of a newer version, or damaged, is refused by a ValueError.
    """
    manifest, found = read_place(path, lambda place: _read(place, kind))
    warn_if_unsealed(manifest, os.fspath(path))
    return found


def is_saved(path: str | os.PathLike[str], kind: str) -> bool:
    """Return whether `path` is a save of this kind, by any version of this package.

    Examples
    --------
    >>> is_saved("no/such/folder", "corpus")
    False
    """
    try:
        return bool(read_place(path, head_of)["kind"] == kind)
    except (OSError, ValueError):
        return False


def check_target(target: Path, kind: str) -> bool:
    """Return whether `target` exists and is to be replaced; refuse what is not ours."""
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"The folder {target.parent} does not exist; make it before saving there."
        )
    if not os.path.lexists(target):
        return False
    try:
        read_place(target, lambda place: _check_files(place, kind))
    except (FileNotFoundError, ValueError):
        raise FileExistsError(
            f"{target} exists and is not a saved {kind}; choose another place."
        ) from None
    if target.is_dir() if is_zip(target) else target.is_file():
        form = "folder" if target.is_dir() else "file"
        raise FileExistsError(
            f"{target} is a {form}, but a {kind} is saved as a file if its name ends "
            "in .zip and as a folder otherwise; choose another name."
        )
    return True


def _check_files(place: Place, kind: str) -> None:
    manifest = manifest_of(place, kind)
    ours = {entry["file"] for entry in manifest["files"].values()}
    if foreign := sorted(place.names() - ours - {MANIFEST}):
        raise FileExistsError(
            f"{place.path} also holds {foreign[0]}, which replacing the {kind} would "
            "delete; move that file or choose another place."
        )


def _check_savable(folder: Folder) -> None:
    """Refuse what could not be loaded again, before anything is written."""
    content, arrays, strings = folder
    for name in [*arrays, *strings]:
        if not PLAIN_NAME.fullmatch(f"{name}.json") or name == "manifest":
            raise ValueError(f"{name!r} cannot be the name of a saved file.")
    if twice := sorted(set(arrays) & set(strings)):
        raise ValueError(f"{twice[0]!r} names both an array and a list of strings.")
    for name, array in arrays.items():
        if array.dtype.str not in DTYPES:
            raise ValueError(
                f"The array {name!r} must hold numbers of 1 to 8 bytes to be saved, "
                f"got {array.dtype}."
            )
    for name, items in strings.items():
        if isinstance(items, str) or not all(isinstance(item, str) for item in items):
            raise ValueError(f"The list {name!r} must hold strings only to be saved.")
    try:
        json.dumps(content, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"The content cannot be written as JSON: {error}.") from None


@contextmanager
def _explaining(path: str | os.PathLike[str], kind: str) -> Iterator[None]:
    """Turn an error of the system into a sentence; other errors already are one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        sentence = type(error)(
            f"The {kind} cannot be saved as {os.fspath(path)}: "
            f"{(error.strerror or str(error)).lower()}; nothing incomplete is left "
            "there, so make room or choose another place and save it again."
        )
        sentence.errno = error.errno
        raise sentence from error


def _write(create: Callable[[str], Opened], kind: str, folder: Folder) -> None:
    """Write all arrays and strings, and the manifest last."""
    files = {}
    for name, array in folder.arrays.items():
        with create(f"{name}.npy") as out:
            files[name] = write_array(out, f"{name}.npy", array)
    for name, items in folder.strings.items():
        with create(f"{name}.json") as out:
            files[name] = write_strings(out, f"{name}.json", items)
    manifest = {
        "format": FORMAT,
        "kind": kind,
        "format_version": FORMAT_VERSION,
        "package_version": version("leantopics"),
        "content": folder.content,
        "files": files,
    }
    raw = sealed(manifest)
    if len(raw) > LIMIT:
        raise ValueError(
            f"The settings and results of the {kind} must fit into {LIMIT} bytes, but "
            f"take {len(raw)}; leave some of them out."
        )
    with create(MANIFEST) as out:
        out.write(raw)


def _read(place: Place, kind: str) -> tuple[dict[str, Any], Folder]:
    manifest = manifest_of(place, kind)
    found = Folder(manifest["content"], {}, {})
    for name, where, entry in files_of(place, manifest):
        with place.open(entry["file"]) as stream:
            if entry["dtype"] == STRINGS:
                found.strings[name] = read_strings(stream, where, entry)
            else:
                found.arrays[name] = read_array(stream, where, entry)
    return manifest, found
