"""A folder of text files, one document each."""

import codecs
import os
import posixpath
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from leantopics._encodings import AUTO, guess
from leantopics._limits import limit
from leantopics.io.lines import (
    check_encoding,
    check_packed,
    check_start,
    decode,
    guessed,
    too_long,
)
from leantopics.io.notes import Notes
from leantopics.io.record import Place, Record, fault
from leantopics.io.streams import COMPRESSED, is_plain, is_special, open_bytes

_PIECE = 1 << 16
_TEXTS = (".txt", ".md")


def read_folder(source: str, encoding: str, notes: Notes) -> Iterator[Record]:
    """Yield one record for each ``.txt`` or ``.md`` file below a folder, by path.

    The id is the path below the folder; in a subfolder, its name is the label. Files
    and folders whose names begin with a dot are skipped.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "pets").mkdir()
    ...     _ = Path(folder, "pets", "1.txt").write_text("a cat")
    ...     next(read_folder(folder, "utf-8", Notes()))[:4]
    ('pets/1.txt', 'a cat', None, ['pets'])
    """
    if encoding != AUTO:
        encoding = check_encoding(encoding)
    names = files_below(Path(source), _is_text)
    if not names:
        raise ValueError(
            f"{source} has no .txt or .md file; name a file, or another folder, and "
            "convert files such as PDF to text first."
        )
    for name in names:
        path = os.path.join(source, name)
        if is_special(path):
            raise ValueError(
                f"{path} must be a file, but is a pipe, socket or device, which may "
                "never end: move it out of the folder."
            )
        try:
            text, offset, length = _read_file(path, encoding, notes)
        except ValueError as error:
            notes.bad(error)
            continue
        place = Place(path, offset, length) if is_plain(path) else None
        parent = posixpath.basename(posixpath.dirname(name))
        yield Record(name, text, labels=[parent] if parent else [], place=place)


def _read_file(path: str, encoding: str, notes: Notes) -> tuple[str, int, int]:
    """Return the text of a file, and the first byte and the number of its bytes."""
    longest = limit("line")
    with open_bytes(path) as stream:
        raw = b"".join(_pieces(stream, longest))
    if len(raw) > longest:
        raise fault(path, 1, too_long("file", longest))
    if encoding == AUTO:
        check_packed(raw, path)
        encoding = guessed(lambda: guess(raw), path, notes)
    else:
        check_start(raw, path)
    offset = 0
    if encoding == "utf-8" and raw.startswith(codecs.BOM_UTF8):
        offset = len(codecs.BOM_UTF8)
    return decode(raw[offset:], encoding, path, 1), offset, len(raw) - offset


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
    kind = os.path.splitext(bare)[1] if suffix in COMPRESSED else suffix
    return kind.lower() in _TEXTS


def files_below(root: Path, wanted: Callable[[str], bool]) -> list[str]:
    """Return the paths of the files wanted below a folder, without hidden ones."""
    names = []
    for folder, subfolders, files in os.walk(root):
        where = Path(folder).relative_to(root).as_posix()
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        for name in files:
            if wanted(name) and not name.startswith("."):
                names.append(name if where == "." else f"{where}/{name}")
    return sorted(names)
