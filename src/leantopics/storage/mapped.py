"""Saved arrays that stay on disk and are mapped into memory, page by page."""

import io
import os
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from leantopics.storage.durable import saved_path
from leantopics.storage.files import check_file, data_offset, native, read_strings
from leantopics.storage.manifest import (
    STRINGS,
    files_of,
    manifest_of,
    parsed,
    warn_if_unsealed,
)
from leantopics.storage.places import Place, damaged, read_place

Item = TypeVar("Item", covariant=True)
Octets: TypeAlias = npt.NDArray[np.uint8]

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class LazyList(Sequence[Item]):
    """A sequence whose items are read on access: `item` returns one of them."""

    @abstractmethod
    def item(self, index: int) -> Item:
        """Return the item of a number, which may count from the end."""

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self.item(n) for n in range(*index.indices(len(self)))]
        return self.item(index)


class MappedList(LazyList[Item]):
    """A saved list of strings that stays on disk, each read on access.

    ``octets`` are the bytes of its file; ``read`` converts a string to an item.
    """

    def __init__(
        self, where: Path, octets: Octets, size: int, read: Callable[[str], Item]
    ) -> None:
        self._where, self._bytes = where, octets
        self._size, self._read = size, read

    def __len__(self) -> int:
        return self._size

    def item(self, index: int) -> Item:
        """Read the string of this number, and convert it."""
        first, last = self._places[index].tolist()
        item = parsed(self._bytes[first:last].tobytes(), self._where)
        try:
            return self._read(item)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            why = f"item {index} makes no sense: {error}"
            raise damaged(self._where, why) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return False
        return all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"MappedList({self._size} items in {self._where})"

    @cached_property
    def _places(self) -> npt.NDArray[np.int64]:
        """Bytes of each string (n, 2), found in one pass over the file."""
        found = _STRING.finditer(self._bytes.data)
        ends = (end for string in found for end in string.span())
        places = np.fromiter(ends, np.int64).reshape(-1, 2)
        if len(places) != self._size:
            held = f"{len(places)} strings"
            raise damaged(self._where, f"it has {held}, the manifest says {self._size}")
        return places


class Mapped(NamedTuple):
    """The content of a saved folder, left on disk.

    All files are mapped when it is opened, so it does not change when something else is
    saved to the same place.
    """

    content: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]
    lists: dict[str, Octets]
    path: Path
    files: dict[str, dict[str, Any]]
    """What the manifest says about each file."""

    def strings(self, name: str) -> list[str]:
        """Read a list of strings."""
        entry = self.files[name]
        stream = io.BytesIO(self.lists[name].data)
        return read_strings(stream, self.path / entry["file"], entry)

    def items(self, name: str, read: Callable[[str], Item]) -> MappedList[Item]:
        """Return a list of strings, left on disk and converted to items on access."""
        entry = self.files[name]
        where, size = self.path / entry["file"], entry["shape"][0]
        return MappedList(where, self.lists[name], size, read)


def map_folder(path: str | os.PathLike[str], *, kind: str, check: bool) -> Mapped:
    """Map the arrays of what `save_folder` wrote to a folder.

    They take no memory except in the system's cache. They are writable, but nothing
    that is written to them reaches the disk. With ``check``, every file is read
    completely, and its digest compared with the manifest. A zip file is refused, and
    whatever `load_folder` refuses.
    """
    if saved_path(Path(path)).is_file():
        raise ValueError(
            f"{os.fspath(path)} must be a folder, for its arrays to stay on disk, but "
            "is a file; load it, or save it as a folder."
        )
    manifest, found = read_place(path, lambda place: _map(place, kind, check))
    warn_if_unsealed(manifest, os.fspath(path))
    return found


def _map(place: Place, kind: str, check: bool) -> tuple[dict[str, Any], Mapped]:
    manifest = manifest_of(place, kind)
    found = Mapped(manifest["content"], {}, {}, place.path, manifest["files"])
    for name, where, entry in files_of(place, manifest):
        if check:
            with place.open(entry["file"]) as stream:
                check_file(stream, where, entry)
        with place.open(entry["file"]) as stream:
            if entry["dtype"] == STRINGS:
                found.lists[name] = map_file(stream, np.dtype(np.uint8), entry["bytes"])
                continue
            shape, dtype = tuple(entry["shape"]), np.dtype(entry["dtype"])
            offset = data_offset(stream, where, entry)
            if len(shape) == 1:
                mapped = map_file(stream, dtype, shape[0], offset)
                found.arrays[name] = mapped.astype(native(dtype), copy=False)
            else:
                found.arrays[name] = np.empty(shape, native(dtype))
    if not place.is_current():
        raise damaged(place.path, "it was replaced while it was opened")
    return manifest, found


def map_file(
    stream: Any, dtype: np.dtype[Any], size: int, offset: int = 0
) -> npt.NDArray[Any]:
    """Map an array of a file, which may then be closed and deleted.

    The array is writable, but nothing that is written to it reaches the file.

    Examples
    --------
    >>> from tempfile import TemporaryFile
    >>> with TemporaryFile() as file:
    ...     _ = file.write(bytes([7, 8, 9]))
    ...     map_file(file, np.dtype("u1"), 2, offset=1)
    array([8, 9], dtype=uint8)
    """
    if not size:
        return np.empty(0, dtype)
    stream.flush()
    return np.asarray(np.memmap(stream, dtype, "c", offset, (size,)))


def is_mapped(array: npt.NDArray[Any]) -> bool:
    """Whether an array is in a file that is mapped to memory.

    Examples
    --------
    >>> is_mapped(np.zeros(3))
    False
    """
    owner: Any = array
    # A copy of a mapped array may have its type, but has no map.
    while owner is not None and getattr(owner, "_mmap", None) is None:
        owner = getattr(owner, "base", None)
    return owner is not None
