"""Texts instead of counts: counted where that is known, else refused in a sentence."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from sklearn.base import clone
from tests.cli.runner import documents

from leantopics import (
    LDA,
    Corpus,
    ParsimoniousTopicModel,
    TextVectorizer,
    count_texts,
    fit_texts,
    load_model,
)

RECORDS = [{**record, "year": 1987 + d % 3} for d, record in enumerate(documents(40))]
TEXTS = [record["text"] for record in RECORDS]
TABLE = pd.DataFrame(RECORDS).rename(columns={"text": "body"})
FRAMES = [TABLE, pl.from_pandas(TABLE), pyarrow.Table.from_pandas(TABLE)]


@pytest.fixture(scope="module")
def model():
    return fit_texts(TEXTS, 2)


def test_texts_are_fitted_in_one_line(model):
    corpus = count_texts(TEXTS)
    same = ParsimoniousTopicModel(2, evidence="bursts", random_state=0).fit(corpus)
    assert model.bic_ == same.bic_
    assert model.corpus_.texts == TEXTS
    assert (model.corpus_.counts != corpus.counts).nnz == 0


def test_a_warning_names_the_line_of_the_user():
    short = ["a tree", "the sea"] * 3
    with pytest.warns(UserWarning, match="7 words or more") as told:
        model = fit_texts(short)
    assert {warning.filename for warning in told} == {__file__}
    with pytest.warns(UserWarning, match="7 words or more") as told:
        clone(model).fit(model.corpus_)
    assert {warning.filename for warning in told} == {__file__}
    with pytest.warns(UserWarning, match="7 words or more") as told:
        model.refresh(model.corpus_)
    assert {warning.filename for warning in told} == {__file__}
    with pytest.warns(UserWarning, match="words that the model knows") as told:
        model.transform(count_texts(["granite quarry"]))
    assert {warning.filename for warning in told} == {__file__}


def test_one_document_is_worth_a_warning():
    with pytest.warns(UserWarning, match="many documents .* Got only one: split its"):
        assert fit_texts([TEXTS[0]]).n_topics_ == 1


def test_dates_that_are_not_known_are_kept_with_a_warning():
    days = ["yesterday", None, "1987", "26-FEB-1987", "2026-11-16T10:00", *["?"] * 35]
    with pytest.warns(UserWarning, match="36 of 39 are not, such as 'yesterday'"):
        model = fit_texts(TEXTS, 2, dates=days)
    assert model.corpus_.metadata[0] == {"date": "yesterday"}
    assert model.corpus_.metadata[1] == {}


def test_new_texts_are_counted_as_the_corpus_was(model, tmp_path):
    new = ["boats and waves", "under the trees", "ünknown"]
    expected = model.transform(count_texts(new))
    for given in (new, tuple(new), np.array(new), pd.Series(new), pl.Series(new)):
        np.testing.assert_array_equal(model.transform(given), expected)
    assert model.score(new) == model.score(count_texts(new))
    assert model.explain(new)[0].shared_share < 1.0
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.transform(new), expected)
    assert loaded.corpus_ is None


def test_other_models_count_texts_too():
    lda = LDA(2, random_state=0).fit(count_texts(TEXTS))
    new = ["boats and waves"]
    np.testing.assert_array_equal(lda.transform(new), lda.transform(count_texts(new)))


def test_a_tokenizer_is_needed_and_used(tmp_path):
    fitted = fit_texts(TEXTS, 2, vectorizer=TextVectorizer(tokenizer=str.split))
    expected = fitted.transform(["boats and waves"])
    fitted.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    with pytest.raises(ValueError, match="use_tokenizer"):
        loaded.transform(["boats and waves"])
    loaded.use_tokenizer(str.split)
    np.testing.assert_array_equal(loaded.transform(["boats and waves"]), expected)


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "arrow"])
def test_a_frame_is_understood_by_column(frame):
    fitted = fit_texts(
        frame, 2, text="body", labels="label", dates="year", ids="id", n_jobs=1
    )
    corpus = fitted.corpus_
    assert corpus.texts == TEXTS
    assert list(corpus.ids) == TABLE["id"].tolist()
    assert corpus.labels[0] == ["sea"]
    assert corpus.metadata[0] == {"split": "train", "date": "1987"}
    chosen = fit_texts(frame, 2, text="body", metadata=["year"], n_jobs=1).corpus_
    assert (chosen.labels, chosen.metadata[1]) == (None, {"year": 1988})
    only = (frame.filter if frame is TABLE else frame.select)(["body", "year"])
    assert fit_texts(only, 2, n_jobs=1).corpus_.metadata[2] == {"year": 1989}


def test_dates_of_any_kind_are_iso():
    days = [datetime.date(2026, 11, 16), pd.Timestamp("2026-11-17"), "2026", None]
    more = [np.datetime64("2026-11-18"), pd.NaT, float("nan"), 1987]
    corpus = fit_texts(TEXTS[:8], 1, dates=days + more).corpus_
    assert [row.get("date") for row in corpus.metadata] == [
        *("2026-11-16", "2026-11-17", "2026", None),
        *("2026-11-18", None, None, "1987"),
    ]


def test_whole_numbers_are_labels():
    whole = [3, np.int64(4), 5.0, None, float("nan"), ["sea", 6], "7", True]
    corpus = Corpus(np.ones((7, 1)), labels=whole[:7])
    assert corpus.labels == [["3"], ["4"], ["5"], [], [], ["sea", "6"], ["7"]]
    for wrong in (True, 2.5, float("inf"), [1j]):
        with pytest.raises(TypeError, match="Labels must be strings or whole"):
            Corpus([[1]], labels=[wrong])


def test_metadata_may_be_a_frame():
    for frame in (pd.DataFrame({"a": [1, None]}), pl.DataFrame({"a": [1, None]})):
        assert Corpus([[1], [1]], metadata=frame).metadata == [{"a": 1}, {}]
    with pytest.raises(TypeError, match="a dictionary for each document"):
        Corpus([[1]], metadata=[3])


with_gap = TABLE.assign(body=[None, *TEXTS[1:39], None])
plain = ParsimoniousTopicModel(1).fit(np.full((3, 2), 9))
counted = fit_texts(TEXTS, 1)
WRONG = {
    "a frame to count": (lambda: count_texts(TABLE), r"count_texts\(df\['body'\]\)"),
    "a frame of texts to fit": (
        lambda: ParsimoniousTopicModel().fit(TABLE),
        r"its column 'body' instead: use leantopics.fit_texts\(df, text='body'\)",
    ),
    "texts to fit": (lambda: ParsimoniousTopicModel().fit(TEXTS), "fit_texts"),
    "a frame to transform": (lambda: counted.transform(TABLE), r"give df\['body'\]"),
    "one text": (lambda: counted.transform("a cat"), "Got one text"),
    "texts to a model of counts": (lambda: plain.transform(TEXTS), "fitted to counts"),
    "no column": (lambda: fit_texts(TABLE, text="txt"), "no column 'txt': the columns"),
    "which column": (lambda: fit_texts(TABLE), "such as text='body'"),
    "no label column": (
        lambda: fit_texts(TABLE, text="body", labels="kind"),
        "must have the column 'kind', but its columns are 'id', 'body'",
    ),
    "a column of no frame": (lambda: fit_texts(TEXTS, dates="day"), "not a data frame"),
    "missing texts": (
        lambda: fit_texts(with_gap, text="body"),
        r"row 0 \(and 1 other row\) of 40 is missing .* df.dropna\(subset=\['body'\]",
    ),
    "NaN among texts": (
        lambda: count_texts(["a", float("nan")]),
        r"row 1 of 2 is missing \(nan\): leave such rows out, or put an empty text",
    ),
    "a number among texts": (lambda: count_texts(["a", 3]), "row 1 of 2 is 3 of type"),
    "few dates": (
        lambda: fit_texts(TEXTS, dates=["2026"]),
        "one entry for each of 40 texts. Got 1",
    ),
    "metadata JSON cannot hold": (
        lambda: fit_texts(
            TABLE.assign(v=[np.zeros(2)] * 40), text="body", metadata=["v"]
        ),
        "column 'v' cannot be metadata",
    ),
    "no model": (lambda: load_model("nowhere"), "There is no file or folder nowhere."),
    "no corpus": (lambda: Corpus.open("nowhere"), "no file or folder nowhere."),
    "few documents": (
        lambda: ParsimoniousTopicModel(5).fit(np.ones((2, 3))),
        "must not exceed that of documents with words, 2. Got 5",
    ),
    "an empty corpus": (
        lambda: ParsimoniousTopicModel().fit(Corpus(np.zeros((0, 2)))),
        "has 0 documents and 2 words",
    ),
}


@pytest.mark.parametrize(("call", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_one_clear_sentence(call, message):
    with pytest.raises((TypeError, ValueError, FileNotFoundError), match=message) as no:
        call()
    assert "n_samples" not in str(no.value)
    assert "\n" not in str(no.value)
