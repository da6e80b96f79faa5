"""Corpora that are converted without being held in memory."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from leantopics import Corpus, TextVectorizer, make_corpus, read_corpus
from leantopics.ldac import write_ldac
from leantopics.text import convert, convert_corpus

WORDS = "cat dogs dog running runs run été naïve sleep the a of bird birds".split()


def write_texts(path, n_docs, seed=0):
    rng = np.random.default_rng(seed)
    with open(path, "w") as out:
        for d in range(n_docs):
            text = " ".join(rng.choice(WORDS, rng.integers(0, 12)))
            record = {"id": f"d{d}", "text": text, "label": WORDS[d % 3], "year": d}
            out.write(json.dumps(record) + "\n")


def assert_same(ours, theirs):
    for name in ("vocabulary", "ids", "labels", "metadata", "texts"):
        a, b = (getattr(each, name) for each in (ours, theirs))
        assert (a and list(a)) == (b and list(b))
    for name in ("data", "indices", "indptr"):
        a, b = (getattr(each.counts, name) for each in (ours, theirs))
        assert a.tolist() == b.tolist()


SETTINGS = [
    {},
    {"stem": "english", "min_df": 3},
    {"stop_words": "english", "max_df": 0.4, "ngrams": (1, 2)},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("chunk", [1, 50, 10**6])
def test_as_read_in_memory(monkeypatch, tmp_path, settings, chunk):
    monkeypatch.setattr(convert, "_CHUNK", chunk)
    monkeypatch.setattr(convert, "_EVERY", chunk)
    write_texts(tmp_path / "t.jsonl", 90)
    ours, theirs = TextVectorizer(**settings), TextVectorizer(**settings)
    seen = []
    n_docs = convert_corpus(
        tmp_path / "t.jsonl", tmp_path / "c", vectorizer=ours, report=seen.append
    )
    expected = read_corpus(tmp_path / "t.jsonl", vectorizer=theirs, keep_texts=True)
    assert n_docs == 90
    assert bool(seen) == (chunk < 10**6)
    assert_same(Corpus.load(tmp_path / "c"), expected)
    assert_same(Corpus.open(tmp_path / "c"), expected)
    assert ours.to_dict() == theirs.to_dict()
    assert [each.name for each in tmp_path.iterdir() if "partial" in each.name] == []


def test_counts_are_converted_as_they_are(tmp_path):
    corpus, _ = make_corpus(50, 80, 3)
    write_ldac(corpus, tmp_path / "x.ldac")
    convert_corpus(tmp_path / "x.ldac", tmp_path / "c")
    expected = read_corpus(tmp_path / "x.ldac")
    found = Corpus.open(tmp_path / "c")
    assert_same(found, expected)
    (tmp_path / "x.vocab").unlink()
    convert_corpus(tmp_path / "x.ldac", tmp_path / "d", where={"id": "0"})
    assert Corpus.open(tmp_path / "d").n_docs == 1


class StopError(Exception):
    """Stands for a kill in the middle."""


def test_an_interrupted_conversion_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(convert, "_EVERY", 100)
    source, place = tmp_path / "t.jsonl", tmp_path / "c"
    write_texts(source, 200)

    def stop(n_docs):
        raise StopError

    for _ in range(2):
        with pytest.raises(StopError):
            convert_corpus(source, place, report=stop)
    # Half a document beyond what was written down is forgotten.
    for name in ("words", "ids", "forms"):
        with open(tmp_path / "c.partial" / name, "ab") as out:
            out.write(b'"half')
    done = json.loads((tmp_path / "c.partial" / "progress.json").read_text())
    assert 20 < done["n_docs"] < 100
    cut = []
    analyze = TextVectorizer.begin

    def watched(self):
        inner = analyze(self)
        return lambda text: cut.append(text) or inner(text)

    monkeypatch.setattr(TextVectorizer, "begin", watched)
    with pytest.raises(ValueError, match="another conversion"):
        convert_corpus(source, place, vectorizer=TextVectorizer(min_df=2))
    convert_corpus(source, place)
    assert len(cut) == 200 - done["n_docs"]
    assert_same(Corpus.load(place), read_corpus(source, keep_texts=True))
    assert not (tmp_path / "c.partial").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "values").write_bytes(b""),
        lambda folder: (folder / "ids").write_bytes(b'"half'),
        lambda folder: (folder / "texts").unlink(),
        lambda folder: write_down(folder, "values", 8),
        lambda folder: write_down(folder, "words", 1),
        lambda folder: write_down(folder, "sizes", -3),
    ],
)
def test_a_damaged_partial_folder_is_told(monkeypatch, tmp_path, damage):
    monkeypatch.setattr(convert, "_EVERY", 100)
    source, place = tmp_path / "t.jsonl", tmp_path / "c"
    write_texts(source, 200)

    def stop(n_docs):
        raise StopError

    with pytest.raises(StopError):
        convert_corpus(source, place, report=stop)
    damage(tmp_path / "c.partial")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"c\.partial is damaged.*delete the fo"):
            convert_corpus(source, place)
    shutil.rmtree(tmp_path / "c.partial")
    convert_corpus(source, place)
    assert_same(Corpus.load(place), read_corpus(source, keep_texts=True))


def write_down(folder, name, more):
    """Say that a file has more bytes, as two conversions at once would."""
    with open(folder / name, "ab") as out:
        out.write(bytes(max(more, 0)))
    done = json.loads((folder / "progress.json").read_text())
    done["bytes"][name] += more
    (folder / "progress.json").write_text(json.dumps(done))


def test_bad_sources_leave_nothing(tmp_path):
    (tmp_path / "none.txt").write_text("")
    with pytest.raises(ValueError, match="holds no document"):
        convert_corpus(tmp_path / "none.txt", tmp_path / "c")
    assert [each.name for each in tmp_path.iterdir()] == ["none.txt"]
    with pytest.raises(FileExistsError, match="not a saved corpus"):
        convert_corpus(tmp_path / "none.txt", tmp_path / "none.txt")


PROGRAM = """
import sys, threading, time
from leantopics.text import convert, convert_corpus

def anonymous():
    with open("/proc/self/status") as lines:
        (found,) = (line for line in lines if line.startswith("RssAnon"))
    return int(found.split()[1])

def sample():
    while not done:
        seen.append(anonymous())
        time.sleep(0.002)

seen, done = [anonymous()], []
sampler = threading.Thread(target=sample)
sampler.start()
convert._EVERY = convert._CHUNK = 1 << 13
convert_corpus(sys.argv[1], sys.argv[2])
done.append(True)
sampler.join()
print(max(seen))
"""


def peak(source, target):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(source), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(ran.stdout) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("kind", ["jsonl", "csv", "txt", "ldac"])
def test_ten_times_the_documents_take_the_same_memory(tmp_path, kind):
    write = {
        "jsonl": lambda text: json.dumps({"text": text}),
        "csv": lambda text: text,
        "txt": lambda text: text,
        "ldac": lambda text: (
            f"{len(WORDS)} "
            + " ".join(f"{n}:{1 + len(text) % 7}" for n in range(len(WORDS)))
        ),
    }[kind]
    rng = np.random.default_rng(0)
    lines = [write(" ".join(rng.choice(WORDS, 40))) + "\n" for _ in range(2000)]
    peaks = []
    for times in (2, 20):
        source = tmp_path / f"{times}.{kind}"
        head = ["text\n"] if kind == "csv" else []
        source.write_text("".join(head + lines * times))
        peaks.append(peak(source, tmp_path / f"{times}"))
    assert peaks[1] - peaks[0] < 3e6  # the names of the documents alone take more
