"""A batch of new documents, as a fitted model sees it."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm.inference import Tables, infer
from leantopics.ptm.objective import TWO_PI

_ROWS = 512
"""Documents whose topics and words are multiplied at once."""


class Batch(NamedTuple):
    """Documents with words: what their topics explain of them, and cost."""

    counts: sparse.csr_array
    """(D, N): counts as evidence."""
    by_word: sparse.csc_array
    """(D, N): the same."""
    length: Floats
    """(D,): L_d."""
    log_q: Floats
    """Logarithm of the q of each stored count, p(n|d) = beta0_n q."""
    leaves: Floats
    """(D,): nats that a document gains if it leaves its topics for the shared model."""
    one_more: Floats
    """(D,): price of one more proportion, ``1/2 log(L_d / 2 pi)``."""
    mixes: sparse.csr_array
    """(D, M): alpha."""
    beta0: Floats
    excess: sparse.csr_array
    """(M, N): r."""

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.length)


def prepare(
    counts: sparse.csr_array, model: Tables, beta0: Floats, workers: Engine
) -> Batch:
    """Infer the topics of documents, none of them empty; the model is frozen.

    Parameters
    ----------
    counts : csr_array of shape (D, N)
        Counts as evidence, of words that the fit saw.
    model : Tables
        The word model and its prices; see `inference.tables`.
    beta0 : array of shape (N,)
        The shared model.
    workers : Engine
        Runs the shards.
    """
    found = infer(counts, model, sparse_topics=True, workers=workers)
    salient, prices = model.salient, model.prices
    n_docs, n_topics = counts.shape[0], salient.n_topics
    excess = sparse.csr_array(
        (salient.excess, salient.word, salient.indptr),
        shape=(n_topics, counts.shape[1]),
    )
    topic = found.topic.astype(np.int64)
    mixes = sparse.csr_array(
        (found.alpha, topic, found.indptr), shape=(n_docs, n_topics)
    )
    log_q = np.log1p(at_counts(counts, mixes, excess))
    row = rows_of_entries(counts)
    length = sums(row, counts.data, n_docs)
    one_more = np.maximum(0.5 * np.log(length / TWO_PI), 0.0)
    size, doc = np.diff(found.indptr), rows_of_entries(mixes)
    own = prices.half_salient[topic] * np.log1p(length[doc] / prices.tokens[topic])
    cost = sums(doc, own, n_docs) + (size - 1) * one_more
    gain = sums(row, counts.data * log_q, n_docs)
    return Batch(
        counts,
        counts.tocsc(),
        length,
        log_q,
        np.minimum(cost + prices.log_choose[size] - gain, 0.0),
        one_more,
        mixes,
        beta0,
        excess,
    )


def sums(index: np.ndarray, values: Floats, n: int) -> Floats:
    """Add up the values with each index from 0 to n - 1.

    Examples
    --------
    >>> sums(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 3)
    array([4., 0., 2.])
    """
    return np.bincount(index, values, minlength=n).astype(np.float64)


def rows_of_entries(matrix: sparse.csr_array) -> Longs:
    """The row of each stored entry."""
    rows: Longs = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return rows


def entries_of(indptr: np.ndarray, rows: Longs) -> tuple[Longs, Longs]:
    """The stored entries of some rows, and the place of each entry's row in ``rows``.

    Examples
    --------
    >>> entries_of(np.array([0, 2, 3, 5]), np.array([2, 0]))
    (array([3, 4, 0, 1]), array([0, 0, 1, 1]))
    """
    size = (indptr[rows + 1] - indptr[rows]).astype(np.int64)
    place = np.repeat(np.arange(len(rows)), size)
    within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    return indptr[rows].astype(np.int64)[place] + within, place


def at_counts(
    counts: sparse.csr_array, mixes: sparse.csr_array, excess: sparse.csr_array
) -> Floats:
    """``sum_j alpha_dj r_jn`` at each stored count.

    Examples
    --------
    >>> counts = sparse.csr_array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    >>> mixes = sparse.csr_array([[0.5, 0.5], [0.0, 1.0]])
    >>> at_counts(counts, mixes, sparse.csr_array([[0.0, 4.0, 0.0], [0.0, 0.0, 7.0]]))
    array([0., 2., 7.])
    """
    n_words, out = counts.shape[1], np.zeros(counts.nnz)
    for first in range(0, counts.shape[0], _ROWS):
        part = counts[first : first + _ROWS]
        product = sparse.csr_array(mixes[first : first + _ROWS] @ excess)
        product.sort_indices()
        known = rows_of_entries(product) * n_words + product.indices
        if not len(known):
            continue
        wanted = rows_of_entries(part) * n_words + part.indices
        place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        found = np.where(known[place] == wanted, product.data[place], 0.0)
        begin = counts.indptr[first]
        out[begin : begin + part.nnz] = found
    return out
