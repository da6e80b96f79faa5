"""Exit codes and closed pipes, as a shell sees them."""

import errno
import os
import shutil
import subprocess
import sys

import pytest
from tests.cli.runner import run, timeless
from tests.faults import Fault, faulty

from leantopics import Corpus, ParsimoniousTopicModel
from leantopics._words import shown
from leantopics.cli.messages import EXIT_CODES, sentence

CODE = "from leantopics.cli import main; main(prog_name='leantopics')"
COMMAND = [sys.executable, "-c", CODE]

SHORT = (
    "Warning: Most documents should have 7 words or more, but half have 2 or less: BIC "
    "finds too many topics in such documents. Join short texts; give counts, not "
    "shares or scaled counts."
)


def test_they_are_told():
    shown = [line.strip() for line in run("--help").stdout.splitlines()]
    told = [line.strip() for line in EXIT_CODES.splitlines()[1:]]
    codes = [line.split()[0] for line in told[1:]]
    assert codes == ["0", "1", "2", "3", "130", "141", "143"]
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
        f"{SHORT}\n2 documents, 3 different words, 4 in all\n"
        "1 topic, 1.00 topics per document, 3 salient words per topic\n"
        "S seconds, saved in m\n"
    )
    assert ParsimoniousTopicModel.load(tmp_path / "m").n_topics_ == 1


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of Unix")
@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]])
def test_a_closed_pipe_ends_quietly(tmp_path, form):
    labels = [f"a label that is long, number {d}" for d in range(9000)]
    Corpus([[1]] * 9000, labels=labels).save(tmp_path / "corpus")
    check_closed_pipe("inspect", str(tmp_path / "corpus"), "-n", "9000", *form)


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of Unix")
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["fit", "--help"]])
def test_help_into_a_closed_pipe_ends_quietly(words):
    check_closed_pipe(*words)


def check_closed_pipe(*words):
    arguments = [*COMMAND, *words]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(arguments, stdout=writer, stderr=subprocess.PIPE, timeout=120)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def shell(folder, line):
    """Run a line of a shell, in which $L is the command; its exit code and output."""
    command = f'"{sys.executable}" -c "{CODE}"'
    done = subprocess.run(
        ["sh", "-c", line.replace("$L", command)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


CLOSED = (
    "Error: Standard output must be open for this command to print, but is closed: "
    "redirect it, for example with > file.\n"
)


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_standard_streams_that_are_closed(folder, tmp_path):
    for words in ("topics $M", "--help"):
        line = f"$L {words} >&-".replace("$M", str(folder / "texts"))
        assert shell(tmp_path, line) == (1, "", CLOSED)
    shutil.copytree(folder / "texts", tmp_path / "m")
    assert shell(tmp_path, "$L name m 0=Sea >&-")[0] == 0  # nothing goes there
    told = "Error: Standard input is closed: name a file, or pipe one in.\n"
    assert shell(tmp_path, f"$L infer {folder}/texts - <&-") == (1, "", told)
    code, out, _ = shell(tmp_path, f"echo a sky | $L infer {folder}/texts - 2>&-")
    assert (code, out) == (0, "document\ttopic\tproportion\tname\n0\t\t\t\n")
    assert shell(tmp_path, "$L topics none 2>&-") == (1, "", "")
    assert shell(tmp_path, "$L topics none >&- 2>&- <&-") == (1, "", "")


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_what_is_saved_does_not_take_the_number_of_a_closed_stream(folder, tmp_path):
    line = f"$L convert {folder}/texts.jsonl -o c.csv >&- 2>&- <&-"
    assert shell(tmp_path, line) == (0, "", "")
    assert shell(tmp_path, f"$L convert {folder}/texts.jsonl -o d.csv")[0] == 0
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "d.csv").read_bytes()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("words", ["topics $M", "--help"])
@pytest.mark.parametrize("buffered", ["", "PYTHONUNBUFFERED=1 "])
def test_a_full_disk_under_standard_output(folder, tmp_path, words, buffered):
    line = f"{buffered}$L {words} > /dev/full".replace("$M", str(folder / "texts"))
    told = "Error: standard output: no space left on device.\n"
    assert shell(tmp_path, line) == (1, "", told)


def test_a_full_disk_under_a_file(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "a cat"}\n' * 9999)
    for name in ("c.csv", "c.csv.gz", "c.csv.xz", "c.csv.zst"):
        words = ("convert", tmp_path / "t.jsonl", "-o", tmp_path / name)
        with faulty(Fault()) as fault:
            assert run(*words).exit_code == 0
        (tmp_path / name).unlink()
        first = fault.steps.index("write")
        with faulty(Fault(first, "fail", errno.ENOSPC, lasting=True)):
            result = run(*words)
        told = f"Error: {tmp_path / name}: no space left on device.\n"
        assert (result.exit_code, result.stderr) == (1, told)
        assert os.listdir(tmp_path) == ["t.jsonl"]


ODD = "a\x1b[2J\u202eb\x9b31m"
SHOWN = r"a\x1b[2J\u202eb\x9b31m"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["topics", ODD], 1),
        (["fit", f"{ODD}.txt", "-o", "m"], 1),
        (["inspect", "t.csv", "--where", f"{ODD}=1"], 1),
        (["inspect", "t.csv", "--format", ODD], 2),
        (["convert", "t.csv", "-o", f"{ODD}.jsonl"], 0),
        (["convert", "odd.csv", "-o", "x"], 1),
    ],
)
def test_names_cannot_steer_the_terminal(tmp_path, monkeypatch, words, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("text\na cat\n")
    (tmp_path / "odd.csv").write_text(f"text,{ODD}\na cat\n")
    result = run(*words)
    assert result.exit_code == code
    assert not {"\x1b", "\u202e", "\x9b"} & set(result.stderr)
    if words[1] != "odd.csv":
        assert SHOWN in result.stderr


def test_warnings_and_the_names_of_files_cannot_steer_the_terminal():
    assert sentence(ValueError(f"no {ODD}\nfile")) == f"no {SHOWN} file"
    odd = OSError(28, "No space left on device", f"{ODD}\nfine")
    assert sentence(odd) == rf"{SHOWN}\nfine: no space left on device."
    assert shown("zwölf Übungen\u200c\u3000\n") == "zwölf Übungen\u200c\u3000\n"
