"""Corpora that nobody would draw: every fit ends, without NaN, at its true BIC."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.exceptions import ConvergenceWarning
from tests.model.recount import assert_sound
from tests.plain import run_plain

from leantopics import ParsimoniousTopicModel

BLOCKS = np.kron(np.eye(3), np.full((8, 6), 9.0))


def noise(seed, shape, mean):
    return np.random.default_rng(seed).poisson(mean, shape).astype(float)


ODD = {
    "fractions": 0.37 * (BLOCKS + noise(0, (24, 18), 2.0)),
    "uniform fractions": np.random.default_rng(1).uniform(size=(20, 12)),
    "shorter than 2 pi": 0.01 * (BLOCKS + noise(2, (24, 18), 1.0)),
    "one word a document": np.eye(12),
    "one kind of word a document": 50 * np.eye(12),
    "the same document": np.ones((10, 7)),
    "two documents many times": np.repeat(noise(3, (2, 15), 3.0) + 1, 10, axis=0),
    "one word": np.arange(1.0, 9.0)[:, None],
    "one document": noise(4, (1, 30), 2.0) + np.eye(1, 30),
    "a column of zeros": np.insert(BLOCKS + noise(5, (24, 18), 1.0), [0, 9], 0, axis=1),
    "empty documents": np.insert(BLOCKS, [0, 9, 24], 0, axis=0),
    "huge counts": 1e6 * (BLOCKS + noise(6, (24, 18), 1.0)),
    "huge and tiny": np.vstack(
        [1e6 * BLOCKS + 1, 1e-3 * noise(7, (9, 18), 1.0) + 1e-4]
    ),
    "blocks without overlap": BLOCKS,
    "noise": noise(8, (30, 25), 1.5) + np.eye(30, 25),
    "more words than tokens": noise(9, (8, 400), 0.05) + np.eye(8, 400),
}


def check(counts, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ParsimoniousTopicModel(random_state=0, **options).fit(counts)
    assert_sound(model, counts)
    everywhere = model.set_params(inference="all").transform(counts)
    assert np.allclose(everywhere.sum(axis=1), 1, rtol=0, atol=1e-9)
    for a, b in zip(model.history_, model.history_[1:], strict=False):
        if b.iteration > 1:
            assert b.objective <= a.objective + 1e-9 * max(1.0, abs(a.objective))
    return model


@pytest.mark.parametrize("word_prior", ["exact", "entropy"])
@pytest.mark.parametrize("procedure", ["paper", "published"])
@pytest.mark.parametrize("corpus", ODD)
def test_odd_corpora_are_fitted(corpus, word_prior, procedure):
    counts = ODD[corpus]
    settings = dict(word_prior=word_prior, procedure=procedure)
    model = check(counts, max_topics=6, **settings)
    assert model.stop_reason_ == "converged"
    n_docs = int((counts.sum(axis=1) > 0).sum())
    for n_topics in {1, min(3, n_docs), n_docs}:
        assert check(counts, n_topics=n_topics, **settings).n_topics_ == n_topics


@pytest.mark.parametrize("corpus", ODD)
def test_odd_corpora_are_swept_upwards(corpus):
    if (ODD[corpus].sum(axis=1) > 0).sum() > 2:
        check(ODD[corpus], max_topics=5, sweep="up")


HUGE = """
import numpy as np
from leantopics import ParsimoniousTopicModel

counts = 1e6 * np.random.default_rng(6).poisson(3.0, (12, 9))
model = ParsimoniousTopicModel(4, inference="all", random_state=0).fit(counts)
found = model.set_params(sparse_output=True).transform(counts)
assert found.has_canonical_format, "a topic twice in a document"
assert np.allclose(found.sum(axis=1), 1, rtol=0, atol=1e-9)
"""


def test_all_topics_of_huge_documents(tmp_path):
    """As plain Python, where an index beyond an array is an error and not a crash."""
    run_plain(tmp_path, HUGE)


def test_a_word_that_never_occurs_in_a_very_short_corpus():
    check(np.array([[0.0, 1.0]]), n_topics=1)


def test_all_topics_of_a_short_document():
    check(np.array([[0.03125, 3.0], [0.0, 1.0]]), n_topics=2)


def test_the_objective_never_rises_for_documents_shorter_than_2_pi():
    counts = np.array(
        [
            [0.1, 0.0, 0.0, 0.0],
            [0.0, 0.5, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.1],
            [0.0, 0.3, 0.5, 0.0],
        ]
    )
    check(counts, n_topics=4, init="random", max_iter=60)


def test_blocks_without_overlap_are_their_own_topics():
    model = check(ODD["blocks without overlap"], max_topics=6)
    assert model.n_topics_ == 3
    found = model.set_params(inference="sparse").transform(BLOCKS)
    assert set(np.unique(found)) == {0.0, 1.0}
    assert np.array_equal(found.argmax(axis=1), np.repeat(found.argmax(axis=1)[::8], 8))


counts_of_any_kind = arrays.arrays(
    np.float64,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=9),
    elements=st.one_of(
        st.just(0.0),
        st.integers(0, 12).map(float),
        st.floats(1e-3, 50.0, allow_subnormal=False),
    ),
).filter(lambda counts: counts.sum() >= 1)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(
    counts_of_any_kind,
    st.integers(1, 9),
    st.sampled_from(["exact", "entropy"]),
    st.sampled_from(["paper", "published"]),
    st.sampled_from(["seeded", "random"]),
)
def test_any_counts_are_fitted(counts, n_topics, word_prior, procedure, init):
    n_docs = int((counts.sum(axis=1) > 0).sum())
    options = dict(word_prior=word_prior, procedure=procedure, init=init)
    check(counts, n_topics=min(n_topics, n_docs), max_iter=40, **options)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(counts_of_any_kind, st.sampled_from([0.5, 2.0, 1024.0]))
def test_more_of_the_same_words_leaves_proportions_alone(counts, factor):
    """The likeliest proportions of a document do not depend on its length."""
    model = ParsimoniousTopicModel(
        min(3, int((counts.sum(axis=1) > 0).sum())),
        evidence="words",
        inference="all",
        prediction="switched",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(counts)
    a, b = model.score(counts), model.score(factor * counts)
    assert a == pytest.approx(b, rel=1e-4, abs=1e-4)
