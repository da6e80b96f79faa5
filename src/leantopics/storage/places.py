"""Places that hold saved files under plain names: a folder, or one zip file."""

import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, TypeAlias, TypeVar

from leantopics.storage.durable import (
    atomic_file,
    atomic_folder,
    durable_file,
    saved_path,
)

PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
EXPANSION, ALWAYS = 100, 1 << 26
"""A zip file may expand to that many times its size, or to 64 MiB."""
Result = TypeVar("Result")
Opened: TypeAlias = AbstractContextManager[IO[bytes]]
_ATTEMPTS = 20
"""How often to try to find and read a save that is replaced all the time."""
_DIRECTORY = 1 << 24
"""Most bytes of the list of members in a zip file: 16 MiB."""
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    UnicodeError,
)
"""What Python's `zipfile` raises on bytes that make no sense."""


def is_zip(path: str | os.PathLike[str]) -> bool:
    """Return whether something saved under this name is a zip file.

    Examples
    --------
    >>> is_zip("model.zip"), is_zip("model")
    (True, False)
    """
    return Path(path).suffix.lower() == ".zip"


@contextmanager
def open_place(path: str | os.PathLike[str]) -> "Iterator[Place]":
    """Open what is saved under a path for reading, folder or zip file."""
    found = _find(Path(path))
    if not found.is_file():
        yield FolderPlace(Path(path), found)
        return
    with _Guarded(open(found, "rb", buffering=0)) as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except (*_BROKEN, ValueError) as error:
            stream.seek(0)
            if stream.read(2) != b"PK":
                what = "it is neither a folder nor a zip file"
                raise ValueError(
                    f"{path} is not a saved model or corpus: {what}."
                ) from None
            raise damaged(path, f"it is not a complete zip file ({error})") from None
        stream.guard = False
        with archive:
            yield ZipPlace(Path(path), archive, os.fstat(stream.fileno()).st_size)


def _find(path: Path) -> Path:
    """Return where a save is; it may move while it is looked for, so look again."""
    for _ in range(_ATTEMPTS):
        found = saved_path(path)
        if found.exists():
            return found
    raise FileNotFoundError(f"There is no file or folder {path}.")


def read_place(
    path: str | os.PathLike[str], read: "Callable[[Place], Result]"
) -> Result:
    """Read a save; if it fails because the save was replaced, read the new one."""
    for left in reversed(range(_ATTEMPTS)):
        with open_place(path) as place:
            try:
                return read(place)
            except (OSError, ValueError):
                if left == 0 or place.is_current():
                    raise
    raise AssertionError


@contextmanager
def new_place(target: Path) -> Iterator[Callable[[str], Opened]]:
    """Yield a function that opens new files of a folder or zip file by their names.

    The folder or zip file is put in place if nothing fails.
    """
    if is_zip(target):
        with atomic_file(target) as out, zipfile.ZipFile(out, "w") as archive:

            def create(name: str) -> Opened:
                member = zipfile.ZipInfo(name)  # dated 1980: same model, same bytes
                member.create_system, member.external_attr = 3, 0o644 << 16
                return archive.open(member, "w", force_zip64=True)

            yield create
    else:
        with atomic_folder(target) as folder:
            yield lambda name: durable_file(folder / name)


def damaged(where: str | os.PathLike[str], why: str) -> ValueError:
    """Return the error that says what is wrong with saved bytes.

    Examples
    --------
    >>> str(damaged("m/beta0.npy", "it is cut short"))
    'm/beta0.npy is damaged: it is cut short; save it again or take another copy.'
    """
    reason = " ".join(why.split())
    if len(reason) > 300:  # a zip file may call its members anything
        reason = reason[:300] + "..."
    return ValueError(
        f"{os.fspath(where)} is damaged: {reason}; save it again or take another copy."
    )


def _missing(file: Path) -> FileNotFoundError:
    return FileNotFoundError(f"{file} is missing; save it again or take another copy.")


class FolderPlace:
    """A folder to read from; ``path`` is as the user gave it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self._folder = path, folder
        self._mark = self._look()

    def names(self) -> set[str]:
        """Return the names of all files."""
        return set(os.listdir(self._folder))

    def size(self, name: str) -> int:
        """Return the size of a file in bytes; it must exist."""
        file = self._folder / name
        if not file.is_file():  # nor a pipe or device
            raise _missing(self.path / name)
        return file.stat().st_size

    def open(self, name: str) -> Opened:
        """Open a file for reading."""
        return open(self._folder / name, "rb")

    def is_current(self) -> bool:
        """Return whether this is still what the path refers to."""
        return saved_path(self.path) == self._folder and self._look() == self._mark

    def _look(self) -> tuple[int, int] | None:
        """Return what changes when another folder is put here."""
        try:
            found = os.stat(self._folder)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


class ZipPlace:
    """A zip file to read from, as `FolderPlace`; all names of members are checked."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, size: int) -> None:
        self.path, self._archive = path, archive
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in archive.infolist():
            self._members[self._checked(member)] = member
        whole = sum(member.file_size for member in archive.infolist())
        limit = max(ALWAYS, EXPANSION * size)
        if whole > limit:
            raise ValueError(
                f"{path} claims to expand to {whole} bytes, but may expand to at most "
                f"{limit}, {EXPANSION} times its size; save it again."
            )

    def _checked(self, member: zipfile.ZipInfo) -> str:
        name = member.orig_filename
        if not PLAIN_NAME.fullmatch(name):
            raise ValueError(
                f"{self.path} has the member {name!r:.80}, which must be a plain name "
                "without folders; save it again."
            )
        if name in self._members:
            raise damaged(self.path / name, "it is in the zip file twice")
        if member.flag_bits & 1:
            raise ValueError(
                f"{self.path / name} is encrypted, but must not be; save it again."
            )
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(
                f"{self.path / name} must be stored or deflated in the zip file, not "
                f"compressed by method {member.compress_type}; zip it again."
            )
        return name

    def names(self) -> set[str]:
        """Return the names of all files."""
        return set(self._members)

    def size(self, name: str) -> int:
        """Return the size of a file in bytes; it must exist."""
        if name not in self._members:
            raise _missing(self.path / name)
        return self._members[name].file_size

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file for reading."""
        try:
            with self._archive.open(self._members[name]) as stream:
                yield stream
        except _BROKEN as error:
            where = self.path / name
            raise damaged(where, f"it cannot be unpacked ({error})") from None

    def is_current(self) -> bool:
        """Return True: an open file stays as it is."""
        return True


Place: TypeAlias = FolderPlace | ZipPlace


class _Guarded(io.BufferedReader):
    """A file that is safe against false offsets and a false list of members."""

    guard = True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        size = os.fstat(self.fileno()).st_size
        if whence == os.SEEK_SET and not 0 <= offset <= size:
            raise zipfile.BadZipFile("it points beyond its end")
        return super().seek(offset, whence)

    def read(self, size: int | None = -1, /) -> bytes:
        if self.guard and size is not None and size > _DIRECTORY:
            raise zipfile.BadZipFile("its list of members is too long")
        return super().read(size)
