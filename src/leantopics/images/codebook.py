"""Codewords: k-means, close clusters merged, small ones pruned.

Descriptors and codewords are whole numbers below 256, so that distances are exact: the
nearest codeword is the same for any library, machine and number of threads.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.cluster import MiniBatchKMeans

from leantopics.images.pictures import Bytes

Longs = npt.NDArray[np.int64]
_PASSES = 10
_BATCH = 4096


class Codebook(NamedTuple):
    """Codewords and what they were learned from."""

    codewords: Bytes
    """Shape (K, 128)."""
    members: Longs
    """Number of descriptors nearest to each codeword, shape (K,)."""
    examples: Longs
    """Which descriptor is nearest to each codeword, shape (K,)."""


def learn(
    descriptors: Bytes, n_clusters: int, merge_distance: float, least: float, seed: int
) -> Codebook:
    """Learn codewords of descriptors, shape (n, 128); the largest comes first.

    They are clustered by k-means, into no more clusters than there are distinct ones.
    While two centres are closer than ``merge_distance``, the closest two are merged
    into their mean, weighted by the number of members. Clusters with fewer members than
    a share ``least`` of the average are pruned; their members go to the nearest
    remaining one.

    Examples
    --------
    >>> two = np.repeat(np.array([[9] * 128, [90] * 128], np.uint8), 50, axis=0)
    >>> learn(two, 5, 10.0, 0.1, 0).members
    array([50, 50])
    """
    n_clusters = min(n_clusters, len(np.unique(descriptors, axis=0)))
    # A fixed number of steps: a stopping rule would depend on the last digits of sums,
    # which threads add in any order. The steps have the same bits for any number.
    found = MiniBatchKMeans(
        n_clusters,
        batch_size=_BATCH,
        init_size=10 * n_clusters,
        max_iter=_PASSES,
        n_init=1,
        tol=0.0,
        max_no_improvement=None,
        random_state=seed,
    ).fit(descriptors.astype(np.float32))
    centres = found.cluster_centers_.astype(np.float64)
    members = np.bincount(nearest(descriptors, _whole(centres)), minlength=n_clusters)
    codewords = _whole(merge(centres, members, merge_distance))
    members = np.bincount(nearest(descriptors, codewords), minlength=len(codewords))
    kept = members >= max(1.0, least * len(descriptors) / len(codewords))
    kept[members.argmax()] = True
    codewords = codewords[kept]
    words = nearest(descriptors, codewords)
    members = np.bincount(words, minlength=len(codewords))
    order = np.argsort(-members, kind="stable")
    far = squares(descriptors, codewords[words])
    nearest_first = np.lexsort((far, words))
    starts = np.searchsorted(words[nearest_first], order)
    return Codebook(codewords[order], members[order], nearest_first[starts])


def merge(
    centres: npt.NDArray[np.float64], members: Longs, distance: float
) -> npt.NDArray[np.float64]:
    """Merge the two closest centres until none are closer than a distance.

    Examples
    --------
    >>> merge(np.array([[0.0], [1.0], [9.0]]), np.array([1, 3, 1]), 2.0)
    array([[0.75],
           [9.  ]])
    """
    alive = np.flatnonzero(members > 0)
    centres, weight = centres[alive], members[alive].astype(np.float64)
    apart = np.array([((centres - one) ** 2).sum(axis=1) for one in centres])
    np.fill_diagonal(apart, np.inf)
    while apart.min() < distance**2:
        i, j = sorted(divmod(int(apart.argmin()), len(apart)))
        total = weight[i] + weight[j]
        centres[i] = (weight[i] * centres[i] + weight[j] * centres[j]) / total
        weight[i], centres = total, np.delete(centres, j, axis=0)
        weight = np.delete(weight, j)
        apart = np.delete(np.delete(apart, j, axis=0), j, axis=1)
        apart[i] = apart[:, i] = ((centres - centres[i]) ** 2).sum(axis=1)
        apart[i, i] = np.inf
    return centres


def nearest(descriptors: Bytes, codewords: Bytes) -> Longs:
    """Number of the codeword nearest to each descriptor; ties go to the first.

    Single precision holds all whole numbers up to 2^24, and no sum here exceeds
    2 * 128 * 255^2.

    Examples
    --------
    >>> nearest(np.array([[3], [200]], np.uint8), np.array([[0], [250]], np.uint8))
    array([0, 1])
    """
    words = codewords.astype(np.float32)
    far = (words**2).sum(axis=1) - 2.0 * (descriptors.astype(np.float32) @ words.T)
    found: Longs = far.argmin(axis=1)
    return found


def squares(descriptors: Bytes, others: Bytes) -> Longs:
    """Squared distances of descriptors to others, row by row.

    Examples
    --------
    >>> squares(np.array([[3, 0]], np.uint8), np.array([[0, 4]], np.uint8))
    array([25])
    """
    apart = descriptors.astype(np.int32) - others
    found: Longs = np.einsum("nd,nd->n", apart, apart).astype(np.int64)
    return found


def _whole(centres: npt.NDArray[np.float64]) -> Bytes:
    return np.rint(centres).astype(np.uint8)
