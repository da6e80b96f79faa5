"""Ways to ask: the application itself, or a process over a socket."""

import http.client
import io
import json
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from leantopics import load_model
from leantopics.cli.topics import topics_document
from leantopics.describe import describe_model
from leantopics.server.app import App
from leantopics.server.inference import Inference
from leantopics.server.limits import Limits

SAMPLES = Path(__file__).parents[1] / "samples" / "4"
MODEL = SAMPLES / "model"
JSON = "application/json"


def make_app(path=MODEL, infer=None, **limits):
    model = load_model(path)
    infer = infer or Inference(model)
    topics = topics_document(model, 10, "salience")
    app = App(infer, topics, describe_model(path), Limits(**limits))
    app.ready = True
    return app


def ask(app, path, body=None, *, method=None, content_type=JSON, length=None):
    """Return status, headers and answer of the application."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    environ = {
        "REQUEST_METHOD": method or ("GET" if body is None else "POST"),
        "PATH_INFO": path,
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body or b"")) if length is None else length,
        "wsgi.input": io.BytesIO(body or b""),
    }
    got = []
    parts = app(environ, lambda status, headers: got.extend([status, dict(headers)]))
    text = b"".join(parts)
    return int(got[0][:3]), got[1], json.loads(text) if text else None


class Waiting:
    """In place of inference: says that it began, and ends when it is let go."""

    takes_texts = True

    def __init__(self):
        self.began, self.go = threading.Semaphore(0), threading.Event()

    def __call__(self, documents, deadline):
        self.began.release()
        assert self.go.wait(20)
        return [[] for _ in documents]


_SLOW = """
import sys, time
from leantopics.server.app import App
from leantopics.server.limits import Limits
from leantopics.server.run import listen, run
class Slow:
    takes_texts = True
    def __call__(self, documents, deadline):
        print("began", file=sys.stderr, flush=True)
        time.sleep({sleep})
        return [[] for _ in documents]
limits, listening = Limits(**{limits}), listen("127.0.0.1", 0)
print("http://127.0.0.1:%d;" % listening.getsockname()[1], file=sys.stderr, flush=True)
dropped = run(App(Slow(), {{}}, {{}}, limits), listening, limits, {grace}, lambda: None)
print("dropped", dropped, file=sys.stderr)
"""


def slow_server(sleep, /, grace=20.0, **limits):
    """A process whose inference says on standard error that it began, and sleeps."""
    return process(_SLOW.format(sleep=sleep, limits=limits, grace=grace))


def server(*options, model=MODEL):
    arguments = ["serve", str(model), "--port", "0", *map(str, options)]
    return process(f"from leantopics.cli import main; main({arguments!r})")


@contextmanager
def process(code):
    """Run a server as a process; yields it with its port, ready."""
    with subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            line = running.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+);", line)
            assert found, line + running.stderr.read()
            running.port = int(found[1])
            deadline = time.monotonic() + 200
            while over_http(running, "/ready")[0] != 200:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield running
        finally:
            if running.poll() is None:
                running.kill()


def over_http(running, path, body=None, timeout=60):
    """Return status, headers and answer of a process."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=timeout)
    try:
        if body is None:
            connection.request("GET", path)
        else:
            text = json.dumps(body).encode()
            connection.request("POST", path, text, {"Content-Type": JSON})
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), json.loads(answer.read())
    finally:
        connection.close()
