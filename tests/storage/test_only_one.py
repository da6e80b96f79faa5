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
            with pytest.raises(BlockingIOError, match="working on the place: wait"):
                with only_one(lock, "the place"):
                    pytest.fail("two at once")
            assert lock.exists()


@pytest.fixture
def no_locks(monkeypatch):
    def refuse(handle, how):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)


def test_a_file_system_without_locks_is_no_obstacle(tmp_path, no_locks):
    for _ in range(2):
        with pytest.raises(StopError), only_one(tmp_path / ".lock", "the place"):
            raise StopError
        assert list(tmp_path.iterdir()) == []


def test_without_locks_who_is_refused_is_told_what_a_killed_process_leaves(
    tmp_path, no_locks
):
    lock = tmp_path / ".lock"
    with only_one(lock, "the place"):
        for _ in range(2):
            with pytest.raises(BlockingIOError, match="working on the place") as caught:
                with only_one(lock, "the place"):
                    pytest.fail("two at once")
        (left,) = tmp_path.iterdir()
        assert str(caught.value).endswith(f"delete {left}.")
    left.touch()
    with pytest.raises(BlockingIOError, match="or was killed"):
        with only_one(lock, "the place"):
            pytest.fail("two at once")
    left.unlink()
    with only_one(lock, "the place"):
        pass


PROGRAM = """
import errno, fcntl, os, sys, time
from pathlib import Path
from leantopics.storage.durable import only_one

def refuse(handle, how):
    raise OSError(errno.ENOLCK, "no locks")

if sys.argv[2] == "without locks":
    fcntl.flock = refuse
folder, done = Path(sys.argv[1]), 0
met = Path(sys.argv[3])  # exists once somebody was refused: until then, all go on
while done < 400 or not met.exists():
    try:
        with only_one(folder / ".lock", "it"):
            os.close(os.open(folder / "inside", os.O_CREAT | os.O_EXCL))
            os.unlink(folder / "inside")
            done += 1
    except BlockingIOError:
        met.touch()
        time.sleep(1e-4)
"""


@pytest.mark.parametrize("how", ["with locks", "without locks"])
def test_processes_are_never_two_at_once(tmp_path, how):
    """A holder that removes its file lets no other lock what it has removed."""
    place, met = tmp_path / "place", tmp_path / "met"
    place.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(place), how, str(met)]
    pipe = subprocess.PIPE
    runs = [subprocess.Popen(command, stdout=pipe, stderr=pipe) for _ in range(4)]
    told = [run.communicate(timeout=120) for run in runs]
    assert [run.returncode for run in runs] == [0] * 4, told
    assert [err for _, err in told] == [b""] * 4
    assert list(place.iterdir()) == []
