"""The grid of patches, and SIFT against a twin in NumPy by Lowe's description."""

import numpy as np
import pytest
from scipy import ndimage
from tests.images.textures import TEXTURES, texture

from leantopics.images.descriptors import N_PATCHES, corners, cut, dense_sift


def twin(grey, row, column):
    """SIFT of one patch of 16 pixels: 4 by 4 fields of 8 directions, upright."""
    blurred = ndimage.gaussian_filter(
        grey.astype(float), np.sqrt(1.6**2 - 0.5**2), mode="mirror", truncate=4
    )
    histogram = np.zeros((6, 6, 8))  # with a margin of a field
    for y in range(max(1, row + 8 - 14), min(255, row + 8 + 15)):
        for x in range(max(1, column + 8 - 14), min(255, column + 8 + 15)):
            down, right = (y - row - 8) / 4, (x - column - 8) / 4
            a, b = down + 1.5, right + 1.5
            if not (-1 < a < 4 and -1 < b < 4):
                continue
            dx = blurred[y, x + 1] - blurred[y, x - 1]
            dy = blurred[y - 1, x] - blurred[y + 1, x]
            turn = np.arctan2(dy, dx) % (2 * np.pi) * 8 / (2 * np.pi)
            size = np.hypot(dx, dy) * np.exp(-(down**2 + right**2) / 8)
            i, j, k = int(np.floor(a)), int(np.floor(b)), int(np.floor(turn))
            for di in (0, 1):
                for dj in (0, 1):
                    for dk in (0, 1):
                        part = abs(1 - di - (a - i)) * abs(1 - dj - (b - j))
                        part *= abs(1 - dk - (turn - k))
                        histogram[i + di + 1, j + dj + 1, (k + dk) % 8] += part * size
    vector = histogram[1:5, 1:5].ravel()
    vector = np.minimum(vector, 0.2 * np.linalg.norm(vector))
    return 512 * vector / np.linalg.norm(vector)


@pytest.mark.parametrize("name", TEXTURES)
def test_descriptors_are_those_of_lowe(name):
    grey = texture(name, np.random.default_rng(5))
    places = np.array([0, 48, 500, 1200, 1777, 2352, 2400])
    ours = dense_sift(grey, places)
    for vector, (row, column) in zip(ours, corners(places), strict=True):
        theirs = twin(grey, row, column)
        assert np.linalg.norm(vector - theirs) < 0.03 * 512


def test_a_picture_has_2401_words_on_a_grid_of_49_by_49():
    assert N_PATCHES == 2401
    places = corners(np.arange(N_PATCHES)).reshape(49, 49, 2)
    np.testing.assert_array_equal(places[:, 0, 0], np.arange(0, 241, 5))
    np.testing.assert_array_equal(places[0, :, 1], np.arange(0, 241, 5))
    assert dense_sift(np.zeros((256, 256), np.uint8)).shape == (2401, 128)


def test_some_patches_are_as_among_all():
    grey = texture("dots", np.random.default_rng(1))
    some = np.array([2400, 3, 77])
    np.testing.assert_array_equal(dense_sift(grey, some), dense_sift(grey)[some])


def test_flat_patches_are_zero_and_others_of_length_512():
    grey = np.full((256, 256), 90, np.uint8)
    grey[:, 128:] = texture("grain", np.random.default_rng(1))[:, 128:]
    length = np.linalg.norm(dense_sift(grey).astype(float), axis=1).reshape(49, 49)
    assert np.all(length[:, :18] == 0)
    assert np.all(np.abs(length[:, 30:] - 512) < 5)


def test_contrast_and_brightness_do_not_matter():
    grey = texture("clouds", np.random.default_rng(1)) // 4
    apart = dense_sift(grey).astype(int) - dense_sift(30 + 3 * grey)
    assert np.abs(apart).mean() < 1.0


def test_patches_are_cut_where_they_are_described():
    grey = np.arange(256 * 256).reshape(256, 256).astype(np.uint8)
    places = np.array([0, 1, 49, 2400])
    found = cut(grey, places)
    for patch, (row, column) in zip(found, corners(places), strict=True):
        np.testing.assert_array_equal(patch, grey[row : row + 16, column : column + 16])
