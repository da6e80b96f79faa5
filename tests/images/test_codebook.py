"""Codewords against brute force, and the rules of merging and pruning."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from threadpoolctl import threadpool_limits

from leantopics.images.codebook import learn, merge, nearest

bytes_ = arrays.arrays(
    np.uint8,
    st.tuples(st.integers(1, 8), st.just(128)),
    elements=st.one_of(st.integers(0, 255), st.sampled_from([0, 255])),
)


@given(bytes_, bytes_)
@settings(max_examples=60, deadline=None)
def test_nearest_is_that_of_exact_arithmetic(descriptors, codewords):
    apart = descriptors[:, None].astype(int) - codewords[None].astype(int)
    np.testing.assert_array_equal(
        nearest(descriptors, codewords), (apart**2).sum(axis=2).argmin(axis=1)
    )


def test_nearest_is_exact_where_single_precision_ends():
    codewords = np.full((3, 128), 255, np.uint8)
    codewords[0, 0] = 254
    codewords[1, :2] = 254
    np.testing.assert_array_equal(nearest(codewords, codewords), [0, 1, 2])


@given(
    arrays.arrays(
        float, st.tuples(st.integers(1, 9), st.just(2)), elements=st.integers(0, 30)
    ),
    st.floats(0, 30),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_merging(centres, distance, data):
    members = np.array(
        data.draw(
            st.lists(st.integers(0, 9), min_size=len(centres), max_size=len(centres))
        )
    )
    members[0] += 1
    found = merge(centres, members, distance)
    kept = [(c, n) for c, n in zip(centres, members, strict=True) if n]
    mean = sum(c * n for c, n in kept) / members.sum()
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(found) for b in found[:i]]
    assert all(gap >= distance - 1e-9 for gap in gaps)
    if distance == 0:
        assert len(found) == len(kept)
    if len(found) == 1:
        np.testing.assert_allclose(found[0], mean, atol=1e-9)


def blobs(sizes, seed=0):
    """Clusters of descriptors with known sizes, far apart."""
    draw = np.random.default_rng(seed)
    centres = draw.integers(40, 200, (len(sizes), 128))
    which = draw.permutation(np.repeat(np.arange(len(sizes)), sizes))
    noise = draw.integers(-4, 5, (len(which), 128))
    return (centres[which] + noise).astype(np.uint8), which, centres


def test_clusters_that_are_there_are_found():
    descriptors, which, centres = blobs([500, 400, 300])
    found = learn(descriptors, 3, 0.0, 0.0, 0)
    assert found.members.tolist() == [500, 400, 300]
    assert np.abs(found.codewords.astype(int) - centres).max() <= 1
    assert which[found.examples].tolist() == [0, 1, 2]
    for word, example in zip(found.codewords, found.examples, strict=True):
        far = ((descriptors.astype(int) - word) ** 2).sum(axis=1)
        assert far[example] == far.min()


def test_clusters_that_are_close_are_merged():
    descriptors, _, _ = blobs([600, 600])
    split = learn(descriptors, 12, 0.0, 0.0, 0)
    merged = learn(descriptors, 12, 100.0, 0.0, 0)
    assert len(split.members) > 2
    assert merged.members.tolist() == [600, 600]


def test_clusters_that_are_small_are_pruned():
    descriptors, _, _ = blobs([700, 690, 10])
    assert len(learn(descriptors, 3, 0.0, 0.0, 0).members) == 3
    pruned = learn(descriptors, 3, 0.0, 0.1, 0)
    assert len(pruned.members) == 2
    assert pruned.members.sum() == 1400  # they went elsewhere


def test_one_is_left_whatever_is_asked():
    descriptors, _, _ = blobs([5, 5])
    assert len(learn(descriptors, 2, 0.0, 100.0, 0).members) == 1
    assert len(learn(descriptors, 2, np.inf, 0.0, 0).members) == 1
    flat = np.zeros((40, 128), np.uint8)
    assert learn(flat, 240, 200.0, 0.25, 0).members.tolist() == [40]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_bits_for_any_number_of_threads(seed):
    draw = np.random.default_rng(seed)
    descriptors = draw.gamma(0.5, 40, (6000, 128)).clip(0, 255).astype(np.uint8)
    found = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            found.append(learn(descriptors, 60, 200.0, 0.25, seed))
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)
