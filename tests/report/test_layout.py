import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from leantopics.report.layout import hellinger, plane, topic_map, without_overlaps


def test_distance_equals_the_dense_formula():
    rng = np.random.default_rng(0)
    shared = rng.dirichlet(np.ones(40))
    beta = np.tile(shared, (7, 1))
    on = rng.random((7, 40)) < 0.3
    for j in range(7):
        own = rng.dirichlet(np.ones(on[j].sum())) * shared[on[j]].sum()
        beta[j, on[j]] = own
    excess = sparse.csr_array(np.where(on, beta / shared - 1.0, 0.0))
    ours = hellinger(excess, shared)
    for j in range(7):
        for k in range(7):
            theirs = np.sqrt(0.5 * ((np.sqrt(beta[j]) - np.sqrt(beta[k])) ** 2).sum())
            assert ours[j, k] == pytest.approx(theirs, abs=1e-7)


def test_plane_keeps_distances_of_points_in_it():
    points = np.random.default_rng(1).random((9, 2))
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    found = plane(distance)
    np.testing.assert_allclose(
        np.linalg.norm(found[:, None] - found[None], axis=2), distance, atol=1e-9
    )


@given(st.integers(1, 60), st.integers(0, 10**6))
def test_circles_never_overlap_and_stay_inside(n, seed):
    rng = np.random.default_rng(seed)
    distance = rng.random((n, n)) * rng.choice([0.0, 0.01, 1.0])
    distance = (distance + distance.T) / 2.0
    np.fill_diagonal(distance, 0.0)
    points, radius = topic_map(distance, rng.dirichlet(np.full(n, 0.3)) + 1e-6)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert (apart >= radius[:, None] + radius[None] - 1e-6).all()
    assert (points - radius[:, None] >= -1e-9).all()
    assert (points + radius[:, None] <= 1.0 + 1e-9).all()


def test_circles_that_do_not_come_apart_in_time_are_spread_out():
    points = np.random.default_rng(0).random((40, 2)) * 1e-3
    radius = np.full(40, 0.1)
    found = without_overlaps(points, radius, max_rounds=1)
    apart = np.linalg.norm(found[:, None] - found[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() >= 0.2
