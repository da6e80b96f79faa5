"""Dense SIFT: a descriptor for each patch of a fixed grid over a square picture."""

import cv2
import numpy as np
import numpy.typing as npt

from leantopics.images.pictures import SIDE, Bytes

PATCH = 16
"""Side of a patch in pixels."""
STEP = 5
"""Pixels from one patch to the next."""
PER_SIDE = (SIDE - PATCH) // STEP + 1
N_PATCHES = PER_SIDE**2
"""Patches, and so words, of a picture: 49 by 49."""
SIZE = 128
"""Numbers of a descriptor: 4 by 4 fields of 8 directions."""
# OpenCV makes a field 1.5 times as wide as the size of a keypoint; ours is PATCH / 4.
_KEYPOINT = PATCH / 4 / 1.5

assert N_PATCHES == 2401


def dense_sift(grey: Bytes, places: npt.NDArray[np.int64] | None = None) -> Bytes:
    """Compute the descriptors of patches, upright, shape (n_places, 128).

    Their numbers are whole, from 0 to 255, so sums and products of them are exact.
    ``grey`` is the brightness, shape (256, 256); ``places`` are the numbers of the
    patches, row by row, or all.

    Examples
    --------
    >>> dense_sift(np.eye(256, dtype=np.uint8)).shape
    (2401, 128)
    """
    chosen = np.arange(N_PATCHES) if places is None else places
    keypoints = [
        cv2.KeyPoint(float(column + PATCH // 2), float(row + PATCH // 2), _KEYPOINT, 0)
        for row, column in corners(chosen).tolist()
    ]
    _, found = cv2.SIFT.create().compute(grey, keypoints)
    assert found.shape == (len(chosen), SIZE)
    return np.asarray(found, dtype=np.uint8)


def cut(grey: Bytes, places: npt.NDArray[np.int64]) -> Bytes:
    """Pixels of patches, shape (n_places, 16, 16).

    Examples
    --------
    >>> cut(np.eye(256, dtype=np.uint8), np.array([0, 1])).sum(axis=(1, 2))
    array([16, 11], dtype=uint64)
    """
    windows = np.lib.stride_tricks.sliding_window_view(grey, (PATCH, PATCH))
    rows, columns = corners(places).T
    patches: Bytes = windows[rows, columns]
    return patches


def corners(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Row and column of the first pixel of patches, shape (n_places, 2).

    Examples
    --------
    >>> corners(np.array([0, 50, 2400])).tolist()
    [[0, 0], [5, 5], [240, 240]]
    """
    return STEP * np.column_stack((places // PER_SIDE, places % PER_SIDE))
