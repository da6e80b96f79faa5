"""One contract for all baselines: that of scikit-learn, and that of our own model."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.storage.toy import edit_manifest

from leantopics import Corpus
from leantopics.baselines import LDA, SparseTopicalCoding
from leantopics.corpus import rows

MODELS = {
    "lda": LDA(3, max_iter=30),
    "lda with background": LDA(3, max_iter=30, background=True),
    "smoothed lda": LDA(3, max_iter=30, smoothing=0.1),
    "stc": SparseTopicalCoding(3, max_iter=30),
}
"""Every baseline, and every kind of it that keeps other arrays."""

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
ARRAYS = ("components_", "topic_proportions_", "topics_present_", "topic_mass_")


@parametrize_with_checks([clone(model) for model in MODELS.values()])
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


@pytest.fixture(params=MODELS)
def blank(request):
    return clone(MODELS[request.param]).set_params(random_state=0)


@pytest.fixture(scope="module", params=MODELS)
def model(request, corpus):
    """Orders 6, 4 and 3; tests that change it must work on a copy."""
    blank = clone(MODELS[request.param]).set_params(random_state=0)
    return blank.set_params(max_topics=6, step=2).fit(corpus)


def assert_same(a, b):
    assert a.n_topics_ == b.n_topics_
    assert a.vocabulary_ == b.vocabulary_
    assert a.stop_reason_ == b.stop_reason_
    assert a.n_iter_ == b.n_iter_
    for name in ARRAYS:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for ours, theirs in zip(a.path_, b.path_, strict=True):
        assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}


def test_score_looks_at_parts(model, corpus, monkeypatch):
    whole = model.score(corpus)
    monkeypatch.setattr(rows, "PART_ENTRIES", corpus.counts.nnz // 5)
    seen, value = [], type(model)._value
    monkeypatch.setattr(
        type(model), "_value", lambda s, X: seen.append(X.shape[0]) or value(s, X)
    )
    assert model.score(corpus) == pytest.approx(whole, rel=1e-12)
    assert len(seen) > 4
    assert sum(seen) == len(corpus)


def test_shapes_and_sums(model, corpus):
    n_rows = 3 + bool(getattr(model, "background", False))
    assert model.n_topics_ == 3
    assert model.components_.shape == (n_rows, corpus.n_words)
    assert model.components_.min() >= 0.0
    assert model.topic_proportions_.shape == (corpus.n_docs, n_rows)
    assert model.topics_present_.shape == (corpus.n_docs, n_rows)
    assert model.topics_present_.any(axis=1).all()
    found = model.transform(corpus)
    assert found.shape == (corpus.n_docs, n_rows)
    assert model.get_feature_names_out().shape == (n_rows,)
    for each in (model.components_, model.topic_proportions_, found):
        np.testing.assert_allclose(each.sum(axis=1), 1.0)
    assert model.topic_mass_.sum() == pytest.approx(1.0)
    assert np.all(np.diff(model.topic_mass_[:3]) <= 0.0)
    assert np.isfinite(model.score(corpus))


def test_the_path_goes_down_to_the_number_asked_for(model, corpus):
    assert [row["n_topics"] for row in model.path_] == [3, 4, 6]
    assert [step.n_topics for step in model.history_ if step.iteration == 1] == [
        6,
        4,
        3,
    ]
    for row in model.path_:
        other = model.at(row["n_topics"])
        assert other.n_topics_ == row["n_topics"]
        assert other.n_iter_ == row["n_iter"]
        assert other.stop_reason_ == row["stop_reason"]
        present = other.topics_present_[:, : other.n_topics_].sum(axis=1)
        assert row["topics_per_document"] == pytest.approx(present.mean())
        assert len(other.components_) == len(model.components_) - 3 + other.n_topics_
        assert np.isfinite(other.transform(corpus)).all()
    assert_same(model.at(3), model)
    assert_same(model.at(6).at(3), model)
    with pytest.raises(ValueError, match=r"one of the numbers fitted, \[3, 4, 6\].*5"):
        model.at(5)


def test_never_more_topics_than_documents(blank, corpus):
    found = blank.set_params(max_topics=50, step=3).fit(corpus.counts[:8])
    assert [row["n_topics"] for row in found.path_] == [3, 5, 8]
    with pytest.raises(ValueError, match=r"must not exceed .*words, 2. Got 3"):
        clone(blank).fit(corpus.counts[:2])


def test_threads_do_not_change_a_bit(blank, corpus, monkeypatch):
    monkeypatch.setattr("leantopics.models.shards.SHARD_ENTRIES", 300)
    one, two = (
        clone(blank).set_params(n_jobs=n, max_topics=5, step=1).fit(corpus)
        for n in (1, 2)
    )
    assert_same(one, two)
    assert np.array_equal(one.transform(corpus), two.transform(corpus))
    assert one.score(corpus) == two.score(corpus)


def test_the_seed_makes_the_fit(blank, corpus):
    assert_same(clone(blank).fit(corpus), clone(blank).fit(corpus))
    other = clone(blank).set_params(random_state=1).fit(corpus)
    assert not np.array_equal(other.components_, blank.fit(corpus).components_)


def test_a_saved_model_comes_back_whole(model, corpus, tmp_path):
    model = model.at(3)
    model.topic_names = ["a", "b", "ö"]
    model.save(tmp_path / "m")
    loaded = type(model).load(tmp_path / "m")
    assert_same(model, loaded)
    assert loaded.get_params() == model.get_params()
    assert loaded.history_ == model.history_
    assert loaded.path_ == model.path_
    assert loaded.topic_names == ["a", "b", "ö"]
    assert np.array_equal(loaded.transform(corpus), model.transform(corpus))
    assert loaded.score(corpus) == model.score(corpus)
    assert_same(loaded.at(6), model.at(6))
    for file in (tmp_path / "m").iterdir():
        if file.suffix == ".npy":
            np.load(file, allow_pickle=False)
        else:
            json.loads(file.read_text(encoding="utf-8"))


def test_loading_something_else(model, corpus, tmp_path):
    corpus.save(tmp_path / "corpus")
    with pytest.raises(ValueError, match="must hold a model, but is a corpus"):
        type(model).load(tmp_path / "corpus")
    model.save(tmp_path / "m")
    other = type("Other", (type(model),), {})
    with pytest.raises(ValueError, match=r"model of class Other, but holds.*load it"):
        other.load(tmp_path / "m")
    edit_manifest(tmp_path / "m", lambda m: m["content"].pop("orders"))
    with pytest.raises(ValueError, match=r"must be a complete model.*'orders'"):
        type(model).load(tmp_path / "m")


def test_a_pickled_model_is_the_same_model(model, corpus):
    copy = pickle.loads(pickle.dumps(model))
    assert_same(model, copy)
    assert np.array_equal(copy.transform(corpus), model.transform(corpus))


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.coo_array, np.asarray])
def test_the_form_of_the_counts_does_not_matter(form, blank, corpus):
    X = form(corpus.counts.toarray())
    other = clone(blank).fit(X)
    assert other.vocabulary_ == [str(n) for n in range(corpus.n_words)]
    other.vocabulary_ = corpus.vocabulary
    assert_same(blank.fit(corpus), other)
    assert np.array_equal(other.transform(X), blank.transform(corpus))


def test_a_data_frame_brings_and_keeps_its_names(blank, corpus, tmp_path):
    frame = pd.DataFrame(corpus.counts.toarray(), columns=corpus.vocabulary)
    blank.fit(frame).save(tmp_path / "m")
    loaded = type(blank).load(tmp_path / "m")
    assert list(loaded.at(3).feature_names_in_) == corpus.vocabulary
    assert np.array_equal(loaded.transform(frame), blank.transform(frame))


def test_precision_is_kept(model, corpus):
    single = model.transform(corpus.counts.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, model.transform(corpus.counts), rtol=1e-5)


def test_documents_without_words_have_the_corpus_wide_shares(blank, corpus):
    counts = corpus.counts.toarray()
    counts[[0, 5]] = 0.0
    blank.fit(counts)
    plain = clone(blank).fit(np.delete(counts, [0, 5], axis=0))
    assert np.array_equal(blank.components_, plain.components_)
    assert np.array_equal(blank.topic_proportions_[5], blank.topic_mass_)
    assert not blank.topics_present_[[0, 5]].any()
    nothing = np.zeros((1, corpus.n_words))
    assert np.array_equal(blank.transform(nothing)[0], blank.topic_mass_)
    assert blank.score(nothing) == 0.0


def test_words_that_were_never_seen_change_nothing(blank, corpus):
    counts = corpus.counts.toarray()
    counts[:, 3] = 0.0
    blank.fit(counts)
    new = counts[:10].copy()
    new[:, 3] = 4.0
    assert np.array_equal(blank.transform(new), blank.transform(counts[:10]))
    assert blank.score(new) == blank.score(counts[:10])
    assert "w3" not in [word for word, _ in blank.top_words(0, 100)]


def test_a_corpus_is_matched_by_its_words(model, corpus):
    order = np.random.default_rng(0).permutation(corpus.n_words)
    shuffled = Corpus(corpus.counts[:, order], [corpus.vocabulary[n] for n in order])
    assert np.array_equal(model.transform(shuffled), model.transform(corpus))


def test_words_and_names(model):
    words = model.top_words(1, 5)
    assert len(words) == 5
    row = np.sort(model.components_[1])[::-1]
    np.testing.assert_allclose([value for _, value in words], row[:5])
    for word, value in words:
        assert model.components_[1, model.vocabulary_.index(word)] == value
    salient = model.top_words(1, 5, by="salience")
    values = [value for _, value in salient]
    assert values == sorted(values, reverse=True)
    assert len(model.topic_names) == 3
    assert model.topic_names[1].split() == [word for word, _ in salient[:3]]
    with pytest.raises(ValueError, match="by must be one of 'probability', 'salience'"):
        model.top_words(1, by="length")
    with pytest.raises(ValueError, match="from 0 to 2"):
        model.top_words(3)


def test_a_callback_sees_all_and_stops(blank, corpus):
    seen = []
    blank.set_params(max_topics=6, step=1, callback=seen.append).fit(corpus)
    assert seen == blank.history_

    def stop(step):
        return step.n_topics == 5

    stopped = clone(blank).set_params(callback=stop).fit(corpus)
    assert [row["n_topics"] for row in stopped.path_] == [5, 6]
    assert stopped.n_topics_ == 5
    assert stopped.stop_reason_ == "callback"
    assert not stopped.converged_


def test_progress_is_shown(blank, corpus, capsys):
    blank.set_params(max_topics=4, step=1, verbose=1).fit(corpus)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["4 topics", "3 topics"]
    assert "objective" in lines[0]
    blank.set_params(verbose=2).fit(corpus)
    assert len(capsys.readouterr().err.splitlines()) == len(blank.history_)


def test_running_out_of_iterations_is_told(blank, corpus):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations were not"):
        blank.set_params(max_iter=1, tol=0.0).fit(corpus)
    assert blank.stop_reason_ == "max_iter"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_topics", [0, -1, 2.5, "auto", None, True]),
        ("max_topics", [0, 2, 1.5, "all"]),
        ("step", [0, -3, 1.5]),
        ("max_iter", [0, 1.5, None]),
        ("tol", [-0.1, "small", None, np.nan]),
        ("callback", ["loud"]),
    ],
)
def test_parameters_that_make_no_sense(name, values, blank, corpus):
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name} must .*Got .*{value!r}"):
            clone(blank).set_params(**{name: value}).fit(corpus)


def test_what_cannot_be_answered(blank, corpus):
    with pytest.raises(NotFittedError):
        blank.transform(corpus)
    with pytest.raises(NotFittedError):
        blank.save("nowhere")
    with pytest.raises(ValueError, match="at least one document with a word in it"):
        blank.fit(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="Negative values in data"):
        blank.fit(-np.ones((4, 3)))
