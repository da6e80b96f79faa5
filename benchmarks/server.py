"""Requests of one document each, to a server of a model: rates and times of answers.

leantopics demo --output demo
python benchmarks/server.py demo/model

The clients are one other process, so on two processors they take their share of them.
"""

import argparse
import json
import random
import re
import selectors
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks import machine
from leantopics import load_model

WORDS = 50
DOCUMENTS = 200
WARMING = 2.0


def main() -> None:
    """Start the server and its clients, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--port", type=int, help="only be the clients of this server")
    asked = parser.parse_args()
    requests = [_request(text) for text in _texts(asked.model)]
    if asked.port:
        load(asked.port, requests, 8, WARMING)
        for clients in asked.clients:
            print(_row(clients, load(asked.port, requests, clients, asked.seconds)))
        return
    print(f"commit {machine.commit()}, {machine.describe()['machine']['cpu']}\n")
    print("| clients | requests a second | median ms | 99 in 100 below ms |")
    print("| ---: | ---: | ---: | ---: |", flush=True)
    serve = "from leantopics.cli import main; main()"
    command = [sys.executable, "-c", serve, "serve", str(asked.model), "--port", "0"]
    command += ["--queue", str(2 * max(asked.clients))]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            found = re.search(r":(\d+);", server.stderr.readline())
            assert found is not None
            _wait(int(found[1]))
            again = [sys.executable, *sys.argv, "--port", found[1]]
            subprocess.run(again, check=True)
        finally:
            server.terminate()


def load(
    port: int, requests: list[bytes], clients: int, seconds: float
) -> tuple[float, list[float]]:
    """Requests a second, and the times of their answers.

    Each client keeps its connection and asks again when it has its answer.
    """
    times: list[float] = []
    began: dict[socket.socket, float] = {}
    got: dict[socket.socket, bytes] = {}
    with selectors.DefaultSelector() as selector:

        def ask(client: socket.socket) -> None:
            began[client], got[client] = time.perf_counter(), b""
            client.sendall(requests[len(times) % len(requests)])

        start = time.perf_counter()
        for _ in range(clients):
            client = socket.create_connection(("127.0.0.1", port))
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(client, selectors.EVENT_READ)
            ask(client)
        while (now := time.perf_counter()) - start < seconds:
            for key, _ in selector.select(1.0):
                client = key.fileobj
                assert isinstance(client, socket.socket)
                got[client] += client.recv(65536)
                if _whole(got[client]):
                    times.append(time.perf_counter() - began[client])
                    ask(client)
        for client in began:
            client.close()
    return len(times) / (now - start), times


def _whole(answer: bytes) -> bool:
    """Whether all of an answer has come, which must be one of success."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    if not head.startswith(b"HTTP/1.1 200 "):
        raise RuntimeError(answer.decode())
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    assert length is not None
    return len(body) == int(length[1])


def _row(clients: int, result: tuple[float, list[float]]) -> str:
    rate, times = result
    median, last = 1000 * np.quantile(times, [0.5, 0.99])
    return f"| {clients} | {rate:,.0f} | {median:.2f} | {last:.2f} |"


def _texts(model: Path) -> list[str]:
    """Texts of words that the model knows."""
    words, draw = load_model(model).vocabulary_, random.Random(0)
    return [" ".join(draw.choices(words, k=WORDS)) for _ in range(DOCUMENTS)]


def _request(text: str) -> bytes:
    body = json.dumps({"texts": [text]}).encode()
    return (
        b"POST /infer HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    ) + body


def _wait(port: int) -> None:
    """Until everything is loaded."""
    while True:
        try:
            urlopen(f"http://127.0.0.1:{port}/ready").close()
            return
        except HTTPError:
            time.sleep(0.1)


if __name__ == "__main__":
    main()
