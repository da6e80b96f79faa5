"""Folders on disk: a JSON manifest with arrays and string lists, never pickle.

A saved folder is either whole or absent: it is written beside its place, flushed to
the disk and renamed. Every file is listed in ``manifest.json`` with its SHA-256, type
and shape, and nothing is read that does not agree with that list.
"""

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

FORMAT = "leantopics"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_NPY_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class Folder(NamedTuple):
    """What a saved folder holds."""

    content: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]
    strings: dict[str, list[str]]


def save_folder(
    path: str | os.PathLike[str],
    *,
    kind: str,
    content: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
    strings: Mapping[str, Sequence[str]],
) -> None:
    """Write a folder that is either complete or not there.

    An existing folder of the same kind is replaced; its old content stays on the disk
    until the new one is in place. Anything else at `path` is left alone.

    Parameters
    ----------
    path : path
        Where the folder shall be; its parent must exist.
    kind : str
        What is saved, "corpus" or "model"; asked for again when loading.
    content : mapping
        Settings and small results, of types that JSON knows.
    arrays : mapping of str to ndarray
        Arrays of booleans or numbers, by name.
    strings : mapping of str to sequence of str
        Lists of strings, by name.

    Raises
    ------
    FileExistsError
        If there is something at `path` that is not a saved folder of this kind, or
        one that holds files which are not ours.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_folder(
    ...         folder + "/toy",
    ...         kind="model",
    ...         content={"n_topics": 2},
    ...         arrays={"mass": np.array([0.75, 0.25])},
    ...         strings={"words": ["leaf", "tree"]},
    ...     )
    ...     load_folder(folder + "/toy", kind="model")
    Folder(content={'n_topics': 2}, arrays={'mass': array([0.75, 0.25])},
           strings={'words': ['leaf', 'tree']})
    """
    _check_savable(content, arrays, strings)
    # A link is followed, so that the folder it points to is replaced, not the link.
    target = Path(os.path.realpath(path))
    replaces = check_target(target, kind)
    token = secrets.token_hex(4)
    fresh = target.with_name(f".{target.name}.{token}.new")
    aside = target.with_name(f".{target.name}.{token}.old")
    try:
        fresh.mkdir()
        manifest = {
            "format": FORMAT,
            "kind": kind,
            "format_version": FORMAT_VERSION,
            "package_version": version("leantopics"),
            "content": dict(content),
            "files": _write_files(fresh, arrays, strings),
        }
        text = json.dumps(manifest, indent=1, allow_nan=False) + "\n"
        with _durable_file(fresh / MANIFEST) as out:
            out.write(text.encode())
        _sync_folder(fresh)
        if replaces:
            os.rename(target, aside)
        try:
            os.rename(fresh, target)
        except BaseException:
            if replaces:
                os.rename(aside, target)
            raise
        _sync_folder(target.parent)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def load_folder(path: str | os.PathLike[str], *, kind: str) -> Folder:
    """Read a folder that `save_folder` wrote, checking every file against the manifest.

    Parameters
    ----------
    path : path
        The folder.
    kind : str
        What it must hold, "corpus" or "model".

    Returns
    -------
    Folder
        Named tuple of content, arrays and strings.

    Raises
    ------
    FileNotFoundError
        If there is no saved folder, or one of its files is missing.
    ValueError
        If it is of another kind, of a newer version, or damaged.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    if manifest["kind"] != kind:
        raise ValueError(f"{folder} must hold a {kind}, but is a {manifest['kind']}.")
    if manifest["format_version"] > FORMAT_VERSION:
        raise ValueError(
            f"{folder} has format version {manifest['format_version']}, written by "
            f"leantopics {manifest['package_version']}, but this one reads up to "
            f"version {FORMAT_VERSION}; upgrade leantopics."
        )
    arrays: dict[str, npt.NDArray[Any]] = {}
    strings: dict[str, list[str]] = {}
    for name, entry in manifest["files"].items():
        file = folder / entry["file"]
        if not file.is_file():
            raise FileNotFoundError(f"{file} is missing; save the {kind} again.")
        if entry["dtype"] == "str":
            strings[name] = _read_strings(file, entry)
        else:
            arrays[name] = _read_array(file, entry)
    return Folder(manifest["content"], arrays, strings)


def is_saved(path: str | os.PathLike[str], kind: str) -> bool:
    """Tell whether `path` is a folder saved by this package, of this kind.

    Examples
    --------
    >>> is_saved("no/such/folder", "corpus")
    False
    """
    try:
        return bool(read_manifest(path)["kind"] == kind)
    except (OSError, ValueError):
        return False


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the manifest of a saved folder, not its arrays.

    Returns
    -------
    dict
        Checked: "kind", "format_version", "package_version", "content" and "files",
        whose entries have plain file names and full fields.
    """
    folder = Path(path)
    file = folder / MANIFEST
    if not file.is_file():
        rest = sorted(folder.parent.glob(f".{folder.name}.*.old"))
        hint = f"; an interrupted save left the old one at {rest[0]}" if rest else ""
        raise FileNotFoundError(f"{folder} holds nothing saved: no {MANIFEST}{hint}.")
    try:
        manifest = json.loads(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file} is damaged, it is not JSON: {error}.") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError(f"{file} is not a manifest of leantopics.")
    expected = {
        "kind": str,
        "format_version": int,
        "package_version": str,
        "content": dict,
        "files": dict,
    }
    for key, type_ in expected.items():
        if not isinstance(manifest.get(key), type_):
            raise ValueError(f"{file} is damaged: {key!r} is missing or wrong.")
    for name, entry in manifest["files"].items():
        whole = (
            isinstance(entry, dict)
            and all(isinstance(entry.get(k), str) for k in ("file", "sha256", "dtype"))
            and isinstance(entry.get("shape"), list)
        )
        if not whole:
            raise ValueError(f"{file} is damaged: the entry {name!r} is not complete.")
        if not _PLAIN_NAME.fullmatch(entry["file"]):
            raise ValueError(
                f"{file} names the file {entry['file']!r}, which is not a plain name "
                "inside the folder."
            )
    return manifest


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place only when all went well.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(folder + "/note") as out:
    ...         _ = out.write(b"whole")
    ...     Path(folder, "note").read_bytes()
    b'whole'
    """
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(4)}.new")
    try:
        with _durable_file(fresh) as out:
            yield out
        os.replace(fresh, target)
        _sync_folder(target.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            fresh.unlink()
        raise


def _check_savable(
    content: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
    strings: Mapping[str, Sequence[str]],
) -> None:
    """Refuse what could not be loaded again, before anything is written."""
    for name in [*arrays, *strings]:
        if not _PLAIN_NAME.fullmatch(name) or name == "manifest":
            raise ValueError(f"{name!r} cannot be the name of a saved file.")
    if twice := sorted(set(arrays) & set(strings)):
        raise ValueError(f"{twice[0]!r} names both an array and a list of strings.")
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ValueError(
                f"The array {name!r} must hold numbers to be saved, got {array.dtype}."
            )
    for name, items in strings.items():
        if isinstance(items, str) or not all(isinstance(item, str) for item in items):
            raise ValueError(f"The list {name!r} must hold strings only to be saved.")
    try:
        json.dumps(dict(content), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The content cannot be written as JSON: {error}.") from None


def check_target(target: Path, kind: str) -> bool:
    """Say whether `target` is there to be replaced; refuse what is not ours."""
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"The folder {target.parent} does not exist; make it before saving there."
        )
    if not os.path.lexists(target):
        return False
    if not is_saved(target, kind):
        raise FileExistsError(
            f"{target} exists and is not a saved {kind}; choose another place."
        )
    ours = {entry["file"] for entry in read_manifest(target)["files"].values()}
    if foreign := sorted(set(os.listdir(target)) - ours - {MANIFEST}):
        raise FileExistsError(
            f"{target} also holds {foreign[0]}, which replacing the {kind} would "
            "delete; move that file or choose another place."
        )
    return True


def _write_files(
    folder: Path,
    arrays: Mapping[str, npt.NDArray[Any]],
    strings: Mapping[str, Sequence[str]],
) -> dict[str, dict[str, Any]]:
    """Write all arrays and strings; return their manifest entries."""
    files: dict[str, dict[str, Any]] = {}
    for name, array in arrays.items():
        file = folder / f"{name}.npy"
        with _durable_file(file) as out:
            np.lib.format.write_array(out, array, allow_pickle=False)
        files[name] = {
            "file": file.name,
            "sha256": _sha256(file),
            "dtype": array.dtype.str,
            "shape": list(array.shape),
        }
    for name, items in strings.items():
        file = folder / f"{name}.json"
        with _durable_file(file) as out:
            out.write(_encode_strings(items))
        files[name] = {
            "file": file.name,
            "sha256": _sha256(file),
            "dtype": "str",
            "shape": [len(items)],
        }
    return files


def _encode_strings(items: Sequence[str]) -> bytes:
    try:
        return json.dumps(list(items), ensure_ascii=False).encode()
    except UnicodeEncodeError:  # a lone surrogate: only its escape is valid UTF-8
        return json.dumps(list(items)).encode()


@contextmanager
def _durable_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file whose bytes are on the disk when it is closed."""
    with open(path, "xb") as out:
        yield out
        out.flush()
        os.fsync(out.fileno())


def _sha256(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync_folder(folder: Path) -> None:
    """Make renames in `folder` durable."""
    if os.name == "nt":  # Windows cannot open folders, and needs no such flush
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_digest(file: Path, entry: Mapping[str, Any]) -> None:
    if _sha256(file) != entry["sha256"]:
        raise ValueError(f"{file} is damaged: its SHA-256 is not that of the manifest.")


def _read_array(file: Path, entry: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Read an array whose header and size were found right before taking memory."""
    with open(file, "rb") as stream:
        try:
            header = _NPY_HEADERS[np.lib.format.read_magic(stream)]
            shape, _, dtype = header(stream)
        except (KeyError, ValueError):
            raise ValueError(f"{file} is damaged: it has no array header.") from None
        if dtype.str != entry["dtype"] or list(shape) != entry["shape"]:
            raise ValueError(
                f"{file} is damaged: it holds {dtype.str} {list(shape)}, the manifest "
                f"says {entry['dtype']} {entry['shape']}."
            )
        if dtype.hasobject:
            raise ValueError(f"{file} holds Python objects, which are never loaded.")
        size = stream.tell() + dtype.itemsize * int(np.prod(shape, dtype=object))
        if os.fstat(stream.fileno()).st_size != size:
            raise ValueError(f"{file} is damaged: it must have {size} bytes.")
        _check_digest(file, entry)
        stream.seek(0)
        array: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array


def _read_strings(file: Path, entry: Mapping[str, Any]) -> list[str]:
    _check_digest(file, entry)
    try:
        items = json.loads(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file} is damaged, it is not JSON: {error}.") from None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError(f"{file} is damaged: it must be a list of strings.")
    if [len(items)] != entry["shape"]:
        raise ValueError(
            f"{file} is damaged: it has {len(items)} strings, the manifest says "
            f"{entry['shape']}."
        )
    return items
