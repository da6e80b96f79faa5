"""Kernels of LDA against scipy and dense twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse, special
from tests.baselines import reference

from leantopics.baselines import lda_em
from leantopics.baselines.kernels import lda as kernels
from leantopics.baselines.kernels.special import digamma, exp_digamma
from leantopics.baselines.lda_em import Words

GRID = np.concatenate((np.logspace(-8, 8, 400), np.linspace(1e-3, 20, 400)))


def test_digamma_is_that_of_scipy():
    ours = np.array([digamma(x) for x in GRID])
    np.testing.assert_allclose(ours, special.digamma(GRID), rtol=1e-12, atol=1e-12)


@given(arrays(np.float64, st.integers(1, 20), elements=st.floats(1e-4, 1e6)))
@settings(deadline=None)
def test_exp_digamma_is_that_of_scipy(x):
    out, scratch = np.empty(len(x)), np.empty(len(x))
    shift = exp_digamma(x, len(x), out, scratch)
    log = special.digamma(x) + shift
    assert out.max() > 0.1
    near = log > -500
    np.testing.assert_allclose(out[near], np.exp(log[near]), rtol=1e-9)
    close = log > -60
    np.testing.assert_allclose(out[close], np.exp(log[close]), rtol=2e-12)
    assert np.all(out[~near] < 1e-200)


def instance(seed, n_docs=7, n_words=9, n_topics=3):
    """Counts without empty rows, topics some of whose words are missing, eta."""
    random = np.random.default_rng(seed)
    counts = random.poisson(1.0, (n_docs, n_words)) * random.choice([1.0, 0.4], n_words)
    counts[counts.sum(axis=1) == 0, 0] = 1.0
    beta = random.dirichlet(np.full(n_words, 0.5), n_topics)
    beta[0, :2] = 0.0
    return (
        counts,
        beta / beta.sum(axis=1, keepdims=True),
        random.gamma(1.0, 0.5, n_topics),
    )


def prepared(counts, beta):
    (shard,) = lda_em.cut(sparse.csr_array(counts))
    weights, scale = lda_em.word_weights(
        Words(np.ascontiguousarray(beta.T), None, None)
    )
    return shard, weights[shard.words], scale


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("steps", [0, 1, 7])
def test_gamma_is_that_of_the_twin(seed, steps):
    counts, beta, eta = instance(seed)
    shard, weights, _ = prepared(counts, beta)
    gamma = np.empty((len(counts), len(eta)))
    kernels.infer(shard.counts, weights, eta, steps, 0.0, gamma)
    with np.errstate(divide="ignore"):
        expected = reference.gamma_of(counts, np.log(beta), eta, steps)
    np.testing.assert_allclose(gamma, expected, rtol=1e-9)


def expected_step(counts, beta, eta, gamma):
    """Statistics, sum of E[log alpha] and bound at gamma."""
    with np.errstate(divide="ignore"):
        log_beta = np.log(beta)
    phi = reference.phi_of(gamma, log_beta)
    return (
        np.einsum("dn,dkn->nk", counts, phi),
        reference.log_dirichlet(gamma).sum(axis=0),
        reference.documents_bound(counts, gamma, eta, log_beta),
    )


@pytest.mark.parametrize("seed", range(20))
def test_an_e_step_is_that_of_the_twin(seed):
    counts, beta, eta = instance(seed)
    shard, weights, scale = prepared(counts, beta)
    gamma = np.zeros((len(counts), len(eta)))
    statistics, log_alpha = np.zeros_like(weights), np.zeros(len(eta))
    bound = kernels.e_step(
        shard.counts, weights, eta, 5, 0.0, gamma, statistics, log_alpha
    )
    theirs = expected_step(counts, beta, eta, gamma)
    np.testing.assert_allclose(statistics, theirs[0][shard.words], rtol=1e-9)
    np.testing.assert_allclose(log_alpha, theirs[1], rtol=1e-9)
    np.testing.assert_allclose(bound + counts.sum(axis=0) @ scale, theirs[2], rtol=1e-9)


def test_the_better_of_two_gammas_stays():
    counts, beta, eta = instance(3)
    shard, weights, _ = prepared(counts, beta)

    def e_step(gamma, steps):
        nothing = np.zeros_like(weights), np.zeros(len(eta))
        return kernels.e_step(shard.counts, weights, eta, steps, 0.0, gamma, *nothing)

    settled, start = (
        np.zeros((len(counts), len(eta))),
        np.zeros((len(counts), len(eta))),
    )
    best, worse = e_step(settled, 500), e_step(start, 0)
    assert worse < best
    kept = settled.copy()
    assert e_step(kept, 0) >= best - 1e-9
    np.testing.assert_allclose(kept, settled, rtol=1e-6)
    assert e_step(start, 500) == pytest.approx(best, abs=1e-9)


def test_words_beyond_the_range_of_numbers():
    """Only topic 1 has word 1, and its exp(digamma(gamma)) is 0 in floating point."""
    counts = np.array([[5.0, 1e-4]])
    beta = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.4]])
    eta = np.array([0.5, 1e-4])
    shard, weights, scale = prepared(counts, beta)
    gamma, log_alpha = np.zeros((1, 2)), np.zeros(2)
    statistics = np.zeros_like(weights)
    bound = kernels.e_step(
        shard.counts, weights, eta, 5, 0.0, gamma, statistics, log_alpha
    )
    np.testing.assert_allclose(gamma, [[5.5, 2e-4]])
    np.testing.assert_allclose(statistics, [[5.0, 0.0], [0.0, 1e-4]])
    theirs = expected_step(np.append(counts, [[0.0]], axis=1), beta, eta, gamma)
    assert bound + counts[0] @ scale[:2] == pytest.approx(theirs[2])
    out = np.zeros((1, 2), dtype=np.bool_)
    kernels.present(shard.counts, weights, gamma, out)
    assert out.all()


@pytest.mark.parametrize("seed", range(10))
def test_topics_present_win_a_word(seed):
    counts, beta, eta = instance(seed)
    shard, weights, _ = prepared(counts, beta)
    gamma = np.empty((len(counts), len(eta)))
    kernels.infer(shard.counts, weights, eta, 20, 0.0, gamma)
    out = np.zeros(gamma.shape, dtype=np.bool_)
    kernels.present(shard.counts, weights, gamma, out)
    with np.errstate(divide="ignore"):
        winner = reference.phi_of(gamma, np.log(beta)).argmax(axis=1)
    for d, row in enumerate(out):
        assert set(np.flatnonzero(row)) == set(winner[d, counts[d] > 0])


@pytest.mark.parametrize("seed", range(5))
def test_topics_that_fade_are_left_out_without_a_trace(seed):
    """Of thirty topics with a small eta a document has a few."""
    random = np.random.default_rng(seed)
    beta, eta = random.dirichlet(np.full(40, 0.3), 30), np.full(30, 0.01)
    counts = random.poisson(2.0, (6, 40)).astype(float)
    (shard,) = lda_em.cut(sparse.csr_array(counts))
    table = np.ascontiguousarray(beta.T[shard.words])
    gamma, statistics = np.zeros((len(counts), 30)), np.zeros_like(table)
    log_alpha = np.zeros(30)
    kernels.e_step(shard.counts, table, eta, 40, 0.0, gamma, statistics, log_alpha)
    theirs = reference.gamma_of(counts, np.log(beta), eta, 40)
    assert (gamma == 0.01).mean() > 0.5
    np.testing.assert_allclose(gamma, theirs, rtol=1e-8)
    phi = reference.phi_of(theirs, np.log(beta))
    expected = np.einsum("dn,dkn->nk", counts, phi)[shard.words]
    np.testing.assert_allclose(statistics, expected, rtol=1e-6, atol=1e-30)
    expected = reference.log_dirichlet(theirs).sum(axis=0)
    np.testing.assert_allclose(log_alpha, expected, rtol=1e-9)
