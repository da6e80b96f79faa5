import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.ptm.instances import quick

from leantopics.evaluation import n_top_words, top_words, topic_diversity


def slow_top_words(pairs, n):
    return [w for _, w in sorted((-value, w) for w, value in pairs)][:n]


@quick
@given(st.integers(0, 10**6))
def test_top_words_are_those_of_a_full_sort(seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 5, (3, rng.integers(1, 15))).astype(float)
    n = rng.integers(1, 20, 3)
    for row, found, size in zip(weights, top_words(weights, n), n, strict=True):
        assert found.tolist() == slow_top_words(enumerate(row), size)
    stored = sparse.random_array(weights.shape, density=0.5, rng=rng, format="csr")
    stored.data = rng.integers(0, 3, stored.nnz).astype(float)  # zeros stay stored
    shuffled = stored.copy()
    for j, found in enumerate(top_words(shuffled, 4)):
        row = slice(stored.indptr[j], stored.indptr[j + 1])
        pairs = zip(stored.indices[row], stored.data[row], strict=True)
        assert found.tolist() == slow_top_words(pairs, 4)


@pytest.mark.parametrize("n", [0, -1, 2.0, [1, 2], [[1, 1, 1]], "ten"])
def test_number_of_top_words_must_be_whole_and_positive(n):
    with pytest.raises(ValueError, match="n must be a positive whole number, or 3"):
        top_words(np.ones((3, 4)), n)


@quick
@given(st.lists(st.integers(0, 5000), min_size=1))
def test_the_rule_of_the_paper(n_salient):
    expected = [max(2, round(0.02 * n)) for n in n_salient]
    assert n_top_words(n_salient).tolist() == expected


def test_diversity():
    assert topic_diversity([np.array([0, 1]), np.array([2, 3])]) == 1.0
    assert topic_diversity([["a", "b"]] * 4) == 0.25
    with pytest.raises(ValueError, match="topics must have words"):
        topic_diversity([[]])
