"""Small corpora whose topics are known."""

import numpy as np
import pytest

from leantopics import Corpus


def planted(n_docs, n_topics, words_each, length, seed, share=0.0):
    """Documents of one or two topics with disjoint words, and ``share`` common words.

    The common words come last. Returns the corpus and the topic of each document that
    has the larger part.
    """
    random = np.random.default_rng(seed)
    n_words = n_topics * words_each + words_each
    beta = np.zeros((n_topics, n_words))
    for j in range(n_topics):
        beta[j, j * words_each : (j + 1) * words_each] = 1.0 / words_each
    common = np.zeros(n_words)
    common[-words_each:] = 1.0 / words_each
    main = random.integers(n_topics, size=n_docs)
    alpha = (
        0.8 * np.eye(n_topics)[main]
        + 0.2 * np.eye(n_topics)[random.integers(n_topics, size=n_docs)]
    )
    rows = (1 - share) * alpha @ beta + share * common
    counts = np.array([random.multinomial(length, row) for row in rows])
    return Corpus(counts, [f"w{n}" for n in range(n_words)]), main


@pytest.fixture(scope="session")
def corpus():
    """4 topics of 8 words, and 8 words of all topics."""
    return planted(120, 4, 8, 60, seed=1, share=0.3)[0]
