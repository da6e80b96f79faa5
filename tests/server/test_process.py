"""The server as a process: many clients, slow ones, and its end."""

import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.cli.runner import run
from tests.server.asking import MODEL, ask, make_app, over_http, server, slow_server

pytest.importorskip("waitress", reason="serving needs waitress")
TEXTS = {"texts": ["boats sailing trees", "foxes and roots", ""]}
TOO_SLOW = b"POST /infer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def serving():
    with server("--jobs", 2, "--queue", 50, "--max-bytes", 100_000) as running:
        yield running


def connect(running):
    return socket.create_connection(("127.0.0.1", running.port), timeout=20)


def raw(running, data):
    """Return all that comes back until the server hangs up."""
    with connect(running) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_many_clients_get_the_same_answer(serving):
    wanted = ask(make_app(), "/infer", TEXTS)[2]
    with ThreadPoolExecutor(16) as pool:
        answers = pool.map(lambda _: over_http(serving, "/infer", TEXTS), range(200))
        assert all(answer[::2] == (200, wanted) for answer in answers)


def test_slow_clients_block_no_one(serving):
    slow = [connect(serving) for _ in range(150)]  # more than there are threads
    try:
        for connection in slow:
            connection.sendall(TOO_SLOW)
        assert over_http(serving, "/infer", TEXTS)[0] == 200
        assert over_http(serving, "/health")[0] == 200
        for connection in slow:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):  # it is still waited for
                connection.recv(1)
    finally:
        for connection in slow:
            connection.close()


def test_a_request_that_never_ends_to_arrive_is_cut_off():
    with slow_server(0, seconds=1.0) as running, connect(running) as connection:
        began = time.monotonic()
        connection.sendall(TOO_SLOW)
        connection.settimeout(0.2)
        while True:  # a byte now and then: never silent, never finished
            try:
                connection.sendall(b"X-A: b\r\n")
                if connection.recv(100) == b"":
                    break
            except TimeoutError:
                assert time.monotonic() - began < 120
            except ConnectionError:
                break
        assert time.monotonic() - began > 0.9


def test_too_large(serving):
    body = {"texts": ["x" * 150_000]}
    assert over_http(serving, "/infer", body)[::2] == (
        413,
        {"error": "The body may have at most 100,000 bytes."},
    )
    answer = raw(serving, TOO_SLOW + b"Content-Length: 999999999\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"\r\nX-Content-Type-Options: nosniff\r\n" in answer
    assert b'{"error": "Request Entity Too Large: ' in answer
    head = (TOO_SLOW + b"X: ").ljust(16 * 1024, b"y")
    assert raw(serving, head).startswith(b"HTTP/1.0 431 ")


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET /topics HTTP/1.1\r\nbad header\r\n\r\n",
        b"POST /infer HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /infer HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /infer HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_no_http_is_refused(serving, data):
    answer = raw(serving, data)
    assert answer.split()[1] in (b"400", b"501")
    assert b'{"error": "' in answer
    assert over_http(serving, "/health")[0] == 200


def test_chunks_are_read(serving):
    body = b'{"texts": [""]}'
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = TOO_SLOW + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert raw(serving, head + chunk).endswith(b'{"topics": [[]]}')


def test_too_many_at_once_get_503_and_health_goes_on():
    with slow_server(4, jobs=1, queue=1) as running, ThreadPoolExecutor(30) as pool:
        clients = [pool.submit(over_http, running, "/infer", TEXTS) for _ in range(30)]
        assert running.stderr.readline() == "began\n"
        assert over_http(running, "/health")[0] == 200
        done = [client.result()[0] for client in clients if client.done()]
        assert 200 not in done  # the first one still sleeps
        answers = [client.result() for client in clients]
    statuses = [status for status, _, _ in answers]
    assert statuses.count(200) >= 2
    assert set(statuses) == {200, 503}
    assert all(
        headers.get("Retry-After") == "1" for s, headers, _ in answers if s > 200
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_runs_is_finished_before_the_end(number):
    with slow_server(1.5, grace=600) as running, ThreadPoolExecutor(1) as pool:
        with connect(running):  # an idle connection does not hold it up
            client = pool.submit(over_http, running, "/infer", TEXTS)
            assert running.stderr.readline() == "began\n"
            running.send_signal(number)
            with pytest.raises(ConnectionError):
                while True:  # until it has heard the signal
                    connect(running).close()
                    time.sleep(0.05)
            assert client.result()[::2] == (200, {"topics": [[], [], []]})
            assert running.wait(120) == 0
        assert running.stderr.read() == "dropped 0\n"


def test_what_does_not_end_is_dropped():
    with slow_server(60, grace=0.5) as running, ThreadPoolExecutor(1) as pool:
        client = pool.submit(over_http, running, "/infer", TEXTS)
        assert running.stderr.readline() == "began\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait(10) == 0
        assert isinstance(client.exception(), ConnectionError)
        assert running.stderr.read() == "dropped 1\n"


def test_the_command_ends_well_and_quietly():
    with server() as running:
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0
        assert running.stderr.read() == ""


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", MODEL, "--port", port)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: 127.0.0.1:{port}: address already in use.\n"


def test_no_model(tmp_path):
    result = run("serve", tmp_path / "nothing", "--port", 0)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1


def test_nothing_is_compiled_after_the_warm_up():
    program = """
import gc
from numba.core.dispatcher import Dispatcher
from leantopics import load_model
from leantopics.server.inference import Inference
def compiled():
    found = [d for d in gc.get_objects() if isinstance(d, Dispatcher)]
    return sorted((str(d.py_func), len(d.signatures)) for d in found)
infer = Inference(load_model(MODEL))
infer.warm_up()
before = compiled()
words = infer._model.vocabulary_
texts = [" ".join(words[n : n + k]) for n in range(len(words)) for k in (1, 5, 20)]
found = infer([*texts, "", "xyzzy"], float("inf"))
assert {len(topics) for topics in found} > {0, 1}
infer([{}, {words[0]: 2, words[-1]: 0.5}], float("inf"))
assert compiled() == before
"""
    program = program.replace("MODEL", repr(str(MODEL)))
    subprocess.run([sys.executable, "-c", program], check=True)
