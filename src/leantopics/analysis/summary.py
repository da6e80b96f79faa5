"""Numbers of a summary, computed from the arrays and the path of a model."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics import evaluation
from leantopics._arrays import Floats, Longs

PRESENT = 0.01
"""Share of a document from which a topic counts as present in it."""


class RankedWords(NamedTuple):
    """Salient words of a topic, as positions among its salient words."""

    by_salience: Longs
    """Words that the topic prefers, most salient first."""
    by_probability: Longs
    """All words, most probable first."""
    avoided: Longs
    """Words that the topic avoids, most salient first."""


def rank_words(probability: Floats, shared: Floats, nats: Floats) -> RankedWords:
    """Rank the salient words of a topic; ``nats`` is their salience, all are (N,).

    Examples
    --------
    >>> probability, shared = np.array([0.4, 0.5, 0.0]), np.array([0.1, 0.4, 0.2])
    >>> ranked = rank_words(probability, shared, np.array([9.0, 2.0, 5.0]))
    >>> ranked.by_salience, ranked.by_probability, ranked.avoided
    (array([0, 1]), array([1, 0, 2]), array([2]))
    """
    by_salience = np.argsort(-nats, kind="stable")
    return RankedWords(
        by_salience[(probability > shared)[by_salience]],
        np.argsort(-probability, kind="stable"),
        by_salience[(probability < shared)[by_salience]],
    )


def times_shared(salient: sparse.csr_array, shared: Floats) -> sparse.csr_array:
    """(M, N): how many times its shared probability each salient word has.

    Examples
    --------
    >>> times_shared(sparse.csr_array([[0.0, 0.6]]), np.array([0.8, 0.2])).toarray()
    array([[0., 3.]])
    """
    times = salient.copy()
    times.data = times.data / shared[times.indices]
    return times


def bic_parts(row: Mapping[str, Any]) -> dict[str, float]:
    """Return BIC of a row of ``path_`` as switches, parameters, and what is left.

    Examples
    --------
    >>> bic_parts({"topic_switches": 1.0, "word_switches": 2.0, "proportions": 3.0,
    ...     "word_switches_constant": 0.5, "word_probabilities": 4.0,
    ...     "neg_log_likelihood": 90.0})
    {'switches': 3.5, 'parameters': 7.0, 'misfit': 90.0}
    """
    return {
        "switches": row["topic_switches"]
        + row["word_switches"]
        + row["word_switches_constant"],
        "parameters": row["proportions"] + row["word_probabilities"],
        "misfit": row["neg_log_likelihood"],
    }


def path_spread(
    paths: Iterable[Sequence[Mapping[str, Any]]], n_topics: int
) -> float | None:
    """Return the standard deviation of the criterion over the paths of some models.

    None if fewer than two paths have that number of topics.

    Examples
    --------
    >>> path_spread([[{"n_topics": 2, "criterion": c}] for c in (5.0, 7.0, 9.0)], 2)
    2.0
    """
    values = [
        row["criterion"]
        for path in paths
        for row in path
        if row["n_topics"] == n_topics
    ]
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def label_shares(
    proportions: sparse.csr_array, labels: Sequence[Sequence[str]]
) -> tuple[list[str], Floats]:
    """Return all C labels in alphabetical order, and (M, C) their shares in each topic.

    A share is that among the labels of the topic's documents; see
    `leantopics.evaluation.label_distributions`.

    Examples
    --------
    >>> label_shares(sparse.csr_array([[1.0], [1.0]]), [["sea"], ["sea", "air"]])
    (['air', 'sea'], array([[0.33333333, 0.66666667]]))
    """
    names = sorted({label for row in labels for label in row})
    has_label = evaluation.label_matrix(labels, names)
    return names, evaluation.label_distributions(proportions, has_label)


def mean_topics(proportions: Any) -> float:
    """Mean number of topics of a document (D, M); a share below 1% does not count.

    Examples
    --------
    >>> mean_topics(np.array([[0.5, 0.5], [0.999, 0.001]]))
    1.5
    """
    return float(np.mean((proportions >= PRESENT).sum(axis=1)))


def nearest_topics(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Longs, Floats]:
    """Return the nearest topic of another model, and its Hellinger distance, (M,) each.

    The rows, (M, N) and (K, N), need not sum to 1.

    Examples
    --------
    >>> nearest, distance = nearest_topics([[1, 1, 0]], [[0, 0, 2], [4, 4, 0]])
    >>> nearest, distance.round(6)
    (array([1]), array([0.]))
    """
    shares = []
    for each in (first, second):
        rows = np.asarray(each, dtype=np.float64)
        shares.append(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300))
    distance = evaluation.hellinger(*shares)
    return distance.argmin(axis=1), distance.min(axis=1)


def most_varied(shares: Floats) -> Longs:
    """Rank topics by how much their share varies between groups (G, M), most first.

    Examples
    --------
    >>> most_varied(np.array([[0.5, 0.1, 0.4], [0.5, 0.4, 0.1]]))
    array([1, 2, 0])
    """
    return np.argsort(-np.ptp(shares, axis=0), kind="stable")
