import lzma
import os

import numpy as np
import pytest

from leantopics.datasets import (
    load_20newsgroups,
    load_labelme,
    load_reuters,
    news_vectorizer,
)

needs_data = pytest.mark.skipif(
    not os.environ.get("LEANTOPICS_DATA"),
    reason="NOT RUN: set LEANTOPICS_DATA to the folder of the real corpora",
)
LOADERS = [load_reuters, load_20newsgroups, load_labelme]


@pytest.mark.data
@needs_data
def test_reuters():
    vectorizer = news_vectorizer()
    train = load_reuters(vectorizer=vectorizer)
    assert train.n_docs == 6454
    assert train.n_words == pytest.approx(16160, rel=0.01)
    assert len({label for labels in train.labels for label in labels}) == 35
    assert all(len(labels) == 1 for labels in train.labels)
    test = load_reuters(split="test", vectorizer=vectorizer)
    assert test.n_docs == 2513
    assert test.vocabulary == train.vocabulary
    by_default = load_reuters()
    assert by_default.vocabulary == train.vocabulary
    assert (by_default.counts != train.counts).nnz == 0


@pytest.mark.data
@needs_data
def test_reuters_without_subset():
    assert load_reuters(subset=None, split="test").n_docs == 3299


@pytest.mark.data
@needs_data
def test_20newsgroups():
    train = load_20newsgroups()
    assert train.n_docs == 11314
    assert train.n_words == pytest.approx(35000, rel=0.1)
    assert len({label for labels in train.labels for label in labels}) == 20
    assert np.diff(train.counts.tocsc().indptr).min() >= 2


@pytest.mark.data
@needs_data
def test_labelme():
    train, test = load_labelme(), load_labelme("test")
    for half in (train, test):
        assert half.counts.shape == (800, 158)
        assert np.all(half.counts.sum(axis=1) == 2401)
        assert sorted({label for labels in half.labels for label in labels}) == [
            str(scene) for scene in range(8)
        ]
    assert train.vocabulary == test.vocabulary
    assert train.vocabulary[7] == "codeword_007"
    assert not set(train.ids) & set(test.ids)


@pytest.mark.parametrize("load", LOADERS)
def test_without_the_variable_a_sentence_says_what_to_do(load, monkeypatch):
    monkeypatch.delenv("LEANTOPICS_DATA", raising=False)
    with pytest.raises(
        FileNotFoundError, match=r"set the .* LEANTOPICS_DATA .* folder"
    ):
        load()


@pytest.mark.parametrize("load", LOADERS)
def test_a_missing_file_is_named(load, tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"\.(xz|dat) is missing.*LEANTOPICS_DAT"
    ):
        load(folder=tmp_path)


@pytest.mark.parametrize("load", LOADERS)
def test_an_unknown_split_is_refused(load, tmp_path):
    with pytest.raises(ValueError, match="must be 'train' or 'test', got 'dev'"):
        load(split="dev", folder=tmp_path)


def test_small_labelme_folder(tmp_path):
    folder = tmp_path / "labelme"
    folder.mkdir()
    (folder / "train-data.dat").write_bytes(b"2 0:3 157:1\r\n1 5:2\r\n")
    (folder / "train-label.dat").write_bytes(b"4\r\n0\r\n")
    corpus = load_labelme(folder=tmp_path)
    assert corpus.counts.shape == (2, 158)
    assert corpus.counts.toarray()[0, [0, 157]].tolist() == [3, 1]
    assert corpus.labels == [["4"], ["0"]]
    assert corpus.ids == ["train/000", "train/001"]


def test_small_reuters_folder(tmp_path, monkeypatch):
    lines = [
        '{"id": "1", "text": "Grain exports rising", "labels": ["grain"], '
        '"split": "train", "s35": true}',
        '{"id": "2", "text": "Oil exported", "labels": ["oil", "gas"], '
        '"split": "train", "s35": false}',
        '{"id": "3", "text": "Export of the unknown", "labels": ["grain"], '
        '"split": "test", "s35": true}',
    ]
    with lzma.open(tmp_path / "reuters21578.jsonl.xz", "wt") as file:
        file.write("\n".join(lines))
    monkeypatch.setenv("LEANTOPICS_DATA", str(tmp_path))
    vectorizer = news_vectorizer()
    train = load_reuters(vectorizer=vectorizer)
    test = load_reuters(split="test", vectorizer=vectorizer)
    assert train.ids == ["1"]
    assert test.ids == ["3"]
    assert test.vocabulary == train.vocabulary
    assert test.counts.sum() == 1
    assert load_reuters(subset=None).ids == ["1", "2"]
