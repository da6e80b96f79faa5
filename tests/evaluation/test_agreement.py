import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import (
    accuracy_score,
    auc,
    average_precision_score,
    normalized_mutual_info_score,
    precision_recall_curve,
)
from sklearn.preprocessing import MultiLabelBinarizer
from tests.ptm.instances import quick

from leantopics.evaluation import (
    label_agreement,
    label_distributions,
    label_matrix,
    topics_and_labels,
)

seeds = st.integers(0, 10**6)
CLASSES = ["acq", "corn", "earn", "oil"]


def random_labels(rng, n_docs, most):
    """Lists of up to `most` labels, the first document having one."""
    numbers = rng.integers(0, most + 1, n_docs)
    numbers[0] = 1
    return [rng.choice(CLASSES, n, replace=False).tolist() for n in numbers]


def random_proportions(rng, n_docs, n_topics=3):
    alpha = rng.dirichlet(np.full(n_topics, 0.3), n_docs)
    return sparse.csr_array(alpha) if rng.random() < 0.5 else alpha


def slow_distributions(alpha, labels):
    """(labeling_learn), label by label."""
    out = np.zeros((alpha.shape[1], len(CLASSES)))
    for j in range(alpha.shape[1]):
        for row, own in zip(alpha, labels, strict=True):
            for label in own:
                out[j, CLASSES.index(label)] += row[j]
        if out[j].sum() > 0:
            out[j] /= out[j].sum()
    return out


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


@quick
@given(seeds)
def test_labels_of_topics(seed):
    rng = np.random.default_rng(seed)
    alpha, labels = random_proportions(rng, 7), random_labels(rng, 7, 3)
    ours = label_distributions(alpha, label_matrix(labels, CLASSES))
    np.testing.assert_allclose(ours, slow_distributions(dense(alpha), labels))


@quick
@given(seeds, st.integers(1, 3))
def test_measures_are_those_of_scikit_learn(seed, most):
    rng = np.random.default_rng(seed)
    train, test = random_proportions(rng, 12), random_proportions(rng, 15)
    train_labels, labels = random_labels(rng, 12, most), random_labels(rng, 15, most)
    ours = label_agreement(train, train_labels, test, labels)

    kept = [d for d, own in enumerate(labels) if own]
    classes = sorted({c for own in train_labels + labels for c in own})
    columns = [CLASSES.index(c) for c in classes]
    learnt = slow_distributions(dense(train), train_labels)[:, columns]
    score = dense(test)[kept] @ learnt
    binarizer = MultiLabelBinarizer(classes=classes)
    true = binarizer.fit_transform([labels[d] for d in kept])
    precision, recall, _ = precision_recall_curve(true.ravel(), score.ravel())
    assert ours.curve_area == pytest.approx(auc(recall, precision), abs=1e-9)
    their = average_precision_score(true, score, average="micro")
    assert ours.average_precision == pytest.approx(their, abs=1e-9)
    best = score.argmax(axis=1)
    if most == 1:
        their = accuracy_score(true.argmax(axis=1), best)
        assert ours.accuracy == pytest.approx(their)
    hits = [classes[c] in labels[d] for c, d in zip(best, kept, strict=True)]
    assert ours.accuracy == pytest.approx(np.mean(hits))
    single = [d for d in kept if len(labels[d]) == 1]
    main = dense(test)[single].argmax(axis=1)
    their = normalized_mutual_info_score([labels[d][0] for d in single], main)
    assert ours.mutual_information == pytest.approx(their)
    assert ours.n_documents == len(kept)


def test_precision_and_recall_have_their_usual_names():
    """One threshold: 2 labels assigned, 1 of them true, of 2 true ones."""
    topics = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    found = label_agreement(
        [[1.0, 0.0], [0.0, 1.0]], ["a", "b"], topics, ["a", "b", "b"]
    )
    precision = recall = 2 / 3
    step = precision * recall + (3 / 6) * (1 - recall)
    assert found.average_precision == pytest.approx(step)
    assert found.accuracy == pytest.approx(2 / 3)


def test_a_label_that_training_never_saw_is_never_found():
    topics = np.eye(2)
    found = label_agreement(topics, ["a", "b"], topics, ["a", "new"])
    assert found.accuracy == 0.5
    assert found.average_precision < 1.0


@pytest.mark.parametrize("label", ["acq", "oil"])
def test_nothing_is_told_of_documents_of_which_nothing_is_known(label):
    train, labels = [[1, 0, 0], [0, 1, 0]], ["acq", "oil"]
    test = [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
    found = label_agreement(train, labels, test, [label, label, "acq"])
    assert found.accuracy == pytest.approx(1 / 3)


def test_documents_with_several_labels_have_no_mutual_information():
    topics = np.eye(2)
    both = [["a", "b"], ["b", "a"]]
    assert math.isnan(label_agreement(topics, both, topics, both).mutual_information)


def test_labels_of_any_kind_and_none_twice():
    found = label_matrix([3, (1, 3, 3), []], [1, 3])
    np.testing.assert_array_equal(found.toarray(), [[0, 1], [1, 1], [0, 0]])


def test_topics_against_labels():
    found = topics_and_labels(np.array([1, 3, 9]), ["a", ["a", "b", "c"], []])
    assert found == (2.0, 2.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [[]], [[1.0]], ["a"]), "must have labels"),
        (([[1.0]], ["a"], [[1.0]], [[]]), "must have labels"),
        (([[1.0]], ["a", "b"], [[1.0]], ["a"]), "train_topics must be 2 by 1, got 1"),
        (([[1.0]], ["a"], [[1.0]], ["a", "b"]), "test_topics must be 2 by any, got 1"),
        (([[1.0]], ["a"], [[0.5, 0.5]], ["a"]), "train_topics must be 1 by 2, got 1"),
        (([[3.0]], ["a"], [[1.0]], ["a"]), "train_topics must sum to 1, got 3"),
    ],
)
def test_wrong_arrays_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        label_agreement(*arguments)


def test_wrong_labels_are_named():
    with pytest.raises(ValueError, match="among the classes, got 'c'"):
        label_matrix(["a", "c"], ["a", "b"])
    with pytest.raises(ValueError, match="some with labels, got 2 and 1"):
        topics_and_labels([1, 2], ["a"])
    with pytest.raises(ValueError, match="some with labels"):
        topics_and_labels([1], [[]])
