"""The real corpora, and the way from their public layouts to the same documents."""

import json
import lzma
import os
from collections import Counter
from html import escape
from pathlib import Path

import numpy as np
import pytest
from tests.datasets.archives import sgml, sgml_file, titled, write_tar

from leantopics.datasets import (
    imdb,
    load_20newsgroups,
    load_acl,
    load_imdb,
    load_labelme,
    load_reuters,
    news_vectorizer,
    newsgroups,
    ohsumed,
    reuters,
)
from leantopics.datasets.source import content_digest
from leantopics.text import TextVectorizer

DATA = os.environ.get("LEANTOPICS_DATA", "")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not DATA, reason="NOT RUN: set LEANTOPICS_DATA to the folder of the corpora"
    ),
]


def file_rows(module):
    with lzma.open(Path(DATA, f"{module.SOURCE.file}.xz"), "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def classes(corpus):
    return {label for labels in corpus.labels for label in labels}


def test_reuters():
    vectorizer = news_vectorizer()
    train = load_reuters(vectorizer=vectorizer)
    assert train.n_docs == 6454
    assert train.n_words == pytest.approx(16160, rel=0.01)
    assert len(classes(train)) == 35
    assert all(len(labels) == 1 for labels in train.labels)
    test = load_reuters(split="test", vectorizer=vectorizer)
    assert test.n_docs == 2513
    assert test.vocabulary == train.vocabulary
    by_default = load_reuters()
    assert by_default.vocabulary == train.vocabulary
    assert (by_default.counts != train.counts).nnz == 0


def test_reuters_without_subset():
    assert load_reuters(subset=None, split="test").n_docs == 3299


def test_20newsgroups():
    train = load_20newsgroups()
    assert train.n_docs == 11314
    assert train.n_words == pytest.approx(35000, rel=0.1)
    assert len(classes(train)) == 20
    assert np.diff(train.counts.tocsc().indptr).min() >= 2


def test_20newsgroups_without_headers():
    train = load_20newsgroups(headers=False)
    assert (train.n_docs, train.n_words) == (11293, 55015)
    assert train.counts.sum(axis=1).min() > 0


def test_labelme():
    train, test = load_labelme(), load_labelme("test")
    for half in (train, test):
        assert half.counts.shape == (800, 158)
        assert np.all(half.counts.sum(axis=1) == 2401)
        assert sorted(classes(half)) == [str(scene) for scene in range(8)]
    assert train.vocabulary == test.vocabulary
    assert not set(train.ids) & set(test.ids)


@pytest.mark.slow
def test_large_corpora():
    words = TextVectorizer(min_df=1000)
    reviews = load_imdb("all", vectorizer=words)
    kinds = Counter(labels[0] if labels else "none" for labels in reviews.labels)
    assert kinds == {"pos": 25000, "neg": 25000, "none": 50000}
    assert len(load_acl(vectorizer=words)) == 65057


def as_sgml(row):
    """Return a document of Reuters-21578 as the collection writes it."""
    labels = row["labels"]
    if row["id"] in ("5467", "19918"):  # which repeat a topic
        labels = labels[:1] + labels
    title = escape(row["title"], quote=False)
    body = escape(row["text"].removeprefix(row["title"]).strip(), quote=False)
    text = titled(title, body) if row["text_type"] != "UNPROC" else body
    if row["text_type"] == "BRIEF":
        text = f"******<TITLE>{title}</TITLE>"
    kind = "" if row["text_type"] == "NORM" else row["text_type"]
    return sgml(row["id"], text, labels, row["lewissplit"], row["topics_attr"], kind)


def test_reuters_from_its_public_layout(tmp_path):
    expected = file_rows(reuters)
    archive = write_tar(
        tmp_path / "reuters21578.tar.gz",
        {
            f"reut2-{part:03d}.sgm": sgml_file(*map(as_sgml, expected[part::22]))
            for part in range(22)
        },
    )
    ours = list(reuters.SOURCE.convert(archive))
    for name in ("id", "split", "labels", "r52", "s35", "title"):
        assert [row[name] for row in ours] == [row[name] for row in expected]
    assert content_digest(ours) == content_digest(expected)


def test_ohsumed_from_its_public_layout(tmp_path):
    expected = file_rows(ohsumed)
    members = {
        f"ohsumed-all/{label}/{row['id']}": row["text"].encode() + b"\n"
        for row in expected
        for label in row["labels"]
    }
    archive = write_tar(tmp_path / "ohsumed-all-docs.tar.gz", members)
    ours = list(ohsumed.SOURCE.convert(archive))
    assert [row["id"] for row in ours] == [row["id"] for row in expected]
    assert [row["text"] for row in ours] == [row["text"] for row in expected]
    assert content_digest(ours) == ohsumed.SOURCE.digest


@pytest.mark.parametrize(
    "module", [newsgroups, pytest.param(imdb, marks=pytest.mark.slow)]
)
def test_the_order_is_that_of_the_file(tmp_path, module):
    expected = file_rows(module)
    assert len(expected) == module.SOURCE.n_docs
    if module is imdb:
        paths = [f"aclImdb/{row['id']}.txt" for row in expected]
    else:
        paths = [f"20news-bydate-{row['split']}/{row['id']}" for row in expected]
    archive = write_tar(tmp_path / "a.tar.gz", dict.fromkeys(sorted(paths), b"x"))
    ours = list(module.SOURCE.convert(archive))
    for name in ("id", "split", "labels"):
        assert [row[name] for row in ours] == [row[name] for row in expected]
