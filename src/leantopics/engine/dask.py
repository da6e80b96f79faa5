"""The engine of several processes or machines: Dask distributed.

The documents, their states and the shared arguments are files in a scratch folder that
all workers see; every worker maps the files that it needs and writes its results. So
nothing is lost with a worker: another one repeats its unfinished work from the same
files, with the same result.

The cluster may go away at any moment, and many calls of Dask then wait forever. So each
call here either does not wait, or has a time limit, or is watched.
"""

import asyncio
import pickle
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent import futures
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from leantopics._extras import check_extra
from leantopics.engine.scratch import Filed, Kept, read, write
from leantopics.engine.threads import FAN_IN, Add, Group, Inline, Job, Round, Task, Tree

PATIENCE = 60.0
"""Seconds to wait for the scheduler to answer and for a worker to appear."""

_TRIES = 5
"""How often a round is sent. Dask itself gives the work of a dead worker to another
one until four workers have died of it, so a second round is rarely needed."""

_LOOK = 1.0
"""Seconds between two looks at the cluster while it works."""

_ANSWER = 5.0
"""Seconds that the scheduler has for one answer."""


_LARGE = 1 << 16
"""Bytes from which on an array travels in a frame of its own."""

Order: TypeAlias = tuple[Group, str | None, str, bytes]
"""A group, the files of its old and of its new state, and its own arguments."""


class NoClusterError(ConnectionError):
    """The cluster did not come back in time."""


class Sent(NamedTuple):
    """A round that was sent to the workers."""

    workers: set[str]
    """Addresses of the workers when the round was sent."""
    nodes: list[Any]
    """Futures of the uppermost nodes of the tree."""
    keys: set[str]
    """Keys of all nodes."""


class Packed(NamedTuple):
    """An object made of thousands of small arrays and a few large ones.

    Dask would send each of them in a frame of its own.
    """

    head: bytes
    large: list[npt.NDArray[np.uint8]]

    @classmethod
    def of(cls, thing: Any) -> Self:
        """Pack an object; its large arrays are not copied."""
        large: list[npt.NDArray[np.uint8]] = []

        def keep(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes >= _LARGE:
                large.append(np.frombuffer(raw, np.uint8))
            return raw.nbytes < _LARGE

        return cls(pickle.dumps(thing, protocol=5, buffer_callback=keep), large)

    def open(self) -> Any:
        """Return the object."""
        return pickle.loads(self.head, buffers=self.large)


Node: TypeAlias = tuple[list[bytes], Packed]
"""The results of some groups, pickled, and the sum of their parts."""


class Cluster(Inline):
    """The engine of a Dask cluster: its workers do the work and return small results.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    scratch : path
        A folder for this engine alone that all workers see.
    """

    def __init__(self, client: Any, scratch: Path) -> None:
        super().__init__()
        self._client, self._scratch = client, scratch

    def hold(self, groups: Sequence[Group]) -> list[Group]:
        """Write the documents to files that all workers see."""
        held: list[Group] = []
        for group in groups:
            if isinstance(group, Filed):
                held.append(group)
            else:
                path = self._new()
                write(path, group.open())
                held.append(Filed(path))
        return held

    def _new(self) -> str:
        return str(self._scratch / secrets.token_hex(8))

    def each(self, job: Job) -> Round:
        """Do a task on every group, if possible on the worker that had it before."""
        places = [self._new() for _ in job.groups]
        known = [None if state is None else state.path for state in job.states]
        packed = [pickle.dumps(own) for own in job.owned]
        orders = list(zip(job.groups, known, places, packed, strict=True))
        given = Kept(self._new())
        write(given.path, job.shared)
        results, total = self._done(job.task, orders, given.path)
        kept = [
            Kept(place) if new else state
            for place, state, (_, new) in zip(places, job.states, results, strict=True)
        ]
        return Round(kept, [result for result, _ in results], total)

    def _done(
        self, task: Task, orders: list[Order], given: str
    ) -> tuple[list[Any], Any]:
        """Results and total of a round; it is sent again if the cluster loses it."""
        for left in reversed(range(_TRIES)):
            sent = Sent(set(self._workers()), [], set())
            try:
                self._send(sent, task, orders, given, left == _TRIES - 1)
                found = self._watched(sent)
                break
            except NoClusterError:
                raise
            except Exception as error:
                is_killed = type(error).__name__ == "KilledWorker"
                if not is_killed and any(one.status == "error" for one in sent.nodes):
                    raise _explained(error) from error
                if not left:
                    self._workers()
                    raise _given_up(error, is_killed) from error
            finally:
                for node in sent.nodes:
                    node.release()
        packed, total = _node(task.add, found)
        return [
            result for part in packed for result in pickle.loads(part)
        ], total.open()

    def _send(
        self, sent: Sent, task: Task, orders: list[Order], given: str, is_first: bool
    ) -> None:
        """Send a round, without waiting for anything.

        The first time, every bundle names the worker that has its files in memory. Dask
        may choose another one, but if all are gone it waits for the named one, so later
        rounds do not name any.
        """
        client, size = self._client, bundle(len(orders), len(sent.workers))
        workers = sorted(sent.workers)
        for first in range(0, len(orders), size):
            node = client.submit(
                _work,
                task,
                orders[first : first + size],
                given,
                pure=False,
                workers=[workers[first // size % len(workers)]] if is_first else None,
                allow_other_workers=is_first,
            )
            sent.nodes.append(node)
            sent.keys.add(node.key)
        while len(sent.nodes) > FAN_IN:
            below = sent.nodes[:]
            sent.nodes.clear()
            for first in range(0, len(below), FAN_IN):
                part = below[first : first + FAN_IN]
                sent.nodes.append(client.submit(_node, task.add, part, pure=False))
                sent.keys.add(sent.nodes[-1].key)

    def _watched(self, sent: Sent) -> Any:
        """Wait for the results of a round while there is a cluster to wait for."""
        answer = self._client.gather(sent.nodes, asynchronous=True)
        loop = self._client.loop.asyncio_loop
        waiting, n_idle = asyncio.run_coroutine_threadsafe(answer, loop), 0
        while not futures.wait([waiting], _LOOK).done:
            n_idle = n_idle + 1 if _is_idle(sent, self._workers()) else 0
            if n_idle == 2:
                raise TimeoutError("none of its workers are left")
        return waiting.result()

    def _workers(self) -> dict[str, Sequence[str]]:
        """Tasks of all workers, by address; waits until there is a worker.

        Raises
        ------
        NoClusterError
            If there is none for `PATIENCE` seconds, or no scheduler to ask.
        """
        client, trouble = self._client, None
        end = time.monotonic() + PATIENCE
        while client.status != "closed" and time.monotonic() < end:
            try:
                asked = client.scheduler.processing
                found = client.sync(asked, workers=None, callback_timeout=_ANSWER)
            except Exception as error:  # of many kinds while a client closes
                trouble = error
            else:
                if found:
                    return dict(found)
                trouble = None
            time.sleep(0.1)
        if trouble is None and client.status != "closed":
            raise NoClusterError(
                "A fit on a Dask cluster needs a worker, but there has been none for "
                f"{PATIENCE:g} seconds; start one and continue from the checkpoint."
            )
        raise NoClusterError(*_gone(trouble).args)


def local(n_workers: int) -> Any:
    """Start a cluster of processes on this machine, with one thread each.

    By default Dask makes workers return freed memory at once, so every array needs
    fresh pages and splitting counts takes half as long again. That is turned off here.
    """
    check_extra("dask")
    import dask
    import distributed

    key = "distributed.nanny.pre-spawn-environ"
    environment = {**dask.config.get(key)}
    environment.pop("MALLOC_TRIM_THRESHOLD_", None)
    with dask.config.set({key: environment}):
        return distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any free port
        )


def bundle(n_groups: int, n_workers: int) -> int:
    """Number of groups in a task: those of a node of the tree, two tasks per worker.

    So parts are added up where they are made, and the number of tasks depends on the
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


def _work(task: Task, orders: list[Order], given: str) -> Node:
    """Do a task on some groups, on a worker; this may happen twice."""
    workers, shared, results = _here(threading.get_ident()), read(given), []
    tree = None if task.add is None else Tree(task.add)
    for group, known, place, own in orders:
        state = None if known is None else read(known)
        new, result, part = task.do(
            group.open(), state, workers, *shared, *pickle.loads(own)
        )
        if new is not state:
            write(place, new)
        results.append((result, new is not state))
        if tree is not None:
            tree.put(tree.add([part]))
    total = None if tree is None else tree.total()
    return [pickle.dumps(results)], Packed.of(total)


@lru_cache
def _here(thread: int) -> Inline:
    """The engine of a thread; no other thread may use its memory."""
    return Inline()


def _node(add: Add | None, nodes: list[Node]) -> Node:
    """Concatenated results of several nodes of the tree, and the sum of their parts."""
    results = [result for node, _ in nodes for result in node]
    parts = [part for _, part in nodes]
    if add is None or len(parts) == 1:
        return results, parts[0]
    return results, Packed.of(add([part.open() for part in parts]))


def _is_idle(sent: Sent, workers: Mapping[str, Sequence[str]]) -> bool:
    """Whether a worker is gone and no other one works on the unfinished round."""
    is_done = all(node.status == "finished" for node in sent.nodes)
    at_work = any(sent.keys.intersection(works) for works in workers.values())
    return bool(sent.workers - workers.keys()) and not (is_done or at_work)


def _explained(error: Exception) -> Exception:
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(
            "The scratch folder must be one that all workers of the Dask cluster see, "
            f"but one of them does not have {error.filename}; name another folder."
        )
    is_of_network = isinstance(error, ConnectionError | TimeoutError) or (
        isinstance(error, OSError) and error.errno is None
    )
    return _gone(error) if is_of_network else error


def _gone(error: Exception | None) -> ConnectionError:
    why = f" ({error})" if isinstance(error, OSError) else ""
    return ConnectionError(
        "The Dask cluster must stay up until the fit is done, but its scheduler is "
        f"gone, or the client was closed{why}; start it again and continue from the "
        "checkpoint."
    )


def _given_up(error: Exception, is_killed: bool) -> ConnectionError:
    if is_killed:
        return ConnectionError(
            "Workers of the Dask cluster must live until their work is done, but all "
            f"those that got the same task died, {_TRIES} times; see their logs, give "
            "them more memory, and continue from the checkpoint."
        )
    return ConnectionError(
        "The Dask cluster must keep its tasks until they are done, but it lost the "
        f"same work {_TRIES} times ({type(error).__name__}); continue from the "
        "checkpoint."
    )
