"""The engine of several processes or machines: Dask distributed.

The documents, and what is known of them, are in files of a scratch folder that all
workers see; every worker maps those of the groups that it works on, and writes what it
finds. So a worker holds nothing that is lost with it: a work that it did not finish is
done again by another one, from the same files, with the same result.
"""

import os
import pickle
import secrets
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leantopics.engine import FAN_IN, Group, Inline, Round, Tree, Work

_TRIES = 5
_ALIGNED = 64
"""Bytes at whose multiples arrays begin."""


class Filed(NamedTuple):
    """The documents of a group, in a file."""

    path: str

    def open(self) -> Any:
        """Map the documents."""
        return _read(self.path)


class Kept:
    """What is known of the documents of a group, in a file as long as it is needed."""

    def __init__(self, path: str) -> None:
        self.path = path
        weakref.finalize(self, _forget, path)


class Cluster(Inline):
    """Works go to the workers of a Dask cluster, small results come back.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    scratch : path
        Folder of its own that all workers see.
    """

    def __init__(self, client: Any, scratch: Path) -> None:
        super().__init__()
        self._client, self._scratch = client, scratch

    def hold(self, groups: Sequence[Group]) -> list[Group]:
        """Put the documents where all workers find them."""
        held: list[Group] = []
        for group in groups:
            if isinstance(group, Filed):
                held.append(group)
            else:
                path = self._new()
                _write(path, group.open())
                held.append(Filed(path))
        return held

    def _new(self) -> str:
        return str(self._scratch / secrets.token_hex(8))

    def each(
        self,
        work: Work,
        groups: Sequence[Group],
        states: Sequence[Any],
        *shared: Any,
        own: Sequence[Any] | None = None,
        add: Callable[[list[Any]], Any] | None = None,
    ) -> Round:
        """Do a work on every group, each on the worker that had it before if it can."""
        places = [self._new() for _ in groups]
        known = [None if state is None else state.path for state in states]
        extra = [()] * len(groups) if own is None else [(each,) for each in own]
        packed = [pickle.dumps(each) for each in extra]
        tasks = list(zip(groups, known, places, packed, strict=True))
        for left in reversed(range(_TRIES)):
            try:
                results, total = self._run(work, tasks, shared, add)
                break
            except Exception as error:
                if not _is_lost(error) or not left:
                    raise _told(error) from error
        kept = [
            Kept(place) if new else state
            for place, state, (_, new) in zip(places, states, results, strict=True)
        ]
        return Round(kept, [result for result, _ in results], total)

    def _run(
        self,
        work: Work,
        tasks: list[Any],
        shared: tuple[Any, ...],
        add: Callable[[list[Any]], Any] | None,
    ) -> tuple[list[Any], Any]:
        client = self._client
        (sent,) = client.scatter([shared], broadcast=True, hash=False)
        workers = sorted(client.nthreads())
        size = bundle(len(tasks), len(workers))
        nodes = [
            client.submit(
                _work,
                work,
                tasks[first : first + size],
                add,
                sent,
                pure=False,
                workers=workers[first // size % max(1, len(workers)) :][:1] or None,
                allow_other_workers=bool(workers),
            )
            for first in range(0, len(tasks), size)
        ]
        while len(nodes) > FAN_IN:
            nodes = [
                client.submit(_node, add, nodes[first : first + FAN_IN], pure=False)
                for first in range(0, len(nodes), FAN_IN)
            ]
        packed, total = _node(add, client.gather(nodes))
        return [result for part in packed for result in pickle.loads(part)], total


def local(n_workers: int) -> Any:
    """A cluster of processes on this machine, one thread each.

    Dask has its workers give back freed memory at once, so that every array begins with
    fresh pages; a work that splits counts takes half as long again by that. Not here.
    """
    import dask
    import distributed

    key = "distributed.nanny.pre-spawn-environ"
    environment = {**dask.config.get(key)}
    environment.pop("MALLOC_TRIM_THRESHOLD_", None)
    with dask.config.set({key: environment}):
        return distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=n_workers, threads_per_worker=1, dashboard_address=None
        )


def bundle(n_groups: int, n_workers: int) -> int:
    """Groups of one task: those of a node of the tree, two tasks a worker or more.

    So what is added up is added where it came up, and the scheduler has tasks by the
    number of workers, not of documents.

    Examples
    --------
    >>> bundle(300, 2), bundle(300, 20)
    (64, 1)
    """
    size = 1
    while n_groups >= 2 * max(1, n_workers) * size * FAN_IN:
        size *= FAN_IN
    return size


def _work(
    work: Work,
    tasks: list[tuple[Group, str | None, str, bytes]],
    add: Callable[[list[Any]], Any] | None,
    shared: tuple[Any, ...],
) -> tuple[list[bytes], Any]:
    """Do a work on some groups, on a worker; may be done twice.

    What a group is given, and its result, may be thousands of small arrays; Dask would
    send each in a frame of its own, so they are pickled here.
    """
    workers, results = _here(threading.get_ident()), []
    tree = None if add is None else Tree(add)
    for group, known, place, own in tasks:
        state = None if known is None else _read(known)
        new, result, part = work(
            group.open(), state, workers, *shared, *pickle.loads(own)
        )
        if new is not state:
            _write(place, new)
        results.append((result, new is not state))
        if add is not None and tree is not None:
            tree.put(add([part]))
    packed = [pickle.dumps(results)]
    return packed, None if tree is None else tree.total()


@lru_cache
def _here(thread: int) -> Inline:
    """The engine of a thread, whose memory no other one may use."""
    return Inline()


def _node(
    add: Callable[[list[Any]], Any] | None, nodes: list[tuple[list[bytes], Any]]
) -> tuple[list[bytes], Any]:
    """Results of several nodes of the tree, after each other, and their sum."""
    results = [result for node, _ in nodes for result in node]
    parts = [part for _, part in nodes]
    return results, parts[0] if add is None or len(parts) == 1 else add(parts)


def _write(path: str, thing: Any) -> None:
    """Write anything made of arrays, whole or not at all, for them to be mapped."""
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


def _read(path: str) -> Any:
    """Map what `_write` wrote; nothing that is changed comes to the file."""
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


def _is_lost(error: BaseException) -> bool:
    """Whether a worker is gone with what it was sent; others can do the work again."""
    names = ("FutureCancelledError", "CancelledError", "KilledWorker", "ShuffleError")
    return type(error).__name__ in names


def _told(error: Exception) -> Exception:
    names = ("CommClosedError", "FutureCancelledError", "CancelledError")
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(
            "The scratch folder must be one that all workers of the Dask cluster see, "
            f"but one of them has no {error.filename}; name another folder."
        )
    is_of_network = isinstance(error, ConnectionError | TimeoutError) or (
        isinstance(error, OSError) and error.errno is None
    )
    if type(error).__name__ in names or is_of_network:
        return ConnectionError(
            "The Dask cluster must stay until the fit is done, but its scheduler is "
            f"gone ({error}); start it again and go on from the checkpoint."
        )
    return error
