"""Bytes and lines of files, compressed files and standard input."""

import codecs
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import zstandard

from leantopics._limits import ALWAYS, XZ_MEMORY, limit, way_out
from leantopics.io.record import fault

STDIN = "-"
COMPRESSED = (".gz", ".xz", ".zst")
UNKNOWN_COMPRESSED = (".bz2", ".lz4", ".lzma", ".Z", ".7z", ".rar", ".br")
_MAGIC = {
    b"\x1f\x8b": "compressed with gzip: add .gz to its name",
    b"\xfd7zXZ\x00": "compressed with xz: add .xz to its name",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: add .zst to its name",
    b"BZh": "compressed with bzip2: compress it with gzip, xz or zstd instead",
    b"PK\x03\x04": "a zip file: unpack it first",
}
_PIECE = 128
"""Compressed bytes read at once; zstd can expand them to 4 MiB."""
_BLOCK = 1 << 20
"""Bytes of lines that are read at once."""
_BROKEN = (
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
)


class Line(NamedTuple):
    """One line of a file, with its line end."""

    number: int
    offset: int
    """Offset of its first byte in the uncompressed file."""
    length: int
    """Length in bytes, without the line end."""
    text: str


def is_plain(source: str) -> bool:
    """Return whether a source can be read again from any byte."""
    return not (source == STDIN or source.endswith(COMPRESSED) or is_special(source))


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
        with _open_file(source) as stream:
            if source.endswith(COMPRESSED):
                size = os.stat(source).st_size
                yield cast(BinaryIO, io.BufferedReader(_Bounded(stream, source, size)))
            else:
                yield stream
    except _BROKEN as error:
        raise ValueError(f"{source} cannot be uncompressed: {error}.") from None


def _open_file(source: str) -> BinaryIO:
    suffix = os.path.splitext(source)[1]
    if suffix == ".gz":
        return cast(BinaryIO, gzip.open(source, "rb"))
    if suffix == ".xz":
        return _frames(source, lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY))
    if suffix == ".zst":
        return _frames(source, lambda: zstandard.ZstdDecompressor().decompressobj())
    return open(source, "rb")


def read_lines(source: str, encoding: str) -> Iterator[Line]:
    """Yield the lines of a source, decoded one by one, without a byte-order mark.

    Lines end at a line feed; a carriage return before it belongs to the line end.
    """
    codec = check_encoding(encoding)
    name = display_name(source)
    longest = limit("line")
    with open_bytes(source) as stream:
        offset = 0
        lines = iter(lambda: stream.readline(longest + 1), b"")
        for number, raw in enumerate(lines, start=1):
            if len(raw) > longest:
                raise fault(name, number, too_long("line", longest))
            if number == 1:
                check_start(raw, name)
            following = offset + len(raw)
            if number == 1 and codec == "utf-8" and raw.startswith(codecs.BOM_UTF8):
                raw = raw[len(codecs.BOM_UTF8) :]
                offset += len(codecs.BOM_UTF8)
            text = decode(raw, codec, name, number)
            yield Line(number, offset, len(raw.rstrip(b"\r\n")), text)
            offset = following


def read_blocks(source: str, encoding: str, after: int) -> Iterator[tuple[int, str]]:
    """Yield whole lines of a file, many at once, with the number of the first of them.

    Parameters
    ----------
    source, encoding : str
        As in `read_lines`.
    after : int
        Lines at the beginning to skip, because `read_lines` has read them.
    """
    codec, name, longest = check_encoding(encoding), display_name(source), limit("line")
    with open_bytes(source) as stream:
        for _ in range(after):
            stream.readline(longest + 1)
        number = after + 1
        while raw := stream.read(_BLOCK):
            raw += stream.readline(longest + 1)
            if len(raw) > longest:
                for place, line in enumerate(io.BytesIO(raw)):
                    if len(line) > longest:
                        raise fault(name, number + place, too_long("line", longest))
            yield number, decode(raw, codec, name, number)
            number += raw.count(b"\n")


def check_encoding(encoding: str) -> str:
    """Return the standard name of an encoding whose lines end with one byte.

    Examples
    --------
    >>> check_encoding("Latin1")
    'iso8859-1'
    """
    try:
        codec = codecs.lookup(encoding).name.removesuffix("-sig")
        single = "\n".encode(codec) == b"\n"
    except (LookupError, ValueError, TypeError):
        raise ValueError(
            f"The encoding {encoding!r} is not known; try utf-8 or latin-1."
        ) from None
    if not single:
        raise ValueError(
            f"Files in {encoding} cannot be read line by line; convert them first, "
            f"for example with: iconv -f {encoding} -t utf-8."
        )
    return codec


def decode(raw: bytes, codec: str, name: str, first_line: int) -> str:
    """Decode bytes; an error names the file and line that are wrong."""
    try:
        return raw.decode(codec)
    except UnicodeDecodeError as error:
        line = first_line + raw.count(b"\n", 0, error.start)
        raise fault(
            name,
            line,
            f"byte {raw[error.start]:#04x} is not valid {codec}; give the encoding of "
            "the file, for example --encoding latin-1.",
        ) from None
    except UnicodeError as error:  # from codecs that do not say where
        raise fault(
            name,
            first_line,
            f"this is not valid {codec} ({error}); give another "
            "encoding, for example --encoding latin-1.",
        ) from None


def check_start(raw: bytes, name: str) -> None:
    """Refuse a file whose first line is not text in an encoding like UTF-8."""
    for magic, what in _MAGIC.items():
        if raw.startswith(magic):
            raise fault(name, 1, f"this is {what}.")
    wide = raw[:64]
    if wide.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (
        len(wide) >= 4 and (not any(wide[1::2]) or not any(wide[::2]))
    ):
        raise fault(
            name,
            1,
            "this is UTF-16 (or UTF-32), which cannot be read line by line; convert "
            "it first, for example with: iconv -f utf-16 -t utf-8.",
        )


def too_long(what: str, longest: int) -> str:
    """Return the message for a line, row or file beyond the limit."""
    return f"this {what} is longer than {longest} bytes; {way_out('line')}."


def read_words(path: str | os.PathLike[str], encoding: str) -> list[str]:
    """Return the lines of a vocabulary or label file, without blank ones at its end."""
    words = [line.text.rstrip("\r\n") for line in read_lines(os.fspath(path), encoding)]
    while words and not words[-1].strip():
        words.pop()
    return words


class _Bounded(io.RawIOBase):
    """Uncompressed bytes of a file, limited to a multiple of its size."""

    def __init__(self, stream: BinaryIO, source: str, size: int) -> None:
        self._stream, self._source = cast(io.BufferedIOBase, stream), source
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


def _frames(source: str, make: Callable[[], Any]) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Frames(open(source, "rb"), make)))


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

    def close(self) -> None:
        self._raw.close()
        super().close()

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
