import os

import numpy as np
import pytest

from leantopics.datasets import load_20newsgroups
from leantopics.evaluation import coherence, label_matrix, top_words

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not os.environ.get("LEANTOPICS_DATA"),
        reason="NOT RUN: set LEANTOPICS_DATA to the folder of the real corpora",
    ),
]


def test_npmi_of_fifty_topics():
    corpus = load_20newsgroups()
    classes = sorted({label for own in corpus.labels for label in own})
    by_class = label_matrix(corpus.labels, classes).T @ corpus.counts
    mixed = np.random.default_rng(0).dirichlet(np.full(len(classes), 0.05), 50)
    topics = top_words(mixed @ by_class)
    found = coherence(topics, corpus.counts)
    assert found.n_windows == corpus.n_docs and found.n_unseen == 0
    assert (found.by_topic > -0.1).all() and (found.by_topic < 0.5).all()
