"""Work that one process at a time may do."""

import errno
import subprocess
import sys

import pytest

from leantopics.storage.durable import only_one

fcntl = pytest.importorskip("fcntl", reason="Windows has no such locks")


class StopError(Exception):
    """Any error of the body."""


@pytest.mark.parametrize("error", [None, StopError, KeyboardInterrupt])
def test_the_lock_file_goes_with_the_work(tmp_path, error):
    lock = tmp_path / ".lock"
    try:
        with only_one(lock, "the place"):
            assert lock.exists()
            if error is not None:
                raise error
    except (StopError, KeyboardInterrupt):
        assert error is not None
    assert list(tmp_path.iterdir()) == []
    with only_one(lock, "the place"):
        pass


def test_who_is_refused_leaves_the_lock_to_its_holder(tmp_path):
    lock = tmp_path / ".lock"
    with only_one(lock, "the place"):
        for _ in range(2):
            with pytest.raises(BlockingIOError, match="at work on the place: wait"):
                with only_one(lock, "the place"):
                    pytest.fail("two at once")
            assert lock.exists()


def test_a_file_system_without_locks_is_no_obstacle(tmp_path, monkeypatch):
    def refuse(handle, how):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with only_one(tmp_path / ".lock", "the place"):
        pass
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
import os, sys
from pathlib import Path
from leantopics.storage.durable import only_one

fcntl = pytest.importorskip("fcntl", reason="Windows has no such locks")

folder, done = Path(sys.argv[1]), 0
while done < 400:
    try:
        with only_one(folder / ".lock", "it"):
            os.close(os.open(folder / "inside", os.O_CREAT | os.O_EXCL))
            os.unlink(folder / "inside")
            done += 1
    except BlockingIOError:
        pass
"""


def test_processes_are_never_two_at_once(tmp_path):
    """A holder that removes its file lets no other lock what it has removed."""
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(4)]
    told = [run.communicate(timeout=120)[1] for run in runs]
    assert [run.returncode for run in runs] == [0] * 4, told
    assert list(tmp_path.iterdir()) == []
