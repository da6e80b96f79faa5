"""The estimator keeps scikit-learn's contract, whatever form the counts come in."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.model.recount import assert_same_fit

from leantopics import Corpus, ParsimoniousTopicModel

CHECKED = [
    ParsimoniousTopicModel(max_topics=3, max_iter=20),
    ParsimoniousTopicModel(2, max_iter=20),
    ParsimoniousTopicModel(2, max_iter=20, inference="all"),
]
TEXTS = [
    "the cat and the dog and the cat",
    "the dog chased the cat",
    "stocks fell and bonds rose",
    "the bonds and the stocks fell",
] * 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CHECKED)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


def quick(**settings):
    return ParsimoniousTopicModel(**{"n_topics": 4, "random_state": 0, **settings})


def with_duplicates(counts):
    """The same counts, each split in two entries, out of order, zeros stored."""
    coo = counts.tocoo()
    row = np.concatenate([coo.row, coo.row, [0]])[::-1]
    col = np.concatenate([coo.col, coo.col, [0]])[::-1]
    data = np.concatenate([coo.data / 2, coo.data / 2, [0.0]])[::-1]
    return sparse.coo_array((data, (row, col)), shape=counts.shape)


FORMS = {
    "array": lambda c: c.toarray(),
    "integers": lambda c: c.toarray().astype(np.int32),
    "fortran": lambda c: np.asfortranarray(c.toarray()),
    "float32": lambda c: c.toarray().astype(np.float32),
    "csr_matrix": sparse.csr_matrix,
    "csc": lambda c: c.tocsc(),
    "coo": lambda c: c.tocoo(),
    "lil": lambda c: c.tolil(),
    "csr of integers": lambda c: c.astype(np.int64),
    "long indices": lambda c: sparse.csr_array(
        (c.data, c.indices.astype(np.int64), c.indptr.astype(np.int64)), shape=c.shape
    ),
    "duplicates": with_duplicates,
}


@pytest.fixture(scope="module")
def plain(corpus):
    return quick().fit(corpus.counts)


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_counts_does_not_matter(form, corpus, plain):
    X = FORMS[form](corpus.counts)
    other = quick().fit(X)
    assert_same_fit(plain, other)
    expected = plain.transform(corpus.counts)
    assert np.array_equal(other.transform(X), expected.astype(other.transform(X).dtype))


@pytest.mark.parametrize("form", ["csr_matrix", "coo", "duplicates", "array"])
def test_the_counts_are_left_as_they_were(form, corpus):
    X, before = (FORMS[form](corpus.counts) for _ in range(2))
    quick(max_topics=3).fit(X).transform(X)
    if sparse.issparse(X):
        assert X.nnz == before.nnz
        X, before = X.toarray(), before.toarray()
    assert np.array_equal(X, before)


def test_words_without_names_are_numbered(plain):
    assert plain.vocabulary_ == [str(n) for n in range(100)]
    assert not hasattr(plain, "feature_names_in_")


def test_a_corpus_brings_its_vocabulary(corpus, plain):
    model = quick().fit(corpus)
    assert model.vocabulary_ == corpus.vocabulary
    model.vocabulary_ = plain.vocabulary_
    assert_same_fit(plain, model)


def test_the_columns_of_a_data_frame_are_the_vocabulary(corpus, plain):
    frame = pd.DataFrame(corpus.counts.toarray(), columns=corpus.vocabulary)
    model = quick().fit(frame)
    assert model.vocabulary_ == corpus.vocabulary
    assert list(model.feature_names_in_) == corpus.vocabulary
    assert np.array_equal(model.transform(frame), plain.transform(corpus.counts))
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame.rename(columns={corpus.vocabulary[0]: "other"}))
    model.vocabulary_ = plain.vocabulary_
    assert_same_fit(plain, model)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse_output", [False, True])
def test_the_precision_of_the_counts_is_kept(dtype, sparse_output, corpus, plain):
    model = clone(plain).set_params(sparse_output=sparse_output).fit(corpus.counts)
    assert model.transform(corpus.counts.astype(dtype)).dtype == dtype


def test_sparse_output_holds_the_same_numbers(corpus, plain):
    model = clone(plain).set_params(sparse_output=True).fit(corpus.counts)
    found = model.transform(corpus.counts)
    assert sparse.issparse(found)
    assert found.format == "csr"
    assert np.array_equal(found.toarray(), plain.transform(corpus.counts))
    assert found.nnz < 0.6 * found.shape[0] * found.shape[1]


def test_fit_transform_is_fit_then_transform(corpus):
    for X in (corpus, corpus.counts):
        together = quick().fit_transform(X)
        assert np.array_equal(together, quick().fit(X).transform(X))


def test_output_names(corpus, plain):
    names = [f"parsimonioustopicmodel{j}" for j in range(4)]
    assert list(plain.get_feature_names_out()) == names
    frame = pd.DataFrame(corpus.counts.toarray(), columns=corpus.vocabulary)
    frame.index = corpus.ids
    model = quick().set_output(transform="pandas")
    found = model.fit_transform(frame)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == names
    assert list(found.index) == corpus.ids
    assert np.array_equal(found.to_numpy(), plain.transform(corpus.counts))
    assert isinstance(model.transform(frame.iloc[:2]), pd.DataFrame)


def test_a_pipeline_from_texts_to_topics():
    pipeline = make_pipeline(CountVectorizer(), quick(n_topics=2))
    found = pipeline.fit_transform(TEXTS)
    assert found.shape == (12, 2)
    assert len(pipeline.get_feature_names_out()) == 2
    assert np.array_equal(pipeline.transform(TEXTS), found)
    assert np.isfinite(pipeline.score(["the cat and some unknown words"]))
    assert np.array_equal(
        pipeline.transform(["entirely foreign"])[0], pipeline[-1].topic_mass_
    )


def test_the_score_can_be_cross_validated(corpus):
    scores = cross_val_score(quick(), corpus.counts, cv=3)
    assert np.all(np.isfinite(scores))
    assert np.all(scores < 0)


def test_clones_have_the_settings_and_nothing_else(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "bic_")


def test_a_pickled_model_is_the_same_model(model, corpus):
    copy = pickle.loads(pickle.dumps(model))
    assert_same_fit(model, copy)
    assert np.array_equal(copy.transform(corpus), model.transform(corpus))
    assert copy.topic_names == model.topic_names
    assert_same_fit(model.at(3), copy.at(3))


def test_a_second_fit_forgets_the_first(corpus):
    model = quick().fit(corpus)
    model.topic_names = ["a", "b", "c", "d"]
    model.fit(Corpus(corpus.counts[:50, :60]))
    assert_same_fit(model, quick().fit(corpus.counts[:50, :60]))
    assert model.topic_names != ["a", "b", "c", "d"]
    assert model.n_features_in_ == 60
