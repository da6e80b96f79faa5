import numpy as np
import pytest
from tests import reference
from tests.ptm.instances import random_state

from leantopics.ptm.kernels import statistics
from leantopics.ptm.kernels.arrays import PartialCounts


def run_expected_counts(shards, model):
    """Expected counts (M, N) of documents in shards: [(counts, rows of the model)]."""
    n_topics, n_words = model.u.shape
    salient = reference.salient_of(model)
    bundles = [
        (
            reference.counts_of(counts),
            reference.mixes_of(model.v[rows], model.alpha[rows]),
        )
        for counts, rows in shards
    ]
    entries = np.zeros((len(shards), n_topics), dtype=np.int64)
    for out, (counts, mixes) in zip(entries, bundles, strict=True):
        statistics.entries(counts, mixes, out)
    indptr = np.concatenate(([0], np.cumsum(entries.sum(axis=0))))
    word = np.empty(indptr[-1], dtype=np.int32)
    x, beta0, fixed = (np.full(indptr[-1], np.nan) for _ in range(3))
    nothing = np.empty(0)
    cursor = indptr[:-1].copy()
    for counts, mixes in bundles:
        values = np.empty(len(counts.indptr) - 1)
        split = statistics.expect(counts, mixes, salient, n_words, values)
        alone = statistics.expect(counts, mixes, salient, n_words, nothing)
        np.testing.assert_array_equal(alone, split)
        statistics.gather(counts, mixes, split, cursor, word, x)
    assert cursor.tolist() == indptr[1:].tolist()
    size = np.zeros(n_topics, dtype=np.int64)
    half = n_topics // 2
    for block in (0, half), (half, n_topics):
        statistics.merge(word, x, indptr, *block, n_words, size)
        part = PartialCounts(indptr, size, word, x)
        statistics.complete(part, *block, model.beta0, beta0, fixed)
    merged = reference.Statistics(indptr, size, word, x, beta0, fixed)
    for j in range(n_topics):
        row = slice(indptr[j], indptr[j] + size[j])
        assert (x[row] > 0).all()
        assert (beta0[row] == model.beta0[word[row]]).all()
        expected = x[row] * np.log(x[row] / beta0[row]) - x[row]
        np.testing.assert_allclose(fixed[row], expected)
    return reference.dense_statistics(merged, n_words)


@pytest.mark.parametrize("options", [{}, {"fractional": True}, {"length": 2.0}])
@pytest.mark.parametrize("seed", range(5))
def test_expected_counts(seed, options):
    counts, model = random_state(seed, topics_per_doc=2.5, **options)
    theirs = reference.expected_counts(counts, model)
    ours = run_expected_counts([(counts, slice(None))], model)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    in_shards = [(counts[:3], slice(0, 3)), (counts[3:], slice(3, None))]
    ours = run_expected_counts(in_shards, model)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.sum(), counts.sum())


def test_absent_words_and_words_that_no_topic_allows():
    """beta = 0 gives no count; where no topic allows a word, alpha decides."""
    beta0 = np.array([0.5, 0.25, 0.25])
    u = np.array([[True, True, False], [True, True, False], [True, False, False]])
    beta = np.array([[0.75, 0.0, 0.0], [0.75, 0.0, 0.0], [0.5, 0.0, 0.0]])
    v = np.array([[True, True, False], [True, False, True], [False, True, False]])
    alpha = np.array([[0.3, 0.7, 0.0], [0.4, 0.0, 0.6], [0.0, 1.0, 0.0]])
    model = reference.Model(alpha, v, beta, u, beta0)
    counts = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, 7.0, 0.0]])
    ours = run_expected_counts([(counts, slice(None))], model)
    np.testing.assert_allclose(ours[:, 1], [0.3 * 2, 0.7 * 2 + 7, 5.0])
    np.testing.assert_allclose(ours, reference.expected_counts(counts, model))


@pytest.mark.parametrize("seed", range(3))
def test_log_likelihood_of_each_document(seed):
    counts, model = random_state(seed, topics_per_doc=2.5, fractional=seed == 1)
    ours = np.empty(len(counts))
    statistics.expect(
        reference.counts_of(counts),
        reference.mixes_of(model.v, model.alpha),
        reference.salient_of(model),
        counts.shape[1],
        ours,
    )
    base = np.where(counts > 0, counts * np.log(model.beta0), 0.0).sum(axis=1)
    theirs = reference.document_log_likelihoods(counts, model) - base
    np.testing.assert_allclose(ours, theirs, atol=1e-10)
