"""A map of topics: nearby topics share words, and circles do not overlap."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float64]

_GAP = 1.08
"""Smallest distance of two centres, as a multiple of the sum of their radii."""


def hellinger(excess: sparse.csr_array, shared: Floats) -> Floats:
    """Return Hellinger distances of topics, computed from their salient words only.

    With ``s = sqrt(1 + excess) - 1``, which is zero for words that are not salient, the
    overlap of two topics is ``sum_n beta0 (1 + s_j) (1 + s_k)``: one, plus a sum for
    each topic, plus a sparse product.

    Parameters
    ----------
    excess : csr_array of shape (M, N)
        ``beta / beta0 - 1`` of the salient words.
    shared : ndarray of shape (N,)
        The shared model beta0, which sums to one.

    Returns
    -------
    ndarray of shape (M, M)
        From 0 for equal topics to 1 for topics without a common word.

    Examples
    --------
    >>> excess = sparse.csr_array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]])
    >>> hellinger(excess, np.array([0.5, 0.5])).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    roots = excess.copy()
    roots.data = np.sqrt(np.maximum(1.0 + excess.data, 0.0)) - 1.0
    weighted = roots @ sparse.dia_array((shared[None], 0), shape=(len(shared),) * 2)
    sums = np.asarray(weighted.sum(axis=1)).ravel()
    overlap = 1.0 + sums[:, None] + sums[None, :] + (weighted @ roots.T).toarray()
    out = np.sqrt(np.clip(1.0 - overlap, 0.0, 1.0))
    np.fill_diagonal(out, 0.0)
    return np.asarray(out)


def plane(distance: Floats) -> Floats:
    """Return points in the plane (M, 2) whose distances approximate the given ones.

    Uses classical scaling. The signs are fixed, so equal distances give equal maps.
    """
    n = len(distance)
    if n == 1:
        return np.zeros((1, 2))
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ distance**2 @ centre)
    points = np.zeros((n, 2))
    for axis in range(min(2, n)):
        vector = vectors[:, -1 - axis] * np.sqrt(max(values[-1 - axis], 0.0))
        points[:, axis] = vector * (1.0 if vector[np.abs(vector).argmax()] > 0 else -1)
    return points


def without_overlaps(points: Floats, radius: Floats, max_rounds: int = 500) -> Floats:
    """Move circles apart, each pair along the line between them, until none overlap.

    If some still overlap after ``max_rounds``, the whole map is scaled up.
    """
    points = points.copy()
    n = len(points)
    needed = _GAP * (radius[:, None] + radius[None, :])
    angle = 2.4 * np.arange(n)  # circles at the same point need different directions
    points += 1e-9 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.fill_diagonal(needed, 0.0)
    for _ in range(max_rounds):
        apart = points[:, None] - points[None, :]
        distance = np.linalg.norm(apart, axis=2)
        lacking = np.maximum(needed - distance, 0.0)
        if lacking.max() <= 1e-9:
            return points
        push = 0.25 * lacking / np.maximum(distance, 1e-12)
        points += (push[:, :, None] * apart).sum(axis=1)
    distance += np.eye(n)
    return points * max(1.0, float((needed / distance).max()))


def topic_map(distance: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Return centres (M, 2) and radii (M,) in the unit square, with shares as areas.

    Examples
    --------
    >>> points, radius = topic_map(np.zeros((2, 2)), np.array([0.5, 0.5]))
    >>> bool(np.linalg.norm(points[0] - points[1]) > radius.sum())
    True
    """
    points = plane(distance)
    span = max(float(np.ptp(points, axis=0).max()), 1e-9)
    radius = np.sqrt(np.maximum(share, 1e-4) / share.sum()) * 0.22
    points = without_overlaps(points / span, radius)
    low = (points - radius[:, None]).min(axis=0)
    high = (points + radius[:, None]).max(axis=0)
    size = float((high - low).max())
    margin = (size - (high - low)) / 2.0
    return (points - low + margin) / size, radius / size
