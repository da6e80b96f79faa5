import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from leantopics import Corpus, read_corpus
from leantopics.io.count_lines import fits_line
from leantopics.io.writers import write_corpus

COUNTS = ("saved", "x.ldac", "docword.x.txt", "x.mtx", "x.mtx.gz", "x.ldac.zst")
TEXTS = ("saved", "x.jsonl", "x.csv", "x.tsv", "x.jsonl.xz", "x.csv.gz")

matrices = arrays.arrays(
    np.int64,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.integers(0, 5),
)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
lines = anything.filter(fits_line)


def written(corpus, folder, name, **reading):
    write_corpus(corpus, folder / name)
    return read_corpus(folder / name, **reading)


@pytest.mark.parametrize("name", COUNTS)
@settings(max_examples=30)
@given(counts=matrices, data=st.data())
def test_counts_are_read_as_written(tmp_path_factory, name, counts, data):
    n_docs, n_words = counts.shape
    words = data.draw(st.lists(lines, min_size=n_words, max_size=n_words, unique=True))
    labels = data.draw(st.lists(lines, min_size=n_docs, max_size=n_docs))
    corpus = Corpus(counts, words, labels=labels)
    again = written(corpus, tmp_path_factory.mktemp("counts"), name)
    np.testing.assert_array_equal(again.counts.toarray(), counts)
    assert again.vocabulary == words
    holds_labels = name == "saved" or "ldac" in name
    assert again.labels == (corpus.labels if holds_labels else None)


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=30)
@given(data=st.data())
def test_texts_are_read_as_written(tmp_path_factory, name, data):
    documents = st.lists(st.tuples(anything, anything, lines), min_size=1, max_size=5)
    rows = data.draw(documents)
    fields = [{"year": label, "a,b": text} for _, text, label in rows]
    corpus = Corpus(
        np.ones((len(rows), 1)),
        ids=[id_ for id_, _, _ in rows],
        # Most of a text must be in a script with blanks between words.
        texts=["word " * 5 + text for _, text, _ in rows],
        labels=[label for _, _, label in rows],
        metadata=fields,
    )
    again = written(corpus, tmp_path_factory.mktemp("texts"), name, keep_texts=True)
    for part in ("ids", "texts", "labels", "metadata"):
        assert list(getattr(again, part)) == list(getattr(corpus, part))


def test_json_lines_hold_everything(tmp_path):
    corpus = Corpus(
        np.ones((3, 1)),
        ids=["a", "b", "c"],
        texts=["one word", "\ud800 word", "word\r\n\u2028word"],
        labels=[["x", "y"], [], ["z"]],
        metadata=[{"year": 1999, "label": None}, {}, {"deep": {"list": [1.5, True]}}],
    )
    again = written(corpus, tmp_path, "x.jsonl", keep_texts=True)
    for part in ("ids", "texts", "labels", "metadata"):
        assert getattr(again, part) == getattr(corpus, part)


def test_counts_that_are_not_whole(tmp_path):
    counts = np.array([[0.1, 1 / 3], [2.0, 0.0]])
    for name in ("x.mtx", "saved"):
        again = written(Corpus(counts), tmp_path, name)
        np.testing.assert_array_equal(again.counts.toarray(), counts)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_large_matrix(tmp_path, suffix):
    """SciPy ended the process here when only the head of a file was read."""
    counts = np.random.default_rng(0).poisson(0.5, (200, 100))
    again = written(Corpus(counts), tmp_path, f"x.mtx{suffix}")
    np.testing.assert_array_equal(again.counts.toarray(), counts)


def test_the_same_corpus_gives_the_same_bytes(tmp_path):
    corpus = Corpus([[1, 2]], texts=["a b b"])
    for name in ("x.jsonl.gz", "x.mtx.xz", "x.ldac.zst"):
        (tmp_path / "a").mkdir(exist_ok=True)
        (tmp_path / "b").mkdir(exist_ok=True)
        for folder in "ab":
            write_corpus(corpus, tmp_path / folder / name)
        first, second = ((tmp_path / f / name).read_bytes() for f in "ab")
        assert first == second


def test_one_vocabulary_for_two_formats(tmp_path):
    corpus = Corpus([[1, 2]], vocabulary=["cat", "dog"])
    write_corpus(corpus, tmp_path / "x.ldac")
    write_corpus(corpus, tmp_path / "x.mtx")
    other = Corpus([[1, 2]], vocabulary=["cat", "paw"])
    with pytest.raises(FileExistsError, match=r"x\.vocab exists, but .*x\.txt, which"):
        write_corpus(other, tmp_path / "x.txt", format="uci")
    assert read_corpus(tmp_path / "x.mtx").vocabulary == ["cat", "dog"]


@pytest.mark.parametrize(
    ("corpus", "name", "message"),
    [
        (Corpus([[1]], ["a\nb"]), "x.mtx", "cannot hold the word"),
        (Corpus([[1]], [" "]), "docword.x.txt", "cannot hold the word"),
        (Corpus([[1]], texts=["a"], metadata=[{"text": "b"}]), "x.jsonl",
         "a field 'text' in its metadata, a name that the format jsonl needs"),
        (Corpus([[1]], texts=["a"], metadata=[{"label": "b"}]), "x.csv",
         "a field 'label' in its metadata"),
        (Corpus([[1]], texts=["\ud800"]), "x.csv", "surrogates not allowed"),
    ],
)  # fmt: skip
def test_nothing_is_left_of_what_cannot_be_written(tmp_path, corpus, name, message):
    with pytest.raises(ValueError, match=message):
        write_corpus(corpus, tmp_path / name)
    assert os.listdir(tmp_path) == []
