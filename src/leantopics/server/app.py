"""The application: routes, limits, and answers in JSON."""

import logging
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import accumulate, chain, pairwise
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from leantopics.server.description import describe
from leantopics.server.documents import read_documents
from leantopics.server.hosts import Hosts
from leantopics.server.inference import Inference
from leantopics.server.limits import HEADERS as MOST_HEADERS
from leantopics.server.limits import Limits
from leantopics.server.line import Asked, Line, too_many
from leantopics.server.refusals import HEADERS, SOON, RequestError, as_json

_LOG = logging.getLogger("leantopics")
_ADDRESS = re.compile(r"https?://([^/]*)(/.*)?", re.IGNORECASE | re.DOTALL)


class App:
    """The application, for ASGI.

    ``topics`` and ``facts`` are the answers of ``/topics`` and ``/model``.
    """

    def __init__(
        self,
        infer: Inference,
        topics: dict[str, Any],
        facts: dict[str, Any],
        limits: Limits,
        hosts: Hosts,
    ) -> None:
        self._infer, self._limits, self._hosts = infer, limits, hosts
        self._line, self._reading = Line(limits, self._work), threading.Lock()
        self._held = 0
        self.ready = False
        pages = {
            "/health": {"status": "alive"},
            "/topics": topics,
            "/model": facts,
            "/openapi.json": describe(limits, infer.takes_texts),
        }
        self._routes = Starlette(
            routes=[
                *(Route(path, _page(answer)) for path, answer in pages.items()),
                Route("/ready", self._is_ready),
                Route("/infer", self._topics, methods=["POST"]),
            ],
            exception_handlers={HTTPException: _not_here, RequestError: _refused},
        )
        self._routes.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            scope = self._checked(scope)
        except RequestError as error:
            await _refusal(error)(scope, receive, send)
        else:
            await self._routes(scope, receive, send)

    def _checked(self, scope: Scope) -> Scope:
        """Check the head of a request; its target may be a whole address."""
        headers = scope["headers"]
        if sum(len(name) + len(value) + 4 for name, value in headers) > MOST_HEADERS:
            raise RequestError(
                431, f"The headers may have at most {MOST_HEADERS:,} bytes."
            )
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        whole = _ADDRESS.fullmatch(scope["path"])
        if whole:
            self._hosts.check(whole[1])
            scope = {**scope, "path": whole[2] or "/"}
        self._hosts.check(", ".join(hosts))
        return scope

    async def _is_ready(self, request: Request) -> Response:
        self._check_ready()
        return _response(as_json({"status": "ready"}))

    def _check_ready(self) -> None:
        if not self.ready:
            raise RequestError(503, "The server is not ready; try again soon.", SOON)

    async def _topics(self, request: Request) -> Response:
        """Find the topics of the documents of a request."""
        self._check_ready()
        try:
            async with self._body(request) as body:
                return _response(await self._line(body))
        except RequestError:
            raise
        except ClientDisconnect:
            raise RequestError(400, "The request must arrive in full.") from None
        except TimeoutError:
            most = f"{self._limits.seconds:g} seconds"
            message = f"This took more than {most}; ask for fewer documents at once."
            raise RequestError(503, message, SOON) from None
        except Exception:
            _LOG.exception("A request failed.")
            message = (
                "The server could not answer this request, but it still answers others."
            )
            raise RequestError(500, message) from None

    @asynccontextmanager
    async def _body(self, request: Request) -> AsyncIterator[bytearray]:
        """Read a body, which counts as held until the request is answered.

        A body that is too large is read to its end, unless it is much too large: a
        client that is cut off while it sends does not see why.
        """
        most, body, size = self._limits.body, bytearray(), 0
        too_large = RequestError(413, f"The body may have at most {most:,} bytes.")
        far = RequestError(413, str(too_large), {"Connection": "close"})
        _check_type(request.headers.get("content-type", ""))
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()):
            raise RequestError(400, "The content length must be a whole number.")
        announced = int(length[:18])
        if announced > 2 * most:
            raise far
        refusal = too_large if announced > most else None
        try:
            async for part in request.stream():
                size += len(part)
                if size > 2 * most:
                    raise far
                if size > most:
                    refusal = too_large
                elif self._held + len(part) > self._limits.held:
                    refusal = too_many()
                if refusal is None:
                    body += part
                    self._held += len(part)
                else:
                    self._held -= len(body)
                    body.clear()
            if refusal is not None:
                raise refusal
            yield body
        finally:
            self._held -= len(body)

    def _work(self, batch: list[Asked]) -> list[bytes | Exception]:
        """Answer requests together in a thread, or each alone if one of them fails."""
        try:
            read = [self._read(asked.body) for asked in batch]
            due = min(asked.due for asked in batch)
            found = self._infer(list(chain.from_iterable(read)), due)
            ends = accumulate(map(len, read), initial=0)
            return [as_json({"topics": found[i:j]}) for i, j in pairwise(ends)]
        except Exception as error:
            if len(batch) == 1:
                return [error]
            return [answer for asked in batch for answer in self._work([asked])]

    def _read(self, body: bytes | bytearray) -> list[Any]:
        infer = self._infer
        with self._reading:  # one at a time, as this takes the most memory
            return read_documents(body, self._limits, infer.takes_texts, infer.row)


def _page(answer: Any) -> Callable[[Request], Awaitable[Response]]:
    body = as_json(answer)

    async def page(request: Request) -> Response:
        return _response(body)

    return page


def _response(body: bytes, status: int = 200, **headers: str) -> Response:
    return Response(body, status, {**HEADERS, **headers})


def _refusal(error: RequestError) -> Response:
    return _response(as_json({"error": str(error)}), error.status, **error.headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    return _refusal(error)


async def _not_here(request: Request, error: Exception) -> Response:
    """Refuse a path or method that Starlette has no route for."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        message = (
            "There is nothing at this path; GET /openapi.json lists what there is."
        )
        return _refusal(RequestError(404, message))
    allowed = sorted((error.headers or {})["Allow"].split(", "))
    message = f"{request.url.path} takes {' or '.join(allowed)}, got another method."
    return _refusal(RequestError(405, message, {"Allow": ", ".join(allowed)}))


def _check_type(content_type: str) -> None:
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(
            415, f"The content type must be application/json, got {kind[:40]!r}."
        )
