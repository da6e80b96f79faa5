import numpy as np
from scipy import sparse

from leantopics.analysis.lineage import Order, rows, successors, trace


def test_topics_are_paired_by_the_words_they_keep():
    before = sparse.csr_array(np.eye(3)[[0, 0, 1, 2]])
    after = sparse.csr_array(np.eye(2)[[1, 1, 0, 0]])
    same, flow = successors(before, after, np.array([5.0, 5.0, 9.0, 2.0]))
    assert same == {0: 1, 1: 0}
    np.testing.assert_array_equal(flow, [[0, 10], [9, 0], [2, 0]])


def test_lines_of_a_sweep(fitted):
    model, corpus = fitted
    numbers = sorted((row["n_topics"] for row in model.path_), reverse=True)
    orders = [Order(m, model.at(m).topic_proportions_) for m in numbers]
    lines = trace(orders, np.asarray(corpus.counts.sum(axis=1)).ravel())
    for place, order in enumerate(orders):
        here = [
            line.numbers[place - line.begin]
            for line in lines
            if line.begin <= place < line.begin + len(line.numbers)
        ]
        assert sorted(here) == list(range(order.n_topics))
    stay = [line for line in lines if line.into is None]
    assert len(stay) == numbers[-1]
    for line in lines:
        if line.into is not None:
            target = lines[line.into]
            end = line.begin + len(line.numbers)
            assert target.begin <= end < target.begin + len(target.numbers)
            assert 0.0 < line.share <= 1.0
    assert sorted(rows(lines)) == list(range(len(lines)))
