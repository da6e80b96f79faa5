"""The server as a process: many clients, slow ones, and its end."""

import select
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.cli.runner import run
from tests.server.asking import MODEL, ask, make_app, over_http, server, slow_server

pytest.importorskip("uvicorn", reason="serving needs uvicorn")
TEXTS = {"texts": ["boats sailing trees", "foxes and roots", ""]}
TOO_SLOW = (
    b"POST /infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
)


HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


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


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def refuses(running):
    """Whether it takes no connection any more, as it has heard a signal."""
    try:
        connect(running).close()
    except ConnectionError:
        return True
    return False


def memory(running, field):
    """Bytes of memory of a process: VmRSS now, VmHWM at most so far."""
    status = Path(f"/proc/{running.pid}/status").read_text()
    return 1024 * int(status.split(f"{field}:")[1].split()[0])


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


BODY = TOO_SLOW + b"Content-Length: 1000\r\n\r\n"


@pytest.fixture(scope="module")
def impatient():
    with slow_server(0, seconds=1.0) as running:
        yield running


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"", b""),
        (b"P", b""),
        (TOO_SLOW, b"X-A: b\r\n"),
        (b"", b"x"),
        (BODY, b""),
        (BODY, b" "),
        (BODY.replace(b"POST", b"GET"), b" "),  # which is answered before it is here
        (BODY + b" " * 1000, b""),  # idle after an answer
        (BODY + b" " * 1000, b"x"),
    ],
)
def test_what_never_ends_to_arrive_is_cut_off(impatient, begin, more):
    with connect(impatient) as connection:
        began = time.monotonic()
        connection.settimeout(0.2)
        connection.sendall(begin)
        while True:  # a byte now and then: never silent, never finished
            try:
                connection.sendall(more)
                if connection.recv(1000) == b"":
                    break
            except TimeoutError:
                assert time.monotonic() - began < 60
            except ConnectionError:
                break
        assert time.monotonic() - began > 0.9


def test_clients_that_do_not_read_are_cut_off_and_health_goes_on():
    ask_for_topics = b"GET /topics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with slow_server(0, answer=100_000, seconds=2.0) as running, ExitStack() as stack:
        gone = select.poll()
        for _ in range(24):
            connection = stack.enter_context(connect(running))
            connection.sendall(315 * ask_for_topics)
            gone.register(connection, 0)  # of errors alone: what came stays unread
        began = time.monotonic()
        while len(gone.poll(0)) < 24:
            assert over_http(running, "/health", timeout=20)[0] == 200
            assert time.monotonic() - began < 60
            time.sleep(0.05)


def test_a_client_that_sends_far_ahead_is_cut_off(serving):
    with connect(serving) as connection, pytest.raises(ConnectionError):
        connection.sendall(TOO_SLOW + b"Content-Length: 2\r\n\r\n{}")
        for _ in range(1000):
            connection.sendall(
                b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2000
            )


def test_pipelined_requests_are_answered_in_order(serving):
    ask_for = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
    many = ask_for % (b"health", b"") * 300 + ask_for % (b"x", b"Connection: close\r\n")
    answers = raw(serving, many).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"200"] * 300 + [b"404"]


def test_no_more_connections_than_allowed():
    with slow_server(0, connections=5) as running, ExitStack() as stack:
        kept = [stack.enter_context(connect(running)) for _ in range(5)]
        for connection in kept:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        answer = raw(running, b"")
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"\r\nRetry-After: 1\r\n" in answer
        message = b'{"error": "There are too many connections; try again soon."}'
        assert answer.endswith(message)
        kept[0].close()
        wait_for(lambda: raw(running, HEALTH).startswith(b"HTTP/1.1 200 "))


def test_the_process_tells_no_other_site(serving):
    for host in (b"localhost", b"127.0.0.1:8000", b"[::1]"):
        answer = raw(serving, HEALTH.replace(b"localhost", host))
        assert answer.startswith(b"HTTP/1.1 200 ")
    answer = raw(serving, HEALTH.replace(b"localhost", b"attacker.example:8000"))
    assert answer.startswith(b"HTTP/1.1 421 Misdirected Request\r\n")
    for name, status in ((b"localhost:1", b"200"), (b"attacker.example", b"421")):
        whole = HEALTH.replace(b" /health", b" http://" + name + b"/health")
        assert raw(serving, whole).split()[1] == status


def test_an_allowed_host():
    with server("--allowed-host", "Topics.Example") as running:
        answer = raw(running, HEALTH.replace(b"localhost", b"topics.example:8000"))
        assert answer.startswith(b"HTTP/1.1 200 ")
        answer = raw(running, HEALTH.replace(b"localhost", b"example"))
        assert answer.startswith(b"HTTP/1.1 421 ")


def test_head_has_the_head_alone(serving):
    head = raw(serving, HEALTH.replace(b"GET", b"HEAD"))
    whole = raw(serving, HEALTH)
    length = b"\r\ncontent-length: %d\r\n" % len(whole.partition(b"\r\n\r\n")[2])
    assert length in head
    assert length in whole
    assert head.endswith(b"\r\n\r\n")


def counts(n):
    entries = b",".join(b'"w%d":1' % word for word in range(n))
    return b'{"counts": [{' + entries + b"}]}"


def words(n):
    text = b" ".join(b"%x" % word for word in range(n, n + 160_000))
    return b'"' + text[:990_000] + b'"'


EXPANDING = {  # each about 7.5 MB
    "short texts": b'{"texts": [' + b'"a",' * 1_900_000 + b'"a"]}',
    "words": b'{"texts": [' + b",".join(words(n * 10**6) for n in range(1, 8)) + b"]}",
    "emoji": '{"texts": ["\N{GRINNING FACE}'.encode() + b"a" * 7_500_000 + b'"]}',
    "brackets": b'{"texts": ' + b"[" * 7_500_000,
    "lists": b'{"texts": [' + b"[]," * 2_500_000 + b"[]]}",
    "lists in counts": b'{"counts": [{"a": [' + b"[]," * 2_500_000 + b"[]]}]}",
    "counts": counts(650_000),
    "fewer counts": counts(520_000),
}


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
def test_memory_is_bounded():
    with server("--jobs", 2) as running, ThreadPoolExecutor(18) as pool:
        before = memory(running, "VmRSS")
        for body in EXPANDING.values():
            head = TOO_SLOW + b"Connection: close\r\nContent-Length: %d\r\n\r\n"
            whole = head % len(body) + body
            answers = [pool.submit(raw, running, whole) for _ in range(18)]
            statuses = {answer.result().split()[1] for answer in answers}
            assert statuses <= {b"200", b"400", b"413", b"503"}
            assert memory(running, "VmHWM") - before < 512 * 2**20


def test_too_large(serving):
    body = {"texts": ["x" * 150_000]}
    assert over_http(serving, "/infer", body)[::2] == (
        413,
        {"error": "The body may have at most 100,000 bytes."},
    )
    answer = raw(serving, TOO_SLOW + b"Content-Length: 999999999\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"\r\nx-content-type-options: nosniff\r\n" in answer
    assert answer.endswith(b'{"error": "The body may have at most 100,000 bytes."}')
    head = (TOO_SLOW + b"X: ").ljust(16 * 1024 + 200, b"y")
    for rest in (b"", b"\r\nConnection: close\r\n\r\n"):
        answer = raw(serving, head + rest)
        assert answer.startswith(b"HTTP/1.1 431 ")
        assert b'\r\n\r\n{"error": "' in answer


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET /topics HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET /topics HTTP/1.1\r\n\r\n",
        b"GET /topics HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET /topics HTTP/1.0\r\n\r\n",
        TOO_SLOW + b"Content-Length: -5\r\n\r\n",
        TOO_SLOW + b"Transfer-Encoding: gzip\r\n\r\n",
        TOO_SLOW + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_no_http_is_refused(serving, data):
    answer = raw(serving, data)
    assert answer.split()[1] in (b"400", b"501")
    assert b"\r\nx-content-type-options: nosniff\r\n" in answer.lower()
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
            wait_for(lambda: refuses(running))
            assert client.result()[::2] == (200, {"topics": [[], [], []]})
            assert running.wait(120) == 0
        assert running.stderr.read() == "dropped 0\n"


def test_a_body_that_arrives_is_waited_for_at_the_end():
    body = b'{"texts": [""]}'
    with slow_server(0, grace=600) as running, connect(running) as connection:
        connection.sendall(TOO_SLOW + b"Content-Length: %d\r\n\r\n" % len(body))
        connection.sendall(body[:5])
        time.sleep(0.2)
        running.send_signal(signal.SIGTERM)
        wait_for(lambda: refuses(running))
        connection.sendall(body[5:])
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.endswith(b'{"topics": [[]]}')
        assert running.wait(60) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_at_once(number):
    with slow_server(600, grace=600) as running, ThreadPoolExecutor(1) as pool:
        client = pool.submit(over_http, running, "/infer", TEXTS)
        assert running.stderr.readline() == "began\n"
        running.send_signal(number)
        wait_for(lambda: refuses(running))
        running.send_signal(number)
        assert running.wait(20) == -number
        assert isinstance(client.exception(), ConnectionError)


def test_a_client_that_does_not_read_is_dropped_at_the_end():
    with slow_server(0, answer=50_000_000, grace=0.5) as running:
        with connect(running) as connection:
            connection.sendall(b"GET /topics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(1) == b"H"
            running.send_signal(signal.SIGTERM)
            assert running.wait(20) == 0
        assert running.stderr.read() == "dropped 1\n"


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
