"""A disk that is full or fails, and a process that is killed, at every step of a save.

Whatever happens, the old content or the new one is there, bit for bit.
"""

import errno
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import faults
from tests.cli.runner import run
from tests.faults import BEFORE, Fault, faulty

from leantopics import Corpus
from leantopics.storage import durable, load_folder

ROOT = Path(__file__).parents[2]
EVERYWHERE = list(itertools.product(["m", "m.zip"], BEFORE))


@pytest.mark.parametrize(("name", "before"), EVERYWHERE)
@pytest.mark.parametrize(
    ("code", "lasting"),
    [
        (errno.ENOSPC, False),
        (errno.ENOSPC, True),
        (errno.EIO, False),
        (errno.EIO, True),
    ],
)
def test_an_error_at_every_step(tmp_path, name, before, code, lasting):
    steps = faults.count_steps(faults.prepared(tmp_path / "count", name, before))
    for at, kind in enumerate(steps):
        path = faults.prepared(tmp_path / str(at), name, before)
        was = faults.standing(path)
        told = None
        with faulty(Fault(at, "fail", code, lasting)):
            try:
                faults.save(path, 2)
            except OSError as error:
                told = error
        if told is None:
            assert faults.loaded(path) == 2
        else:
            assert told.errno == code
            assert str(told) == (
                f"The model cannot be saved as {path}: {os.strerror(code).lower()}; "
                "nothing incomplete is left there, so make room or choose another "
                "place and save it again."
            )
            assert faults.standing(path) in (was, 2), (at, kind)
        with faulty(Fault()):
            faults.save(path, 3)
        assert faults.loaded(path) == 3
        assert os.listdir(path.parent) == [name]


@pytest.mark.parametrize(("name", "before"), EVERYWHERE)
def test_a_short_write_at_every_step(tmp_path, name, before):
    steps = faults.count_steps(faults.prepared(tmp_path / "count", name, before))
    assert steps.count("write") > 4
    for at in range(len(steps)):
        path = faults.prepared(tmp_path / str(at), name, before)
        with faulty(Fault(at, "short")):
            faults.save(path, 2)
        assert faults.loaded(path) == 2


def program(*words):
    """Run what needs processes of its own, in one that has no threads."""
    done = subprocess.run(
        [sys.executable, "tests/faults.py", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize(("name", "before"), EVERYWHERE)
def test_a_kill_at_every_step(tmp_path, name, before):
    told = program("kill", tmp_path, name, before)
    seen, was = told["seen"], told["was"]
    first = seen.index(2)  # from here on the new one is there
    assert set(seen[:first]) == {was}
    assert set(seen[first:]) == {2}
    assert len(seen) == len(told["steps"]) >= 17
    assert told["steps"][first - 1] in ("rename", "replace")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("name", ["m", "m.zip"])
def test_processes_that_save_to_one_place(tmp_path, name):
    """Two save all the time, a third is killed at random; every load is whole."""
    told = program("race", tmp_path / "race", name)
    assert told["kills"] == 40
    assert told["loads"] > 100
    assert {10, 11} <= set(told["seen"]) <= {1, 2, 10, 11}


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def refused(handle, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(durable.fcntl, "flock", refused)
    for number in (1, 2):
        faults.save(tmp_path / "m", number)
        assert faults.loaded(tmp_path / "m") == number
    assert os.listdir(tmp_path) == ["m"]


def test_two_leftovers_are_left_to_the_user(tmp_path):
    faults.save(tmp_path / "m", 1)
    shutil.copytree(tmp_path / "m", tmp_path / ".m.00000000.old")
    os.rename(tmp_path / "m", tmp_path / ".m.11111111.old")
    for use in (faults.loaded, lambda path: faults.save(path, 2)):
        with pytest.raises(
            FileExistsError, match=r"left .*0.old and .*1.old next to it"
        ):
            use(tmp_path / "m")


def test_leftovers_of_others_are_not_touched(tmp_path):
    names = [
        ".m.b.00000000.old",
        ".m.0000000x.new",
        ".mm.00000000.new",
        "m.00000000.new",
    ]
    for name in names:
        (tmp_path / name).mkdir()
    faults.save(tmp_path / "m", 1)
    assert sorted(os.listdir(tmp_path)) == sorted(["m", *names])


def test_a_link_to_what_was_moved_aside(tmp_path):
    faults.save(tmp_path / "m", 1)
    (tmp_path / "link").symlink_to(tmp_path / "m")
    os.rename(tmp_path / "m", tmp_path / ".m.00000000.old")
    assert faults.loaded(tmp_path / "link") == 1


def test_the_command_says_it_in_one_line(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a tree"}\n')
    with faulty(Fault(1, "fail", errno.ENOSPC, lasting=True)):
        result = run("convert", tmp_path / "x.jsonl", "-o", tmp_path / "corpus.zip")
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: The corpus cannot be saved as {tmp_path}/corpus.zip: no space left on "
        "device; nothing incomplete is left there, so make room or choose another "
        "place and save it again.\n"
    )
    assert os.listdir(tmp_path) == ["x.jsonl"]


def test_a_corpus_is_saved_by_the_same_steps(tmp_path):
    """No file is written past the layer."""
    with faulty(Fault()) as fault:
        Corpus([[1, 2]]).save(tmp_path / "c")
    files = len(load_folder(tmp_path / "c", kind="corpus").arrays) + 2
    assert fault.steps.count("create") == files + 2  # and the manifest, and the lock
