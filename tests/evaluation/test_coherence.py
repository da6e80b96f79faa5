import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.evaluation.arrays import random_form
from tests.ptm.instances import quick

from leantopics import Corpus
from leantopics.evaluation import coherence

MEASURES = ["coh", "u_mass", "npmi", "uci", "c_v"]
seeds = st.integers(0, 10**6)


def slow_windows(documents, window):
    """All windows, each as the set of its words."""
    out = []
    for tokens in documents:
        last = max(0, len(tokens) - window) if window else 0
        width = window or len(tokens)
        out += [set(tokens[s : s + width]) for s in range(last + 1)]
    return out


def slow_coherence(topic, windows, measure, epsilon):
    n = len(windows)

    def number(*words):
        return sum(set(words) <= window for window in windows)

    def conditional(k, m, added, whole):
        if number(k) == 0 or number(m) == 0:
            return 0.0
        return math.log((number(k, m) / whole + added) / (number(m) / whole))

    def pmi(k, m, normalised):
        if number(k) == 0 or number(m) == 0:
            return 0.0
        both = number(k, m) / n + epsilon
        if normalised and both >= 1:
            return 1.0
        value = math.log(both / (number(k) / n) / (number(m) / n))
        return value / -math.log(both) if normalised else value

    pairs = [(k, m) for m, k in combinations(topic, 2)]
    if measure == "coh":
        return sum(conditional(k, m, epsilon, 1) for k, m in pairs)
    if measure == "u_mass":
        return np.mean([conditional(k, m, epsilon, n) for k, m in pairs])
    if measure != "c_v":
        return np.mean([pmi(k, m, measure == "npmi") for k, m in pairs])
    vectors = [np.array([pmi(k, m, True) for m in topic]) for k in topic]
    whole = np.sum(vectors, axis=0)
    cosines = [
        v @ whole / np.linalg.norm(v) / np.linalg.norm(whole) if v.any() else 0.0
        for v in vectors
    ]
    return np.mean(cosines)


def random_documents(rng, n_words=8):
    lengths = rng.integers(0, 14, rng.integers(1, 8))
    return [rng.integers(0, n_words, length).tolist() for length in lengths]


def random_topics(rng, n_words=8):
    sizes = rng.integers(2, 5, rng.integers(1, 4))
    return [rng.choice(n_words, size, replace=False) for size in sizes]


def counts_of(documents, n_words=8):
    rows = [np.bincount(tokens, minlength=n_words) for tokens in documents]
    return np.array(rows).astype(float)


@pytest.mark.parametrize("measure", MEASURES)
@quick
@given(seeds)
def test_documents_as_windows(measure, seed):
    rng = np.random.default_rng(seed)
    documents, topics = random_documents(rng), random_topics(rng)
    epsilon = None if rng.random() < 0.5 else rng.uniform(1e-6, 0.4)
    added = epsilon or (1.0 if measure == "coh" else 1e-12)
    windows = slow_windows(documents, None)
    expected = [slow_coherence(t, windows, measure, added) for t in topics]
    counts = random_form(rng, counts_of(documents))
    counts = np.asarray(counts) if isinstance(counts, list) else counts
    for reference in (counts, documents):
        ours = coherence(topics, reference, measure, epsilon=epsilon)
        assert ours.name == f"{measure}_document"
        np.testing.assert_allclose(ours.by_topic, expected, rtol=1e-9, atol=1e-12)
        assert ours.value == pytest.approx(np.mean(expected), rel=1e-9, abs=1e-12)
        assert ours.n_windows == len(documents)
        found = set().union(*windows)
        assert ours.n_unseen == sum(w not in found for t in topics for w in t)


@pytest.mark.parametrize("measure", MEASURES)
@quick
@given(seeds, st.integers(1, 16))
def test_sliding_windows(measure, seed, window):
    rng = np.random.default_rng(seed)
    documents, topics = random_documents(rng), random_topics(rng)
    windows = slow_windows(documents, window)
    added = 1.0 if measure == "coh" else 1e-12
    expected = [slow_coherence(t, windows, measure, added) for t in topics]
    names = [[f"word{w}" for w in tokens] for tokens in documents]
    named = [[f"word{w}" for w in topic] for topic in topics]
    ours = coherence(named, names, measure, window=window)
    assert ours.name == f"{measure}_window{window}"
    assert ours.n_windows == len(windows)
    np.testing.assert_allclose(ours.by_topic, expected, rtol=1e-9, atol=1e-12)


def test_the_equation_of_the_paper():
    counts = np.array([[1, 1, 1], [3, 1, 0], [2, 0, 0], [0, 1, 1]])
    expected = math.log(3 / 3) + math.log(2 / 3) + math.log(3 / 3)
    assert coherence([[0, 1, 2]], counts, "coh").value == pytest.approx(expected)


def test_a_topic_of_one_word_has_none_and_does_not_count():
    counts = np.array([[1, 1, 0], [1, 0, 1]])
    found = coherence([[0], [0, 1]], counts)
    assert math.isnan(found.by_topic[0]) and found.value == found.by_topic[1]
    assert math.isnan(coherence([[0]], counts).value)


def test_counts_in_a_data_frame_and_tokens_in_a_series():
    counts = pd.DataFrame({"a": [1, 0, 1], "b": [1, 0, 0]})
    tokens = pd.Series([["a", "b"], [], ["a"]])
    ours = coherence([[0, 1]], counts), coherence([["a", "b"]], tokens)
    assert ours[0].value == ours[1].value


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([], np.eye(2)), {}, ValueError, "There must be topics"),
        (([[]], np.eye(2)), {}, ValueError, "must hold words, each once"),
        (([[1, 1]], np.eye(2)), {}, ValueError, "each once, got .1, 1. as topic 0"),
        ((["ab"], [["a"]]), {}, TypeError, "lists of words, got the string 'ab'"),
        (([[0, 2]], np.eye(2)), {}, ValueError, "from 0 to 1, got 0 to 2"),
        (([[0, -1]], np.eye(2)), {}, ValueError, "from 0 to 1, got -1 to 0"),
        (([["a", "b"]], np.eye(2)), {}, ValueError, "must hold column numbers"),
        (([["a", "b"]], ["a b"]), {}, TypeError, "got a string; split it"),
        (([["a", "b"]], "a b"), {}, TypeError, "lists of tokens, got str"),
        (([["a", "b"]], Corpus([[1]])), {}, TypeError, "lists of tokens, got Corpus"),
        (([["a", "b"]], []), {}, ValueError, "must have documents, got none"),
        (([[0, 1]], np.ones((0, 2))), {}, ValueError, "must have documents, got none"),
        (([[0, 1]], np.eye(2), "mass"), {}, ValueError, "measure must be one of"),
        (([[0, 1]], np.eye(2)), {"window": 5}, ValueError, "give lists of tokens"),
        (([[0, 1]], [[0]]), {"window": 0}, ValueError, "window must be a positive"),
        (([[0, 1]], [[0]]), {"window": 2.5}, ValueError, "window must be a positive"),
        (([[0, 1]], np.eye(2)), {"epsilon": 0}, ValueError, "epsilon must be positive"),
    ],
)
def test_wrong_use_is_named(arguments, options, error, message):
    with pytest.raises(error, match=message):
        coherence(*arguments, **options)


def test_memory_grows_with_the_words_of_the_topics():
    import tracemalloc

    rng = np.random.default_rng(0)
    counts = sparse.random_array((3000, 20000), density=0.002, rng=rng, format="csr")
    topics = [rng.choice(20000, 10, replace=False) for _ in range(50)]
    coherence(topics, counts)
    tracemalloc.start()
    coherence(topics, counts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
