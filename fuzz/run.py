"""Coverage-guided fuzzing of the readers and of what loads saved folders.

``python fuzz/run.py TARGET --seconds N``, where TARGET is one of those below or "all".
A found input is written to ``fuzz/found`` and the exit code is not 0. Faults are: an
exception that is no plain ValueError or OSError with one sentence, a text that reads
differently a second time, more than 5 seconds, or 500 MB more than before.
"""

import argparse
import gzip
import hashlib
import json
import lzma
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "tests" / "samples" / "4"
MTX = b"%%MatrixMarket matrix "
ZSTD = bytes.fromhex("28b52ffd2008410000636174a0646f670a")
SEEDS = {
    "jsonl": [
        b'{"id": 7, "text": "a cat", "labels": ["x", 3], "n": 1.5}\n\n{"text": ""}\n',
        b'\xef\xbb\xbf{"body": "caf\xc3\xa9 \\ud83d\\ude00", "x": [[{"y": null}]]}\r\n',
    ],
    "csv": [
        b'id,text,label\n1,"a ""cat""\nand dog",x\n2,b,\n',
        b"\xef\xbb\xbftext\r\na cat\r\n",
    ],
    "tsv": [b"text\tyear\na cat\t1999\n\n\t\n"],
    "lines": [b"a cat\n\nthe dog\r\n", "caf\u00e9 \u202ebidi\u202c\n".encode()],
    "folder": [b"a cat and\na dog\n"],
    "ldac": [b"2 0:3 7:1\n0\n\n1 2:0.5e1\n", b"\xef\xbb\xbf1 0:9007199254740991\n"],
    "uci": [b"3\n4\n3\n1 1 2\n1 4 1\n3 2 7\n"],
    "mtx": [
        MTX + b"coordinate real general\n% note\n2 3 2\n1 1 2\n2 3 0.5\n",
        MTX + b"coordinate pattern symmetric\n2 2 1\n2 1\n",
        MTX + b"array integer general\n2 2\n1\n0\n3\n4\n",
        MTX + b"coordinate complex general\n1 1 1\n1 1 1 2\n",
    ],
    "gz": [gzip.compress(b"a cat\n" * 9), gzip.compress(b"a") + gzip.compress(b"b\n")],
    "xz": [lzma.compress(b"a cat\n" * 9)],
    "zst": [ZSTD],
    "zip": [
        (SAMPLES / "corpus.zip").read_bytes(),
        (SAMPLES / "model.zip").read_bytes(),
    ],
}
SUFFIX = {"lines": "txt", "gz": "txt.gz", "xz": "txt.xz", "zst": "txt.zst"}
SAVED = ("corpus", "model", "lda", "stc")
"""Saved folders: the first byte chooses a file, the others are what is in it. Its size
and checksum in the manifest are put right, so that what is behind them is reached."""
TARGETS = (*SEEDS, *SAVED)
SECONDS, MEGABYTES = 5, 500


def saved_files(target):
    return sorted(path.name for path in (SAMPLES / target).iterdir())


def seeds(target):
    if target in SEEDS:
        return SEEDS[target]
    files = saved_files(target)
    raws = [(SAMPLES / target / name).read_bytes() for name in files]
    return [bytes([n]) + raw for n, raw in enumerate(raws) if len(raw) < 20_000]


def place_file(target, raw, room):
    """Put an input where it is read from; return that place."""
    if target == "folder":
        (room / "texts").mkdir(exist_ok=True)
        (room / "texts" / "a.txt").write_bytes(raw)
        return room / "texts"
    name = "docword.a.txt" if target == "uci" else f"a.{SUFFIX.get(target, target)}"
    (room / name).write_bytes(raw)
    return room / name


def place_saved(target, raw, room):
    """Make a saved folder in which one file is another."""
    from leantopics.storage.manifest import sealed

    folder = room / target
    if not folder.exists():
        shutil.copytree(SAMPLES / target, folder)
    files = saved_files(target)
    name, raw = files[raw[0] % len(files) if raw else 0], raw[1:]
    manifest = (SAMPLES / target / "manifest.json").read_bytes()
    if name != "manifest.json":
        told = json.loads(manifest)
        entry = next(e for e in told["files"].values() if e["file"] == name)
        entry.update(bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest())
        if name.endswith(".json"):
            with suppress(ValueError, TypeError, RecursionError):
                entry["shape"] = [len(json.loads(raw))]
        manifest = sealed(told)
    (folder / name).write_bytes(raw)
    if name != "manifest.json":
        (folder / "manifest.json").write_bytes(manifest)
    return folder, name


def restore(target, folder, name):
    for each in {name, "manifest.json"}:
        shutil.copy(SAMPLES / target / each, folder / each)


def read(target, raw, room):
    """Read one input; an exception that is none of ours goes through."""
    from leantopics import Corpus, read_corpus
    from leantopics.models import load_model

    changed = None
    try:
        if target in SAVED:
            place, changed = place_saved(target, raw, room)
            if target == "corpus":
                with suppress(ValueError, OSError):
                    check(Corpus.open(place))
                check(Corpus.load(place))
            else:
                load_model(place)
        elif target == "zip":
            place = place_file(target, raw, room)
            with suppress(ValueError):
                load_model(place)
            check(Corpus.load(place))
        else:
            place = place_file(target, raw, room)
            corpus = read_corpus(place)
            check(corpus)
            again = read_corpus(place, keep_texts=True)
            if corpus.texts is not None and len(corpus) < 50:
                assert list(corpus.texts) == list(again.texts), "texts differ"
    except (ValueError, OSError) as error:
        told = str(error)
        assert type(error).__module__ == "builtins", f"{type(error)} comes from inside"
        assert not isinstance(error, UnicodeError), "a codec speaks for itself"
        assert told and "\n" not in told and len(told) < 1500, f"no sentence: {told!r}"
    finally:
        if changed:
            restore(target, place, changed)


def check(corpus):
    """A corpus that was read is sound."""
    import numpy as np

    counts = corpus.counts
    assert counts.has_canonical_format and counts.shape[0] == len(corpus.ids)
    assert np.isfinite(counts.data).all() and (counts.data > 0).all()
    assert len(corpus.vocabulary) == counts.shape[1]


def fuzz(target, seconds, folder):
    import atheris

    apart = [f"leantopics.{m}.kernels" for m in ("ptm", "baselines", "evaluation")]
    with atheris.instrument_imports(include=["leantopics", "zipfile"], exclude=apart):
        import leantopics
        import leantopics.models.registry
        import leantopics.text.read  # noqa: F401
    room = Path(tempfile.mkdtemp(prefix="fuzz-", dir=shared_memory()))
    for raw in seeds(target):
        read(target, raw, room)
    if folder is None:
        folder = room / "kept"
    folder.mkdir(parents=True, exist_ok=True)
    for raw in seeds(target):
        (folder / hashlib.sha256(raw).hexdigest()[:16]).write_bytes(raw)
    found = HERE / "found"
    found.mkdir(exist_ok=True)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + (MEGABYTES << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    options = [
        f"-max_total_time={seconds}",
        f"-timeout={SECONDS}",
        "-rss_limit_mb=0",  # the limit above raises MemoryError, which tells where
        "-max_len=30000",
        "-print_final_stats=1",
        f"-artifact_prefix={found}/{target}-",
    ]

    def one(raw):
        try:
            read(target, raw, room)
        except BaseException:
            (found / f"{target}-{hashlib.sha256(raw).hexdigest()[:16]}").write_bytes(
                raw
            )
            raise

    atheris.Setup([sys.argv[0], *options, str(folder)], one)
    atheris.Fuzz()


def shared_memory():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--kept", type=Path, help="folder of inputs to go on with")
    parser.add_argument("--replay", type=Path, help="one input, read once")
    given = parser.parse_args()
    if given.replay:
        with tempfile.TemporaryDirectory() as room:
            read(given.target, given.replay.read_bytes(), Path(room))
        return 0
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("!" * 70)
        print("!!! NOTHING WAS FUZZED: atheris is not installed (pip install atheris)")
        print("!" * 70)
        return 0 if given.target == "all" else 2
    if given.target != "all":
        return fuzz(given.target, given.seconds, given.kept)
    command = [sys.executable, __file__, "--seconds", str(given.seconds)]
    return max(abs(subprocess.run([*command, t]).returncode) for t in TARGETS)


if __name__ == "__main__":
    sys.exit(main())
