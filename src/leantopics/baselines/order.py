"""A baseline fitted at one number of topics, in plain arrays, and what they show."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from leantopics._arrays import Floats

_ENTRIES = 1 << 14
"""Stored counts that `log_likelihood` handles at a time."""


class Order(NamedTuple):
    """The fit at one number of topics M; D is the number of documents with words.

    K is M, or M + 1 with a background, which comes last. The M topics are numbered in
    order of decreasing mass.
    """

    components: Floats
    """(K, N): word probabilities; rows sum to one."""
    proportions: Floats
    """(D, K): topic proportions; rows sum to one."""
    present: NDArray[np.bool_]
    """(D, K): whether a topic accounts for the largest part of at least one word."""
    mass: Floats
    """(K,): share of all words; sums to one."""
    extra: dict[str, Floats]
    """Other arrays that the model needs for new documents, by name."""
    summary: dict[str, Any]
    """A row of ``path_``, with values that JSON can hold.

    It has at least n_topics, log_likelihood or objective, topics_per_document, n_iter,
    converged, stop_reason and seconds.
    """


class Iteration(NamedTuple):
    """The result of one iteration of a baseline."""

    n_topics: int
    iteration: int
    objective: float
    """The bound of LDA, which rises; the loss of other models, which falls."""
    seconds: float


def falling(mass: Floats, n_topics: int) -> NDArray[np.int64]:
    """Indices of the ``n_topics`` largest of M topics, in order of decreasing mass.

    Examples
    --------
    >>> falling(np.array([1.0, 3.0, 2.0]), 2)
    array([1, 2])
    """
    return np.argsort(-mass, kind="stable")[:n_topics]


def log_likelihood(
    counts: sparse.csr_array, proportions: Floats, components: Floats
) -> float:
    """Plug-in log-likelihood ``sum_dn c_dn log sum_j alpha_dj beta_jn``.

    Parameters
    ----------
    counts : csr_array of shape (D, N)
    proportions : ndarray of shape (D, K)
    components : ndarray of shape (K, N)

    Examples
    --------
    >>> one = sparse.csr_array([[3.0, 1.0]])
    >>> value = log_likelihood(one, np.ones((1, 1)), np.array([[0.75, 0.25]]))
    >>> round(value, 6)
    -2.249341
    """
    by_word = np.ascontiguousarray(components.T)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    total = 0.0
    for first in range(0, len(rows), _ENTRIES):
        part = slice(first, first + _ENTRIES)
        alpha, beta = proportions[rows[part]], by_word[counts.indices[part]]
        likelihood = np.log(np.einsum("ij,ij->i", alpha, beta))
        total += float((counts.data[part] * likelihood).sum())
    return total


def ranked_words(
    probability: Floats, frequency: Floats, by: str
) -> list[tuple[int, float]]:
    """Words of a topic with their probability or salience, largest first.

    The salience of a word is its part of the divergence of the topic from the corpus,
    ``beta log(beta / frequency)``. Words whose number is not positive are left out.

    Examples
    --------
    >>> half = np.array([0.5, 0.5])
    >>> ranked_words(np.array([0.25, 0.75]), half, "probability")
    [(1, 0.75), (0, 0.25)]
    >>> [(word, round(value, 3)) for word, value in
    ...     ranked_words(np.array([0.25, 0.75]), half, "salience")]
    [(1, 0.304)]
    """
    values = np.where(frequency > 0.0, probability, 0.0)
    if by == "salience":
        used = values > 0.0
        values[used] *= np.log(values[used] / frequency[used])
    ranked = np.argsort(-values, kind="stable")
    return [(int(word), float(values[word])) for word in ranked if values[word] > 0.0]
