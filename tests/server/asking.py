"""Ways to ask: the application itself, or a process over a socket."""

import asyncio
import http.client
import json
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from leantopics import load_model
from leantopics.analysis.inspection import describe_model
from leantopics.analysis.topics import topics_document
from leantopics.server.app import App
from leantopics.server.hosts import Hosts
from leantopics.server.inference import Inference
from leantopics.server.limits import Limits

SAMPLES = Path(__file__).parents[1] / "samples" / "4"
MODEL = SAMPLES / "model"
JSON = "application/json"


HOST = "localhost"
HOSTS = Hosts("127.0.0.1", ["testserver"])
LOOP = asyncio.new_event_loop()
threading.Thread(target=LOOP.run_forever, daemon=True).start()


def make_app(path=MODEL, infer=None, hosts=HOSTS, **limits):
    model = load_model(path)
    infer = infer or Inference(model)
    topics = topics_document(model, 10, "salience")
    app = App(infer, topics, describe_model(path), Limits(**limits), hosts)
    app.ready = True
    return app


def ask(
    app,
    path,
    body=None,
    *,
    method=None,
    content_type=JSON,
    length=None,
    host=HOST,
    parts=1,
):
    """Return status, headers and answer of the application."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    size = max(1, -(-len(body or b"") // parts))
    cut = [(body or b"")[n : n + size] for n in range(0, len(body or b"x"), size)]
    got = []

    async def receive():
        part = cut.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(cut)}

    async def send(message):
        got.append(message)

    length = str(len(body or b"")) if length is None else length
    headers = {"host": host, "content-type": content_type, "content-length": length}
    scope = {
        "type": "http",
        "method": method or ("GET" if body is None else "POST"),
        "path": path,
        "query_string": b"",
        "headers": [
            (k.encode(), v.encode()) for k, v in headers.items() if v is not None
        ],
    }
    asyncio.run_coroutine_threadsafe(app(scope, receive, send), LOOP).result()
    told = {k.decode().title(): v.decode() for k, v in got[0]["headers"]}
    return got[0]["status"], told, json.loads(b"".join(m["body"] for m in got[1:]))


class Waiting:
    """In place of inference: says that it began, and ends when it is let go."""

    takes_texts, row = True, dict

    def __init__(self):
        self.began, self.go = threading.Semaphore(0), threading.Event()

    def __call__(self, documents, deadline):
        self.began.release()
        assert self.go.wait(20)
        return [[] for _ in documents]


_SLOW = """
import sys, time
from leantopics.server.app import App
from leantopics.server.hosts import Hosts
from leantopics.server.limits import Limits
from leantopics.server.run import listen, run
class Slow:
    takes_texts, row = True, dict
    def __call__(self, documents, deadline):
        print("began", file=sys.stderr, flush=True)
        time.sleep({sleep})
        return [[] for _ in documents]
limits, listening = Limits(**{limits}), listen("127.0.0.1", 0)
print("http://127.0.0.1:%d;" % listening.getsockname()[1], file=sys.stderr, flush=True)
app = App(Slow(), {{"topics": "x" * {answer}}}, {{}}, limits, Hosts("127.0.0.1"))
dropped = run(app, listening, limits, {grace}, lambda: None)
print("dropped", dropped, file=sys.stderr)
"""


def slow_server(sleep, /, grace=20.0, answer=0, **limits):
    """A process whose inference says on standard error that it began, and sleeps.

    Its answer to /topics has so many bytes.
    """
    code = _SLOW.format(sleep=sleep, limits=limits, grace=grace, answer=answer)
    return process(code)


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
        headers = {name.title(): value for name, value in answer.headers.items()}
        return answer.status, headers, json.loads(answer.read())
    finally:
        connection.close()
