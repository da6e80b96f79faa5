"""The corpus: one form of counts, everything in step, saved and written again."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from leantopics.corpus import Corpus
from leantopics.corpus.text_refs import LazyTexts
from leantopics.io.writers import write_corpus
from leantopics.text import read_corpus

matrices = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
    elements=st.integers(0, 3),
)


def example():
    return Corpus(
        [[1, 0], [0, 2], [3, 0]],
        vocabulary=["cat", "dog"],
        ids=["a", "b", "c"],
        labels=["pet", ["pet", "loud"], None],
        metadata=[{"n": 1}, None, {"n": [True, None]}],
        texts=["cat", "dog dog", "cat cat cat"],
    )


def test_counts_take_one_form_and_the_input_is_not_touched():
    # The types are those kept inside, so that sharing memory would be possible.
    data = np.array([1.0, 0, 2, 5])
    indices = np.array([2, 1, 0, 0], dtype=np.int32)
    indptr = np.array([0, 2, 4], dtype=np.int32)
    given = sparse.csr_matrix((data, indices, indptr), shape=(2, 3))
    before = [part.copy() for part in (data, indices, indptr)]

    counts = Corpus(given).counts

    assert isinstance(counts, sparse.csr_array)
    assert counts.dtype == np.float64
    assert counts.has_canonical_format
    assert counts.nnz == 2  # the zero is gone, 2 and 5 are one entry
    np.testing.assert_array_equal(counts.toarray(), [[0, 0, 1], [7, 0, 0]])
    counts.data[:] = 9
    for part, old in zip((data, indices, indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)


@pytest.mark.parametrize(
    "form",
    [np.asarray, list, sparse.coo_array, sparse.csc_matrix, sparse.csr_array],
)
def test_any_form_of_matrix_is_taken(form):
    counts = form(np.array([[0.5, 0], [0, 2]]))
    np.testing.assert_array_equal(Corpus(counts).counts.toarray(), [[0.5, 0], [0, 2]])


def test_names_are_numbers_by_default():
    corpus = Corpus([[1, 2, 3]])
    assert corpus.ids == ["0"]
    assert corpus.vocabulary == ["0", "1", "2"]
    assert corpus.labels is corpus.metadata is corpus.texts is None
    assert (len(corpus), corpus.n_docs, corpus.n_words, corpus.n_tokens) == (1, 1, 3, 6)


def test_labels_and_repr():
    corpus = example()
    assert corpus.labels == [["pet"], ["pet", "loud"], []]
    assert repr(corpus) == (
        "Corpus(3 documents, 2 words, 6 tokens, with labels, metadata, texts)"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"counts": [[1, -2]]}, ValueError, "Negative values in data.*got -2"),
        ({"counts": [[np.nan]]}, ValueError, "must be finite"),
        ({"counts": [[np.inf]]}, ValueError, "must be finite"),
        ({"counts": [1, 2]}, ValueError, "documents by words, got 1 axes"),
        ({"counts": [["a"]]}, ValueError, "must be numbers"),
        ({"vocabulary": ["x"]}, ValueError, "vocabulary must match .* 2 words, got 1"),
        ({"vocabulary": ["x", "x"]}, ValueError, "'x' twice"),
        ({"vocabulary": "xy"}, TypeError, "got one string"),
        ({"vocabulary": ["x", 2]}, TypeError, "must be strings, got 2"),
        ({"ids": ["a", "b"]}, ValueError, "ids must match .* 1 documents, got 2"),
        ({"labels": []}, ValueError, "labels must match"),
        ({"labels": [[1.5]]}, TypeError, "whole numbers, got 1.5"),
        ({"labels": [object]}, TypeError, "a whole number, a list of these, or None"),
        ({"metadata": [{}, {}]}, ValueError, "metadata must match"),
        ({"texts": []}, ValueError, "texts must match"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        Corpus(**({"counts": [[1, 2]]} | arguments))
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_a_broken_sparse_matrix_is_refused():
    broken = sparse.csr_array([[1.0, 2.0]])
    broken.indices[1] = 7
    with pytest.raises(ValueError, match="sound sparse matrix"):
        Corpus(broken)


@pytest.mark.parametrize(
    "rows", [[2, 0], np.array([2, 0]), [-1, 0], np.array([2, 0], dtype=np.uint8)]
)
def test_select_keeps_everything_in_step(rows):
    chosen = example().select(rows)
    assert chosen.ids == ["c", "a"]
    assert chosen.labels == [[], ["pet"]]
    assert chosen.metadata == [{"n": [True, None]}, {"n": 1}]
    assert chosen.texts == ["cat cat cat", "cat"]
    np.testing.assert_array_equal(chosen.counts.toarray(), [[3, 0], [1, 0]])
    assert chosen.vocabulary == ["cat", "dog"]


def test_select_by_mask_and_of_nothing():
    assert example().select([False, True, False]).ids == ["b"]
    assert example().select([]).counts.shape == (0, 2)
    assert example().select(np.zeros(3, dtype=bool)).ids == []
    with pytest.raises(ValueError, match="must have 3 entries"):
        example().select([True])
    with pytest.raises(TypeError, match="bool or int"):
        example().select([0.5])
    with pytest.raises(IndexError):
        example().select([3])


def test_align_matches_words_by_name():
    aligned = example().align(["dog", "fish"])
    np.testing.assert_array_equal(aligned.counts.toarray(), [[0, 0], [2, 0], [0, 0]])
    assert aligned.vocabulary == ["dog", "fish"]
    assert aligned.ids == ["a", "b", "c"]
    assert example().align(["fish"]).n_tokens == 0


def same(ours, theirs):
    np.testing.assert_array_equal(ours.counts.toarray(), theirs.counts.toarray())
    for name in ("vocabulary", "ids", "labels", "metadata", "texts"):
        assert getattr(ours, name) == getattr(theirs, name)


def test_save_and_load_keep_everything(tmp_path):
    example().save(tmp_path / "c")
    same(Corpus.load(tmp_path / "c"), example())
    example().select([1]).save(tmp_path / "c")
    same(Corpus.load(tmp_path / "c"), example().select([1]))


@settings(max_examples=30)
@given(counts=matrices, data=st.data())
def test_any_corpus_is_loaded_as_saved(tmp_path_factory, counts, data):
    n_docs, n_words = counts.shape
    unique = st.lists(st.text(), min_size=n_words, max_size=n_words, unique=True)
    label_lists = st.lists(
        st.lists(st.text(max_size=3)), min_size=n_docs, max_size=n_docs
    )
    corpus = Corpus(
        counts / 2,
        vocabulary=data.draw(unique),
        labels=data.draw(st.none() | label_lists),
    )
    path = tmp_path_factory.mktemp("corpus") / "c"
    corpus.save(path)
    same(Corpus.load(path), corpus)


def test_metadata_that_json_cannot_hold_is_refused(tmp_path):
    with pytest.raises(TypeError, match="metadata cannot be saved as JSON"):
        Corpus([[1]], metadata=[{"x": {1}}]).save(tmp_path / "c")


def test_a_folder_without_its_parts_is_no_corpus(tmp_path):
    from leantopics.storage import save_folder

    save_folder(tmp_path / "c", kind="corpus", content={}, arrays={}, strings={})
    with pytest.raises(ValueError, match="must be a complete corpus"):
        Corpus.load(tmp_path / "c")


words = st.text(
    st.characters(exclude_characters="\r\n\ufeff", exclude_categories=["Cs"]),
    min_size=1,
).filter(str.strip)


@settings(max_examples=50)
@given(counts=matrices, data=st.data())
def test_ldac_is_read_as_written(tmp_path_factory, counts, data):
    n_words = counts.shape[1]
    names = data.draw(st.lists(words, min_size=n_words, max_size=n_words, unique=True))
    corpus = Corpus(counts, vocabulary=names)
    path = tmp_path_factory.mktemp("ldac") / "x.ldac"
    write_corpus(corpus, path)
    again = read_corpus(path)
    assert again.vocabulary == names
    np.testing.assert_array_equal(again.counts.toarray(), counts)


@pytest.mark.parametrize(
    ("corpus", "name", "message"),
    [
        (Corpus([[0.5]]), "x.ldac", "needs whole counts"),
        (Corpus([[1]], vocabulary=["a\nb"]), "x.ldac", "cannot hold the word"),
        (Corpus([[1]], vocabulary=[" "]), "x.ldac", "cannot hold the word"),
        (Corpus([[1]], vocabulary=["\ud800"]), "x.ldac", "cannot hold the word"),
    ],
)
def test_what_ldac_cannot_hold_is_refused(tmp_path, corpus, name, message):
    with pytest.raises(ValueError, match=message):
        write_corpus(corpus, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_lazy_texts_are_read_when_asked_for(tmp_path):
    file = tmp_path / "two.txt"
    file.write_bytes("kø\nhund\n".encode())
    texts = LazyTexts([str(file)], np.zeros(2, int), np.array([0, 4]), np.array([3, 4]))
    assert list(texts) == ["kø", "hund"]
    assert texts[-1] == "hund"
    assert texts[:1] == ["kø"]
    assert list(texts.select(np.array([1]))) == ["hund"]
    with pytest.raises(IndexError):
        texts[2]
    file.write_bytes(b"k")
    with pytest.raises(ValueError, match=r"two.txt has changed .* read the corpus"):
        texts[1]


def test_lazy_texts_are_saved_as_places(tmp_path):
    file = tmp_path / "docs.jsonl"
    file.write_text('{"text": "a \\"cat\\"", "id": "x"}\n{"text": "dogs", "id": "y"}\n')
    read_corpus(file).select([1, 0]).save(tmp_path / "c")
    texts = Corpus.load(tmp_path / "c").texts
    assert isinstance(texts, LazyTexts)
    assert list(texts) == ["dogs", 'a "cat"']
    file.write_text("[]\n" * 40)
    with pytest.raises(ValueError, match="has changed"):
        texts[0]


def test_reading_counts_does_not_load_scikit_learn():
    code = (
        "import sys, leantopics.corpus.corpus, leantopics.io\n"
        "assert not {'sklearn', 'snowballstemmer'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_words_of_its_sizes_are_singular_for_one():
    assert repr(Corpus([[1]])) == "Corpus(1 document, 1 word, 1 token)"
    assert repr(Corpus([[0.5, 2]])) == "Corpus(1 document, 2 words, 2.5 tokens)"
