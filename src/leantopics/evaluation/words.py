"""Top words of topics: how many, which ones, and how many of them are distinct."""

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.evaluation.checks import Ints, check_matrix


def n_top_words(
    n_salient: npt.ArrayLike, *, share: float = 0.02, least: int = 2
) -> Ints:
    """Number of top words for the coherence of each topic, by the paper's rule.

    ``T[j] = max(2, round(0.02 * N[j]))``. Coherence sums over pairs of these words, so
    compare models with one T for all topics of both: the rounded mean.

    Parameters
    ----------
    n_salient : array of int, shape (M,)
        Number N of salient words of each topic.
    share : float
        Share of them that are top words.
    least : int
        Least number of top words, for topics with few salient words.

    Examples
    --------
    >>> n = n_top_words([40, 506, 1640])
    >>> n
    array([ 2, 10, 33])
    >>> round(n.mean())
    15
    """
    rounded = np.rint(share * np.asarray(n_salient, dtype=np.float64))
    return np.maximum(least, rounded.astype(np.int64))


def top_words(topic_word: Any, n: npt.ArrayLike = 10) -> list[Ints]:
    """Most probable words of each topic, as column numbers.

    Parameters
    ----------
    topic_word : array or sparse matrix of shape (M, N)
        Probabilities of words, or any weights; of a sparse matrix only the stored
        entries are ranked, such as the salient words.
    n : int, or array of int of shape (M,)
        How many words; fewer if a topic has fewer.

    Returns
    -------
    list of ndarray
        Words of each topic, most probable first; ties are in the order of their
        numbers.

    Examples
    --------
    >>> [words.tolist() for words in top_words([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]], 2)]
    [[1, 2], [0, 2]]
    """
    matrix = check_matrix("topic_word", topic_word)
    n_topics = matrix.shape[0]
    sizes = np.asarray(n)
    whole = sizes.dtype.kind in "iu" and bool((sizes > 0).all())
    if not whole or sizes.shape not in ((), (n_topics,)):
        raise ValueError(
            f"n must be a positive whole number, or {n_topics} of them, one for each "
            f"topic, got {n!r}."
        )
    rows = []
    for j, size in enumerate(np.broadcast_to(sizes, n_topics)):
        if sparse.issparse(matrix):
            stored = slice(matrix.indptr[j], matrix.indptr[j + 1])
            words = matrix.indices[stored].astype(np.int64)
            values = matrix.data[stored]
        else:
            words, values = np.arange(matrix.shape[1]), matrix[j]
        if size < len(values):
            least = np.partition(values, -size)[-size]
            words, values = words[values >= least], values[values >= least]
        order = np.lexsort((words, -values))[:size]
        rows.append(words[order])
    return rows


def topic_diversity(topics: Sequence[Sequence[Hashable]]) -> float:
    """Share of the topics' top words that are distinct: 1 if no two topics share one.

    Parameters
    ----------
    topics : sequence of sequences
        Top words of each topic, names or numbers; usually 25 of each.

    Examples
    --------
    >>> topic_diversity([["cat", "dog"], ["cat", "paw"]])
    0.75
    """
    words = list(chain(*topics))
    if not words:
        raise ValueError("topics must have words, got none.")
    return len(set(words)) / len(words)
