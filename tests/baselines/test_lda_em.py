"""Variational EM: its bound, its steps, its threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.baselines import reference

from leantopics.baselines import dirichlet, lda_em
from leantopics.baselines.lda_em import Settings, Words
from leantopics.engine.threads import Inline, engine

FORMS = {
    "plain": (None, False),
    "background": (None, True),
    "smoothed": (0.3, False),
    "smoothed background": (0.3, True),
}


def fitted(counts, form, seed=0, n_topics=3, **changes):
    smoothing, background = FORMS[form]
    random = np.random.default_rng(seed)
    table = random.dirichlet(np.ones(counts.shape[1]), n_topics).T
    if smoothing is not None:
        table = smoothing + 50.0 * table
    totals = counts.sum(axis=0)
    words = Words(table, smoothing, totals / totals.sum() if background else None)
    options = Settings(40, 0.0, 20, 1e-4, True)._replace(**changes)
    eta = np.full(n_topics + background, 0.5)
    shards = lda_em.cut(sparse.csr_array(counts))
    return lda_em.fit(shards, words, eta, options, Inline())


def whole_bound(counts, found):
    """The bound from the parameters and gamma alone."""
    table, smoothing, background = found.words
    rows = table.T
    with np.errstate(divide="ignore"):
        log_beta = np.log(rows) if smoothing is None else reference.log_dirichlet(rows)
        if background is not None:
            log_beta = np.vstack((log_beta, np.log(background)))
    gamma = np.concatenate(found.gamma)
    bound = reference.documents_bound(counts, gamma, found.eta, log_beta)
    return bound + (
        0.0 if smoothing is None else reference.topics_bound(rows, smoothing)
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("doc_max_iter", [1, 2, 20])
@pytest.mark.parametrize("learn_eta", [True, False])
def test_the_bound_never_falls_and_is_the_bound(form, doc_max_iter, learn_eta, corpus):
    counts = corpus.counts.toarray()
    for seed in range(3):
        found = fitted(
            counts, form, seed, doc_max_iter=doc_max_iter, learn_eta=learn_eta
        )
        bounds = np.array([step.objective for step in found.history])
        assert np.diff(bounds).min(initial=0.0) >= -1e-10 * abs(bounds[-1])
        assert bounds[-1] == pytest.approx(whole_bound(counts, found), rel=1e-10)


@given(
    st.integers(0, 10**6), st.sampled_from(sorted(FORMS)), st.sampled_from([1, 0.01])
)
@settings(deadline=None, max_examples=40)
def test_the_bound_never_falls_on_odd_corpora(seed, form, scale):
    random = np.random.default_rng(seed)
    counts = scale * random.poisson(0.7, (12, 10)).astype(float)
    counts[counts.sum(axis=1) == 0, 0] = scale
    found = fitted(counts, form, seed, n_topics=4, max_iter=60, doc_max_iter=5)
    bounds = np.array([step.objective for step in found.history])
    assert np.isfinite(bounds).all()
    assert np.diff(bounds).min(initial=0.0) >= -1e-10 * abs(bounds[-1])
    assert bounds[-1] == pytest.approx(whole_bound(counts, found), rel=1e-9)


def test_expected_counts_account_for_every_word(corpus):
    counts = corpus.counts.toarray()
    found = fitted(counts, "background", max_iter=3)
    assert found.mass.sum() == pytest.approx(counts.sum())
    gamma = np.concatenate(found.gamma)
    np.testing.assert_allclose(
        gamma.sum(axis=1), found.eta.sum() + counts.sum(axis=1), rtol=1e-12
    )


def test_why_a_fit_ends(corpus):
    counts = corpus.counts.toarray()
    assert fitted(counts, "plain", max_iter=3).stop_reason == "max_iter"
    ended = fitted(counts, "plain", max_iter=500, tol=1e-4)
    assert ended.stop_reason == "converged"
    last, before = ended.history[-1].objective, ended.history[-2].objective
    assert last - before <= 1e-4 * abs(last)


@pytest.mark.parametrize("form", FORMS)
def test_threads_and_waves_do_not_change_a_bit(form, corpus, monkeypatch):
    monkeypatch.setattr("leantopics.models.shards.SHARD_ENTRIES", 200)
    counts = corpus.counts
    shards = lda_em.cut(counts)
    assert len(shards) > 9
    smoothing, background = FORMS[form]
    random = np.random.default_rng(0)
    table = random.gamma(1.0, size=(counts.shape[1], 3))
    totals = counts.sum(axis=0)
    last = totals / totals.sum() if background else None
    words = Words(table / (1 if smoothing else table.sum(axis=0)), smoothing, last)
    weights, _ = lda_em.word_weights(words)
    eta, options = np.full(3 + background, 0.3), Settings(1, 0.0, 10, 0.0, True)
    found = []
    for threads in (1, 2, 3):
        with engine(threads) as workers:
            found.append(lda_em.e_step(shards, weights, eta, options, None, workers))
    for other in found[1:]:
        assert np.array_equal(found[0].counts, other.counts)
        assert np.array_equal(found[0].log_alpha, other.log_alpha)
        assert found[0].bound == other.bound
    monkeypatch.setattr(lda_em, "_WAVE", 2)
    again = lda_em.e_step(shards, weights, eta, options, None, Inline())
    assert np.array_equal(found[0].counts, again.counts)


@given(st.integers(2, 8), st.integers(0, 10**6))
@settings(deadline=None)
def test_newton_finds_the_most_likely_dirichlet(size, seed):
    random = np.random.default_rng(seed)
    truth = np.exp(random.normal(-1.0, 1.0, size))
    mean_log = np.log(random.dirichlet(truth, 30) + 1e-12).mean(axis=0)
    start = np.exp(random.normal(size=size))
    ours = dirichlet.newton(start, mean_log)
    theirs = reference.best_dirichlet(mean_log)
    assert dirichlet.likelihood(ours, mean_log) >= (
        dirichlet.likelihood(theirs, mean_log) - 1e-8
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_newton_never_loses():
    mean_log = np.array([-1000.0, -0.01, -8.0])
    eta = np.array([5.0, 1e-3, 1.0])
    ours = dirichlet.newton(eta, mean_log)
    assert ours.min() > 0.0
    assert dirichlet.likelihood(ours, mean_log) > dirichlet.likelihood(eta, mean_log)


def test_one_topic_has_nothing_to_learn():
    assert dirichlet.newton(np.array([0.7]), np.array([0.0])) == [0.7]
