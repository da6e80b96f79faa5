"""Exit codes and closed pipes, as a shell sees them."""

import os
import subprocess
import sys

import pytest
from tests.cli.runner import run, timeless

from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.cli.messages import EXIT_CODES

CODE = "from leantopics.cli import main; main(prog_name='leantopics')"
COMMAND = [sys.executable, "-c", CODE]


def test_they_are_told():
    shown = [line.strip() for line in run("--help").stdout.splitlines()]
    told = [line.strip() for line in EXIT_CODES.splitlines()[1:]]
    codes = [line.split()[0] for line in told[1:]]
    assert codes == ["0", "1", "2", "130", "141", "143"]
    assert shown[-len(told) :] == told


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ValueError("One\nsentence."), 1, "Error: One sentence.\n"),
        (OSError(28, "No space left on device", "x"), 1,
         "Error: x: no space left on device.\n"),
        (MemoryError(), 1, "Error: There is not enough memory for this.\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
    ],
)  # fmt: skip
def test_what_went_wrong_is_told_once(folder, monkeypatch, error, code, message):
    def fail(path):
        raise error

    monkeypatch.setattr("leantopics.models.load_model", fail)
    result = run("topics", folder / "texts")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", message)


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_real_pipe(tmp_path):
    printf = subprocess.run(
        ["printf", r"first text\nsecond text\n"], stdout=subprocess.PIPE, check=True
    )
    arguments = [*COMMAND, "fit", "-", "-o", "m", "--topics", "1"]
    done = subprocess.run(
        arguments, input=printf.stdout, capture_output=True, cwd=tmp_path, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert timeless(done.stderr.decode()) == (
        "2 documents, 3 different words, 4 in all\n"
        "1 topic, 1.00 per document, 3 salient words per topic\n"
        "S seconds, saved in m\n"
    )
    assert ParsimoniousTopicModel.load(tmp_path / "m").n_topics_ == 1


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of Unix")
@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]])
def test_a_closed_pipe_ends_quietly(tmp_path, form):
    labels = [f"a label that is long, number {d}" for d in range(9000)]
    Corpus([[1]] * 9000, labels=labels).save(tmp_path / "corpus")
    arguments = [*COMMAND, "inspect", str(tmp_path / "corpus"), "-n", "9000", *form]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(arguments, stdout=writer, stderr=subprocess.PIPE, timeout=120)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
