"""What bites: no NaN or infinity leaves a fit or an answer, on any scale of counts."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.model.recount import assert_bic_is_right, assert_sound

from leantopics import ParsimoniousTopicModel

REFUSED = "Counts must have a sum from 1e-09 to 1e\\+100, and each must be 0 or"
NO_WORDS = "Counts must have a sum from 1 to 1e\\+16 to be fitted"
WAYS = [(i, p) for i in ("sparse", "all") for p in ("shrunk", "switched")]


def fit(counts, n_topics=1, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ParsimoniousTopicModel(n_topics, random_state=0, **options).fit(counts)


def assert_numbers(model, counts):
    """Everything that leaves the model is a number."""
    assert np.isfinite([model.bic_, model.log_likelihood_]).all()
    assert np.isfinite(list(model.bic_terms_.values())).all()
    for step in model.history_:
        assert np.isfinite([step.bic, step.objective, step.log_likelihood]).all()
    for name in ("topic_mass_", "shared_word_prob_", "components_"):
        assert np.isfinite(getattr(model, name)).all(), name
    assert np.isfinite(model.salience_.data).all()
    assert_answers(model, counts)


def assert_answers(model, counts):
    for inference, prediction in WAYS:
        model.set_params(inference=inference, prediction=prediction)
        found = model.transform(counts)
        assert (found >= 0).all()
        assert np.allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-9)
        assert np.isfinite(model.score(counts))


@st.composite
def odd_counts(draw):
    """Matrices of a few documents, at scales by matrix, document, word or entry."""
    n_docs, n_words = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    shape = (n_docs, n_words)
    whole = draw(arrays.arrays(np.float64, shape, elements=st.integers(0, 5)))
    if draw(st.booleans()):
        whole[:] = whole[0]
    scaled = draw(st.sampled_from([(1, 1), (n_docs, 1), (1, n_words), shape]))
    least = draw(st.sampled_from([-300, -12, -6, 0]))
    most = draw(st.sampled_from([0, 6, 15]))
    power = draw(arrays.arrays(np.float64, scaled, elements=st.integers(least, most)))
    return whole * 10.0**power


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(odd_counts(), st.integers(1, 4), st.sampled_from(["seeded", "random"]))
def test_a_fit_has_numbers_or_is_refused(counts, n_topics, init):
    n_docs = int((counts.sum(axis=1) > 0).sum())
    if not n_docs:
        return
    options = dict(n_topics=min(n_topics, n_docs), init=init, max_iter=30)
    total, least = counts.sum(), counts[counts > 0].min()
    if not 1.0 <= total <= 1e16 or total > 1e16 * least:
        with pytest.raises(ValueError, match=f"{REFUSED}|{NO_WORDS}"):
            fit(counts, **options)
        return
    assert_numbers(fit(counts, **options), counts)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(odd_counts())
def test_an_answer_has_numbers_or_is_refused(counts):
    width = counts.shape[1]
    model = fit(np.eye(width) + 0.5, n_topics=min(2, width))
    total = counts.sum()
    if total and not 1e-9 <= total <= 1e100:
        for ask in (model.transform, model.score):
            with pytest.raises(ValueError, match=REFUSED):
                ask(counts)
        return
    assert_answers(model, counts)


@pytest.mark.parametrize(
    "counts",
    [
        np.full((2, 2), 5e-324),
        np.full((2, 2), 1e-300),
        np.full((2, 2), 1e308),
        np.array([[1e20, 1.0], [1.0, 1.0]]),
        np.array([[1.0, 1e-17]]),
    ],
)
def test_counts_beyond_the_arithmetic_are_refused(counts):
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match=REFUSED):
            fit(form(counts))


@pytest.mark.parametrize("most", [2**31 - 1, 2**31, 2**53 - 1, 2**53, 2**53 + 1])
def test_counts_of_many_bits(most):
    counts = np.array([[most, 1], [1, 1]])
    assert_numbers(fit(counts), counts)


def test_a_word_excluded_by_all_topics_of_a_document():
    """Its probability is 0 there; training guards 0/0, scoring mixes in a trace."""
    counts = np.array([[4.0, 3.0, 0.0], [3.0, 5.0, 0.0], [0.0, 1.0, 9.0]])
    model = ParsimoniousTopicModel.from_arrays(
        counts,
        alpha=np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
        beta=np.array([[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]]),
        u=np.ones((2, 3)),
        v=np.array([[1, 0], [1, 0], [0, 1]]),
        beta0=counts.sum(axis=0) / counts.sum(),
    )
    assert np.isfinite(model.bic_)
    stored = model.salient_word_prob_
    assert stored.nnz == 6  # a zero by absence stays stored
    assert (stored.data == 0).sum() == 2
    assert_answers(model, np.array([[0.0, 0.0, 5.0], [7.0, 0.0, 2.0]]))


def test_all_words_salient():
    """S_j = 1: nothing is left to the shared model."""
    counts = np.kron(np.eye(2), np.full((5, 3), 900.0)) + 1
    model = fit(counts, n_topics=2)
    assert_sound(model, counts)
    u = np.ones((2, 6))
    share = model.components_ / model.components_.sum(axis=1, keepdims=True)
    full = ParsimoniousTopicModel.from_arrays(
        counts,
        model.topic_proportions_,
        share,
        u,
        model.topic_proportions_ > 0,
        model.shared_word_prob_,
    )
    assert full.n_salient_words_.tolist() == [6, 6]
    assert_numbers(full, counts)


def test_topics_of_one_word():
    counts = 30.0 * np.eye(4)
    model = fit(counts, n_topics=4)
    assert_sound(model, counts)
    assert_numbers(model, counts)


@pytest.mark.parametrize("word_prior", ["entropy", "exact"])
def test_every_switch_on(word_prior):
    """p = N0 / (M N) = 1, where the entropy has the logarithm of 0."""
    counts = np.array([[3.0, 1.0], [1.0, 3.0]])
    half = np.full((2, 2), 0.5)
    ones = np.ones((2, 2))
    model = ParsimoniousTopicModel.from_arrays(
        counts, half, half, ones, ones, [0.5, 0.5], word_prior=word_prior
    )
    assert_bic_is_right(model, counts)
    assert_numbers(model, counts)


def test_a_topic_with_one_short_document():
    """log(Lbar_j / 2 pi) and log(L_d / 2 pi) are negative."""
    counts = np.vstack([np.full((6, 4), 20.0) * [1, 1, 0, 0], [[0, 0, 0.5, 1.0]]])
    model = fit(counts, n_topics=2)
    assert_sound(model, counts)
    assert_numbers(model, counts)


def test_small_ratios_are_summed_by_log1p():
    """A likelihood next to that of the shared model keeps its last digits."""
    counts = np.array([[1e6, 1e6], [1e6, 1e6 + 1]])
    model = fit(counts)
    gain = model.log_likelihood_ - counts.sum(0) @ np.log(model.shared_word_prob_)
    assert 0 <= gain < 1e-6 * abs(model.log_likelihood_)
    assert_bic_is_right(model, counts)


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (0.01, "Most documents should have 7 words or more, but half have 0.4 or less"),
        (0.5, "Counts should be whole numbers, but most are fractions"),
        (1e5, r"Most documents should have at most 1e\+06 words, but half have 4e\+06"),
    ],
)
def test_counts_that_were_scaled_are_reported(factor, message):
    counts = np.kron(np.eye(2), np.ones((5, 40)))
    with pytest.warns(UserWarning, match=message):
        ParsimoniousTopicModel(2, random_state=0).fit(counts * factor)


def test_documents_of_a_billion_words_have_no_number_of_topics():
    counts = np.kron(np.eye(2), np.ones((5, 40)))
    with pytest.raises(ValueError, match=r"at most 1e\+09 words for the number"):
        ParsimoniousTopicModel(random_state=0).fit(counts * 1e8)
    with pytest.raises(ValueError, match=r"sum from 1 to 1e\+16 to be fitted"):
        ParsimoniousTopicModel(2, random_state=0).fit(counts * 1e90)
