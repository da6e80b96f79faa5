"""Refusals of requests: a status and a sentence."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

HEADERS = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every answer."""
SOON = {"Retry-After": "1"}


class RequestError(Exception):
    """A request that is refused, with a status, a sentence and headers."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.headers = HTTPStatus(status), dict(headers or {})


def as_json(answer: Any) -> bytes:
    """Encode an answer.

    Examples
    --------
    >>> as_json({"topics": [[(0, 1.0)]]})
    b'{"topics": [[[0, 1.0]]]}'
    """
    return json.dumps(answer, allow_nan=False).encode()


def raw(error: RequestError) -> bytes:
    r"""Encode a refusal as a complete answer, after which the connection is closed.

    Examples
    --------
    >>> raw(RequestError(400, "This is no HTTP.")).splitlines()[0]
    b'HTTP/1.1 400 Bad Request'
    """
    body = as_json({"error": str(error)})
    headers = {
        **HEADERS,
        **error.headers,
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    lines = [f"HTTP/1.1 {error.status.value} {error.status.phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
