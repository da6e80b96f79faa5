"""Distances between topics."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.evaluation.checks import Floats, Matrix, check_matrix


def hellinger(
    first: Any, second: Any = None, *, shared: npt.ArrayLike | None = None
) -> Floats:
    """Hellinger distances of topics: 0 if they are equal, 1 if they share no word.

    ``sqrt(1 - sum_n sqrt(p[j, n] q[k, n]))``, for each topic j of the first and each
    topic k of the second.

    Parameters
    ----------
    first, second : array or sparse matrix of shape (M, N) and (K, N)
        Probabilities of words. Rows may sum to less than 1 if rare words are left out.
        By default the second is the first.
    shared : array of shape (N,), optional
        Probabilities of the words that a sparse row does not store, for topics that
        differ from a shared model only in their salient words. By default these words
        have probability 0.

    Returns
    -------
    ndarray of shape (M, K)

    Examples
    --------
    >>> hellinger([[0.5, 0.5, 0.0]], [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    array([[0., 1.]])
    >>> salient = sparse.csr_array([[0.0, 0.6, 0.2], [0.0, 0.6, 0.2]])
    >>> hellinger(salient, shared=[0.2, 0.2, 0.6])
    array([[0., 0.],
           [0., 0.]])
    """
    topics = check_matrix("first", first)
    n_words = topics.shape[1]
    others = topics
    if second is not None:
        others = check_matrix("second", second, None, n_words)
    base = np.zeros(n_words)
    if shared is not None:
        base = np.sqrt(np.asarray(check_matrix("shared", [shared], 1, n_words))[0])
    # sqrt(p) is base + r, where r is zero for the words that a row does not store.
    r, s = _above(topics, base), _above(others, base)
    product = r @ s.T
    both = product if isinstance(product, np.ndarray) else product.toarray()
    overlap = base @ base + (r @ base)[:, None] + s @ base + both
    distance: Floats = np.sqrt(np.clip(1.0 - overlap, 0.0, 1.0))
    if second is None:
        np.fill_diagonal(distance, 0.0)
    return distance


def _above(topics: Matrix, base: Floats) -> Any:
    """Return ``sqrt(p) - base`` of the stored words."""
    if not isinstance(topics, sparse.csr_array):
        return np.sqrt(topics) - base
    roots = topics.sqrt()
    roots.data -= base[roots.indices]
    return roots
