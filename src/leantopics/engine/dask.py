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
from collections.abc import Callable, Mapping, Sequence
from concurrent import futures
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from leantopics._extras import check_extra
from leantopics.engine.scratch import Filed, Kept, read, write
from leantopics.engine.threads import FAN_IN, Group, Inline, Round, Tree, Work

PATIENCE = 60.0
"""Seconds to wait for the scheduler to answer and for a worker to appear."""

_TRIES = 5
"""How often a round is sent. Dask itself gives the work of a dead worker to another
one until four workers have died of it, so a second round is rarely needed."""

_LOOK = 1.0
"""Seconds between two looks at the cluster while it works."""

_ANSWER = 5.0
"""Seconds that the scheduler has for one answer."""


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

    def each(
        self,
        work: Work,
        groups: Sequence[Group],
        states: Sequence[Any],
        *shared: Any,
        own: Sequence[Any] | None = None,
        add: Callable[[list[Any]], Any] | None = None,
    ) -> Round:
        """Do a work on every group, if possible on the worker that had it before."""
        places = [self._new() for _ in groups]
        known = [None if state is None else state.path for state in states]
        extra = [()] * len(groups) if own is None else [(each,) for each in own]
        packed = [pickle.dumps(each) for each in extra]
        tasks = list(zip(groups, known, places, packed, strict=True))
        given = Kept(self._new())
        write(given.path, shared)
        results, total = self._done(work, tasks, given.path, add)
        kept = [
            Kept(place) if new else state
            for place, state, (_, new) in zip(places, states, results, strict=True)
        ]
        return Round(kept, [result for result, _ in results], total)

    def _done(
        self,
        work: Work,
        tasks: list[Any],
        given: str,
        add: Callable[[list[Any]], Any] | None,
    ) -> tuple[list[Any], Any]:
        """Results and total of a round; it is sent again if the cluster loses it."""
        for left in reversed(range(_TRIES)):
            sent = Sent(set(self._workers()), [], set())
            try:
                self._send(sent, work, tasks, given, add, left == _TRIES - 1)
                found = self._watched(sent)
                break
            except NoClusterError:
                raise
            except Exception as error:
                is_killed = type(error).__name__ == "KilledWorker"
                if not is_killed and any(one.status == "error" for one in sent.nodes):
                    raise _told(error) from error
                if not left:
                    self._workers()
                    raise _given_up(error, is_killed) from error
            finally:
                for node in sent.nodes:
                    node.release()
        packed, total = _node(add, found)
        return [result for part in packed for result in pickle.loads(part)], total

    def _send(
        self,
        sent: Sent,
        work: Work,
        tasks: list[Any],
        given: str,
        add: Callable[[list[Any]], Any] | None,
        is_first: bool,
    ) -> None:
        """Send a round, without waiting for anything.

        The first time, every task names the worker that has its files in memory. Dask
        may choose another one, but if all are gone it waits for the named one, so later
        rounds do not name any.
        """
        client, size = self._client, bundle(len(tasks), len(sent.workers))
        order = sorted(sent.workers)
        for first in range(0, len(tasks), size):
            node = client.submit(
                _work,
                work,
                tasks[first : first + size],
                add,
                given,
                pure=False,
                workers=[order[first // size % len(order)]] if is_first else None,
                allow_other_workers=is_first,
            )
            sent.nodes.append(node)
            sent.keys.add(node.key)
        while len(sent.nodes) > FAN_IN:
            below = sent.nodes[:]
            sent.nodes.clear()
            for first in range(0, len(below), FAN_IN):
                part = below[first : first + FAN_IN]
                sent.nodes.append(client.submit(_node, add, part, pure=False))
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
                f"{PATIENCE:g} seconds; start one and go on from the checkpoint."
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


def _work(
    work: Work,
    tasks: list[tuple[Group, str | None, str, bytes]],
    add: Callable[[list[Any]], Any] | None,
    given: str,
) -> tuple[list[bytes], Any]:
    """Do a work on some groups, on a worker; this may happen twice.

    The arguments and the result of a group may be thousands of small arrays. Dask would
    send each in a frame of its own, so they are pickled here.
    """
    workers, shared, results = _here(threading.get_ident()), read(given), []
    tree = None if add is None else Tree(add)
    for group, known, place, own in tasks:
        state = None if known is None else read(known)
        new, result, part = work(
            group.open(), state, workers, *shared, *pickle.loads(own)
        )
        if new is not state:
            write(place, new)
        results.append((result, new is not state))
        if add is not None and tree is not None:
            tree.put(add([part]))
    packed = [pickle.dumps(results)]
    return packed, None if tree is None else tree.total()


@lru_cache
def _here(thread: int) -> Inline:
    """The engine of a thread; no other thread may use its memory."""
    return Inline()


def _node(
    add: Callable[[list[Any]], Any] | None, nodes: list[tuple[list[bytes], Any]]
) -> tuple[list[bytes], Any]:
    """Concatenated results of several nodes of the tree, and the sum of their parts."""
    results = [result for node, _ in nodes for result in node]
    parts = [part for _, part in nodes]
    return results, parts[0] if add is None or len(parts) == 1 else add(parts)


def _is_idle(sent: Sent, workers: Mapping[str, Sequence[str]]) -> bool:
    """Whether a worker is gone and no other one works on the unfinished round."""
    is_done = all(node.status == "finished" for node in sent.nodes)
    at_work = any(sent.keys.intersection(works) for works in workers.values())
    return bool(sent.workers - workers.keys()) and not (is_done or at_work)


def _told(error: Exception) -> Exception:
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
        "The Dask cluster must stay until the fit is done, but its scheduler is gone, "
        f"or the client was closed{why}; start it again and go on from the checkpoint."
    )


def _given_up(error: Exception, is_killed: bool) -> ConnectionError:
    if is_killed:
        return ConnectionError(
            "Workers of the Dask cluster must live until their work is done, but all "
            f"those that got the same task died, {_TRIES} times; see their logs, give "
            "them more memory, and go on from the checkpoint."
        )
    return ConnectionError(
        "The Dask cluster must keep its tasks until they are done, but it lost the "
        f"same work {_TRIES} times ({type(error).__name__}); go on from the checkpoint."
    )
