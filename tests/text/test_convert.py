"""Corpora that are converted without being held in memory."""

import errno
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tests.faults import CHANGES, Fault, faulty
from tests.text.spool_changes import WORDS, content, interrupted, write_texts

from leantopics import Corpus, TextVectorizer, make_corpus, read_corpus
from leantopics.cli.messages import sentence
from leantopics.io.writers import write_corpus
from leantopics.text import convert_corpus, spool


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
    monkeypatch.setattr(spool, "CHUNK", chunk)
    monkeypatch.setattr(spool, "_EVERY", chunk)
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
    write_corpus(corpus, tmp_path / "x.ldac")
    convert_corpus(tmp_path / "x.ldac", tmp_path / "c")
    expected = read_corpus(tmp_path / "x.ldac")
    found = Corpus.open(tmp_path / "c")
    assert_same(found, expected)
    (tmp_path / "x.vocab").unlink()
    convert_corpus(tmp_path / "x.ldac", tmp_path / "d", where={"id": "0"})
    assert Corpus.open(tmp_path / "d").n_docs == 1


def test_an_interrupted_conversion_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(spool, "_EVERY", 100)
    source, place = tmp_path / "t.jsonl", tmp_path / "c"
    write_texts(source, 200)

    for _ in range(2):
        interrupted(source, place)
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


def first_word(folder, number):
    """Say that the first word is another, as a bad disk would."""
    words = np.fromfile(folder / "words", np.int32)
    words[0] = number
    words.tofile(folder / "words")


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "values").write_bytes(b""),
        lambda folder: (folder / "ids").write_bytes(b'"half'),
        lambda folder: (folder / "texts").unlink(),
        lambda folder: first_word(folder, 10**9),
        lambda folder: first_word(folder, 3),
        lambda folder: (folder / "progress.json").write_text("{}"),
        lambda folder: (folder / "progress.json").write_text(""),
        lambda folder: (folder / "progress.json").unlink(),
        lambda folder: ((folder / "words").unlink(), os.mkfifo(folder / "words")),
    ],
)
def test_a_damaged_partial_folder_is_told(monkeypatch, tmp_path, damage):
    monkeypatch.setattr(spool, "_EVERY", 100)
    source, place = tmp_path / "t.jsonl", tmp_path / "c"
    write_texts(source, 200)
    partial = interrupted(source, place)
    damage(partial)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"c\.partial is damaged.*delete the fo"):
            convert_corpus(source, place)
    shutil.rmtree(partial)
    convert_corpus(source, place)
    assert_same(Corpus.load(place), read_corpus(source, keep_texts=True))


def test_a_source_that_changed_unseen_is_told(tmp_path):
    source, place = tmp_path / "t.jsonl", tmp_path / "c"
    write_texts(source, 200)
    interrupted(source, place)
    time = source.stat().st_mtime_ns
    source.write_text(source.read_text().replace("d0", "e0", 1))
    os.utime(source, ns=(time, time))
    with pytest.raises(ValueError, match=r"c\.partial belongs to another.*has changed"):
        convert_corpus(source, place)


def test_what_a_killed_save_left_is_made_again(tmp_path):
    source, place = tmp_path / "t.jsonl", tmp_path / "c"
    write_texts(source, 200)
    partial = interrupted(source, place)
    for name in ("data", "indices", ".progress.json.01234567.new"):
        (partial / name).write_bytes(bytes(99))
    (partial / "data").unlink()
    (tmp_path / "mine").write_text("of the user")
    (partial / "data").symlink_to(tmp_path / "mine")
    with pytest.raises(ValueError, match="is damaged, its data is not a file"):
        convert_corpus(source, place)
    (partial / "data").unlink()
    convert_corpus(source, place)
    assert (tmp_path / "mine").read_text() == "of the user"
    assert_same(Corpus.load(place), read_corpus(source, keep_texts=True))


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    source, mine = tmp_path / "t.jsonl", tmp_path / "c.partial"
    write_texts(source, 20)
    mine.mkdir()
    (mine / "letter").write_text("to keep")
    with pytest.raises(FileExistsError, match=r"holds 'letter'.*another place"):
        convert_corpus(source, tmp_path / "c")
    (mine / "letter").rename(mine / "texts")
    with pytest.raises(ValueError, match=r"its file progress\.json is missing"):
        convert_corpus(source, tmp_path / "c")
    assert (mine / "texts").read_text() == "to keep"


def test_data_are_on_the_disk_before_what_tells_of_them(monkeypatch, tmp_path):
    monkeypatch.setattr(spool, "_EVERY", 100)
    steps, fsync, replace = [], os.fsync, os.replace

    def synced(handle):
        steps.append(os.path.basename(os.readlink(f"/proc/self/fd/{handle}")))
        fsync(handle)

    def replaced(first, second):
        steps.append(f"to {os.path.basename(second)}")
        replace(first, second)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    source = tmp_path / "t.jsonl"
    write_texts(source, 200)
    interrupted(source, tmp_path / "c")
    names = ["words", "values", "sizes", "ids", "labels", "metadata", "texts", "forms"]
    assert "to progress.json" in steps
    last = len(steps) - steps[::-1].index("to progress.json") - 1
    begun = steps.index("to progress.json") + 1
    assert begun < last
    assert set(names) <= set(steps[begun:last])


def test_bad_sources_leave_nothing(tmp_path):
    (tmp_path / "none.txt").write_text("")
    with pytest.raises(ValueError, match="holds no document"):
        convert_corpus(tmp_path / "none.txt", tmp_path / "c")
    assert [each.name for each in tmp_path.iterdir()] == ["none.txt"]
    with pytest.raises(FileExistsError, match="not a saved corpus"):
        convert_corpus(tmp_path / "none.txt", tmp_path / "none.txt")


PROGRAM = """
import sys, threading, time
from leantopics.text import convert_corpus, spool

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
spool._EVERY = spool.CHUNK = 1 << 13
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


def test_a_full_disk_is_told_with_the_file_and_harms_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(spool, "_EVERY", 100)
    source = tmp_path / "t.jsonl"
    write_texts(source, 60)
    with faulty(Fault()) as fault:
        convert_corpus(source, tmp_path / "whole")
    expected = content(tmp_path / "whole")
    kinds = [kind for kind in fault.steps if kind in CHANGES]
    assert kinds.count("write") > 12
    for at, kind in enumerate(fault.steps):
        if kind not in CHANGES:
            continue
        place = tmp_path / str(at)
        with (
            faulty(Fault(at, "fail", errno.ENOSPC, lasting=True)),
            pytest.raises(OSError) as caught,
        ):
            convert_corpus(source, place)
        if kind in ("write", "fsync"):  # the system names files that it cannot open
            assert str(place) in sentence(caught.value), at
        assert ".new" not in sentence(caught.value)
        convert_corpus(source, place)
        assert content(place) == expected
