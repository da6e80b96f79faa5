"""The queue of requests that wait for a thread."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeAlias

from leantopics.server.limits import Limits
from leantopics.server.refusals import SOON, RequestError

_TOGETHER = 64 * 1024
"""Bytes of the bodies that one thread takes at once."""


class Asked:
    """The body of a request, and when its answer is due by `time.monotonic`."""

    def __init__(self, body: bytes | bytearray, due: float) -> None:
        self.body, self.due = body, due
        self.answer = asyncio.get_running_loop().create_future()


Work: TypeAlias = Callable[[list[Asked]], list[bytes | Exception]]


class Line:
    """Gives requests to threads in order, several small ones at a time.

    Several documents take little longer than one, as most of the time is spent in
    Python around the arithmetic. A large request is given alone.

    ``work`` answers requests, in several threads, and raises nothing.

    Examples
    --------
    >>> line = Line(Limits(), lambda batch: [asked.body.upper() for asked in batch])
    >>> asyncio.run(line(b"boats"))
    b'BOATS'
    """

    def __init__(self, limits: Limits, work: Work) -> None:
        self._limits, self._work, self._free = limits, work, limits.jobs
        self._waiting: list[Asked] = []
        self._requests = 0
        self._begun = SimpleQueue[tuple[list[Asked], asyncio.AbstractEventLoop]]()
        for _ in range(limits.jobs):  # daemons do not delay the exit
            threading.Thread(target=self._serve, daemon=True).start()

    async def __call__(self, body: bytes | bytearray) -> bytes:
        """Return the answer to a request."""
        if self._requests == self._limits.jobs + self._limits.queue:
            raise too_many()
        asked = Asked(body, time.monotonic() + self._limits.seconds)
        self._requests += 1
        self._waiting.append(asked)
        try:
            self._begin()
            await asyncio.wait([asked.answer], timeout=self._limits.seconds)
            if asked in self._waiting:
                self._waiting.remove(asked)
                raise TimeoutError
            answer: bytes = await asked.answer
            return answer
        finally:
            self._requests -= 1

    def _begin(self) -> None:
        """Give waiting requests to free threads."""
        while self._free and self._waiting:
            self._free -= 1
            self._begun.put((self._next(), asyncio.get_running_loop()))

    def _next(self) -> list[Asked]:
        """Take the first waiting request, and small ones that follow it."""
        batch = [self._waiting.pop(0)]
        size = len(batch[0].body)
        while self._waiting and size + len(self._waiting[0].body) <= _TOGETHER:
            batch.append(self._waiting.pop(0))
            size += len(batch[-1].body)
        return batch

    def _serve(self) -> None:
        """Answer requests, as one of the threads."""
        while True:
            self._do(*self._begun.get())

    def _do(self, batch: list[Asked], loop: asyncio.AbstractEventLoop) -> None:
        answers = self._work(batch)
        with suppress(RuntimeError):  # the server has ended without waiting for this
            loop.call_soon_threadsafe(self._end, batch, answers)

    def _end(self, batch: list[Asked], answers: list[bytes | Exception]) -> None:
        for asked, answer in zip(batch, answers, strict=True):
            if asked.answer.done():
                continue
            if isinstance(answer, Exception):
                asked.answer.set_exception(answer)
            else:
                asked.answer.set_result(answer)
        self._free += 1
        self._begin()


def too_many() -> RequestError:
    """Refuse a request for which there is no room."""
    return RequestError(503, "There are too many requests; try again soon.", SOON)
