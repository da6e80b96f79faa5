"""The shrunk model against dense NumPy and generic maximisers."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize, minimize_scalar
from scipy.special import gammaln
from tests import reference
from tests.ptm.instances import random_counts, random_state

from leantopics.engine.threads import Inline
from leantopics.ptm import prediction
from leantopics.ptm.kernels.arrays import DocTopics, Table
from leantopics.ptm.kernels.prediction import posterior
from leantopics.ptm.state import Parameters, prepare, unknown


def learned(counts, model, passes=0):
    data = prepare(sparse.csr_array(counts))
    mixes = [reference.mixes_of(model.v, model.alpha)]
    assert data.sizes == [[len(counts)]]
    parameters = Parameters(reference.salient_of(model), [unknown(mixes)])
    return prediction.learn(data, parameters, Inline(), passes), data


def dense(shrunk, n_words):
    out = np.zeros((len(shrunk.shrunk_prior), n_words))
    topic = np.repeat(np.arange(len(out)), np.diff(shrunk.shrunk_indptr))
    out[topic, shrunk.shrunk_word] = shrunk.shrunk_x
    return out


def evidence(x, beta0, tau):
    """Log-probability of the counts of all topics under Dirichlet(tau beta0)."""
    value = (gammaln(x + tau * beta0) - gammaln(tau * beta0)).sum()
    return value + (gammaln(tau) - gammaln(x.sum(axis=1) + tau)).sum()


@pytest.mark.parametrize("seed", range(6))
def test_counts_and_strength(seed):
    counts, model = random_state(seed, n_docs=30, n_words=40)
    shrunk, _ = learned(counts, model)
    x = dense(shrunk, counts.shape[1])
    np.testing.assert_allclose(x, reference.expected_counts(counts, model), rtol=1e-9)
    best = minimize_scalar(
        lambda t: -evidence(x, model.beta0, np.exp(t)), bounds=(-5, 12)
    )
    tau = shrunk.shrunk_strength[0]
    assert evidence(x, model.beta0, tau) >= -best.fun - 1e-4
    words = (x + tau * model.beta0) / (x.sum(axis=1, keepdims=True) + tau)
    np.testing.assert_allclose(prediction.components(shrunk, model.beta0), words)


@pytest.mark.parametrize("seed", range(4))
def test_the_prior_of_the_proportions(seed):
    counts, model = random_state(seed, n_docs=60, n_topics=4)
    shrunk, _ = learned(counts, model)
    words = counts.sum(axis=1)[:, None] * model.alpha

    def value(log_prior):
        a = np.exp(log_prior)
        each = gammaln(words + a) - gammaln(a)
        length = gammaln(a.sum()) - gammaln(words.sum(axis=1) + a.sum())
        return -(each.sum() + length.sum())

    best = minimize(value, np.zeros(4), method="L-BFGS-B")
    assert value(np.log(shrunk.shrunk_prior)) <= best.fun + 1e-2


def spread(counts, topics, shrunk, beta0, split=False):
    """Proportions (D, M) and values of documents that may have the topics given."""
    n_docs, n_topics = len(counts), len(shrunk.shrunk_prior)
    indptr = np.arange(n_docs + 1) * len(topics)
    alpha = np.full(n_docs * len(topics), 1.0 / len(topics))
    mixes = DocTopics(indptr, np.tile(topics, n_docs).astype(np.int32), alpha)
    bundle, values = reference.counts_of(counts), np.empty(n_docs)
    room = np.zeros(len(bundle.data) * len(topics) if split else 0)
    table, base = prediction.ratios(shrunk, beta0)
    assert isinstance(table, Table)
    posterior(bundle, mixes, table, base, shrunk.shrunk_prior, values, room)
    out = np.zeros((n_docs, n_topics))
    out[:, topics] = mixes.alpha.reshape(n_docs, -1)
    return out, values, room


@pytest.mark.parametrize("topics", [[0, 1, 2, 3, 4], [1, 4], [2]])
@pytest.mark.parametrize("seed", range(4))
def test_proportions_are_the_mode_of_the_posterior(seed, topics):
    counts, model = random_state(seed)
    shrunk, _ = learned(counts, model)
    new, _ = random_counts(np.random.default_rng(seed), 10, counts.shape[1], 5)
    found, values, _ = spread(new, topics, shrunk, model.beta0)
    beta = prediction.components(shrunk, model.beta0)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for row, alpha, value in zip(new, found, values, strict=True):
        over_shared = row @ np.log(alpha @ beta / model.beta0)
        assert value == pytest.approx(over_shared, abs=1e-9)
        a = shrunk.shrunk_prior[topics]

        def objective(z, row=row, a=a):
            share = np.exp(z - np.logaddexp.reduce(z))
            return -(row @ np.log(share @ beta[topics]) + a @ np.log(share))

        best = minimize(objective, np.zeros(len(topics)), method="BFGS").fun
        own = row @ np.log(alpha @ beta) + a @ np.log(alpha[topics])
        assert own >= -best - 1e-2


def test_split_counts_are_the_posterior_of_each_word():
    counts, model = random_state(3)
    shrunk, _ = learned(counts, model)
    topics = [0, 2, 3]
    found, _, split = spread(counts, topics, shrunk, model.beta0, split=True)
    beta = prediction.components(shrunk, model.beta0)
    place = 0
    for row, alpha in zip(counts, found, strict=True):
        used = np.flatnonzero(row)
        part = alpha[topics, None] * beta[topics][:, used]
        part *= row[used] / part.sum(axis=0)
        n = part.size
        np.testing.assert_allclose(split[place : place + n], part.ravel(), rtol=1e-9)
        place += n
    assert place == len(split)


def test_passes_keep_all_words_and_the_topics_of_documents():
    counts, model = random_state(1, n_docs=40, n_words=30)
    before, _ = learned(counts, model)
    after, _ = learned(counts, model, passes=3)
    assert after.shrunk_x.sum() == pytest.approx(counts.sum())
    assert not np.array_equal(dense(before, 30), dense(after, 30))
    allowed = model.v.T.astype(float) @ counts > 0
    assert not dense(after, 30)[~allowed].any()


def test_a_topic_without_words_predicts_as_the_shared_model():
    shrunk = prediction.Shrunk(
        np.array([0, 2, 2]),
        np.array([0, 1], dtype=np.int32),
        np.array([6.0, 2.0]),
        np.array([2.0]),
        np.ones(2),
    )
    beta0 = np.array([0.5, 0.25, 0.25])
    words = prediction.components(shrunk, beta0)
    np.testing.assert_allclose(words, [[0.7, 0.25, 0.05], beta0])
    table, base = prediction.ratios(shrunk, beta0)
    np.testing.assert_allclose(base, [0.2, 1.0])
    assert table.indptr.tolist() == [0, 1, 2, 2]
