import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.evaluation.arrays import random_arrays, random_form
from tests.ptm.instances import quick

from leantopics import Corpus
from leantopics.evaluation import (
    held_out_log_likelihood,
    log_likelihood,
    split_words,
)

seeds = st.integers(0, 10**6)


def slow_log_likelihood(counts, doc_topic, topic_word):
    total = 0.0
    for d in range(counts.shape[0]):
        for n in range(counts.shape[1]):
            if counts[d, n] > 0:
                mixed = sum(doc_topic[d, j] * topic_word[j, n] for j in range(3))
                total += counts[d, n] * math.log(mixed)
    return total


@quick
@given(seeds)
def test_log_likelihood_of_any_form_of_arrays(seed):
    rng = np.random.default_rng(seed)
    counts, doc_topic, topic_word = random_arrays(seed)
    ours = log_likelihood(
        *(random_form(rng, matrix) for matrix in (counts, doc_topic, topic_word))
    )
    expected = slow_log_likelihood(counts, doc_topic, topic_word)
    assert ours.log_likelihood == pytest.approx(expected, rel=1e-12)
    assert ours.n_tokens == pytest.approx(counts.sum())
    assert ours.unseen_share == 0.0
    if counts.any():
        assert ours.per_word == pytest.approx(expected / counts.sum())
        assert ours.perplexity == pytest.approx(math.exp(-ours.per_word))
    else:
        assert math.isnan(ours.per_word) and math.isnan(ours.perplexity)


def test_an_impossible_word_makes_it_minus_infinity():
    found = log_likelihood([[1, 1]], [[1.0]], [[1.0, 0.0]])
    assert found.log_likelihood == found.per_word == -math.inf
    assert found.perplexity == math.inf


@quick
@given(seeds, st.floats(0, 1))
def test_a_trace_of_the_shared_model_in_every_topic(seed, trace):
    counts, doc_topic, topic_word = random_arrays(seed)
    shared = np.full(counts.shape[1], 1 / counts.shape[1])
    topic_word[:, 0] = 0.0
    topic_word /= topic_word.sum(axis=1, keepdims=True)
    mixed = (1 - trace) * topic_word + trace * shared
    ours = log_likelihood(counts, doc_topic, topic_word, shared=shared, trace=trace)
    expected = log_likelihood(counts, doc_topic, mixed)
    assert ours.log_likelihood == pytest.approx(expected.log_likelihood, rel=1e-9)


def test_input_stays_as_it_was():
    counts = sparse.csr_array(
        (np.array([1.0, 2.0, 0.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2)
    )
    before = counts.data.copy(), counts.indices.copy()
    found = log_likelihood(counts, [[1.0]], [[0.5, 0.5]])
    assert found.n_tokens == 3.0
    np.testing.assert_array_equal(counts.data, before[0])
    np.testing.assert_array_equal(counts.indices, before[1])


@quick
@given(seeds, st.integers(0, 5))
def test_halves_have_no_common_word(seed, split_seed):
    rng = np.random.default_rng(seed)
    counts, _, _ = random_arrays(seed)
    seen = rng.random(counts.shape[1]) < 0.7
    split = split_words(random_form(rng, counts), seen=seen, random_state=split_seed)
    observed, held_out = split.observed.toarray(), split.held_out.toarray()
    assert not np.any((observed > 0) & (held_out > 0))
    np.testing.assert_array_equal(observed + held_out, counts * seen)
    distinct = (counts * seen > 0).sum(axis=1)
    np.testing.assert_array_equal((observed > 0).sum(axis=1), (distinct + 1) // 2)
    if counts.any():
        left_out = counts[:, ~seen].sum() / counts.sum()
        assert split.unseen_share == pytest.approx(left_out, abs=1e-12)
    again = split_words(counts, seen=seen, random_state=split_seed)
    np.testing.assert_array_equal(again.observed.toarray(), observed)


def test_every_word_is_as_likely_to_be_held_out():
    counts = np.ones((4000, 5))
    held_out = split_words(counts, random_state=1).held_out.toarray()
    np.testing.assert_allclose(held_out.mean(axis=0), 0.4, atol=0.03)
    other = split_words(counts, random_state=2).held_out.toarray()
    assert (held_out != other).any()


@quick
@given(seeds)
def test_held_out_scores_the_hidden_half_only(seed):
    rng = np.random.default_rng(seed)
    counts, doc_topic, topic_word = random_arrays(seed)
    seen = rng.random(counts.shape[1]) < 0.8
    given_counts = []

    def infer(observed):
        given_counts.append(observed)
        return random_form(rng, doc_topic)

    ours = held_out_log_likelihood(
        counts, infer, topic_word, seen=seen, random_state=seed
    )
    split = split_words(counts, seen=seen, random_state=seed)
    expected = slow_log_likelihood(split.held_out.toarray(), doc_topic, topic_word)
    assert ours.log_likelihood == pytest.approx(expected, rel=1e-12)
    assert ours.n_tokens == pytest.approx(split.held_out.sum())
    assert ours.unseen_share == pytest.approx(split.unseen_share, abs=1e-12)
    np.testing.assert_array_equal(given_counts[0].toarray(), split.observed.toarray())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [[1.0]], [[1.0]]), "counts must be a matrix of numbers, got list"),
        (([["a"]], [[1.0]], [[1.0]]), "counts must be a matrix of numbers"),
        ((Corpus([[1]]), [[1.0]], [[1.0]]), "counts must be a .* got Corpus"),
        (([[np.nan]], [[1.0]], [[1.0]]), "counts must be finite"),
        (([[-1]], [[1.0]], [[1.0]]), "counts must not be negative, got -1"),
        (([[1]], [[1.0], [1.0]], [[1.0]]), "doc_topic must be 1 by any, got 2 by 1"),
        (([[1]], [[1.0]], [[0.5, 0.5]]), "topic_word must be 1 by 1, got 1 by 2"),
        (([[1]], [[2.0]], [[1.0]]), "doc_topic must sum to 1, got 2; divide each"),
        (([[1]], [[1.0]], [[7.5]]), "topic_word must sum to 1, got 7.5; divide each"),
    ],
)
def test_wrong_arrays_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        log_likelihood(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shared": [1.0]}, "shared must be 1 by 2, got 1 by 1"),
        ({"shared": [1.0, 1.0]}, "shared must sum to 1, got 2"),
        ({"shared": [0.5, 0.5], "trace": 2}, "trace must be from 0 to 1, got 2"),
    ],
)
def test_wrong_shared_models_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        log_likelihood([[1, 2]], [[1.0]], [[0.5, 0.5]], **options)


@pytest.mark.parametrize("seen", [[True], [1, 0], [[True, False]]])
def test_seen_must_be_a_mask_of_words(seen):
    with pytest.raises(ValueError, match="seen must be 2 values of bool"):
        split_words([[1, 2]], seen=seen)
