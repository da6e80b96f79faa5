"""Small random corpora and models for the tests of the algorithm."""

import numpy as np
from hypothesis import HealthCheck, settings
from scipy import sparse
from tests import reference

quick = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=list(HealthCheck),
)


def random_counts(
    rng, n_docs, n_words, n_topics, *, length=40.0, fractional=False, sharp=0.1
):
    """Counts (D, N) drawn from planted topics, and the topics (M, N).

    Documents have one to three topics and at least one word, words at least one count.
    """
    phi = rng.dirichlet(np.full(n_words, sharp), n_topics) + 1e-4
    phi /= phi.sum(axis=1, keepdims=True)
    counts = np.zeros((n_docs, n_words))
    for d in range(n_docs):
        present = rng.choice(n_topics, min(n_topics, rng.integers(1, 4)), replace=False)
        mix = rng.dirichlet(np.ones(len(present)))
        counts[d] = rng.multinomial(max(1, rng.poisson(length)), mix @ phi[present])
    unseen = np.flatnonzero(counts.sum(axis=0) == 0)
    counts[rng.integers(n_docs, size=len(unseen)), unseen] += 1
    if fractional:
        counts *= rng.uniform(0.05, 1.5, counts.shape)
    return counts, phi


def random_model(rng, counts, phi, *, density=0.5, topics_per_doc=1.5):
    """A model that fits these counts somewhat: random switches, probabilities by (pj).

    Every topic has a document and a salient word; every word of a document is possible.
    """
    n_docs, n_topics = len(counts), len(phi)
    beta0 = reference.shared_model(counts)
    v = rng.random((n_docs, n_topics)) < (topics_per_doc - 1) / n_topics
    v[np.arange(n_docs), rng.permutation(np.arange(n_docs) % n_topics)] = True
    alpha = np.where(v, rng.dirichlet(np.ones(n_topics), n_docs), 0.0)
    alpha /= alpha.sum(axis=1, keepdims=True)
    every = np.ones(phi.shape, dtype=bool)
    x = reference.expected_counts(counts, reference.Model(alpha, v, phi, every, beta0))
    u = rng.random(phi.shape) < density
    u[np.arange(n_topics), x.argmax(axis=1)] = True
    beta = reference.word_probabilities(x, u, beta0)
    return reference.Model(alpha, v, beta, u, beta0)


def random_state(seed, n_docs=12, n_words=15, n_topics=5, **options):
    """A corpus and a model of it: counts (D, N), Model."""
    rng = np.random.default_rng(seed)
    of_model = {
        key: options.pop(key) for key in ("density", "topics_per_doc") if key in options
    }
    counts, phi = random_counts(rng, n_docs, n_words, n_topics, **options)
    return counts, random_model(rng, counts, phi, **of_model)


def csr(counts):
    """Dense counts as the package takes them."""
    return sparse.csr_array(counts)
