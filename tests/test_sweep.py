"""The order of fits in a search, on problems whose answers are known."""

from typing import NamedTuple

import pytest

from leantopics.sweep import best_order, coarse, prune


class Toy(NamedTuple):
    """A fit: so many topics, from a start, after so many rough steps."""

    n_topics: int
    start: int
    rough: int = 0


class Valley:
    """BIC is least at one order; each start is behind by as much as its luck says."""

    stopped = False

    def __init__(self, least, luck=(0.0,), hurried=False):
        self.least, self.luck, self.hurried = least, luck, hurried
        self.starts = len(luck)
        self.begun, self.fits = 0, []

    def begin(self, n_topics, least):
        self.begun += 1
        return n_topics, Toy(n_topics, (self.begun - 1) % self.starts)

    def fewer(self, fitted, n_topics, rough=False):
        self.fits.append((fitted, n_topics))
        return fitted._replace(n_topics=n_topics, rough=int(rough and self.hurried))

    def merge(self, fitted, least):
        return None

    def criterion(self, fitted):
        return (
            abs(fitted.n_topics - self.least)
            + self.luck[fitted.start]
            + 10 * fitted.rough
        )


def test_the_least_is_found_and_has_neighbours():
    problem = Valley(least=37)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert abs(best_order(problem, path) - 37) <= 2
    assert list(path) == sorted(path)
    assert min(path) < 30 < 45 < max(path) <= 80


@pytest.mark.parametrize("luck", [(5.0, 0.0), (0.0, 5.0), (0.0, 0.0)])
def test_the_better_of_two_starts_counts_at_every_order(luck):
    problem = Valley(least=37, luck=luck)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert problem.begun == 2
    winner = luck.index(min(luck))
    assert {fitted.start for fitted in path.values()} == {winner}


def test_fine_steps_go_on_from_the_better_fit_of_an_order():
    """The second start has luck from 38 topics on down, an order of coarse steps."""

    class Crossing(Valley):
        def criterion(self, fitted):
            lucky = fitted.start == (fitted.n_topics <= 38)
            return abs(fitted.n_topics - self.least) + (0.0 if lucky else 5.0)

    problem = Crossing(least=37, luck=(0.0, 0.0))
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert {m: fitted.start for m, fitted in path.items()} == {
        m: int(m <= 38) for m in path
    }


def test_rough_fits_are_not_kept():
    problem = Valley(least=37, hurried=True)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert {fitted.rough for fitted in path.values()} == {0}
    assert any(fitted.rough for fitted, _ in problem.fits)
    assert min(path) < 37 / 2 + 3


def test_a_search_that_is_best_at_its_first_order_begins_anew():
    problem = Valley(least=500)
    path = prune(problem, ceiling=300, floor=2, limit=1000)
    assert problem.begun == 2
    assert abs(best_order(problem, path) - 500) <= 32


@pytest.mark.parametrize("n_topics", [3, 20, 21, 23, 24, 100])
def test_a_coarse_step_removes_a_topic_at_least(n_topics):
    assert 2 <= coarse(n_topics, 2) < n_topics
    assert coarse(n_topics, n_topics - 1) == n_topics - 1


def test_a_stop_ends_the_search():
    class Stopping(Valley):
        def fewer(self, fitted, n_topics, rough=False):
            self.stopped = True
            return super().fewer(fitted, n_topics, rough)

    problem = Stopping(least=37, luck=(0.0, 0.0))
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert len(problem.fits) == problem.begun == 1
    assert list(path) == [230, 300]
