"""The manifest of a save: what it holds, who wrote it, and a list of its files."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from leantopics._warnings import warn
from leantopics.storage.places import PLAIN_NAME, Place, damaged, read_place

FORMAT = "leantopics"
FORMAT_VERSION = 4
"""The end of docs/format.md says what is new in it."""
MANIFEST = "manifest.json"
LIMIT = 1 << 26
"""Largest size of a manifest in bytes: 64 MiB."""
STRINGS = "str"
"""The dtype of a list of strings."""
DTYPES = frozenset(
    {"|b1", "|i1", "|u1"}
    | {f"{order}{kind}{n}" for order in "<>" for kind in "iuf" for n in (2, 4, 8)}
)
_HEAD = {
    "kind": re.compile("[a-z]{1,40}"),
    "package_version": re.compile(r"[0-9][0-9A-Za-z.+!-]{0,39}"),
}
SEALED = 4
"""First version whose manifests have a checksum of their own."""
_SEAL, _OPEN = "sha256", "0" * 64
_AXES = 32
_DIGEST = re.compile("[0-9a-f]{64}")


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the manifest of a save, without its arrays.

    Its "kind", "format_version", "package_version", "content" and "files" are checked:
    the entries of files are complete and have plain file names.
    """
    return read_place(path, manifest_of)


def warn_if_unsealed(manifest: Mapping[str, Any], where: Any) -> None:
    """Warn about a save of an older version, whose manifest has no checksum."""
    if manifest["format_version"] < SEALED:
        warn(
            f"{where} has format version {manifest['format_version']}: its arrays are "
            "protected by checksums, its settings and results are not. Load and save "
            "it again to protect all of it.",
        )


def sealed(manifest: Mapping[str, Any]) -> bytes:
    """Write a manifest as JSON that ends in a checksum of all its bytes.

    The checksum is that of the file with 64 zeros in its place.

    Examples
    --------
    >>> sealed({"n": 1}).decode().splitlines()[2][:24]
    ' "sha256": "cdd9b3afc0c7'
    """
    rest = {key: value for key, value in manifest.items() if key != _SEAL}
    raw = json.dumps({**rest, _SEAL: _OPEN}, indent=1, allow_nan=False).encode() + b"\n"
    digest = hashlib.sha256(raw).hexdigest().encode()
    return _put(raw, _OPEN.encode(), digest)


def _check_seal(raw: bytes, manifest: Mapping[str, Any], where: Any) -> None:
    seal = manifest.get(_SEAL)
    if seal is None and manifest["format_version"] < SEALED:
        return
    if not (isinstance(seal, str) and _DIGEST.fullmatch(seal)):
        raise damaged(where, f"{_SEAL!r} is missing or wrong")
    if hashlib.sha256(_put(raw, seal.encode(), _OPEN.encode())).hexdigest() != seal:
        raise damaged(where, "its SHA-256 is not that of its last line")


def _put(raw: bytes, old: bytes, new: bytes) -> bytes:
    """Replace the last occurrence of some bytes."""
    before, _, after = raw.rpartition(old)
    return before + new + after


def manifest_of(place: Place, kind: str | None = None) -> dict[str, Any]:
    """Read the manifest of an open place; check all fields, and the kind if given."""
    manifest = head_of(place)
    if kind not in (None, manifest["kind"]):
        raise ValueError(
            f"{place.path} must hold a {kind}, but is a {manifest['kind']}."
        )
    if manifest["format_version"] > FORMAT_VERSION:
        raise ValueError(
            f"{place.path} has format version {manifest['format_version']}, but "
            f"leantopics {version('leantopics')} reads versions up to "
            f"{FORMAT_VERSION}; {_install(manifest['package_version'])}."
        )
    where = place.path / MANIFEST
    for key in ("content", "files"):
        if not isinstance(manifest.get(key), dict):
            raise damaged(where, f"{key!r} is missing or wrong")
    used = {MANIFEST}
    for name, entry in manifest["files"].items():
        first = manifest["format_version"] == 1 and isinstance(entry, dict)
        if not _is_entry({"bytes": 0, **entry} if first else entry):
            raise damaged(where, f"the entry {name!r:.80} is not complete")
        file = str(entry["file"])
        if not PLAIN_NAME.fullmatch(file):
            raise ValueError(
                f"{where} names the file {file!r:.80}, which must be a plain name "
                "inside the folder; take another copy."
            )
        if file in used:
            raise damaged(where, f"it names the file {file:.80} twice")
        used.add(file)
        if first:
            entry["bytes"] = place.size(file)
    return manifest


def files_of(
    place: Place, manifest: Mapping[str, Any]
) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Yield name, path and entry of each file; its size must be that of its entry."""
    for name, entry in manifest["files"].items():
        where, size = place.path / entry["file"], place.size(entry["file"])
        if size != entry["bytes"]:
            said = entry["bytes"]
            raise damaged(where, f"it has {size} bytes, the manifest says {said}")
        yield name, where, entry


def head_of(place: Place) -> dict[str, Any]:
    """Read the manifest and check only what all versions have in common."""
    where = place.path / MANIFEST
    try:
        size = place.size(MANIFEST)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{place.path} is not a saved model or corpus: it has no {MANIFEST}."
        ) from None
    if size > LIMIT:
        raise ValueError(
            f"{where} must have at most {LIMIT} bytes, but has {size}; take another "
            "copy."
        )
    with place.open(MANIFEST) as stream:
        raw = stream.read(size)
    manifest = parsed(raw, where)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        problem = "must be a manifest of leantopics, but is not"
        raise ValueError(f"{where} {problem}; is this the right place?")
    for key, form in _HEAD.items():
        value = manifest.get(key)
        if not (isinstance(value, str) and form.fullmatch(value)):
            raise damaged(where, f"{key!r} is missing or wrong")
    if not _is_size(manifest.get("format_version")):
        raise damaged(where, "'format_version' is missing or wrong")
    _check_seal(raw, manifest, where)
    return manifest


def parsed(raw: bytes, where: str | os.PathLike[str]) -> Any:
    """Parse the bytes of a JSON file."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise damaged(where, f"it is not JSON ({error})") from None


def not_understood(
    path: str | os.PathLike[str], kind: str, error: Exception
) -> ValueError:
    """Return the error for content that makes no sense: it is newer, or garbled."""
    writer, reason = read_manifest(path)["package_version"], f"{error!s:.300}"
    if is_newer(writer):
        return ValueError(
            f"{os.fspath(path)} has content that leantopics {version('leantopics')} "
            f"does not know ({reason}); {_install(writer)}."
        )
    return ValueError(
        f"{os.fspath(path)} must be a complete {kind}, but part of it is missing or "
        f"garbled ({reason}): save the {kind} again."
    )


def is_newer(writer: str, reader: str | None = None) -> bool:
    """Return whether a version of the package is later than another, or this one.

    Examples
    --------
    >>> is_newer("0.10.1", "0.9"), is_newer("1.0.dev3", "1.0"), is_newer("1", "1.0")
    (True, False, False)
    """
    return _release(writer) > _release(reader or version("leantopics"))


def _release(name: str) -> tuple[int, ...]:
    found = re.match(r"\d{1,9}(\.\d{1,9})*", name)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _install(writer: str) -> str:
    return f"it was written by leantopics {writer}: pip install 'leantopics>={writer}'"


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    file, digest, shape = entry.get("file"), entry.get("sha256"), entry.get("shape")
    return (
        isinstance(file, str)
        and isinstance(digest, str)
        and _DIGEST.fullmatch(digest) is not None
        and entry.get("dtype") in (STRINGS, *DTYPES)
        and isinstance(shape, list)
        and len(shape) <= _AXES
        and all(map(_is_size, shape))
        and _is_size(entry.get("bytes"))
    )


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 63
