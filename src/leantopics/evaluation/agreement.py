"""Agreement of topics with class labels."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.metrics import (
    auc,
    average_precision_score,
    normalized_mutual_info_score,
    precision_recall_curve,
)

from leantopics.evaluation.checks import (
    Floats,
    check_distributions,
    check_matrix,
)

Labels: TypeAlias = Sequence[Hashable | Iterable[Hashable]]


class LabelAgreement(NamedTuple):
    """How well the topics of new documents predict their class labels."""

    accuracy: float
    """Share of documents whose most probable label is one of theirs. A document whose
    topics occur in no labelled training document has no probable label."""
    curve_area: float
    """Area under the precision/recall curve over all pairs of document and label."""
    average_precision: float
    """The same area in steps, without interpolation."""
    mutual_information: float
    """Normalised, of the main topic and the label of documents with one label; having
    no topic counts as one more topic. NaN if there are no such documents."""
    n_documents: int
    """Documents with labels; others are left out."""


class TopicsAndLabels(NamedTuple):
    """Mean numbers of topics and class labels of documents that have labels."""

    mean_topics: float
    mean_labels: float


def label_matrix(labels: Labels, classes: Sequence[Hashable]) -> sparse.csr_array:
    """Return a matrix of shape (D, C), with 1 where a document has a class.

    Parameters
    ----------
    labels : sequence
        The label of each document, or a list of its labels, which may be empty.
    classes : sequence
        All labels, in the order of the columns.

    Examples
    --------
    >>> label_matrix(["oil", ["gas", "oil"]], ["gas", "oil"]).toarray()
    array([[0., 1.],
           [1., 1.]])
    """
    lists = _lists(labels)
    place = {label: c for c, label in enumerate(classes)}
    flat = list(chain(*lists))
    missing = [label for label in flat if label not in place]
    if missing:
        raise ValueError(f"Labels must be among the classes, got {missing[0]!r}.")
    columns = [place[label] for label in flat]
    indptr = np.concatenate(([0], np.cumsum([len(own) for own in lists])))
    return sparse.csr_array(
        (np.ones(len(columns)), columns, indptr), shape=(len(lists), len(place))
    )


def label_distributions(doc_topic: Any, has_label: Any) -> Floats:
    """Distribution of class labels in each topic (labeling_learn).

    ``p[j, c] = sum_d alpha[d, j] y[d, c] / sum_d alpha[d, j] |C_d|``: labels weighted
    by the topic's share of their documents. Zero for a topic without labelled
    documents.

    Parameters
    ----------
    doc_topic : array or sparse matrix of shape (D, M)
        Proportions of the training documents.
    has_label : array or sparse matrix of shape (D, C)
        1 where a document has a label, as `label_matrix` returns it.

    Examples
    --------
    >>> label_distributions([[1, 0], [0.5, 0.5]], [[1, 0], [0, 1]]).round(2)
    array([[0.67, 0.33],
           [0.  , 1.  ]])
    """
    alpha = check_distributions("doc_topic", doc_topic)
    labels = check_matrix("has_label", has_label, alpha.shape[0], None)
    weight: Floats = sparse.csr_array(alpha.T @ labels).toarray()
    total = weight.sum(axis=1, keepdims=True)
    weight /= np.where(total > 0, total, 1.0)
    return weight


def label_agreement(
    train_topics: Any, train_labels: Labels, test_topics: Any, test_labels: Labels
) -> LabelAgreement:
    """Predict class labels from topics and compare them with the true ones.

    Every topic has the distribution p_j of the labels of its training documents; label
    c of a new document has probability ``sum_j alpha[d, j] p[j, c]``. It is assigned if
    this exceeds a threshold (labeling_assign), which varies along the precision/recall
    curve; for the accuracy, the most probable label is assigned.

    Precision is the share of assigned labels that are true, recall the share of true
    labels that are assigned. The paper swaps the two names.

    Parameters
    ----------
    train_topics, test_topics : array or sparse matrix of shape (D, M)
        Proportions of topics.
    train_labels, test_labels : sequence of length D
        The label of each document, or a list of its labels.

    Examples
    --------
    >>> found = label_agreement(
    ...     [[1, 0], [0, 1]], ["cat", "dog"], [[0.9, 0.1], [0.2, 0.8]], ["cat", "dog"])
    >>> found.accuracy, round(found.curve_area, 12), found.mutual_information
    (1.0, 1.0, 1.0)
    """
    train, test = _lists(train_labels), _lists(test_labels)
    classes = sorted(dict.fromkeys(chain(*train, *test)), key=str)
    labelled = np.array([len(own) > 0 for own in test], dtype=bool)
    if not labelled.any() or not any(train):
        raise ValueError("Training and test documents must have labels, got none.")
    truth = label_matrix(test, classes)
    alpha = check_distributions("test_topics", test_topics, len(test), None)
    learnt = label_distributions(
        check_distributions("train_topics", train_topics, len(train), alpha.shape[1]),
        label_matrix(train, classes),
    )
    true = truth[labelled].toarray()
    alpha = alpha[labelled]
    chance = alpha @ learnt
    precision, recall, _ = precision_recall_curve(true.ravel(), chance.ravel())
    single = true.sum(axis=1) == 1
    information = np.nan
    if single.any():
        main = np.asarray(alpha[single].argmax(axis=1)).ravel()
        main[np.asarray(alpha[single].sum(axis=1)).ravel() == 0.0] = -1
        information = normalized_mutual_info_score(true[single].argmax(axis=1), main)
    right = true[np.arange(len(true)), chance.argmax(axis=1)] * (chance.max(axis=1) > 0)
    return LabelAgreement(
        float(right.mean()),
        float(auc(recall, precision)),
        float(average_precision_score(true.ravel(), chance.ravel())),
        float(information),
        len(true),
    )


def topics_and_labels(n_topics: npt.ArrayLike, labels: Labels) -> TopicsAndLabels:
    """Mean number of topics against mean number of labels, over labelled documents.

    Parameters
    ----------
    n_topics : array of int, shape (D,)
        Topics of each document, as `topics_by_switches` counts them.
    labels : sequence of length D
        The label of each document, or a list of its labels.

    Examples
    --------
    >>> topics_and_labels([1, 2, 5], [["oil"], ["oil", "gas"], []])
    TopicsAndLabels(mean_topics=1.5, mean_labels=1.5)
    """
    topics = np.asarray(n_topics, dtype=np.float64)
    n_labels = np.array([len(own) for own in _lists(labels)])
    if topics.shape != n_labels.shape or not n_labels.any():
        raise ValueError(
            "n_topics and labels must be of the same documents, some with labels, got "
            f"{topics.size} and {len(n_labels)}."
        )
    labelled = n_labels > 0
    return TopicsAndLabels(
        float(topics[labelled].mean()), float(n_labels[labelled].mean())
    )


def _lists(labels: Labels) -> list[list[Hashable]]:
    """Return the distinct labels of each document; a str or number is one label."""
    return [
        list(dict.fromkeys(own))
        if isinstance(own, Iterable) and not isinstance(own, str)
        else [own]
        for own in labels
    ]
