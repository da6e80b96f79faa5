"""Effective counts and their concentration, computed again for `verify`."""

import numpy as np
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import digamma

from leantopics._arrays import Floats


def frequencies(counts: sparse.csr_array) -> Floats:
    """(N,): share of each word among all words."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    shares: Floats = totals / totals.sum()
    return shares


def effective_again(counts: sparse.csr_array, s: float) -> sparse.csr_array:
    """``s p (psi(s p + c) - psi(s p))`` for each count c, at most c.

    Examples
    --------
    >>> counts = sparse.csr_array([[1.0, 4.0], [3.0, 2.0]])
    >>> effective_again(counts, 10.0).toarray().round(2)
    array([[1.  , 3.27],
           [2.47, 1.86]])
    """
    if np.isinf(s):
        return counts
    mean = s * frequencies(counts)[counts.indices]
    worth = mean * (digamma(mean + counts.data) - digamma(mean))
    arrays = (np.minimum(worth, counts.data), counts.indices, counts.indptr)
    return sparse.csr_array(arrays, shape=counts.shape)


def best_concentration(counts: sparse.csr_array) -> float:
    """The concentration of the Polya distribution that makes documents most likely."""
    p = frequencies(counts)[counts.indices]
    length = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()

    def slope(log_s: float) -> float:
        s = float(np.exp(log_s))
        documents = digamma(s) - digamma(s + length)
        words = p * (digamma(s * p + counts.data) - digamma(s * p))
        return s * float(documents.sum() + words.sum())

    low, high = float(np.log(1e-3)), float(np.log(1e6))
    if slope(high) >= 0.0:
        return float(np.inf)
    if slope(low) <= 0.0:
        return 1e-3
    return float(np.exp(brentq(slope, low, high, xtol=1e-9)))
