"""The shared model learned with the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests import reference
from tests.ptm.instances import csr, quick, random_state

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.engine.threads import Inline
from leantopics.ptm import background
from leantopics.ptm.state import Parameters, prepare, unknown


def learned(counts, model):
    data = prepare(csr(counts))
    start = Parameters(
        reference.salient_of(model),
        [unknown([reference.mixes_of(model.v, model.alpha)])],
    )
    return background.learn(data, start, Inline())


def expected(counts, model, beta0):
    """What the shared model changes of the expected log-likelihood."""
    x = reference.expected_counts(counts, model)
    left = np.where(model.u, 0.0, x).sum(axis=0)
    own = np.where(model.u, x, 0.0).sum(axis=1)
    share = np.where(model.u, beta0, 0.0).sum(axis=1)
    return left @ np.log(beta0) + own @ np.log(share)


@quick
@given(st.integers(0, 10**6))
def test_the_likelihood_rises(seed):
    counts, model = random_state(seed)
    data, parameters = learned(counts, model)
    after = reference.dense_model(data, parameters)
    np.testing.assert_allclose(reference.topics(after).sum(axis=1), 1.0)
    assert after.beta0.sum() == pytest.approx(1.0)
    assert (after.beta0 >= 0.01 * model.beta0 - 1e-15).all()
    assert reference.bic(counts, after) <= reference.bic(counts, model) + 1e-8
    assert data.base_log_likelihood == pytest.approx(
        float((counts @ np.log(after.beta0)).sum())
    )


@pytest.mark.parametrize("seed", range(5))
def test_many_steps_find_what_a_general_solver_finds(monkeypatch, seed):
    counts, model = random_state(seed, n_words=8, n_topics=3)
    monkeypatch.setattr(background, "_STEPS", 20_000)
    beta0 = learned(counts, model)[0].shared.beta0
    floor = 0.01 * model.beta0

    def cost(logits):
        free = np.exp(logits - logits.max())
        return -expected(counts, model, floor + 0.99 * free / free.sum())

    best = minimize(cost, np.log(model.beta0), method="BFGS")
    assert expected(counts, model, beta0) == pytest.approx(-best.fun, abs=1e-3)


def test_a_fit_has_a_lower_bic_and_fewer_salient_words(tmp_path):
    corpus, _ = make_corpus(400, 300, 6, salient_per_topic=40, boost=5, overlap=1.0)
    settings = dict(n_topics=6, evidence="words", random_state=0)
    usual = ParsimoniousTopicModel(**settings).fit(corpus)
    model = ParsimoniousTopicModel(**settings, shared="learned").fit(corpus)
    assert model.converged_
    assert model.bic_ < usual.bic_
    assert model.n_salient_words_.sum() < usual.n_salient_words_.sum()
    falls = np.diff([step.objective for step in model.history_[-model.n_iter_ :]])
    assert falls.max() <= 1e-6
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.word_frequency_, usual.shared_word_prob_)
    model.save(tmp_path / "model")
    again = ParsimoniousTopicModel.load(tmp_path / "model")
    np.testing.assert_array_equal(again.shared_word_prob_, model.shared_word_prob_)
    assert again.score(corpus) == model.score(corpus)


def test_every_order_of_a_search_has_its_own(tmp_path):
    corpus, _ = make_corpus(200, 150, 4, salient_per_topic=30, boost=5)
    model = ParsimoniousTopicModel(
        max_topics=6, step=1, shared="learned", random_state=0
    ).fit(corpus)
    other = model.at(3, corpus)
    assert (other.shared_word_prob_ != model.shared_word_prob_).any()
    model.save(tmp_path / "model")
    again = ParsimoniousTopicModel.load(tmp_path / "model").at(3, corpus)
    np.testing.assert_array_equal(again.components_, other.components_)
    assert again.score(corpus) == other.score(corpus)
