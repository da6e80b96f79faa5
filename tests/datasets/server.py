"""A server on this machine that answers each request as it is told to."""

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Told:
    """The address of a server, and the requests it has got."""

    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}/file"
        self.requests = []


@contextmanager
def serve(*answers):
    """Answer the first request with the first answer, ...; the last one for the rest.

    An answer is a function of the handler, such as those below.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            told.requests.append(dict(self.headers))
            answers[min(len(told.requests), len(answers)) - 1](self)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told = Told(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def body(raw, *, length=None, sent=None, **headers):
    """Announce `length` bytes, send the first `sent`, and close."""

    def answer(handler):
        handler.send_response(200)
        announced = len(raw) if length is None else length
        handler.send_header("Content-Length", str(announced))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(raw[:sent])

    return answer


def without_length(raw):
    def answer(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(raw)

    return answer


def status(code, **headers):
    def answer(handler):
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def hang(seconds):
    def answer(handler):
        time.sleep(seconds)

    return answer
