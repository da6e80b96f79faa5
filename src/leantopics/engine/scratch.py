"""Objects made of arrays, in files of a folder that several processes share."""

import os
import pickle
import secrets
import weakref
from typing import Any, NamedTuple

import numpy as np

_ALIGNED = 64
"""Arrays begin at multiples of this many bytes."""


class Filed(NamedTuple):
    """The documents of a group, in a file."""

    path: str

    def open(self) -> Any:
        """Map the documents."""
        return read(self.path)


class Kept:
    """A file that is deleted when this object is."""

    def __init__(self, path: str) -> None:
        self.path = path
        weakref.finalize(self, _forget, path)


def write(path: str, thing: Any) -> None:
    """Write an object made of arrays atomically, so that they can be memory-mapped."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    pieces = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    sizes = np.array([len(pieces), *(piece.nbytes for piece in pieces)], dtype=np.int64)
    fresh = f"{path}.{secrets.token_hex(4)}"
    with open(fresh, "wb") as out:
        for piece in (sizes.data, *pieces):
            out.write(piece)
            out.write(bytes(-out.tell() % _ALIGNED))
    os.replace(fresh, path)


def read(path: str) -> Any:
    """Map what `write` wrote; changes to the arrays are not written to the file."""
    whole = np.memmap(path, np.uint8, "c")
    n_pieces = int(whole[:8].view(np.int64)[0])
    sizes = whole[8 : 8 * (n_pieces + 1)].view(np.int64).tolist()
    start, pieces = 8 * (n_pieces + 1), []
    for size in sizes:
        start += -start % _ALIGNED
        pieces.append(np.asarray(whole[start : start + size]))
        start += size
    return pickle.loads(pieces[0].data, buffers=pieces[1:])


def _forget(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)
