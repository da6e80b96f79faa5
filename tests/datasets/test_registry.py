import json
import os
from dataclasses import replace

import pytest
from tests.datasets.archives import write_tar
from tests.datasets.server import body, serve

from leantopics import Corpus
from leantopics.datasets import (
    PUBLISHED,
    Sizes,
    load,
    load_20newsgroups,
    names,
    ohsumed,
    registry,
    size_table,
    sizes,
)

POSTINGS = [
    ("a/1", "Subject: cats\nFrom: ann\n\nCats purr. Ann", "train"),
    ("a/2", "Subject: dogs\nFrom: ann\n\nDogs bark.", "train"),
    ("b/3", "Subject: cats\nFrom: bob\n\nDogs and cats sleep.", "test"),
]


def write(folder, name, rows):
    with open(folder / name, "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path):
    write(
        tmp_path,
        "20ng.jsonl",
        [
            {"id": id_, "text": text, "labels": [id_[0]], "split": split}
            for id_, text, split in POSTINGS
        ],
    )
    write(
        tmp_path,
        "acl_abstracts.jsonl",
        [{"id": str(n), "text": "cats purr", "labels": []} for n in range(5)],
    )
    return tmp_path


@pytest.fixture
def counted(monkeypatch):
    """The halves that were counted, not taken from the cache."""
    seen = []

    def count(split="all", **settings):
        seen.append(split)
        return load_20newsgroups(split, headers=False, **settings)

    text = registry._TEXTS["20newsgroups"]._replace(load=count)
    monkeypatch.setitem(registry._TEXTS, "20newsgroups", text)
    return seen


def same(a, b):
    assert (a.counts != b.counts).nnz == 0
    for name in ("ids", "labels", "metadata", "vocabulary"):
        assert getattr(a, name) == getattr(b, name)
    return True


def test_subsets(folder):
    train, test, every = (
        load("20newsgroups", subset, folder=folder)
        for subset in ("train", "test", "all")
    )
    assert train.ids == ["a/1", "a/2"]
    assert train.vocabulary == ["ann", "bark", "cat", "dog", "purr"]
    assert test.ids == ["b/3"]
    assert test.vocabulary == train.vocabulary
    assert test.labels == [["b"]]
    assert test.n_tokens == 3
    assert every.ids == train.ids + test.ids
    assert "sleep" in every.vocabulary


def test_both_recipes_of_20newsgroups(folder):
    headers = load("20newsgroups-headers", folder=folder)
    assert headers.vocabulary == ["ann", "subject"]  # in two documents at least
    assert "subject" not in load("20newsgroups", folder=folder).vocabulary


def test_counts_are_kept(folder, cache, counted):
    first = load("20newsgroups", "test", folder=folder)
    assert counted == ["train", "test"]
    again = load("20newsgroups", "test", folder=folder)
    train = load("20newsgroups", folder=folder)
    assert counted == ["train", "test"]
    assert same(first, again)
    assert same(train, load_20newsgroups(headers=False, folder=folder))
    assert len(list((cache / "corpora").iterdir())) == 2


def test_counts_are_made_anew_for_another_file(folder, counted):
    load("20newsgroups", folder=folder)
    write(folder, "20ng.jsonl", [{"id": "1", "text": "\n\nOwls.", "split": "train"}])
    assert load("20newsgroups", folder=folder).vocabulary == ["owl"]
    assert counted == ["train", "train"]


def test_damaged_counts_are_made_anew(folder, cache, counted):
    first = load("20newsgroups", folder=folder)
    (kept,) = (cache / "corpora").iterdir()
    (kept / "data.npy").write_bytes(b"")
    assert same(load("20newsgroups", folder=folder), first)
    assert counted == ["train", "train"]
    assert same(Corpus.load(kept), first)


def test_a_cache_that_cannot_be_written_does_no_harm(folder, cache):
    cache.write_text("a file in its place")
    assert len(load("20newsgroups", folder=folder)) == 2


def test_without_a_split_all_documents_are_for_training(folder, cache):
    train = load("acl", folder=folder)
    assert same(train, load("acl", "all", folder=folder))
    assert len(list((cache / "corpora").iterdir())) == 1
    with pytest.raises(ValueError, match="acl has no test documents; take"):
        load("acl", "test", folder=folder)


def test_wrong_names(folder):
    with pytest.raises(ValueError, match="no corpus 'retuers'; there are 20news"):
        load("retuers")
    with pytest.raises(ValueError, match="'train', 'test' or 'all', got 'dev'"):
        load("reuters", "dev")


@pytest.mark.parametrize("name", names())
def test_without_files_and_network_the_way_out_is_told(name, no_data):
    with pytest.raises(FileNotFoundError, match="LEANTOPICS_DATA"):
        load(name, download=False)


def test_from_the_public_home_to_counts(tmp_path, monkeypatch, no_data):
    abstract = b"Cats in wards purr.\n"
    members = {f"ohsumed-all/C0{1 + n % 3}/{n:07d}": abstract for n in range(40)}
    archive = write_tar(tmp_path / "served", members)
    with serve(body(archive.read_bytes())) as server:
        home = ohsumed.SOURCE.archive._replace(addresses=(server.address,))
        source = replace(ohsumed.SOURCE, archive=home, n_docs=40, digest="")
        monkeypatch.setattr(ohsumed, "SOURCE", source)
        text = registry._TEXTS["ohsumed"]._replace(source=source)
        monkeypatch.setitem(registry._TEXTS, "ohsumed", text)
        with pytest.raises(FileNotFoundError, match="download=True"):
            load("ohsumed", download=False)
        train, test = load("ohsumed"), load("ohsumed", "test")
        assert len(server.requests) == 1
    assert (len(train), len(test)) == (28, 12)
    assert train.vocabulary == test.vocabulary == ["cats", "purr", "wards"]


def test_sizes_beside_the_paper(folder):
    assert sizes("20newsgroups", folder=folder) == Sizes(2, 1, 5, 2, 1.0, 7)
    assert sizes("acl", folder=folder) == Sizes(5, 0, 2, 0, 0.0, 10)
    table = size_table(["20newsgroups", "acl"], folder=folder).splitlines()
    assert table[2] == (
        "| 20newsgroups | 2 / 11,293 | 1 / 7,527 | 5 / 54,520 | 2 / 20 | 1.0 / 1.0 "
        "| 7 |"
    )
    assert table[3] == "| acl | 5 | 0 | 2 | 0 | 0.0 | 10 |"
    assert set(PUBLISHED) <= set(names())


DATA = os.environ.get("LEANTOPICS_DATA", "")


@pytest.mark.data
@pytest.mark.skipif(
    not DATA, reason="NOT RUN: set LEANTOPICS_DATA to the folder of the real corpora"
)
def test_sizes_of_the_real_corpora():
    assert sizes("ohsumed") == Sizes(24218, 10171, 12058, 23, 1.657, 2377974)
    assert sizes("labelme") == Sizes(800, 800, 158, 8, 1.0, 800 * 2401)
