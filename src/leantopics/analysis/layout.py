"""A map of topics: nearby topics share words, and circles do not overlap."""

import numpy as np

from leantopics._arrays import Floats, Longs

_ROUNDS, _GAP = 200, 1.08
"""Steps towards the centre, and the smallest distance of two centres, as a multiple of
the sum of their radii."""


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


def without_overlaps(
    points: Floats, radius: Floats, max_rounds: int = 500, scale: bool = True
) -> Floats:
    """Move circles apart, each pair along the line between them, until none overlap.

    If some still overlap after ``max_rounds``, the whole map is scaled up, unless
    ``scale`` is False.
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
    if not scale:
        return points
    distance += np.eye(n)
    return points * max(1.0, float((needed / distance).max()))


def packed(points: Floats, radius: Floats) -> Floats:
    """Move circles together, each roughly in its direction from the centre.

    Examples
    --------
    >>> points = packed(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([1.0, 1.0]))
    >>> float(np.linalg.norm(points[0] - points[1]).round(2))
    2.16
    """
    points = points - points.mean(axis=0)
    away = np.linalg.norm(points, axis=1)
    rank = np.argsort(np.argsort(away, kind="stable"), kind="stable")
    even = np.sqrt((rank + 0.5) / len(points)) * np.sqrt((radius**2).sum()) * 1.5
    points *= (even / np.maximum(away, 1e-12))[:, None]
    for _ in range(_ROUNDS):
        points = without_overlaps(0.97 * points, radius, 2, scale=False)
    return without_overlaps(points, radius)


def topic_map(
    distance: Floats, share: Floats, group: Longs | None = None
) -> tuple[Floats, Floats]:
    """Return centres (M, 2) and radii (M,) in the unit square, with shares as areas.

    Distances (M, M) are from 0 to 1. Each ``group`` (M,) gets a place of its own.

    Examples
    --------
    >>> points, radius = topic_map(np.zeros((2, 2)), np.array([0.5, 0.5]))
    >>> bool(np.linalg.norm(points[0] - points[1]) > radius.sum())
    True
    """
    n_topics = len(share)
    radius = np.sqrt(np.maximum(share, 1e-4) / share.sum())
    if group is None:
        group = np.arange(n_topics)
    place = np.unique(group, return_inverse=True)[1]
    members = [np.flatnonzero(place == g) for g in range(place.max() + 1)]
    points, around = np.zeros((n_topics, 2)), np.zeros(len(members))
    for g, own in enumerate(members):
        points[own] = packed(plane(distance[np.ix_(own, own)]), radius[own])
        around[g] = (np.linalg.norm(points[own], axis=1) + radius[own]).max()
    belongs = np.eye(len(members))[place] * share[:, None]
    belongs /= belongs.sum(axis=0)
    between = belongs.T @ distance @ belongs
    np.fill_diagonal(between, 0.0)
    points += packed(plane(between), around)[place]
    low = (points - radius[:, None]).min(axis=0)
    high = (points + radius[:, None]).max(axis=0)
    size = float((high - low).max())
    margin = (size - (high - low)) / 2.0
    return (points - low + margin) / size, radius / size
