"""What docs/serve.md shows works, and what it says is so."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.runner import documents, run
from tests.docs.pages import PAGES, blocks
from tests.server.asking import ask, make_app, server

from leantopics.server.limits import AHEAD, HEADERS, Limits

pytest.importorskip("uvicorn", reason="serving needs uvicorn")
PAGE = PAGES["serve.md"].read_text(encoding="utf-8")
*CURLS, BULK = blocks("serve.md", "bash")
(PROGRAM,) = blocks("serve.md", "python")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    lines = (json.dumps(record) + "\n" for record in documents())
    (folder / "texts.jsonl").write_text("".join(lines))
    made = run("fit", folder / "texts.jsonl", "-o", folder / "model", "--topics", 2)
    assert made.exit_code == 0
    return folder


@pytest.fixture(scope="module")
def port(folder):
    with server(model=folder / "model") as running:
        yield str(running.port)


def test_many_documents_at_once(folder):
    texts = (folder / "texts.jsonl").read_bytes()
    (folder / "messages.jsonl.gz").write_bytes(gzip.compress(texts))
    scripts = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = ["bash", "-c", "set -e -o pipefail; " + BULK]
    subprocess.run(command, cwd=folder, env=os.environ | scripts, check=True)
    answers = gzip.decompress((folder / "topics.jsonl.gz").read_bytes()).splitlines()
    assert len(answers) == len(texts.splitlines())
    assert all("topics" in json.loads(answer) for answer in answers)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
@pytest.mark.parametrize("block", CURLS)
def test_curl(block, port):
    program = 'set -e; curl() { command curl --fail "$@"; echo; }\n' + block
    done = subprocess.run(
        ["bash", "-c", program.replace("8000", port)],
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == block.count("curl")
    if "xyzzy" in block:
        assert f"answers `{done.stdout.strip()}`" in PAGE


def test_python(port):
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM.replace("8000", port)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (
        "boats, waves and sailing: 100% islands tides sailors\n"
        "trees with roots: 100% foxes roots birds\n"
    )


def test_limits_and_paths():
    usual = Limits()
    for text in (
        f"more than {usual.body:,} bytes",
        f"more than {usual.documents:,} documents",
        f"more than {usual.characters:,} characters",
        f"more than {usual.marks:,} commas",
        f"more than {usual.held:,} bytes of requests",
        f"more than {usual.connections:,} connections",
        f"more than {AHEAD // 1024} KiB ahead",
        f"more than {HEADERS // 1024} KiB of headers",
        f"more than {usual.queue} requests",
        f"within {usual.seconds:g} seconds",
        *(f"| `{path}` |" for path in ask(make_app(), "/openapi.json")[2]["paths"]),
    ):
        assert text in PAGE
