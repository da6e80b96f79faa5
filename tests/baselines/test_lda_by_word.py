"""LDA as the paper's rival did it: one word after the other, one eta, single seeds."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.baselines import reference
from tests.baselines.test_lda_kernels import instance

from leantopics import read_corpus
from leantopics.baselines import dirichlet, lda_em
from leantopics.baselines.kernels import lda_by_word as kernels
from leantopics.baselines.lda_by_word import LDAByWord
from leantopics.baselines.lda_em import Words
from leantopics.engine.threads import Inline

GOLDEN = (
    Path(os.environ.get("LEANTOPICS_DATA", "nowhere")).resolve().parent
    / "golden"
    / "reference-program"
    / "corpus.ldac"
)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("steps, tol", [(1, 0.0), (4, 0.0), (50, 1e-4)])
def test_an_e_step_is_that_of_the_twin(seed, steps, tol):
    counts, beta, eta = instance(seed)
    eta[:] = eta[0]
    (shard,) = lda_em.cut(sparse.csr_array(counts))
    table = np.ascontiguousarray(beta.T[shard.words])
    gamma, statistics = np.empty((len(counts), len(eta))), np.zeros_like(table)
    log_alpha = np.zeros(len(eta))
    bound = kernels.e_step(
        shard.counts, table, eta, steps, tol, gamma, statistics, log_alpha
    )
    theirs, phi, bounds = reference.by_word(counts, beta, eta, steps, tol)
    np.testing.assert_allclose(gamma, theirs, rtol=1e-9)
    expected = np.einsum("dn,dkn->nk", counts, phi)[shard.words]
    np.testing.assert_allclose(statistics, expected, rtol=1e-9, atol=1e-12)
    expected = reference.log_dirichlet(theirs).sum(axis=0)
    np.testing.assert_allclose(log_alpha, expected, rtol=1e-9)
    assert bound == pytest.approx(bounds.sum(), rel=1e-11)
    found = np.empty_like(gamma)
    kernels.infer(shard.counts, table, eta, steps, tol, found)
    np.testing.assert_array_equal(found, gamma)


@pytest.mark.parametrize("seed", range(5))
def test_topics_that_fade_are_left_out_without_a_trace(seed):
    """Of thirty topics with a small eta a document has a few."""
    random = np.random.default_rng(seed)
    beta, eta = random.dirichlet(np.full(40, 0.3), 30), np.full(30, 0.01)
    counts = random.poisson(2.0, (6, 40)).astype(float)
    (shard,) = lda_em.cut(sparse.csr_array(counts))
    table = np.ascontiguousarray(beta.T[shard.words])
    gamma, statistics = np.empty((len(counts), 30)), np.zeros_like(table)
    log_alpha = np.zeros(30)
    bound = kernels.e_step(
        shard.counts, table, eta, 30, 1e-7, gamma, statistics, log_alpha
    )
    theirs, phi, bounds = reference.by_word(counts, beta, eta, 30, 1e-7)
    assert (gamma == 0.01).mean() > 0.5
    np.testing.assert_allclose(gamma, theirs, rtol=1e-8)
    expected = np.einsum("dn,dkn->nk", counts, phi)[shard.words]
    np.testing.assert_allclose(statistics, expected, rtol=1e-6, atol=1e-30)
    assert bound == pytest.approx(bounds.sum(), rel=1e-11)
    expected = reference.log_dirichlet(theirs).sum(axis=0)
    np.testing.assert_allclose(log_alpha, expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_no_pass_lowers_the_bound_of_a_document(seed):
    counts, beta, eta = instance(seed)
    eta[:] = eta[0]
    (shard,) = lda_em.cut(sparse.csr_array(counts))
    table = np.ascontiguousarray(beta.T[shard.words])
    bounds = []
    for steps in range(1, 12):
        nothing = np.empty((len(counts), 3)), np.zeros_like(table), np.zeros(3)
        bounds.append(kernels.e_step(shard.counts, table, eta, steps, 0.0, *nothing))
    assert np.diff(bounds).min() >= -1e-10


def test_words_beyond_the_range_of_numbers():
    """Only topic 1 has word 1, and its exp(digamma(eta)) is 0 in floating point."""
    counts, beta = np.array([[5.0, 1e-5]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    eta = np.full(2, 1e-5)
    (shard,) = lda_em.cut(sparse.csr_array(counts))
    gamma, table = np.empty((1, 2)), np.ascontiguousarray(beta.T)
    kernels.infer(shard.counts, table, eta, 20, 1e-6, gamma)
    np.testing.assert_allclose(gamma, [[5.00001, 2e-5]])


@pytest.mark.parametrize("seed", range(10))
def test_one_eta_is_the_best_one(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 9))
    mean_log = np.log(random.dirichlet(np.full(n, 0.4), 50)).mean(axis=0)
    (found,) = set(dirichlet.newton_equal(np.ones(n), mean_log))

    def value(one):
        return dirichlet.likelihood(np.full(n, one), mean_log)

    assert value(found) >= max(value(found * 0.999), value(found * 1.001))
    start = dirichlet.newton_equal(np.full(n, 1e-3), mean_log)
    np.testing.assert_allclose(start, found, rtol=1e-5)


def test_the_start_is_one_document_and_one_count_of_every_word(corpus):
    seen = []

    def stop(step):
        return True

    model = LDAByWord(3, random_state=0, callback=stop).fit(corpus)
    counts = corpus.counts.toarray() + 1.0
    starts = counts / counts.sum(axis=1, keepdims=True)
    for topic in model.components_:
        near = np.abs(starts - topic).max(axis=1)
        seen.append(int(near.argmin()))
        assert near.min() < 1e-5
    assert len(set(seen)) == 3


def test_the_sweep_and_new_documents(corpus):
    model = LDAByWord(2, max_topics=4, step=1, random_state=0).fit(corpus)
    assert [row["n_topics"] for row in model.path_] == [2, 3, 4]
    shares = model.transform(corpus)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares, model.topic_proportions_, atol=0.05)
    again = LDAByWord(2, max_topics=4, step=1, random_state=0, n_jobs=2).fit(corpus)
    np.testing.assert_array_equal(again.components_, model.components_)


@pytest.mark.data
@pytest.mark.skipif(
    not GOLDEN.is_file(),
    reason="NOT RUN: set LEANTOPICS_DATA to the folder of the real corpora, with "
    "golden/reference-program next to it",
)
def test_ten_iterations_on_the_golden_corpus():
    corpus = read_corpus(GOLDEN)
    model = LDAByWord(12, max_iter=10, tol=0.0, random_state=0)
    with pytest.warns(UserWarning):
        bounds = [step.objective for step in model.fit(corpus).history_]
    assert len(bounds) == 10 and np.diff(bounds).min() > 0.0

    few = corpus.select(np.arange(40)).counts.toarray()
    few = few[:, few.any(axis=0)]
    start = few[np.random.default_rng(0).permutation(40)[:5]] + 1.0
    beta = start / start.sum(axis=1, keepdims=True)
    words = Words(np.ascontiguousarray(beta.T), None, None)
    settings = lda_em.Settings(10, 0.0, 20, 1e-6, True, by_word=True)
    shards = lda_em.cut(sparse.csr_array(few))
    found = lda_em.fit(shards, words, np.full(5, 0.2), settings, Inline())
    ours = [step.objective for step in found.history]
    theirs = reference.fit_by_word(few, beta, 0.2, 10, 20, 1e-6)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert np.diff(ours).min() > 0.0
