"""Log-likelihood of counts under topic proportions and word probabilities."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from leantopics.evaluation.checks import (
    check_counts,
    check_distributions,
    check_parts,
    row_numbers,
)
from leantopics.evaluation.mixture import mix_words


class Likelihood(NamedTuple):
    """How well proportions and word probabilities predict counts."""

    log_likelihood: float
    """In nats; minus infinity if a word that occurs has probability zero."""
    per_word: float
    """The same, divided by the number of tokens; NaN without tokens."""
    perplexity: float
    """exp(-per_word)."""
    n_tokens: float
    """Tokens scored."""
    unseen_share: float
    """Share of all tokens left out, because training never saw their words."""


class WordSplit(NamedTuple):
    """Two halves of documents that never share a word."""

    observed: sparse.csr_array
    held_out: sparse.csr_array
    unseen_share: float
    """Share of all tokens in neither half."""


def log_likelihood(
    counts: Any,
    doc_topic: Any,
    topic_word: Any,
    *,
    shared: Any = None,
    trace: float = 1e-6,
) -> Likelihood:
    """Log-likelihood sum_dn c[d,n] log(sum_j alpha[d,j] beta[j,n]) of documents.

    The time is proportional to the number of stored counts times topics; no dense array
    of documents by words is made.

    Parameters
    ----------
    counts : array or sparse matrix of shape (D, N)
        Counts c of words.
    doc_topic : array or sparse matrix of shape (D, M)
        Proportions alpha of topics, rows sum to 1.
    topic_word : array or sparse matrix of shape (M, N)
        Probabilities beta of words, rows sum to 1.
    shared : array of shape (N,), optional
        Word probabilities beta0 of the training corpus. If given, topics are scored as
        (1 - trace) beta + trace beta0, so that a single word with probability zero does
        not decide the score of new documents.
    trace : float
        Weight of beta0, from 0 to 1.

    Examples
    --------
    >>> found = log_likelihood([[3, 1]], [[0.5, 0.5]], [[0.9, 0.1], [0.1, 0.9]])
    >>> found.perplexity, found.n_tokens
    (2.0, 4.0)
    """
    checked = check_counts(counts)
    n_docs, n_words = checked.shape
    alpha = check_distributions("doc_topic", doc_topic, n_docs, None)
    beta = check_distributions("topic_word", topic_word, alpha.shape[1], n_words)
    probability, _ = mix_words(checked, alpha, beta)
    if shared is not None:
        if not 0 <= trace <= 1:
            raise ValueError(f"trace must be from 0 to 1, got {trace!r}.")
        beta0 = np.asarray(check_distributions("shared", [shared], 1, n_words))[0]
        probability += trace * (beta0[checked.indices] - probability)
    with np.errstate(divide="ignore"):
        total = float((checked.data * np.log(probability)).sum())
    return _likelihood(total, float(checked.data.sum()), 0.0)


def split_words(
    counts: Any,
    *,
    seen: Any = None,
    random_state: int | np.random.RandomState | None = 0,
) -> WordSplit:
    """Split the distinct words of each document into two halves at random.

    Every word of a document goes with all its tokens into one half. The observed half
    has one word more if the number of words is odd.

    Parameters
    ----------
    counts : array or sparse matrix of shape (D, N)
        Counts of words.
    seen : array of bool, shape (N,), optional
        Words that training has seen; others are left out of both halves. By default
        all.
    random_state : int, RandomState or None
        The same seed gives the same halves.

    Examples
    --------
    >>> split = split_words([[5, 1, 2, 4]], seen=[True, True, True, False])
    >>> split.observed.toarray() + split.held_out.toarray()
    array([[5., 1., 2., 0.]])
    >>> split.observed.nnz, split.held_out.nnz, round(split.unseen_share, 3)
    (2, 1, 0.333)
    """
    known = check_counts(counts)
    n_tokens = known.data.sum()
    if seen is not None:
        mask = np.asarray(seen)
        if mask.dtype != bool or mask.shape != known.shape[1:]:
            raise ValueError(
                f"seen must be {known.shape[1]} values of bool, one for each word, got "
                f"shape {mask.shape} of {mask.dtype}."
            )
        known = _keep(known, mask[known.indices])
    rows = row_numbers(known)
    key = check_random_state(random_state).random_sample(known.nnz)
    order = np.lexsort((key, rows))
    rank = np.empty(known.nnz, dtype=np.int64)
    rank[order] = np.arange(known.nnz)
    rank -= known.indptr[rows]
    first = 2 * rank < np.diff(known.indptr)[rows]
    unseen_share = 1.0 - float(known.data.sum() / n_tokens) if n_tokens else 0.0
    return WordSplit(_keep(known, first), _keep(known, ~first), unseen_share)


def held_out_log_likelihood(
    counts: Any,
    infer: Callable[[sparse.csr_array], Any],
    topic_word: Any,
    *,
    seen: Any = None,
    shared: Any = None,
    trace: float = 1e-6,
    random_state: int | np.random.RandomState | None = 0,
) -> Likelihood:
    """Log-likelihood of one half of new documents, given the words of the other.

    This is document completion with disjoint words: `split_words` halves the documents,
    ``infer`` finds proportions from the observed halves, and the held-out halves are
    scored with them. Documents are processed some thousand at a time.

    Parameters
    ----------
    counts : array or sparse matrix of shape (D, N)
        Counts of words in documents not used for training.
    infer : callable
        Given the observed counts of some documents, returns their proportions (n, M),
        whose rows sum to 1: the ``transform`` of a fitted model.
    topic_word : array or sparse matrix of shape (M, N)
        Probabilities of words, rows sum to 1.
    seen : array of bool, shape (N,), optional
        Words that training has seen, ``train_counts.sum(axis=0) > 0``; other words are
        left out, so that all methods are scored on the same words. By default all.
    shared, trace : array of shape (N,), float
        As in `log_likelihood`; needed if some words of a topic have probability zero.
    random_state : int, RandomState or None
        The same seed gives the same halves to all methods.

    Examples
    --------
    >>> topic_word = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    >>> def infer(observed):
    ...     weight = observed @ topic_word.T
    ...     return weight / weight.sum(axis=1, keepdims=True)
    >>> new = [[4, 4, 0, 0], [0, 0, 1, 1]]
    >>> held_out_log_likelihood(new, infer, topic_word).perplexity
    2.0
    """
    draw = check_random_state(random_state)
    total = n_tokens = known = everything = 0.0
    for _, part in check_parts(counts):
        split = split_words(part, seen=seen, random_state=draw)
        proportions = infer(split.observed.copy())
        scored = log_likelihood(
            split.held_out, proportions, topic_word, shared=shared, trace=trace
        )
        total, n_tokens = total + scored.log_likelihood, n_tokens + scored.n_tokens
        known += float(split.observed.data.sum()) + scored.n_tokens
        everything += float(part.data.sum())
    return _likelihood(total, n_tokens, 1.0 - known / everything if everything else 0.0)


def _likelihood(total: float, n_tokens: float, unseen_share: float) -> Likelihood:
    per_word = total / n_tokens if n_tokens else np.nan
    with np.errstate(over="ignore"):
        perplexity = float(np.exp(-per_word))
    return Likelihood(total, per_word, perplexity, n_tokens, unseen_share)


def _keep(counts: sparse.csr_array, mask: np.ndarray) -> sparse.csr_array:
    """Return the stored counts that a mask selects."""
    indptr = np.concatenate(([0], np.cumsum(mask)))[counts.indptr]
    return sparse.csr_array(
        (counts.data[mask], counts.indices[mask], indptr), shape=counts.shape
    )
