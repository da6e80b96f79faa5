"""What counts as evidence: every word, or every burst of a word.

A word that occurred in a document is likely to occur there again, so its occurrences
are not independent. The Polya distribution (Dirichlet compound multinomial) draws the
words of a document one by one, each with probability ``(s p_n + c) / (s + l)`` after c
of the same among l words so far: p is the mean, and the smaller the concentration s,
the burstier the words. The score of a count c with respect to log p_n is

    c_eff = s p_n (psi(s p_n + c) - psi(s p_n)),

its *effective count*: c itself as s grows, and 1 as s falls to zero. Everything else
stays as it is, with effective counts in place of counts.
"""

from tempfile import TemporaryFile

import numpy as np
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import digamma

from leantopics._arrays import Floats
from leantopics.corpus.rows import row_parts
from leantopics.engine.threads import Engine
from leantopics.storage import is_mapped, map_file

_LEAST, _MOST = 1e-3, 1e6
"""Bounds of s: below the first, a burst counts once; from the second, every word."""


def burstiness(counts: sparse.csr_array, workers: Engine) -> float:
    """Fit the concentration s of the Polya distribution with mean beta0.

    The likelihood of all documents, with p = beta0 (label p0),

        sum_d log G(s) - log G(s + L_d) + sum_n log G(s p_n + c_dn) - log G(s p_n),

    has one maximum; it is infinite if words are not bursty. The counts are (D, N).

    Examples
    --------
    >>> from leantopics.engine.threads import Inline
    >>> burstiness(sparse.csr_array([[3.0, 0.0], [0.0, 3.0]]), Inline())
    0.001
    >>> burstiness(sparse.csr_array([[2.0, 1.0], [1.0, 2.0]]), Inline())
    inf
    """
    frequency = word_shares(counts)
    parts = [part for _, part in row_parts(counts)]

    def slope(log_s: float) -> float:
        """Of the likelihood against log s: words that are worth more, less lengths."""
        s = float(np.exp(log_s))
        mean = s * frequency

        def of_part(part: sparse.csr_array) -> float:
            length = np.asarray(part.sum(axis=1), dtype=np.float64).ravel()
            length = length[length > 0.0]
            words = _worth(part.data, mean[part.indices])
            return float(words.sum() - _worth(length, np.full(len(length), s)).sum())

        return float(sum(workers.map(of_part, parts)))

    low, high = np.log(_LEAST), np.log(_MOST)
    if slope(high) >= 0.0:
        return float(np.inf)
    if slope(low) <= 0.0:
        return _LEAST
    return float(np.exp(brentq(slope, low, high, xtol=1e-6)))


def _worth(count: Floats, p: Floats) -> Floats:
    """``p (psi(p + c) - psi(p))``, which is 1 for a count of 1 without rounding."""
    worth: Floats = 1.0 + p * (digamma(p + count) - digamma(p + 1.0))
    return worth


def word_shares(counts: sparse.csr_array) -> Floats:
    """(N,): share of each word among all words (label p0)."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    shares: Floats = totals / totals.sum()
    return shares


def effective(
    counts: sparse.csr_array, s: float, frequency: Floats
) -> sparse.csr_array:
    """Effective counts (D, N) of documents; no count is worth more than itself.

    The words are those that the fit saw, with frequencies p (N,). If s is infinite,
    counts are returned as they are. Those of counts that are on disk stay in a
    temporary file.

    Examples
    --------
    >>> counts = sparse.csr_array([[1.0, 2.0, 9.0]])
    >>> effective(counts, 10.0, np.array([0.1, 0.4, 0.5])).toarray().round(2)
    array([[1.  , 1.8 , 5.48]])
    """
    if np.isinf(s):
        return counts
    mean = s * frequency

    def of(part: sparse.csr_array) -> Floats:
        worth: Floats = np.minimum(part.data, _worth(part.data, mean[part.indices]))
        return worth

    parts = (of(part) for _, part in row_parts(counts))
    if is_mapped(counts.data):
        with TemporaryFile() as file:
            for values in parts:
                file.write(values.data)
            data = map_file(file, np.dtype(np.float64), counts.nnz)
    else:
        data = np.concatenate([*parts])
    return sparse.csr_array((data, counts.indices, counts.indptr), counts.shape)
