import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leantopics.analysis.layout import plane, topic_map, without_overlaps


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


def test_groups_have_places_of_their_own():
    rng = np.random.default_rng(0)
    group = np.arange(60) % 5
    distance = rng.random((60, 60))
    distance = (distance + distance.T) / 2.0
    np.fill_diagonal(distance, 0.0)
    points, radius = topic_map(distance, rng.dirichlet(np.ones(60)), group)
    for one in range(5):
        inside = group == one
        centre = points[inside].mean(axis=0)
        reach = np.linalg.norm(points[inside] - centre, axis=1).max()
        others = np.linalg.norm(points[~inside] - centre, axis=1)
        assert (others > 0.8 * reach).all()
        assert (others + radius[~inside] > reach).all()


def test_circles_that_do_not_come_apart_in_time_are_spread_out():
    points = np.random.default_rng(0).random((40, 2)) * 1e-3
    radius = np.full(40, 0.1)
    found = without_overlaps(points, radius, max_rounds=1)
    apart = np.linalg.norm(found[:, None] - found[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() >= 0.2
