import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.evaluation.arrays import random_arrays, random_form
from tests.ptm.instances import quick

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.evaluation import (
    assign_words,
    log_likelihood,
    topics_by_assignment,
    topics_by_switches,
    word_sparsity,
)

seeds = st.integers(0, 10**6)


def mean_of_filled(numbers, counts):
    return np.mean([n for n, row in zip(numbers, counts, strict=True) if row.any()])


@quick
@given(seeds)
def test_topics_that_are_present(seed):
    rng = np.random.default_rng(seed)
    counts, doc_topic, _ = random_arrays(seed)
    counts[0, 0] = 1.0
    without = rng.integers(0, 4, rng.integers(0, 2)).tolist()
    found = topics_by_switches(
        random_form(rng, counts), random_form(rng, doc_topic), without=without
    )
    expected = [
        sum(a > 0 for j, a in enumerate(row) if j not in without) if words.any() else 0
        for row, words in zip(doc_topic, counts, strict=True)
    ]
    assert found.by_document.tolist() == expected
    assert found.mean == pytest.approx(mean_of_filled(expected, counts))


@quick
@given(seeds)
def test_topics_that_win_a_word(seed):
    rng = np.random.default_rng(seed)
    counts, doc_topic, topic_word = random_arrays(seed)
    counts[0, 0] = 1.0
    winners = assign_words(
        *(random_form(rng, matrix) for matrix in (counts, doc_topic, topic_word))
    )
    expected = [
        int(np.argmax(doc_topic[d] * topic_word[:, n]))
        for d, n in zip(*np.nonzero(counts), strict=True)
    ]
    assert winners.tolist() == expected
    without = rng.integers(0, 4, rng.integers(0, 2)).tolist()
    found = topics_by_assignment(random_form(rng, counts), winners, without=without)
    won = [set() for _ in counts]
    for d, j in zip(np.nonzero(counts)[0], expected, strict=True):
        won[d] |= {j} - set(without)
    numbers = [len(topics) for topics in won]
    assert found.by_document.tolist() == numbers
    assert found.mean == pytest.approx(mean_of_filled(numbers, counts))


def test_of_equal_topics_the_first_wins():
    assert assign_words([[1]], [[0.5, 0.5]], [[0.2], [0.2]]).tolist() == [0]


def test_documents_without_words_do_not_count():
    assert topics_by_switches([[1], [0]], [[1, 0], [0.5, 0.5]]).mean == 1.0
    assert math.isnan(topics_by_switches([[0]], [[1.0]]).mean)
    assert math.isnan(topics_by_assignment([[0]], []).mean)


@quick
@given(seeds)
def test_salient_words(seed):
    rng = np.random.default_rng(seed)
    salient = rng.random((rng.integers(1, 5), 6)) < 0.4
    stored = sparse.csr_array(salient.astype(float))
    stored.data *= rng.random(stored.nnz) < 0.5  # salient by absence: a stored zero
    for form in (salient, salient.astype(int).tolist(), stored):
        found = word_sparsity(form)
        assert found.salient_per_topic == pytest.approx(salient.sum(axis=1).mean())
        assert found.distinct_salient == salient.any(axis=0).sum()
        if salient.any():
            carried = salient.sum(axis=0)
            expected = carried[carried > 0].mean()
            assert found.topics_per_salient_word == pytest.approx(expected)
        else:
            assert math.isnan(found.topics_per_salient_word)


def test_a_fitted_model_by_its_public_arrays():
    corpus, _ = make_corpus(120, 100, 4, topics_per_doc=1.3, boost=4, dip=0.05)
    model = ParsimoniousTopicModel(4, evidence="words", random_state=0).fit(corpus)
    words = word_sparsity(model.salient_word_prob_)
    assert words.salient_per_topic == pytest.approx(model.n_salient_words_.mean())
    topics = topics_by_switches(corpus.counts, model.topic_proportions_)
    assert topics.mean == pytest.approx(model.n_documents_.sum() / corpus.n_docs)
    arrays = corpus.counts, model.topic_proportions_, model.components_
    assert (
        topics_by_assignment(corpus.counts, assign_words(*arrays)).mean <= topics.mean
    )
    found = log_likelihood(*arrays).log_likelihood
    assert found == pytest.approx(model.log_likelihood_, rel=1e-9)


@pytest.mark.parametrize("winners", [[0], [0.0, 1.0], [[0, 1]]])
def test_winners_must_fit_the_counts(winners):
    with pytest.raises(ValueError, match="winners must be 2 topic numbers"):
        topics_by_assignment([[1, 2]], winners)


def test_winners_must_be_topics():
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        topics_by_assignment([[1, 2]], [0, -1])
