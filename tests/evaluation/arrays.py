"""Random corpora, topics and proportions for the tests of the measures."""

import numpy as np
from scipy import sparse


def random_arrays(seed):
    """Counts (D, N), proportions (D, M) and word probabilities (M, N), all dense."""
    rng = np.random.default_rng(seed)
    n_docs, n_words, n_topics = rng.integers(1, 9), rng.integers(2, 12), 3
    counts = rng.poisson(rng.choice([0.3, 2.0]), (n_docs, n_words)).astype(float)
    if rng.random() < 0.3:
        counts *= rng.uniform(0.1, 2.0, counts.shape)
    doc_topic = rng.dirichlet(np.ones(n_topics), n_docs)
    doc_topic[rng.random(doc_topic.shape) < 0.3] = 0.0
    doc_topic[doc_topic.sum(axis=1) == 0, 0] = 1.0
    doc_topic /= doc_topic.sum(axis=1, keepdims=True)
    topic_word = rng.dirichlet(np.ones(n_words), n_topics)
    return counts, doc_topic, topic_word


def random_form(rng, matrix):
    """The same matrix as a list, an array or one of several sparse matrices."""
    forms = (
        np.ndarray.tolist,
        np.asarray,
        sparse.csr_array,
        sparse.csc_matrix,
        sparse.coo_array,
        np.asfortranarray,
    )
    return forms[rng.integers(len(forms))](matrix)
