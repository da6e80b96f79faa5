"""Arrays and lists of strings as files, with their entries in the manifest."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from leantopics.storage.manifest import STRINGS, parsed
from leantopics.storage.places import damaged

Entry = dict[str, Any]
"""What the manifest says about a file."""
_PIECE = 1 << 20
_MAGIC = b"\x93NUMPY\x01\x00"
_ORDERS: tuple[tuple[Literal["C", "F"], bool], ...] = (("C", False), ("F", True))


def write_array(raw: IO[bytes], file: str, array: npt.NDArray[Any]) -> Entry:
    """Write an array in the .npy format, version 1.0, row by row."""
    out = _Counted(raw)
    rows = np.asarray(array, order="C")
    header = np.lib.format.header_data_from_array_1_0(rows)
    np.lib.format.write_array_header_1_0(out, header)
    octets = rows.reshape(-1).view(np.uint8)
    for first in range(0, len(octets), _PIECE):  # an array may be mapped, and large
        out.write(octets[first : first + _PIECE].data)
    return out.entry(file, array.dtype.str, array.shape)


def write_strings(raw: IO[bytes], file: str, items: Sequence[str]) -> Entry:
    """Write a list of strings as JSON."""
    out = _Counted(raw)
    out.write(b"[")
    for place, item in enumerate(items):
        out.write((", " if place else "").encode() + json_bytes(item))
    out.write(b"]")
    return out.entry(file, STRINGS, [len(items)])


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON in UTF-8, with as few escapes as possible."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # a lone surrogate: only its escape is valid UTF-8
        return json.dumps(value).encode()


def read_array(raw: IO[bytes], where: Path, entry: Entry) -> npt.NDArray[Any]:
    """Read an array; memory is allocated only if its header and size agree."""
    stream = _Checked(raw, where, entry)
    dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
    order, size = _begin(stream, where, entry)
    flat = np.empty(math.prod(shape), dtype)
    octets = flat.view(np.uint8)
    for first in range(0, size, _PIECE):
        piece = stream.read(min(_PIECE, size - first))
        octets[first : first + len(piece)] = np.frombuffer(piece, np.uint8)
    stream.finish()
    return flat.astype(native(dtype), copy=False).reshape(shape, order=order)


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same type in the byte order of this machine."""
    return dtype.newbyteorder("=")


def check_file(raw: IO[bytes], where: Path, entry: Entry) -> None:
    """Read a file in pieces; refuse it if its digest is not that of the manifest."""
    stream = _Checked(raw, where, entry)
    while stream.left and stream.read(_PIECE):
        pass
    stream.finish()


def data_offset(raw: IO[bytes], where: Path, entry: Entry) -> int:
    """Return the byte at which the numbers of an array begin; check header and size."""
    stream = _Checked(raw, where, entry)
    order, size = _begin(stream, where, entry)
    if order == "F" and len(entry["shape"]) > 1:
        raise damaged(where, "it is not stored row by row")
    return int(entry["bytes"]) - size


def _begin(
    stream: "_Checked", where: Path, entry: Entry
) -> tuple[Literal["C", "F"], int]:
    """Read the header of an array; return its order and the bytes of its numbers."""
    dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
    order = _read_header(stream, where, dtype.str, shape)
    size = dtype.itemsize * math.prod(shape)
    if stream.left != size:
        right = entry["bytes"] - stream.left + size
        raise damaged(where, f"it must have {right} bytes")
    return order, size


def _read_header(
    stream: "_Checked", where: Path, dtype: str, shape: tuple[int, ...]
) -> Literal["C", "F"]:
    """Return the order of an array whose header says what the manifest says.

    The header is never parsed, only compared with the two that are possible.
    """
    magic, size = stream.read(8), int.from_bytes(stream.read(2), "little")
    header = stream.read(size).decode("latin-1").strip()
    if magic != _MAGIC:
        raise damaged(where, "it has no array header of version 1.0")
    found = "".join(header.split()).replace(",}", "}")
    for order, is_fortran in _ORDERS:
        says = {"descr": dtype, "fortran_order": is_fortran, "shape": shape}
        if found == repr(says).replace(" ", ""):
            return order
    raise damaged(
        where, f"its header is {header[:99]!r}, the manifest says {dtype} {list(shape)}"
    )


def read_strings(raw: IO[bytes], where: Path, entry: Entry) -> list[str]:
    """Read a list of strings."""
    stream = _Checked(raw, where, entry)
    text = stream.read(stream.left)
    stream.finish()
    items = parsed(text, where)
    if not (isinstance(items, list) and all(isinstance(x, str) for x in items)):
        raise damaged(where, "it must be a list of strings")
    if [len(items)] != entry["shape"]:
        held = f"{len(items)} strings"
        raise damaged(where, f"it has {held}, the manifest says {entry['shape']}")
    return items


class _Counted:
    """Passes bytes on to a file, and keeps their number and digest.

    Because it is not a file, NumPy cannot write past it, which would lose the reason
    for a failure.
    """

    def __init__(self, out: IO[bytes]) -> None:
        self._out, self._digest, self._size = out, hashlib.sha256(), 0

    def write(self, piece: bytes | memoryview) -> int:
        self._digest.update(piece)
        self._size += len(piece)
        return self._out.write(piece)

    def entry(self, file: str, dtype: str, shape: Sequence[int]) -> Entry:
        return {
            "file": file,
            "bytes": self._size,
            "sha256": self._digest.hexdigest(),
            "dtype": dtype,
            "shape": list(shape),
        }


class _Checked:
    """Reads as many bytes of a file as the manifest says, and checks their digest."""

    def __init__(self, raw: IO[bytes], where: Path, entry: Mapping[str, Any]) -> None:
        self._raw, self._where, self._expected = raw, where, entry["sha256"]
        self._digest, self.left = hashlib.sha256(), int(entry["bytes"])

    def read(self, size: int = -1, /) -> bytes:
        piece = self._raw.read(min(size, self.left) if size >= 0 else self.left)
        self._digest.update(piece)
        self.left -= len(piece)
        return piece

    def finish(self) -> None:
        if self.left or self._digest.hexdigest() != self._expected:
            raise damaged(self._where, "its SHA-256 is not that of the manifest")
