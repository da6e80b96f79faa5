"""Pipes, sockets and devices where files are expected: nothing waits for ever."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading

import pytest
from tests.cli.runner import run

from leantopics import Corpus, ParsimoniousTopicModel, read_corpus
from leantopics.text import convert_corpus

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs pipes of Unix")
COMMAND = [sys.executable, "-c", "from leantopics.cli import main; main()"]


@pytest.fixture(autouse=True)
def guard():
    """Nothing here takes long unless it waits for a pipe."""

    def give_up(number, frame):
        raise RuntimeError("it waits")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def special(path, kind):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
        os.chdir(here)
    else:
        path.symlink_to("/dev/zero")
    return path


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
@pytest.mark.parametrize("name", ["b.txt", "below/b.txt", "b.txt.gz"])
def test_in_a_folder_of_texts(tmp_path, kind, name):
    folder = tmp_path / "texts"
    (folder / "below").mkdir(parents=True)
    (folder / "a.txt").write_text("a cat")
    file = special(folder / name, kind)
    told = f"{file} must be a file, but is a pipe, socket or device"
    for read in (read_corpus, lambda path: convert_corpus(path, tmp_path / "c")):
        with pytest.raises(ValueError, match="move it out of the folder") as caught:
            read(folder)
        assert str(caught.value).startswith(told)


def test_what_has_another_name_in_a_folder_is_passed_over(tmp_path):
    (tmp_path / "a.txt").write_text("a cat")
    special(tmp_path / "pipe", "pipe")
    special(tmp_path / ".b.txt", "pipe")
    assert read_corpus(tmp_path).ids == ["a.txt"]


@pytest.mark.parametrize(
    ("name", "content", "tokens"),
    [
        ("a.txt", "a cat\na dog\n", 2),
        ("a.jsonl", '{"text": "a cat"}\n{"text": "a dog"}\n', 2),
        ("a.csv", "text\na cat\na dog\n", 2),
        ("a.ldac", "1 0:1\n1 1:1\n", 2),
    ],
)
def test_a_pipe_that_is_the_source_is_read_once(tmp_path, name, content, tokens):
    pipe = special(tmp_path / name, "pipe")
    threading.Thread(target=pipe.write_text, args=[content]).start()
    corpus = read_corpus(pipe)
    assert corpus.n_tokens == tokens
    assert corpus.texts is None  # they could not be read again
    threading.Thread(target=pipe.write_text, args=[content]).start()
    convert_corpus(pipe, tmp_path / "c")
    assert Corpus.load(tmp_path / "c").n_tokens == tokens


def test_the_output_of_another_program(tmp_path):
    words = [*COMMAND, "convert", "/dev/fd/0", "--format", "lines", "-o", "c"]
    text = "a cat\na dog\n"
    subprocess.run(words, input=text, text=True, cwd=tmp_path, check=True, timeout=60)
    assert Corpus.load(tmp_path / "c").texts == ["a cat", "a dog"]


@pytest.mark.parametrize("name", ["docword.a.txt", "a.mtx"])
def test_a_format_that_is_read_twice(tmp_path, name):
    pipe = special(tmp_path / name, "pipe")
    with pytest.raises(ValueError, match=r"is a pipe, .* write it to a file first"):
        read_corpus(pipe)


def test_in_the_place_of_what_is_saved(tmp_path):
    model = tmp_path / "m"
    ParsimoniousTopicModel(1).fit([[1, 2], [2, 1]]).save(model)
    Corpus([[1]]).save(tmp_path / "c")
    pipe = special(tmp_path / "pipe", "pipe")
    for words in (["topics", pipe], ["inspect", pipe], ["infer", pipe, tmp_path / "c"]):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.stderr
    for name in sorted(os.listdir(model)):
        shutil.copytree(model, tmp_path / "n")
        (tmp_path / "n" / name).unlink()
        special(tmp_path / "n" / name, "pipe")
        result = run("topics", tmp_path / "n")
        assert (result.exit_code, result.stdout) == (1, "")
        assert str(tmp_path / "n") in result.stderr
        shutil.rmtree(tmp_path / "n")


@pytest.mark.parametrize("name", ["pipe.jsonl", "pipe.ldac", "pipe", "pipe.zip"])
def test_in_the_place_of_what_is_written(tmp_path, name):
    (tmp_path / "a.csv").write_text("text\na cat\n")
    pipe = special(tmp_path / name, "pipe")
    result = run("convert", tmp_path / "a.csv", "-o", pipe)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "choose another place" in result.stderr
    assert pipe.is_fifo()


def test_in_the_place_of_a_text_that_was_read(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("a cat\na dog\n")
    corpus = read_corpus(file)
    file.unlink()
    special(file, "pipe")
    with pytest.raises(ValueError, match=r"has changed since .*\(it is not a file\)"):
        corpus.texts[0]
