"""The WSGI application: routes, limits, and answers in JSON."""

import json
import logging
import threading
import time
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from leantopics.server.inference import Inference
from leantopics.server.limits import GREATEST_COUNT, Limits

_LOG = logging.getLogger("leantopics")
HEADERS = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}
"""Of every answer."""
_SOON = {"Retry-After": "1"}


class RequestError(Exception):
    """An answer other than the one that was asked for."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.headers = HTTPStatus(status), dict(headers or {})


class App:
    """The application, for any WSGI server with threads.

    Parameters
    ----------
    infer : Inference
        What finds topics.
    topics, facts : dict
        What ``/topics`` and ``/model`` tell.
    limits : Limits
        The server needs more than ``jobs + queue`` threads to tell when there is more.
    """

    def __init__(
        self,
        infer: Inference,
        topics: dict[str, Any],
        facts: dict[str, Any],
        limits: Limits,
    ) -> None:
        self._infer, self._limits = infer, limits
        self._pages = {
            "/health": {"status": "alive"},
            "/topics": topics,
            "/model": facts,
            "/openapi.json": describe(limits, infer.takes_texts),
        }
        self._room = threading.BoundedSemaphore(limits.jobs + limits.queue)
        self._work = threading.BoundedSemaphore(limits.jobs)
        self.ready = False

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answer one request."""
        status, more = HTTPStatus.OK, {}
        try:
            body = _json(self._answer(environ))
        except RequestError as refusal:
            status, more = refusal.status, refusal.headers
            body = _json({"error": str(refusal)})
        except Exception:
            _LOG.exception("A request failed.")
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            body = _json({"error": "This should not happen; the server goes on."})
        headers = {**HEADERS, "Content-Length": str(len(body)), **more}
        start_response(f"{status.value} {status.phrase}", list(headers.items()))
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _answer(self, environ: WSGIEnvironment) -> Any:
        path, method = environ.get("PATH_INFO", ""), environ["REQUEST_METHOD"]
        if path not in (*self._pages, "/ready", "/infer"):
            raise RequestError(
                404, "There is nothing here; GET /openapi.json tells what is."
            )
        allowed = ("POST",) if path == "/infer" else ("GET", "HEAD")
        if method not in allowed:
            wanted = " or ".join(allowed)
            message = f"{path} takes {wanted}, got another method."
            raise RequestError(405, message, {"Allow": ", ".join(allowed)})
        if path in self._pages:
            return self._pages[path]
        if not self.ready:
            raise RequestError(503, "The server is not ready; come again soon.", _SOON)
        return self._topics(environ) if path == "/infer" else {"status": "ready"}

    def _topics(self, environ: WSGIEnvironment) -> dict[str, Any]:
        """Find the topics of the documents of a request."""
        deadline = time.monotonic() + self._limits.seconds
        if not self._room.acquire(blocking=False):
            raise RequestError(
                503, "Too many requests at once; come again soon.", _SOON
            )
        try:
            documents = self._documents(_body(environ, self._limits.body))
            if not self._work.acquire(timeout=max(0.0, deadline - time.monotonic())):
                raise TimeoutError
            try:
                return {"topics": self._infer(documents, deadline)}
            finally:
                self._work.release()
        except TimeoutError:
            most = f"{self._limits.seconds:g} seconds"
            message = f"This took more than {most}; ask for fewer documents at once."
            raise RequestError(503, message, _SOON) from None
        finally:
            self._room.release()

    def _documents(self, body: bytes) -> list[Any]:
        """Return the texts or counts of a request, checked."""
        try:
            asked = json.loads(body.decode(), parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise RequestError(400, "The body must be JSON in UTF-8.") from None
        if not (isinstance(asked, dict) and len(asked) == 1):
            raise RequestError(
                400, 'The body must be {"texts": [...]} or {"counts": [...]}.'
            )
        ((field, documents),) = asked.items()
        if field not in ("texts", "counts"):
            raise RequestError(
                400, "The one field must be texts or counts, got another."
            )
        if field == "texts" and not self._infer.takes_texts:
            message = "The model was fitted to counts and cannot cut text into words"
            raise RequestError(400, f"{message}; give counts.")
        if not isinstance(documents, list):
            raise RequestError(
                400, f"{field} must be a list, one entry for each document."
            )
        if len(documents) > self._limits.documents:
            most = f"at most {self._limits.documents:,} documents"
            raise RequestError(
                413, f"A request may have {most}, got {len(documents):,}."
            )
        check = self._check_text if field == "texts" else _check_counts
        for d, document in enumerate(documents):
            check(d, document)
        return documents

    def _check_text(self, d: int, text: object) -> None:
        if not isinstance(text, str):
            raise RequestError(400, f"Each text must be a string, number {d} is not.")
        if len(text) > self._limits.characters:
            most = f"at most {self._limits.characters:,} characters"
            raise RequestError(
                413, f"A text may have {most}, number {d} has {len(text):,}."
            )
        try:
            text.encode()
        except UnicodeEncodeError:
            message = f"Each text must be Unicode, number {d} has half a character."
            raise RequestError(400, message) from None


def describe(limits: Limits, takes_texts: bool) -> dict[str, Any]:
    """Return the OpenAPI description under these limits."""
    text = files("leantopics.server").joinpath("openapi.json").read_text("utf-8")
    description: dict[str, Any] = json.loads(text)
    schemas = description["components"]["schemas"]
    for name, field in (("Texts", "texts"), ("Counts", "counts")):
        schemas[name]["properties"][field]["maxItems"] = limits.documents
    schemas["Texts"]["properties"]["texts"]["items"]["maxLength"] = limits.characters
    if not takes_texts:
        del schemas["Texts"], schemas["Documents"]["oneOf"][0]
    return description


def _body(environ: WSGIEnvironment, most: int) -> bytes:
    """Return the body of a request."""
    if environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower() != (
        "application/json"
    ):
        raise RequestError(415, "The content type must be application/json.")
    length = environ.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdecimal()):
        raise RequestError(400, "The content length must be a whole number.")
    if len(length) > 18 or int(length) > most:
        raise RequestError(413, f"The body may have at most {most:,} bytes.")
    body: bytes = environ["wsgi.input"].read(int(length))
    return body


def _check_counts(d: int, counts: object) -> None:
    if not (isinstance(counts, dict) and all(map(_is_count, counts.values()))):
        message = f"numbers from 0 to 2^53 by word, number {d} is not"
        raise RequestError(400, f"Each entry of counts must be {message}.")


def _is_count(n: object) -> bool:
    return type(n) in (int, float) and 0 <= n <= GREATEST_COUNT  # type: ignore[operator]


def _no_number(name: str) -> None:
    raise ValueError(name)


def _json(answer: Any) -> bytes:
    return json.dumps(answer, allow_nan=False).encode()
