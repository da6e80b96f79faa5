"""First topics of sparse topical coding, and proportions from its codes."""

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats

SEED_SHARE = 0.7
"""Share of the seed documents in a first topic; the rest comes from the corpus."""


def seeded(
    counts: sparse.csr_array,
    n_topics: int,
    init_docs: int,
    random: np.random.RandomState,
) -> Floats:
    """Topics that mix the words of random documents with those of the corpus.

    Documents are drawn without replacement if there are enough.

    Returns
    -------
    ndarray of shape (N, M)
        Word-major; columns sum to one. No row is zero if no column of the counts is.

    Examples
    --------
    >>> counts = sparse.csr_array(np.eye(2))
    >>> seeded(counts, 2, 1, np.random.RandomState(0))
    array([[0.15, 0.85],
           [0.85, 0.15]])
    """
    n_docs, n_seeds = counts.shape[0], init_docs * n_topics
    drawn = [random.permutation(n_docs) for _ in range(-(-n_seeds // n_docs))]
    topic = np.arange(n_seeds) % n_topics
    chosen = sparse.csr_array(
        (np.ones(n_seeds), (topic, np.concatenate(drawn)[:n_seeds])),
        shape=(n_topics, n_docs),
    )
    x = (chosen @ counts).toarray()
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    table = SEED_SHARE * x / x.sum(axis=1, keepdims=True)
    table += (1.0 - SEED_SHARE) * totals / totals.sum()
    return np.ascontiguousarray(table.T)


def normalised(theta: Floats) -> Floats:
    """Document codes (D, M) scaled to sum to one; a row of zeros becomes uniform.

    Examples
    --------
    >>> normalised(np.array([[3.0, 1.0], [0.0, 0.0]]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    total = theta.sum(axis=1, keepdims=True)
    out = np.full(theta.shape, 1.0 / theta.shape[1])
    np.divide(theta, total, out=out, where=total > 0.0)
    return out
