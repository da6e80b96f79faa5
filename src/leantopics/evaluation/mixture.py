"""Mixtures of topics, only at the words that a document has."""

import numpy as np
from scipy import sparse

from leantopics.evaluation.checks import Floats, Ints, Matrix
from leantopics.evaluation.kernels import mix


def mix_words(
    counts: sparse.csr_array, doc_weight: Matrix, topic_word: Matrix
) -> tuple[Floats, Ints]:
    """Return sum and argmax of weight[d, j] * probability[j, n] over topics j.

    Parameters
    ----------
    counts : csr_array of shape (D, N)
        Only its pattern is used.
    doc_weight : array or csr_array of shape (D, M)
    topic_word : array or csr_array of shape (M, N)

    Returns
    -------
    total : ndarray of shape (n_stored,)
        The sum for each stored count.
    winner : ndarray of int, shape (n_stored,)
        The topic with the largest product.

    Examples
    --------
    >>> counts = sparse.csr_array([[0, 2], [1, 0]])
    >>> topic_word = np.array([[0.25, 0.75], [0.5, 0.5]])
    >>> mix_words(counts, np.array([[1.0, 0.0], [0.5, 0.5]]), topic_word)
    (array([0.75 , 0.375]), array([0, 1]))
    """
    weight = sparse.csr_array(doc_weight)
    dense = topic_word.toarray() if sparse.issparse(topic_word) else topic_word
    total, winner = np.empty(counts.nnz), np.empty(counts.nnz, dtype=np.int64)
    mix(
        counts.indptr,
        counts.indices,
        weight.indptr,
        weight.indices,
        weight.data,
        np.ascontiguousarray(dense.T),
        total,
        winner,
    )
    return total, winner
