import numpy as np
import pytest
from scipy import sparse

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.analysis.contrast import contrast, group_words
from leantopics.ptm.hierarchy import members


@pytest.fixture(scope="module")
def model():
    corpus, _ = make_corpus(200, 100, 5)
    return ParsimoniousTopicModel(5, random_state=0).fit(corpus)


def test_words_of_groups_are_those_of_their_mixture(model):
    shared, mass = model.shared_word_prob_, model.topic_mass_
    nodes = members(model.hierarchy().children)
    found = group_words(model.salient_word_prob_, shared, mass, nodes, 1000)
    salient = model.salient_word_prob_.toarray()
    stored = np.zeros(salient.shape, bool)
    topic = np.repeat(np.arange(5), np.diff(model.salient_word_prob_.indptr))
    stored[topic, model.salient_word_prob_.indices] = True
    dense = np.where(stored, salient, shared)
    for node, words in enumerate(found):
        own = nodes[[node]].indices
        mixed = mass[own] @ dense[own] / mass[own].sum()
        assert {n for n, _, _ in words} == set(np.flatnonzero(mixed > shared + 1e-15))
        for n, here, there in words:
            assert (here, there) == pytest.approx((mixed[n], shared[n]))


def test_contrast_is_of_words_that_the_topic_prefers(model):
    salient, shared = model.salient_word_prob_, model.shared_word_prob_
    for topic in range(5):
        for sibling in range(5):
            for word, here, there in contrast(salient, shared, topic, sibling, 100):
                assert here == salient[topic, word] > max(there, shared[word])
    assert contrast(salient, shared, 2, 2, 100) == []


def test_a_group_without_topics_has_no_words():
    empty = sparse.csr_array((1, 2))
    salient = sparse.csr_array([[0.5, 0.0], [0.0, 0.5]])
    assert group_words(salient, np.full(2, 0.1), np.ones(2), empty, 5) == [[]]
