"""Interrupted conversions whose folder is changed, in a process that may die of it.

As a program (python tests/text/spool_changes.py FOLDER FIRST LAST) it prints a line for
each number: what was changed, and what came of it.
"""

import contextlib
import hashlib
import hmac
import json
import os
import random
import shutil
import sys
from pathlib import Path

import numpy as np

from leantopics.text import convert_corpus, spool

WORDS = "cat dogs dog running runs run été naïve sleep the a of bird birds".split()
ARRAYS = {"words": np.int32, "values": np.float64, "sizes": np.int64}
LINES = ("ids", "labels", "metadata", "texts", "forms")
PROGRESS = "progress.json"
KNOWS = ("nothing", "sums", "source")
"""What who changes the folder makes right again: no checksum, those that need nothing
but the folder, or all, for which one must know the source's path, size and time."""
REFUSED = ("is damaged", "belongs to another conversion", "is needed for the progress")
DRAWN = (-1, 0, 1, 2, 7, 10**9, 2**31 - 1, -(2**31))


class StopError(Exception):
    """Stands for a kill in the middle."""


def write_texts(path, n_docs=200, seed=0):
    rng = np.random.default_rng(seed)
    with open(path, "w") as out:
        for d in range(n_docs):
            text = " ".join(rng.choice(WORDS, rng.integers(0, 12)))
            record = {"id": f"d{d}", "text": text, "label": WORDS[d % 3], "year": d}
            out.write(json.dumps(record) + "\n")


def write_counts(path, n_docs=200):
    rng = np.random.default_rng(0)
    with open(path, "w") as out:
        for _ in range(n_docs):
            words = rng.choice(40, rng.integers(0, 9), replace=False)
            out.write(f"{len(words)} {' '.join(f'{w}:{1 + w % 3}' for w in words)}\n")


def interrupted(source, target):
    """Begin a conversion that is stopped; return its folder."""

    def stop(n_docs):
        raise StopError

    every, spool._EVERY = spool._EVERY, 100
    with contextlib.suppress(StopError):
        convert_corpus(source, target, report=stop)
    spool._EVERY = every
    return target.with_name(f"{target.name}.partial")


def make_right(folder, source, knows):
    """Put sizes and checksums of the files as they are into the progress."""
    if not (folder / PROGRESS).is_file():
        return
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
        done = json.loads((folder / PROGRESS).read_text())
        for name in (*ARRAYS, *LINES):
            if (folder / name).is_file():
                raw = (folder / name).read_bytes()
                done["files"][name] = [len(raw), hashlib.sha256(raw).hexdigest()]
        rest = {k: v for k, v in done.items() if k not in ("sha256", "seal")}
        text = json.dumps(rest, sort_keys=True).encode()
        done["sha256"] = hashlib.sha256(text).hexdigest()
        if knows == "source":
            found = os.stat(source)
            stamp = [os.path.abspath(source), found.st_size, found.st_mtime_ns]
            key = json.dumps(stamp).encode()
            done["seal"] = hmac.new(key, done["sha256"].encode(), "sha256").hexdigest()
        (folder / PROGRESS).write_text(json.dumps(done))


def change(folder, draw):
    """Change one file of a folder; return which."""
    kind = draw.choice(["array"] * 4 + ["lines"] * 3 + ["progress"] * 2 + ["file"] * 2)
    names = {"array": [*ARRAYS], "lines": LINES, "progress": [PROGRESS]}
    others = [*ARRAYS, *LINES, PROGRESS, "data", "indices", "other"]
    name = draw.choice(names.get(kind, others))
    path = folder / name
    if kind == "file":
        _change_file(path, draw)
    elif path.is_symlink() or not path.is_file() or path.stat().st_size < 8:
        return f"nothing of {name}"
    elif kind == "array":
        _change_array(np.fromfile(path, ARRAYS[name]), draw).tofile(path)
    elif kind == "lines":
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(_change_lines(lines, draw)))
    else:
        _change_progress(path, draw)
    return f"{kind} {name}"


def _change_array(array, draw):
    n, m = draw.randrange(len(array)), draw.randrange(len(array))
    what = draw.choice(["one", "one", "one", "swap", "cut", "more", "bits", "moved"])
    if what == "one":
        values = list(DRAWN)
        if array.dtype == np.float64:
            values += [0.5, np.nan, np.inf, -np.inf, 1e300, 5e-324, 2.0**53]
        if array.dtype == np.int64:
            values += [2**62, 2**63 - 1, -(2**63)]
        array[n] = draw.choice(values)
    elif what == "swap":
        array[[n, m]] = array[[m, n]]
    elif what == "cut":
        array = array[:n]
    elif what == "more":
        array = np.append(array, array[:n])
    elif what == "bits":
        octets = array.view(np.uint8)
        octets[draw.randrange(len(octets))] ^= 1 << draw.randrange(8)
    else:  # the sum stays
        array[n], array[m] = array[n] + array[m], 0
    return array


def _change_lines(lines, draw):
    n, m = draw.randrange(len(lines)), draw.randrange(len(lines))
    what = draw.choice(["swap", "twice", "gone", "other", "byte", "cut"])
    if what == "swap":
        lines[n], lines[m] = lines[m], lines[n]
    elif what == "twice":
        lines[n] = lines[m]
    elif what == "gone":
        del lines[n]
    elif what == "other":
        others = [b'"x"', b'"\\ud800"', b"[1]", b"null", b'"', b"[" * 9999, b'"a\\nb"']
        lines[n] = draw.choice(others) + b"\n"
    else:
        raw = bytearray(b"".join(lines))
        place = draw.randrange(len(raw))
        if what == "byte":
            raw[place] = draw.randrange(256)
            return [bytes(raw)]
        return [bytes(raw[:place])]
    return lines


def _change_progress(path, draw):
    try:
        done = json.loads(path.read_text())
        assert list(done.values())
    except (ValueError, AssertionError, AttributeError, RecursionError):
        return
    values = [None, -1, 0, 1.5, True, "", [], {}, 10**30, "x" * 64, [[0, ""]]]
    place = done
    while draw.random() < 0.5 and (
        inner := [v for v in place.values() if v and type(v) is dict]
    ):
        place = draw.choice(inner)
    what = draw.choice(["key", "gone", "all", "text", "number"])
    key = draw.choice([*place])
    if what == "key":
        place[key] = draw.choice(values)
    elif what == "gone":
        del place[key]
    elif what == "number":
        done["n_docs"] = draw.choice([0, 1, 19, 21, 200, 10**9])
    elif what == "all":
        done = draw.choice([{}, [], None, 7, "text"])
    text = json.dumps(done)
    if what == "text":
        text = draw.choice([text[: len(text) // 2], "", "[" * 10**5, "NaN", text + "}"])
    path.write_text(text)


def _change_file(path, draw):
    what = draw.choice(["empty", "gone", "pipe", "folder", "link", "junk"])
    path.unlink(missing_ok=True)
    if what == "empty":
        path.write_bytes(b"")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(path.parent.parent / "innocent")
    elif what == "junk":
        path.write_bytes(draw.randbytes(draw.randrange(5000)))


def content(folder):
    """All bytes of what is saved."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def outcome(source, target, expected):
    """What comes of going on: the same corpus, another one, a refusal or a crash."""
    try:
        convert_corpus(source, target)
    except (ValueError, OSError) as error:
        told = str(error)
        sound = any(part in told for part in REFUSED) and "\n" not in told
        return "refused" if sound and ".partial" in told else f"crash {error!r}"
    except BaseException as error:
        return f"crash {error!r}"
    return "same" if content(target) == expected else "other"


def prepare(folder):
    """Sources, what is to come of them, and interrupted conversions of them."""
    write_texts(folder / "texts.jsonl")
    write_counts(folder / "counts.ldac")
    (folder / "innocent").write_text("a file of the user's own")
    for name in ("texts.jsonl", "counts.ldac"):
        convert_corpus(folder / name, folder / f"{name}-expected")
        interrupted(folder / name, folder / f"{name}-begun")


def one(folder, number):
    """Change what is to go on, and go on."""
    draw = random.Random(number)
    name = draw.choice(["texts.jsonl", "texts.jsonl", "counts.ldac"])
    source, target = folder / name, folder / f"{name}-begun"
    partial, kept = folder / f"{name}-begun.partial", folder / f"{name}-kept"
    if not kept.exists():
        shutil.copytree(partial, kept)
    for path in (partial, target):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(kept, partial)
    knows = draw.choice(KNOWS)
    changed = " and ".join(change(partial, draw) for _ in range(draw.choice([1, 1, 2])))
    if knows != "nothing":
        make_right(partial, source, knows)
    found = outcome(source, target, content(folder / f"{name}-expected"))
    if (folder / "innocent").read_text() != "a file of the user's own":
        found = "crash: a file of the user's is lost"
    return {"name": name, "knows": knows, "changed": changed, "found": found}


if __name__ == "__main__":
    place, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    spool._EVERY = 100
    for number in range(first, last):
        print(json.dumps({"number": number, **one(place, number)}), flush=True)
