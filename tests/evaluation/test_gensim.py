"""Coherence beside gensim's, where the definitions coincide."""

import numpy as np
import pytest
from tests.evaluation.test_coherence import counts_of

from leantopics.evaluation import coherence

pytestmark = pytest.mark.filterwarnings("default")  # gensim's own
pytest.importorskip("gensim", reason="the opponent is not installed")

OURS = {"c_npmi": "npmi", "c_uci": "uci", "c_v": "c_v", "u_mass": "u_mass"}


def gensim_by_topic(topics, documents, measure, window):
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    texts = [[str(word) for word in tokens] for tokens in documents]
    model = CoherenceModel(
        topics=[[str(word) for word in topic] for topic in topics],
        texts=texts,
        dictionary=Dictionary(texts),
        coherence=measure,
        window_size=window,
        topn=len(topics[0]),
        processes=1,
    )
    return model.get_coherence_per_topic()


def distinct_tokens(seed, n_words=60):
    """Documents without a word twice: gensim drops a word from its sliding window when
    the first of two occurrences leaves."""
    rng = np.random.default_rng(seed)
    popular = rng.dirichlet(np.full(n_words, 0.5)) + 1e-3
    popular /= popular.sum()
    documents = [
        rng.choice(n_words, rng.integers(1, 40), replace=False, p=popular).tolist()
        for _ in range(80)
    ]
    topics = [rng.choice(n_words, 6, replace=False).tolist() for _ in range(5)]
    return documents, topics


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", OURS)
def test_documents_as_windows(measure, seed):
    documents, topics = distinct_tokens(seed)
    repeated = [tokens + tokens for tokens in documents]
    their = gensim_by_topic(topics, repeated, measure, 1000)
    ours = coherence(topics, counts_of(repeated, 60), OURS[measure])
    np.testing.assert_allclose(ours.by_topic, their, rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", ["c_npmi", "c_uci", "c_v"])
@pytest.mark.parametrize("window", [3, 10, 110])
def test_sliding_windows(measure, window, seed):
    documents, topics = distinct_tokens(seed)
    their = gensim_by_topic(topics, documents, measure, window)
    ours = coherence(topics, documents, OURS[measure], window=window)
    np.testing.assert_allclose(ours.by_topic, their, rtol=0, atol=1e-6)


def test_the_paper_adds_a_whole_document():
    documents, topics = distinct_tokens(7)
    counts, n_pairs = counts_of(documents, 60), 15
    their = gensim_by_topic(topics, documents, "u_mass", None)
    ours = coherence(topics, counts, "coh", epsilon=1e-12 * len(documents))
    np.testing.assert_allclose(ours.by_topic / n_pairs, their, rtol=0, atol=1e-6)
    assert coherence(topics, counts, "coh").value > ours.value
