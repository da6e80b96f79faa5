"""Texts to counts, and any source to a corpus."""

import json
import os
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from leantopics.corpus import Corpus
from leantopics.corpus.text_refs import LazyTexts
from leantopics.text import TextVectorizer, read_corpus
from leantopics.text.words import Cutter, cutting_until

TEXTS = [
    "The running dogs ran; the runner runs.",
    "Dogs and a cat: cats sleep, dogs run!",
    "",
    "Running running running",
]
PLAIN_PATTERN = r"\b[^\W\d_]\w+"
"""What the pattern is for letters without combining marks, in the standard library."""
corpora = st.lists(
    st.text("abeginrs ,.ÄßĞ1_'", max_size=30), min_size=1, max_size=6
).filter(lambda texts: re.search(PLAIN_PATTERN, " ".join(texts).lower()))


def as_counters(counts, names):
    rows = np.asarray(counts.toarray())
    return [
        {name: int(n) for name, n in zip(names, row, strict=True) if n} for row in rows
    ]


@settings(max_examples=60)
@given(texts=corpora, low=st.sampled_from([1, 2]), high=st.sampled_from([1, 2]))
def test_without_stems_it_is_scikit_learns(texts, low, high):
    ngrams = (min(low, high), max(low, high))
    theirs = CountVectorizer(token_pattern=PLAIN_PATTERN, ngram_range=ngrams)
    ours = TextVectorizer(ngrams=ngrams)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:
        with pytest.raises(ValueError, match="No word is left"):
            ours.fit(texts)
        return
    np.testing.assert_array_equal(
        ours.fit_transform(texts).toarray(), expected.toarray()
    )
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    assert ours.surface_forms_ == ours.vocabulary_


@settings(max_examples=60)
@given(texts=corpora)
def test_stemming_types_equals_stemming_tokens(texts):
    stemmer = snowballstemmer.stemmer("english")
    ours = TextVectorizer(stem="english")
    counts = ours.fit_transform(texts)
    tokens = [re.findall(PLAIN_PATTERN, text.lower()) for text in texts]
    expected = [dict(Counter(stemmer.stemWords(words))) for words in tokens]
    assert as_counters(counts, ours.vocabulary_) == expected
    assert ours.vocabulary_ == sorted({stem for doc in expected for stem in doc})
    assert counts.has_sorted_indices
    np.testing.assert_array_equal(ours.transform(texts).toarray(), counts.toarray())


def test_default_words_begin_with_a_letter_in_any_script():
    text = "Größe n_components x2 1987 3rd a Ελλάδα слово _x don't"
    vectorizer = TextVectorizer().fit([text])
    assert vectorizer.vocabulary_ == sorted(
        ["größe", "n_components", "x2", "ελλάδα", "слово", "don"]
    )


def test_surface_forms_are_the_most_frequent_ones():
    vectorizer = TextVectorizer(stem="porter").fit(TEXTS)
    shown = dict(zip(vectorizer.vocabulary_, vectorizer.surface_forms_, strict=True))
    assert shown["run"] == "running"
    assert shown["dog"] == "dogs"
    assert shown["cat"] == "cat"  # as often as "cats": the first by alphabet


def test_each_part_of_an_ngram_is_stemmed():
    vectorizer = TextVectorizer(stem="porter", ngrams=(2, 2))
    counts = vectorizer.fit_transform(["running dogs", "run dog", "runs dogs"])
    assert vectorizer.vocabulary_ == ["run dog"]
    assert counts.toarray().tolist() == [[1], [1], [1]]


def test_stop_words_go_before_stemming_and_before_ngrams():
    vectorizer = TextVectorizer(stem="porter", stop_words=["Runs"], ngrams=(1, 2))
    vectorizer.fit(["dog runs home", "running"])
    assert vectorizer.vocabulary_ == ["dog", "dog home", "home", "run"]
    assert vectorizer.stop_words_ == ["runs"]


def test_stop_words_are_cut_as_the_texts_are():
    vectorizer = TextVectorizer(stop_words=["don't", "new york"]).fit(
        ["Don't, New fox"]
    )
    assert vectorizer.vocabulary_ == ["fox"]


def test_english_stop_words_are_scikit_learns():
    text = " ".join([*sorted(ENGLISH_STOP_WORDS), "fox"])
    assert TextVectorizer(stop_words="english").fit([text]).vocabulary_ == ["fox"]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, ["cat", "dog", "run"]),
        ({"min_df": 2}, ["dog", "run"]),
        ({"min_df": 3}, ["run"]),
        ({"max_df": 2}, ["cat", "dog"]),
        ({"min_df": 0.5}, ["dog", "run"]),
        ({"max_df": 0.5}, ["cat", "dog"]),
        ({"min_df": 2, "max_df": 0.5}, ["dog"]),
    ],
)
def test_document_frequency_is_that_of_the_stem(limits, expected):
    texts = ["cat cat run", "dogs runs", "dog running", ""]
    vectorizer = TextVectorizer(stem="porter", **limits)
    counts = vectorizer.fit_transform(texts)
    assert vectorizer.vocabulary_ == expected
    assert counts.shape == (4, len(expected))
    assert len(vectorizer.surface_forms_) == len(expected)


def test_new_texts_are_cut_as_the_old_ones():
    vectorizer = TextVectorizer(stem="porter", stop_words=["home"]).fit(["dogs run"])
    counts = vectorizer.transform(["DOG runner running runs home", "unknown", ""])
    assert as_counters(counts, vectorizer.vocabulary_) == [{"dog": 1, "run": 2}, {}, {}]
    assert vectorizer.transform([]).shape == (0, 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"stem": "klingon"}, "must be one of arabic.*porter.*got 'klingon'"),
        ({"pattern": "("}, "is not a regular expression"),
        ({"pattern": "(a)(b)"}, "at most one group, got 2"),
        ({"min_df": 0}, "min_df must be a whole number.*got 0"),
        ({"min_df": -0.5}, "min_df must be"),
        ({"min_df": True}, "min_df must be"),
        ({"max_df": 1.5}, "max_df must be .* got 1.5"),
        ({"max_df": "all"}, "max_df must be"),
        ({"min_df": 3, "max_df": 0.25}, "max_df must not be below min_df"),
        ({"ngrams": (2, 1)}, "n-grams must be two whole numbers"),
        ({"ngrams": (0, 1)}, "n-grams must be two"),
        ({"ngrams": 2}, "n-grams must be two"),
        ({"ngrams": (1, 2, 3)}, "n-grams must be two"),
        ({"min_df": 4}, "No word is left"),
        ({"min_df": 5}, "min_df must not be more than the number of documents, 4"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        TextVectorizer(**parameters).fit(TEXTS)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("one string", TypeError, "got a single string"),
        ([None], TypeError, "must be strings, got None"),
        ([b"bytes"], TypeError, "must be strings"),
        ([], ValueError, "at least one text"),
        (["", "1 2 3"], ValueError, "No word is left"),
    ],
)
def test_bad_texts_get_one_sentence(texts, error, message):
    with pytest.raises(error, match=message):
        TextVectorizer().fit(texts)


def test_stop_words_must_be_strings():
    with pytest.raises(TypeError, match="a language or a list of strings"):
        TextVectorizer(stop_words=[1]).fit(TEXTS)


def test_it_is_a_scikit_learn_transformer():
    vectorizer = TextVectorizer(stem="porter", stop_words=["the"], ngrams=(1, 2))
    copy = clone(vectorizer)
    assert copy.get_params() == vectorizer.get_params()
    for call in (copy.to_dict, copy.get_feature_names_out):
        with pytest.raises(NotFittedError):
            call()
    with pytest.raises(NotFittedError):
        copy.transform(TEXTS)
    pipeline = make_pipeline(TextVectorizer(), MaxAbsScaler())
    assert pipeline.fit_transform(TEXTS).shape[0] == len(TEXTS)
    assert "dogs" in pipeline.get_feature_names_out()


@pytest.mark.parametrize(
    "vectorizer",
    [
        TextVectorizer(),
        TextVectorizer(stem="german", stop_words={"the", "and"}, ngrams=(1, 2)),
        TextVectorizer(stop_words="english", min_df=np.int64(1), max_df=0.9),
        TextVectorizer(pattern=r"[a-z]+", lowercase=False),
    ],
)
def test_a_vectorizer_goes_through_json(vectorizer):
    counts = vectorizer.fit_transform(TEXTS)
    again = TextVectorizer.from_dict(json.loads(json.dumps(vectorizer.to_dict())))
    assert again.vocabulary_ == vectorizer.vocabulary_
    assert again.surface_forms_ == vectorizer.surface_forms_
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), counts.toarray())


def test_a_saved_vectorizer_keeps_its_stop_words(monkeypatch):
    """The list of a language may be another, or gone, where a model is loaded."""
    saved = TextVectorizer(stop_words="english").fit(["the fox"]).to_dict()
    monkeypatch.setattr("leantopics.text.stop_words.ENGLISH_STOP_WORDS", frozenset())
    saved["vocabulary"].append("the")
    again = TextVectorizer.from_dict(saved)
    assert again.transform(["the fox"]).toarray().tolist() == [[1, 0]]


@pytest.mark.parametrize("saved", [{}, {"settings": {"colour": "red", "ngrams": [1]}}])
def test_other_dictionaries_are_refused(saved):
    with pytest.raises(ValueError, match="not settings of text"):
        TextVectorizer.from_dict(saved)


# Reading a corpus


@pytest.fixture
def docs(tmp_path):
    file = tmp_path / "docs.jsonl"
    rows = [
        {"id": "a", "text": "a cat", "labels": ["pet"], "split": "train"},
        {"id": "b", "text": "", "labels": [], "split": "train"},
        {"id": "c", "text": "wild dogs", "labels": ["wild"], "split": "test"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_read_corpus_keeps_everything_in_step(docs):
    corpus = read_corpus(docs)
    assert corpus.vocabulary == ["cat", "dogs", "wild"]
    assert corpus.ids == ["a", "b", "c"]
    assert corpus.labels == [["pet"], [], ["wild"]]
    assert corpus.metadata == [{"split": s} for s in ("train", "train", "test")]
    np.testing.assert_array_equal(
        corpus.counts.toarray(), [[1, 0, 0], [0, 0, 0], [0, 1, 1]]
    )
    assert isinstance(corpus.texts, LazyTexts)
    assert list(corpus.texts) == ["a cat", "", "wild dogs"]


def test_texts_of_every_plain_format_are_lazy(tmp_path):
    long = "dog " * 40_000
    files = {
        "a.csv": f'id,text\n1,"a ""cat"",\r\nb"\n2,{long}\n',
        "a.tsv": f"text\tid\na cat\t1\n{long}\t2\n",
        "a.txt": f"\ufeffa cat\n{long}\n",
        "folder/1.txt": "a cat\n",
        "folder/2.txt": long,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    for name in ("a.csv", "a.tsv", "a.txt", "folder"):
        corpus = read_corpus(tmp_path / name)
        kept = read_corpus(tmp_path / name, keep_texts=True)
        assert isinstance(corpus.texts, LazyTexts)
        assert isinstance(kept.texts, list)
        assert list(corpus.texts) == kept.texts
        assert kept.texts[1] == long


def test_texts_of_compressed_files_are_kept_only_when_asked(tmp_path):
    import gzip

    file = tmp_path / "a.txt.gz"
    file.write_bytes(gzip.compress(b"a cat\n"))
    assert read_corpus(file).texts is None
    assert read_corpus(file, keep_texts=True).texts == ["a cat"]


def test_lazy_texts_do_not_depend_on_the_working_folder(docs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = read_corpus(docs.name)
    monkeypatch.chdir("/")
    assert corpus.texts[0] == "a cat"


def test_a_fitted_vectorizer_only_transforms(docs):
    vectorizer = TextVectorizer()
    train = read_corpus(docs, vectorizer=vectorizer, where={"split": "train"})
    assert train.vocabulary == vectorizer.vocabulary_ == ["cat"]
    test = read_corpus(docs, vectorizer=vectorizer, where={"split": "test"})
    assert vectorizer.vocabulary_ == ["cat"]
    assert test.counts.toarray().tolist() == [[0]]


def test_counts_follow_a_fitted_vectorizer_by_name(tmp_path):
    (tmp_path / "a.ldac").write_text("2 0:3 1:4\n")
    (tmp_path / "a.vocab").write_text("dog\ncat\n")
    unfitted = TextVectorizer()
    plain = read_corpus(tmp_path / "a.ldac", vectorizer=unfitted)
    assert plain.vocabulary == ["dog", "cat"]
    assert not hasattr(unfitted, "vocabulary_")
    fitted = TextVectorizer().fit(["cat fox"])
    aligned = read_corpus(tmp_path / "a.ldac", vectorizer=fitted)
    assert aligned.vocabulary == ["cat", "fox"]
    assert aligned.counts.toarray().tolist() == [[4, 0]]


def test_count_files_need_no_vocabulary(tmp_path):
    (tmp_path / "a.dat").write_text("1 3:2\n0\n")
    corpus = read_corpus(tmp_path / "a.dat", keep_texts=True)
    assert corpus.vocabulary == ["0", "1", "2", "3"]
    assert corpus.counts.toarray().tolist() == [[0, 0, 0, 2], [0, 0, 0, 0]]
    assert corpus.labels is corpus.metadata is corpus.texts is None
    (tmp_path / "b.dat").write_text("0\n0\n")
    assert read_corpus(tmp_path / "b.dat").counts.shape == (2, 0)


def test_a_saved_corpus_is_a_source(docs, tmp_path):
    read_corpus(docs).save(tmp_path / "saved")
    test = read_corpus(tmp_path / "saved", where={"split": "test"})
    assert (test.ids, test.labels) == (["c"], [["wild"]])
    assert read_corpus(tmp_path / "saved", where={"labels": "pet"}).ids == ["a"]
    fitted = TextVectorizer().fit(["wild fox"])
    assert read_corpus(tmp_path / "saved", vectorizer=fitted).n_tokens == 1
    with pytest.raises(ValueError, match="No document has the field 'x'"):
        read_corpus(tmp_path / "saved", where={"x": "y"})
    with pytest.raises(ValueError, match="holds no document with split=none"):
        read_corpus(tmp_path / "saved", where={"split": "none"})
    Corpus([[1]]).save(tmp_path / "bare")
    assert len(read_corpus(tmp_path / "bare", where={"id": "0"})) == 1


def test_a_saved_model_is_not_a_corpus(tmp_path):
    from leantopics.storage import save_folder

    save_folder(tmp_path / "m", kind="model", content={}, arrays={}, strings={})
    with pytest.raises(ValueError, match="must hold a corpus, but is a model"):
        read_corpus(tmp_path / "m")


def test_a_source_without_documents_is_refused(docs, tmp_path):
    (tmp_path / "empty.csv").write_text("text\n")
    with pytest.raises(ValueError, match=r"empty.csv holds no document\."):
        read_corpus(tmp_path / "empty.csv")
    with pytest.raises(ValueError, match=r"no document with split=dev\."):
        read_corpus(docs, where={"split": "dev"})


def test_negative_counts_are_refused(tmp_path):
    (tmp_path / "a.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -5\n"
    )
    with pytest.raises(ValueError, match="Negative values in data"):
        read_corpus(tmp_path / "a.mtx")


@pytest.fixture
def data_folder():
    folder = os.environ.get("LEANTOPICS_DATA")
    if not folder:
        pytest.skip("NOT RUN: set LEANTOPICS_DATA to the folder of the real corpora")
    return Path(folder)


@pytest.mark.data
def test_reuters_has_the_papers_documents(data_folder):
    vectorizer = TextVectorizer(
        pattern=r"[a-z]{2,}", stop_words="english", stem="porter"
    )
    corpus = read_corpus(
        data_folder / "reuters21578.jsonl.xz",
        vectorizer=vectorizer,
        where={"s35": "true", "split": "train"},
    )
    assert corpus.counts.shape == (6454, 16233)
    assert corpus.n_tokens == 441843
    assert len({label for labels in corpus.labels for label in labels}) == 35
    assert all(len(labels) == 1 for labels in corpus.labels)


@pytest.mark.data
def test_labelme_has_the_papers_images(data_folder):
    corpus = read_corpus(
        data_folder / "labelme" / "train-data.dat",
        labels=data_folder / "labelme" / "train-label.dat",
    )
    assert corpus.counts.shape == (800, 158)
    assert set(corpus.counts.sum(axis=1)) == {2401}
    assert Counter(labels[0] for labels in corpus.labels) == {
        str(label): 100 for label in range(8)
    }


ENDLESS = "(?:a|aa|b?a)+(?=!)"


def test_a_pattern_that_takes_for_ever_is_told(monkeypatch):
    monkeypatch.setenv("LEANTOPICS_MAX_PATTERN", "1")
    told = (
        r"The pattern '\(\?:a\|aa\|b\?a\)\+\(\?=!\)' must cut a text of 60 characters "
        r"within 1 seconds, but takes longer; write it without a repeat inside a "
        r"repeat, or, .* set LEANTOPICS_MAX_PATTERN higher\."
    )
    vectorizer = TextVectorizer(pattern=ENDLESS)
    with pytest.raises(ValueError, match=told):
        vectorizer.fit(["a" * 60])
    with pytest.raises(ValueError, match=told):
        TextVectorizer(stop_words=["a" * 60], pattern=ENDLESS).fit(["aa!"])
    saved = vectorizer.fit(["aa! a"]).to_dict()
    assert vectorizer.vocabulary_ == ["aa"]
    of_others = TextVectorizer.from_dict(json.loads(json.dumps(saved)))
    with pytest.raises(ValueError, match=told):
        of_others.transform(["a" * 60])
    with pytest.raises(ValueError, match=told):
        of_others.spans(["a" * 60])


def test_a_caller_can_set_a_pattern_a_deadline():
    vectorizer = TextVectorizer(pattern=ENDLESS).fit(["aa! a"])
    with cutting_until(time.monotonic() + 0.2), pytest.raises(TimeoutError):
        vectorizer.transform(["a" * 60])
    with cutting_until(time.monotonic() - 1.0), pytest.raises(TimeoutError):
        vectorizer.transform(["aa!"])
    assert vectorizer.transform(["aa!"]).toarray() == [[1]]


def test_other_threads_do_not_use_up_the_time_of_a_pattern(monkeypatch):
    """The package counts the seconds of all threads, we those of one."""
    seen = []

    class Hasty:
        groups = 0

        def findall(self, text, timeout):
            seen.append(timeout)
            if len(seen) < 9:  # as if others had worked meanwhile
                raise TimeoutError
            return text.split()

    monkeypatch.setattr(Cutter, "_compiled", Hasty())
    assert Cutter("[a-z]+", True)("two words") == ["two", "words"]
    assert len(seen) == 9


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(?R)", r"must not call itself or a group, got \(\?R\): write it out"),
        (r"\\(?0)", r"got \(\?0\)"),
        ("(?P<x>a)(?&x)", r"got \(\?&x\)"),
        ("(a)(?1)", r"got \(\?1\)"),
        ("(a)(?P>x)", "is not a regular expression|must not call"),
        ("(?:" * 5000 + "a" + ")" * 5000, "is not a regular expression: max"),
    ],
)
def test_patterns_that_fill_the_memory_are_refused(pattern, told):
    with pytest.raises(ValueError, match=told) as caught:
        TextVectorizer(pattern=pattern).fit(["a"])
    assert len(str(caught.value)) < 500


def test_what_only_looks_like_a_call_is_none():
    vectorizer = TextVectorizer(pattern=r"\(?R\)|\(?[a-z]+", lowercase=False)
    assert vectorizer.fit(["R) (ab (?R)"]).vocabulary_ == ["(ab", "R)"]
