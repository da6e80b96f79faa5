"""A folder of text files, one document each."""

import codecs
import os
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from leantopics._limits import limit
from leantopics.io.record import Place, Record, fault
from leantopics.io.streams import (
    COMPRESSED,
    check_encoding,
    check_start,
    decode,
    is_plain,
    is_special,
    open_bytes,
    too_long,
)

_PIECE = 1 << 16


def read_folder(source: str, encoding: str) -> Iterator[Record]:
    """Yield one record for each ``.txt`` file below a folder, sorted by path.

    The id is the path below the folder; in a subfolder, its name is the label. Files
    and folders whose names begin with a dot are skipped.

    Raises
    ------
    ValueError
        If there is no such file, or one is a pipe, socket or device.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "pets").mkdir()
    ...     _ = Path(folder, "pets", "1.txt").write_text("a cat")
    ...     next(read_folder(folder, "utf-8"))[:4]
    ('pets/1.txt', 'a cat', None, ['pets'])
    """
    codec, longest = check_encoding(encoding), limit("line")
    names = _text_files(Path(source))
    if not names:
        raise ValueError(f"{source} has no .txt file; name a file, or another folder.")
    for name in names:
        path = os.path.join(source, name)
        if is_special(path):
            raise ValueError(
                f"{path} must be a file, but is a pipe, socket or device, which may "
                "never end: move it out of the folder."
            )
        with open_bytes(path) as stream:
            raw = b"".join(_pieces(stream, longest))
        if len(raw) > longest:
            raise fault(path, 1, too_long("file", longest))
        check_start(raw, path)
        offset = 0
        if codec == "utf-8" and raw.startswith(codecs.BOM_UTF8):
            offset = len(codecs.BOM_UTF8)
        text = decode(raw[offset:], codec, path, 1)
        place = Place(path, offset, len(raw) - offset) if is_plain(path) else None
        parent = posixpath.basename(posixpath.dirname(name))
        yield Record(name, text, labels=[parent] if parent else [], place=place)


def _pieces(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """Yield the content of a file, up to a little more than ``longest`` bytes.

    A single read would allocate memory for that many bytes at once.
    """
    while longest >= 0 and (piece := stream.read(_PIECE)):
        longest -= len(piece)
        yield piece


def _is_text(name: str) -> bool:
    """Whether a file is text, compressed or not.

    It makes no `Path`: Python interns its parts, which adds up over millions of names.
    """
    bare, suffix = os.path.splitext(name)
    return (os.path.splitext(bare)[1] if suffix in COMPRESSED else suffix) == ".txt"


def _text_files(root: Path) -> list[str]:
    names = []
    for folder, subfolders, files in os.walk(root):
        where = Path(folder).relative_to(root).as_posix()
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        for name in files:
            if _is_text(name) and not name.startswith("."):
                names.append(name if where == "." else f"{where}/{name}")
    return sorted(names)
