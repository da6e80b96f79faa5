"""The model of what an iteration costs."""

import pytest

from benchmarks import cost, predict

ROW = {
    "documents": 1000,
    "words": 500,
    "topics": 10,
    "stored counts": 80_000,
    "salient per count": 3.0,
    "topics per document": 1.5,
    "expected": 2000,
    "salient": 300,
    "out": 1e6,
}
COSTS = {
    "visit": {"looked up": 2e-9, "split": 3e-8, "documents": 1e-6},
    "settle": {"split": 2e-8, "documents": 2e-7, "expected": 5e-8},
    "driver": {"expected": 1e-7, "salient": 1e-6},
    "adding": {"entries": 4e-8},
}


def corpora():
    """Corpora of different shapes, with what they cost."""
    for n, (docs, per_count, mixed) in enumerate(
        [(1, 3, 1.5), (2, 5, 1.2), (5, 1, 3), (9, 7, 2)]
    ):
        row = {
            **ROW,
            "documents": 1000 * docs,
            "stored counts": 80_000 * docs + 777 * n,
            "salient per count": per_count,
            "topics per document": mixed,
            "expected": 2000 + 300 * n * docs,
            "salient": 300 + 100 * docs,
        }
        yield row | cost.seconds(COSTS, row)


def test_costs_are_found_again():
    found = cost.fitted([*corpora()])
    for part, costs in found.items():
        assert costs == pytest.approx(COSTS[part], rel=1e-6)
    assert [*found] == ["visit", "settle", "driver"]


def powers(expected):
    return dict.fromkeys(cost.GROWING, 0.0) | {"expected": expected}


def test_a_larger_corpus_of_the_kind():
    row = cost.larger(ROW, 10_000, powers(0.5))
    assert row["stored counts"] == 800_000
    assert row["expected"] == 5000  # all words in all topics
    assert cost.larger(ROW, 4000, powers(0.5))["expected"] == 4000
    salient = powers(0.0) | {"salient": 1.0, "salient per count": 2.0}
    row = cost.larger(ROW, 2000, salient)
    assert (row["salient"], row["out"]) == (600, 2e6)
    assert row["salient per count"] == 10.0  # all topics


def test_powers_are_found_again():
    growth = powers(0.5) | {"topics per document": 0.1}
    rows = [cost.larger(ROW, n, growth) for n in (1000, 2000, 5000)]
    assert cost.growths(rows) == pytest.approx(growth)


def test_a_tree_of_two_workers():
    machines = cost.Machines(2, network=1e6)
    parts = cost.larger(ROW, 500, powers(0.5))["expected"]
    moved, added = 12 * parts / 1e6, 2 * parts * COSTS["adding"]["entries"]
    assert cost.tree(ROW, 2, machines, COSTS, powers(0.5)) == pytest.approx(
        moved + added
    )
    assert cost.tree(ROW, 1, machines, COSTS, powers(0.5)) == 0.0


def test_a_worker_adds_one_node_at_a_time():
    alone = cost.tree(ROW, 16, cost.Machines(1), COSTS, powers(0.0))
    twice = cost.tree(ROW, 16, cost.Machines(16, network=1e30), COSTS, powers(0.0))
    each = ROW["expected"] * COSTS["adding"]["entries"]
    assert alone == pytest.approx(18 * each)
    assert twice == pytest.approx(10 * each)


def test_workers_share_the_work_only():
    row = cost.larger(ROW, 1e9, powers(0.0))
    few, many = (
        cost.iteration(COSTS, row, cost.Machines(n), powers(0.0)) for n in (10, 1000)
    )
    assert few["work"] == pytest.approx(100 * many["work"], rel=0.2)
    assert few["driver"] == many["driver"]
    assert few["broadcast"] < many["broadcast"]


def test_the_page_is_of_the_newest_results():
    case, disk = predict.measured("works"), predict.measured("on_disk")
    assert predict.tables(case, disk) in predict.PAGE.read_text()
    drawn = predict.figure(case, disk)
    assert [panel.get_title() for panel in drawn.axes] == ["Measured", "Predicted"]
