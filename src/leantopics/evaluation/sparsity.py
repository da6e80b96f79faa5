"""Sparsity: how few topics documents have, and how few salient words topics have."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.evaluation.checks import (
    Indices,
    Ints,
    Matrix,
    check_counts,
    check_matrix,
    row_numbers,
)
from leantopics.evaluation.mixture import mix_words


class TopicsPerDocument(NamedTuple):
    """Topics present in documents."""

    mean: float
    """Mean over the documents that have words; NaN if there are none."""
    by_document: Ints
    """Topics of each document, shape (D,); 0 if it has no words."""


class WordSparsity(NamedTuple):
    """Salient words of topics."""

    salient_per_topic: float
    """Mean number of salient words of a topic."""
    distinct_salient: int
    """Words that are salient in some topic."""
    topics_per_salient_word: float
    """Mean number of topics in which such a word is salient; NaN without salient
    words."""


def topics_by_switches(
    counts: Any, doc_topic: Any, *, without: Iterable[int] = ()
) -> TopicsPerDocument:
    """Count the topics that are present in a document.

    Parameters
    ----------
    counts : array or sparse matrix of shape (D, N)
        Counts of words.
    doc_topic : array or sparse matrix of shape (D, M)
        Proportions of topics. A topic is present if its entry is not zero, or in a
        sparse matrix if it is stored.
    without : iterable of int
        Topics that are not counted, such as a background topic.

    Examples
    --------
    >>> topics_by_switches([[2, 1], [0, 1]], [[0.3, 0.7], [0, 1]]).mean
    1.5
    """
    checked = check_counts(counts)
    alpha = check_matrix("doc_topic", doc_topic, checked.shape[0], None)
    return _count(checked, *_pattern(alpha), without)


def assign_words(counts: Any, doc_weight: Any, topic_word: Any) -> Ints:
    """Topic with the largest weight[d, j] * probability[j, n] for each stored count.

    Parameters
    ----------
    counts : array or sparse matrix of shape (D, N)
        Counts of words.
    doc_weight : array or sparse matrix of shape (D, M)
        Weights of topics in documents: proportions; for variational LDA
        ``exp(digamma(gamma))``, which makes the product proportional to phi.
    topic_word : array or sparse matrix of shape (M, N)
        Probabilities of words.

    Returns
    -------
    ndarray of int, shape (n_stored,)
        Numbers of topics, in the order of a CSR matrix with sorted columns; ties go to
        the lower number.

    Examples
    --------
    >>> assign_words([[2, 1], [0, 1]], [[0.3, 0.7], [1, 0]], [[0.9, 0.1], [0.1, 0.9]])
    array([0, 1, 0])
    """
    checked = check_counts(counts)
    n_docs, n_words = checked.shape
    weight = check_matrix("doc_weight", doc_weight, n_docs, None)
    beta = check_matrix("topic_word", topic_word, weight.shape[1], n_words)
    return mix_words(checked, weight, beta)[1]


def topics_by_assignment(
    counts: Any, winners: npt.ArrayLike, *, without: Iterable[int] = ()
) -> TopicsPerDocument:
    """Count the topics that win at least one word of a document.

    The paper measures the topic sparsity of LDA and of sparse topical coding this way:
    the topic of a word is that with the largest phi, or the largest part in its code.

    Parameters
    ----------
    counts : array or sparse matrix of shape (D, N)
        Counts of words.
    winners : array of int, shape (n_stored,)
        Topic of each stored count, as `assign_words` finds it.
    without : iterable of int
        Topics that are not counted, such as a background topic.

    Examples
    --------
    >>> counts = [[2, 1], [0, 1]]
    >>> topics_by_assignment(counts, [0, 1, 1]).by_document
    array([2, 1])
    >>> topics_by_assignment(counts, [0, 1, 1], without=[1]).mean
    0.5
    """
    checked = check_counts(counts)
    topic = np.asarray(winners)
    if topic.shape != (checked.nnz,) or (topic.size and topic.dtype.kind not in "iu"):
        raise ValueError(
            f"winners must be {checked.nnz} topic numbers, one for each count above "
            f"zero, got shape {topic.shape} of {topic.dtype}."
        )
    if (topic < 0).any():
        raise ValueError(f"winners must not be negative, got {topic.min()}.")
    n_topics = int(topic.max(initial=0)) + 1
    pairs = np.unique(row_numbers(checked) * n_topics + topic.astype(np.int64))
    return _count(checked, pairs // n_topics, pairs % n_topics, without)


def word_sparsity(salient: Any) -> WordSparsity:
    """Count the salient words of topics.

    Parameters
    ----------
    salient : array or sparse matrix of shape (M, N)
        A word is salient if its entry is not zero; in a sparse matrix if it is stored,
        even as a zero, which is a word that is salient by its absence.

    Examples
    --------
    >>> word_sparsity([[1, 1, 0, 0], [0, 1, 1, 0]])
    WordSparsity(salient_per_topic=2.0, distinct_salient=3,
                 topics_per_salient_word=1.3333333333333333)
    """
    matrix = check_matrix("salient", salient)
    _, words = _pattern(matrix)
    n_topics, distinct = matrix.shape[0], len(np.unique(words))
    return WordSparsity(
        len(words) / n_topics if n_topics else np.nan,
        distinct,
        len(words) / distinct if distinct else np.nan,
    )


def _pattern(matrix: Matrix) -> tuple[Indices, Indices]:
    """Return rows and columns of the entries that are not zero, or that are stored."""
    if sparse.issparse(matrix):
        return row_numbers(matrix), matrix.indices
    rows, columns = np.nonzero(matrix)
    return rows, columns


def _count(
    counts: sparse.csr_array,
    document: Indices,
    topic: Indices,
    without: Iterable[int],
) -> TopicsPerDocument:
    """Count the topics of each document, given distinct pairs of both."""
    filled = np.diff(counts.indptr) > 0
    counted = ~np.isin(topic, list(without))
    number = np.bincount(document[counted], minlength=len(filled))
    number[~filled] = 0
    mean = float(number[filled].mean()) if filled.any() else np.nan
    return TopicsPerDocument(mean, number)
