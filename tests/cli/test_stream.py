"""`leantopics infer` answers while it is asked, in memory that does not grow."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.cli.runner import run

from leantopics import TextVectorizer, read_corpus
from leantopics.text import read_batches
from leantopics.text.read import BATCH

TEXT = "sailing waves boats and trees with leaves " * 40 + "\n"
GROWTH = 24 * 2**20  # a batch of answers; all that follows the first would take more


def anonymous_bytes(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return 1024 * int(status.split("RssAnon:")[1].split()[0])


@pytest.mark.skipif(sys.platform != "linux", reason="NOT RUN: memory is told by Linux")
def test_answers_come_before_the_end_and_memory_does_not_grow(folder):
    script = str(Path(sys.executable).with_name("leantopics"))
    block = (TEXT * (BATCH // len(TEXT))).encode()
    with subprocess.Popen(
        [script, "infer", folder / "texts", "-", "--jobs", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        last, answered = [], threading.Event()

        def listen():
            for line in process.stdout:
                last[:] = [line]
                if line.startswith(b"1000\t"):
                    answered.set()

        listener = threading.Thread(target=listen)
        listener.start()
        for _ in range(3):
            process.stdin.write(block)
        process.stdin.flush()
        assert answered.wait(300)
        before = anonymous_bytes(process)
        for _ in range(6):
            process.stdin.write(block)
        process.stdin.flush()
        after = anonymous_bytes(process)
        process.stdin.close()
        listener.join()
    assert process.returncode == 0
    assert last[0].startswith(b"%d\t" % (9 * (BATCH // len(TEXT)) - 1))
    assert after < before + GROWTH


@pytest.mark.parametrize("size", [1, 100, 700, 10**9])
@pytest.mark.parametrize("name", ["texts.jsonl", "counts.ldac"])
def test_batches_are_the_corpus_in_parts(folder, name, size):
    vectorizer = TextVectorizer().fit(read_corpus(folder / "texts.jsonl").texts)
    whole = read_corpus(folder / name, vectorizer=vectorizer)
    parts = list(read_batches(folder / name, size, vectorizer=vectorizer))
    assert (len(parts) == 1) == (size == 10**9)
    assert [id_ for part in parts for id_ in part.ids] == whole.ids
    stacked = [row for part in parts for row in part.counts.toarray().tolist()]
    assert stacked == whole.counts.toarray().tolist()
    assert all(part.vocabulary == whole.vocabulary for part in parts)


def test_a_bad_line_far_down_comes_after_the_answers(folder):
    text = b'{"text": "%s"}\n' % (b"boats and waves " * 100)
    lines = [text] * (BATCH // len(text) + 1) + [b"{nonsense\n"]
    result = run("infer", folder / "texts", "-", "--json", input=b"".join(lines))
    assert result.exit_code == 1
    assert f"<stdin>:{len(lines)}: this line is not JSON" in result.stderr
    assert result.stdout.startswith('{"id": "0", "topics": [[')
