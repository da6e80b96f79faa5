"""A connection of uvicorn with time limits for the client."""

import asyncio
import os
import socket
import struct
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from leantopics.server.limits import AHEAD, Limits
from leantopics.server.refusals import SOON, RequestError, raw

_NOT_AT_ALL = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
"""Option of the socket: drop unsent data when the connection ends."""


class Connection(H11Protocol):
    """A connection that a slow or greedy client cannot hold.

    Uvicorn itself waits forever for a request to arrive and for an answer to be read.
    Here both have a time limit, and so do idle connections.
    """

    def __init__(self, *args: Any, limits: Limits, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._arrives: asyncio.TimerHandle | None = None
        self._leaves: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a first request, unless there are too many connections."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(
            high=0
        )  # an answer waits for the one before it
        self._set(
            socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
        )  # a body follows its head at once
        self.timeout_keep_alive_task = self.loop.call_later(
            self._limits.seconds, self.timeout_keep_alive_handler
        )
        if len(self.connections) > self._limits.connections:
            message = "There are too many connections; try again soon."
            self._end(RequestError(503, message, SOON))

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers of this connection."""
        _stop(self._arrives)
        _stop(self._leaves)
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Handle what has arrived, and check whether the request is complete."""
        super().handle_events()
        if self.transport.is_closing():
            return
        state, ahead = self.conn.their_state, 0
        if state is not h11.SEND_BODY:
            ahead = len(self.conn.trailing_data[0])
        if ahead > AHEAD:
            self.cut_off()
        elif not (state is h11.SEND_BODY or (state is h11.IDLE and ahead)):
            _stop(self._arrives)
            self._arrives = None
        elif self._arrives is None:
            self._arrives = self._cut_off_later()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, with our form of answer."""
        error = sys.exception()
        status = getattr(error, "error_status_hint", 400)
        self._end(RequestError(status, f"The request must be HTTP/1.1, but: {error}."))

    def pause_writing(self) -> None:
        """Start the time limit for the client to read an answer."""
        super().pause_writing()
        self._leaves = self._cut_off_later()

    def resume_writing(self) -> None:
        """Continue: the client has read everything."""
        super().resume_writing()
        _stop(self._leaves)

    def cut_off(self) -> None:
        """End at once, and drop unsent data, here and in the system."""
        self._set(socket.SOL_SOCKET, socket.SO_LINGER, _NOT_AT_ALL)
        self.transport.abort()

    def _cut_off_later(self) -> asyncio.TimerHandle:
        return self.loop.call_later(self._limits.seconds, self.cut_off)

    def _set(self, level: int, option: int, value: int | bytes) -> None:
        self.transport.get_extra_info("socket").setsockopt(level, option, value)

    def _end(self, refusal: RequestError) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.cut_off()
                return
        self.transport.write(raw(refusal))
        self.transport.close()


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
