"""The server: uvicorn, with a graceful shutdown."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn

from leantopics.server.app import App
from leantopics.server.connection import Connection
from leantopics.server.limits import HEADERS, Limits


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address, which may be a name."""
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
    """Serve until SIGTERM or SIGINT, then finish running requests.

    The application is ready after ``warm_up``, which runs while the server is alive; if
    that fails, the server ends. Requests unfinished ``grace`` seconds after a signal
    are dropped; their number is returned.
    """
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=partial(Connection, limits=limits),  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        proxy_headers=False,
        log_config=None,
        log_level="critical",  # errors of clients go to the clients
        access_log=False,
        headers=[("Server", "leantopics")],
        server_header=False,
        backlog=limits.connections,
        timeout_keep_alive=limits.seconds,  # type: ignore[arg-type]
        h11_max_incomplete_event_size=HEADERS,
    )
    server, failures = _Server(config, app, grace), list[Exception]()

    def prepare() -> None:
        try:
            warm_up()
            app.ready = True
        except Exception as failure:
            failures.append(failure)
            server.should_exit = True

    threading.Thread(target=prepare, daemon=True).start()
    server.run([listening])
    if failures:
        raise failures[0]
    return server.dropped


class _Server(uvicorn.Server):
    """A server that finishes requests after a signal, and counts what it drops."""

    def __init__(self, config: uvicorn.Config, app: App, grace: float) -> None:
        super().__init__(config)
        self._app, self._grace = app, grace
        self.dropped = 0

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Shut down gracefully at the first signal; the second ends the process."""
        numbers = (signal.SIGTERM, signal.SIGINT)

        def end(*signal_and_frame: Any) -> None:
            self.should_exit = True
            for number in numbers:
                signal.signal(number, signal.SIG_DFL)

        before = {number: signal.signal(number, end) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish running requests, and drop those that take too long."""
        self._app.ready = False
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(self._grace, self._drop)
        await super().shutdown(sockets)
        deadline.cancel()

    def _drop(self) -> None:
        self.dropped = len(self.server_state.connections)
        for connection in self.server_state.connections:
            connection.transport.abort()
        self.force_exit = True
