"""A file layer whose steps are counted, and fail, are cut short or kill the process.

Steps are calls of the system that change something or open a file: open, write, fsync,
rename, mkdir, unlink and rmdir. Nothing is flushed to the disk for real, which only the
power could tell.

As a program (python tests/faults.py) it does what needs processes of its own.
"""

import builtins
import errno
import io
import json
import os
import random
import shutil
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from leantopics.storage import load_folder, save_folder

KILLED = 99
BEFORE = ("nothing", "saved", "interrupted")
"""What was at a place before a save."""
CHANGES = ("write", "fsync", "mkdir", "create")
"""Steps that need room on the disk."""


class Fault:
    """What happens at step `at`, and if `lasting` at all steps after it.

    Parameters
    ----------
    at : int or None
        Number of the step; None only counts.
    what : {"fail", "short", "kill"}
        An error, half a write, or the end of the process (after half a write).
    code : int
        Of the error.
    """

    def __init__(self, at=None, what="fail", code=errno.EIO, lasting=False):
        self.at, self.what, self.code, self.lasting = at, what, code, lasting
        self.steps = []

    def step(self, kind):
        """Count a step; return whether it is to be a short write."""
        number = len(self.steps)
        self.steps.append(kind)
        if self.at is None or number < self.at:
            return False
        if number > self.at and not self.lasting:
            return False
        if self.what == "fail":
            if self.code != errno.ENOSPC or kind in CHANGES:
                raise OSError(self.code, os.strerror(self.code))
        elif kind == "write":
            return True
        elif self.what == "kill":
            os._exit(KILLED)
        return False


class _Raw(io.FileIO):
    def __init__(self, file, mode, fault):
        super().__init__(file, mode)
        self._fault = fault

    def write(self, data):
        if not self._fault.step("write"):
            return super().write(data)
        count = super().write(memoryview(data)[: max(1, len(data) // 2)])
        if self._fault.what == "kill":
            os._exit(KILLED)
        return count


@contextmanager
def faulty(fault):
    """Let all files of this process go through the layer."""
    real = {"open": builtins.open}
    names = ("open", "fsync", "rename", "replace", "mkdir", "unlink", "rmdir")
    system = {name: getattr(os, name) for name in names}

    def open_file(file, mode="r", buffering=-1, **rest):
        if "b" not in mode:
            return real["open"](file, mode, buffering, **rest)
        fault.step("open" if "r" in mode else "create")
        raw = _Raw(file, mode.replace("b", ""), fault)
        if buffering == 0:
            return raw
        return (io.BufferedReader if "r" in mode else io.BufferedWriter)(raw)

    def call(name):
        def called(*arguments, **rest):
            creates = name == "open" and arguments[1] & os.O_CREAT
            fault.step("create" if creates else name)
            return None if name == "fsync" else system[name](*arguments, **rest)

        return called

    builtins.open = open_file
    for name in names:
        setattr(os, name, call(name))
    try:
        yield fault
    finally:
        builtins.open = real["open"]
        for name in names:
            setattr(os, name, system[name])


def content(number):
    """Something to save, of which any two numbers share no array and no string."""
    return {
        "kind": "model",
        "content": {"number": number},
        "arrays": {
            "large": np.arange(5000.0) + number,
            "small": np.full((2, 3), number, dtype=np.int32),
        },
        "strings": {"words": [f"wörd {n} {number}" for n in range(50)]},
    }


def save(path, number):
    save_folder(path, **content(number))


def loaded(path):
    """Return the number of what is saved, if all of it is that of this number."""
    found = load_folder(path, kind="model")
    number = found.content["number"]
    expected = content(number)
    assert found.strings == expected["strings"]
    assert found.arrays.keys() == expected["arrays"].keys()
    for name, array in expected["arrays"].items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].tobytes() == array.tobytes()
    return number


def standing(path):
    """Return the number of what is there, None if nothing is."""
    try:
        return loaded(path)
    except FileNotFoundError:
        return None


def prepared(folder, name, before):
    """Make a folder in which something was saved before, or not; return the place."""
    folder.mkdir()
    path = folder / name
    if before != "nothing":
        with faulty(Fault()):
            save(path, 1)
    if before == "interrupted":  # as a kill just before the last rename leaves it
        if path.is_dir():
            shutil.copytree(path, folder / f".{name}.00000000.new")
            os.rename(path, folder / f".{name}.00000000.old")
        else:
            (folder / f".{name}.00000000.new").write_bytes(b"half of it")
        (folder / f".{name}.lock").touch()
    return path


def count_steps(path):
    with faulty(Fault()) as fault:
        save(path, 2)
    return fault.steps


def kill_everywhere(folder, name, before):
    """Kill a save at every step; tell the steps, and what was there after each."""
    steps = count_steps(prepared(folder / "count", name, before))
    seen = []
    for at in range(len(steps)):
        path = prepared(folder / str(at), name, before)
        was = standing(path)
        child = os.fork()
        if child == 0:
            with faulty(Fault(at, "kill")):
                save(path, 2)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
        seen.append(standing(path))
        with faulty(Fault()):
            save(path, 3)
        assert loaded(path) == 3
        assert os.listdir(path.parent) == [name]
    return {"steps": steps, "seen": seen, "was": was}


def race(folder, name, writers=2, saves=60, kills=40):
    """Save from several processes, some of them killed, while this one loads."""
    path = prepared(folder, name, "saved")
    children = [_writer(path, 10 + w, saves) for w in range(writers)]
    draw, loads, seen = random.Random(0), 0, set()
    for _ in range(kills):
        victim = _writer(path, 2, saves)
        until = draw.uniform(0.0, 0.03)
        signal.setitimer(signal.ITIMER_REAL, until)
        for _ in range(4):
            seen.add(loaded(path))
            loads += 1
        signal.sigtimedwait([signal.SIGALRM], 1)
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
    while children:
        seen.add(loaded(path))
        loads += 1
        for child in list(children):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                assert os.waitstatus_to_exitcode(status) == 0
                children.remove(child)
    with faulty(Fault()):
        save(path, 3)
    assert loaded(path) == 3
    assert os.listdir(folder) == [name]
    return {"loads": loads, "seen": sorted(seen), "kills": kills}


def _writer(path, number, saves):
    child = os.fork()
    if child == 0:
        with faulty(Fault()):
            for _ in range(saves):
                save(path, number)
        os._exit(0)
    return child


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    task, place, *words = sys.argv[1:]
    told = {"kill": kill_everywhere, "race": race}[task](Path(place), *words)
    print(json.dumps(told))
