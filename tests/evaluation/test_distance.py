import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.ptm.instances import quick

from leantopics.evaluation import hellinger


def slow_distances(p, q):
    """sqrt of half the squared distance of the roots, without any shortcut."""
    return np.sqrt(((np.sqrt(p)[:, None] - np.sqrt(q)) ** 2).sum(axis=2) / 2)


@quick
@given(st.integers(0, 10**6), st.booleans())
def test_hellinger_is_the_distance_of_the_roots(seed, is_sparse):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(9), 3), rng.dirichlet(np.ones(9), 4)
    p[0] = np.where(np.arange(9) < 4, p[0], 0.0)
    p[0] /= p[0].sum()
    form = sparse.csr_array if is_sparse else np.asarray
    np.testing.assert_allclose(
        hellinger(form(p), form(q)), slow_distances(p, q), atol=1e-7
    )


@quick
@given(st.integers(0, 10**6))
def test_words_that_are_not_salient_have_the_shared_probability(seed):
    rng = np.random.default_rng(seed)
    shared = rng.dirichlet(np.ones(40))
    salient = rng.random((7, 40)) < 0.3
    whole = np.tile(shared, (7, 1))
    for row, on in zip(whole, salient, strict=True):
        row[on] = rng.dirichlet(np.ones(on.sum())) * shared[on].sum()
    found = hellinger(sparse.csr_array(np.where(salient, whole, 0.0)), shared=shared)
    np.testing.assert_allclose(found, slow_distances(whole, whole), atol=1e-7)
    assert (found.diagonal() == 0.0).all()


@pytest.mark.parametrize(
    ("second", "shared", "message"),
    [
        ([[1.0]], None, "second must be any by 2, got 1 by 1"),
        (None, [1.0], "shared must be 1 by 2, got 1 by 1"),
        ([[-1.0, 2.0]], None, "second must not be negative"),
    ],
)
def test_bad_input_is_refused(second, shared, message):
    with pytest.raises(ValueError, match=message):
        hellinger([[0.5, 0.5]], second, shared=shared)
