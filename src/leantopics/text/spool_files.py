"""Files of an unfinished conversion: numbers and strings that are only appended."""

import hashlib
import json
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, overload

import numpy as np

_PIECE = 1 << 20


class Growing:
    """A file that grows, with the digest of its content."""

    def __init__(self, out: BinaryIO, path: Path) -> None:
        self.out, self._digest = out, hashlib.sha256()
        with open(path, "rb") as stream:
            while piece := stream.read(_PIECE):
                self._digest.update(piece)

    def write(self, piece: bytes) -> None:
        """Append some bytes."""
        self._digest.update(piece)
        self.out.write(piece)

    def digest(self) -> str:
        """Return the SHA-256 of everything in the file."""
        return self._digest.hexdigest()


class Lines(Sequence[str]):
    """Strings that stay in a file, one per line, as JSON."""

    def __init__(self, path: Path, n_lines: int) -> None:
        self._path, self._n_lines = path, n_lines

    def __len__(self) -> int:
        return self._n_lines

    def __iter__(self) -> Iterator[str]:
        with open(self._path, encoding="ascii") as lines:
            yield from map(json.loads, lines)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return [*self][index]


def line_of(text: str) -> bytes:
    """Return a string as the files store it."""
    return json.dumps(text).encode() + b"\n"


def counts_of(words: Any, values: Any) -> dict[str, bytes]:
    """Return the counts of a document, as the files store them."""
    return {
        "words": packed(words, np.int32),
        "values": packed(values, np.float64),
        "sizes": struct.pack("<q", len(words)),
    }


def packed(values: Any, kind: type) -> bytes:
    """Return numbers as a file stores them."""
    return np.asarray(values, dtype=kind).tobytes()
