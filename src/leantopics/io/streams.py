"""Bytes of files, compressed files and standard input."""

import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from leantopics._limits import ALWAYS, XZ_MEMORY, limit, way_out
from leantopics.io.remote import is_remote, open_remote

STDIN = "-"
COMPRESSED = (".gz", ".xz", ".zst")
UNKNOWN_COMPRESSED = (".bz2", ".lz4", ".lzma", ".Z", ".7z", ".rar", ".br")
_PIECE = 128
"""Compressed bytes read at once; zstd can expand them to 4 MiB."""
_BROKEN = (
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
)


def is_plain(source: str) -> bool:
    """Return whether a source can be read again from any byte."""
    away = source == STDIN or is_remote(source)
    return not (away or source.endswith(COMPRESSED) or is_special(source))


def is_special(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a pipe, socket or device, which may never end.

    Examples
    --------
    >>> is_special(os.devnull), is_special(os.curdir), is_special("no/such/file")
    (True, False, False)
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def display_name(source: str) -> str:
    """Return the name of a source for messages."""
    return "<stdin>" if source == STDIN else source


def bare_path(source: str) -> Path:
    """Return the path without the suffix of its compression.

    Examples
    --------
    >>> bare_path("news.jsonl.xz").name
    'news.jsonl'
    """
    path = Path(source)
    return path.with_suffix("") if path.suffix in COMPRESSED else path


@contextmanager
def open_bytes(source: str) -> Iterator[BinaryIO]:
    """Open a file, uncompressed according to its suffix, or ``-``, standard input."""
    if source == STDIN:
        if sys.stdin is None:
            raise ValueError("Standard input is closed: name a file, or pipe one in.")
        yield sys.stdin.buffer
        return
    try:
        with ExitStack() as stack:
            raw = open_remote(source) if is_remote(source) else open(source, "rb")
            stack.enter_context(raw)
            if not source.endswith(COMPRESSED):
                yield raw
                return
            size = _size(raw, source)
            stream = _uncompressed(raw, source)
            stack.enter_context(stream)
            yield cast(BinaryIO, io.BufferedReader(_Bounded(stream, source, size)))
    except _BROKEN as error:
        raise ValueError(f"{source} cannot be uncompressed: {error}.") from None


def _size(raw: BinaryIO, source: str) -> int:
    """Size of a compressed file; 0 of a pipe."""
    if not is_remote(source):
        return os.stat(source).st_size
    size = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    return size


def _uncompressed(raw: BinaryIO, source: str) -> "gzip.GzipFile | _Frames":
    """Return the content of a compressed file, by the end of its name."""
    if source.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw, mode="rb")
    if source.endswith(".xz"):
        return _Frames(raw, lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY))
    return _Frames(raw, lambda: zstandard.ZstdDecompressor().decompressobj())


class _Bounded(io.RawIOBase):
    """Uncompressed bytes of a file, limited to a multiple of its size."""

    def __init__(
        self, stream: "gzip.GzipFile | _Frames", source: str, size: int
    ) -> None:
        self._stream, self._source = stream, source
        self._times = limit("expansion")
        self._left = max(ALWAYS, self._times * size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise ValueError(
                f"{self._source} expands to more than {self._times} times its size, "
                f"which ordinary text does not; {way_out('expansion')}."
            )
        return count


class _Frames(io.RawIOBase):
    """Uncompressed bytes of an xz or zstd file, which must not end within a frame.

    The reader of the zstandard package accepts a truncated file as complete; that of
    xz allocates as much memory as the file asks for.
    """

    def __init__(self, raw: BinaryIO, make: Callable[[], Any]) -> None:
        self._raw, self._make = raw, make
        self._frame: Any = None
        self._begun = False
        self._compressed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            if not self._compressed:
                self._compressed = self._raw.read(_PIECE)
                if not self._compressed:
                    if self._begun:
                        raise EOFError("the file ends too early")
                    return 0
            if not self._begun:
                if self._frame is not None:  # padding between the frames of xz
                    self._compressed = self._compressed.lstrip(b"\0")
                if not self._compressed:
                    continue
                self._frame, self._begun = self._make(), True
            self._ready = memoryview(self._frame.decompress(self._compressed))
            self._compressed = self._frame.unused_data if self._frame.eof else b""
            self._begun = not self._frame.eof
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count
