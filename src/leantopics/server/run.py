"""The server: waitress, with a time for each request to arrive, and an end in peace."""

import json
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask

from leantopics.server.app import HEADERS, App
from leantopics.server.limits import Limits

_SPARE = 4
"""Threads that answer while all others wait for inference."""
_CONNECTIONS = 1000
_HEADER = 16 * 1024


class _Error(ErrorTask):  # type: ignore[misc]
    """What waitress refuses by itself, told in our form."""

    def execute(self) -> None:
        error = self.request.error
        sentence = f"{error.reason}: {error.body}."
        body = json.dumps({"error": sentence}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.extend(HEADERS.items())
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that is closed when a request takes too long to arrive.

    Waitress itself would wait for ever for one that comes byte by byte.
    """

    error_task_class = _Error
    _began = 0.0

    def received(self, data: bytes) -> Any:
        before = self.request
        result = super().received(data)
        if self.request is not before:
            self._began = time.monotonic()
        return result

    def readable(self) -> Any:
        if self.request is not None and self._too_late():
            self.will_close = True
        return super().readable()

    def is_busy(self) -> bool:
        """Whether a request arrives, runs, or is being answered."""
        arrives = self.request is not None
        return arrives or bool(self.requests) or self.total_outbufs_len > 0

    def _too_late(self) -> bool:
        return time.monotonic() - self._began > float(self.adj.channel_timeout)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address, which need not be a number."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, _, _, _, address = found[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        number = error.errno or 0  # negative for names that cannot be resolved
        reason = os.strerror(number) if number > 0 else error.strerror
        raise OSError(number, reason, f"{host}:{port}") from None


def run(
    app: App,
    listening: socket.socket,
    limits: Limits,
    grace: float,
    warm_up: Callable[[], None],
) -> int:
    """Serve until SIGTERM or SIGINT, then finish what has begun.

    Parameters
    ----------
    app : App
        What to serve; it is ready after `warm_up`, whose failure ends the server.
    listening : socket
        Where.
    limits : Limits
        Those of the application.
    grace : float
        Seconds after which requests that are not finished are dropped.
    warm_up : callable
        What to do while the server is alive and not yet ready.

    Returns
    -------
    int
        How many requests were dropped.
    """
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # we tell the client
    server = create_server(
        app,
        sockets=[listening],
        threads=limits.jobs + limits.queue + _SPARE,
        connection_limit=_CONNECTIONS,
        channel_timeout=max(1, round(limits.seconds)),
        cleanup_interval=1,
        max_request_header_size=_HEADER,
        # Up to twice the limit is read, and then refused: a client that is cut off
        # while it sends does not see why.
        max_request_body_size=2 * limits.body + 1,
        asyncore_use_poll=True,
        log_socket_errors=False,  # clients that hang up are no news
        ident="leantopics",
    )
    server.channel_class = _Channel
    ended, failures = threading.Event(), list[Exception]()

    def end(*signal_and_frame: object) -> None:
        ended.set()
        server.pull_trigger()

    def prepare() -> None:
        try:
            warm_up()
            app.ready = True
        except Exception as failure:
            failures.append(failure)
            end()

    before = {s: signal.signal(s, end) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        threading.Thread(target=prepare, daemon=True).start()
        while not ended.is_set():
            wasyncore.loop(timeout=1, use_poll=True, map=server._map, count=1)
    finally:
        for number, handler in before.items():  # a second signal ends at once
            signal.signal(number, handler)
    app.ready = False
    server.del_channel()
    listening.close()
    dropped = _drain(server, time.monotonic() + grace)
    if not dropped:
        server.task_dispatcher.shutdown(timeout=1)
    wasyncore.close_all(server._map)
    if failures:
        raise failures[0]
    return dropped


def _drain(server: Any, deadline: float) -> int:
    """Finish what has begun, and return how many requests the deadline left over."""
    while True:
        for channel in list(server.active_channels.values()):
            if not channel.is_busy():
                channel.handle_close()
        left = len(server.active_channels)
        if not left or time.monotonic() > deadline:
            return left
        wasyncore.loop(timeout=0.05, use_poll=True, map=server._map, count=1)
