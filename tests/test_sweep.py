"""The order of fits in a search, on problems whose answers are known."""

from typing import NamedTuple

import numpy as np
import pytest

from leantopics.sweep import best_order, coarse, fine, prune, split_and_prune


class Toy(NamedTuple):
    """A fit: the orders that it came through, and how often it was split."""

    came: tuple[int, ...]
    splits: int = 0
    rough: int = 0

    @property
    def n_topics(self):
        return self.came[-1]


class Valley:
    """BIC is least at one order; each split lowers it by `gain`."""

    stopped = False

    def __init__(self, least, hurried=False, mixed=False, gain=0.0, blended=False):
        self.least, self.hurried, self.mixed = least, hurried, mixed
        self.blended = blended
        self.gain = gain
        self.begun, self.fits = 0, []

    def begin(self, n_topics, least):
        self.begun += 1
        first = least if self.mixed else n_topics
        return first, Toy((first,))

    def fewer(self, fitted, n_topics, rough=False):
        self.fits.append((fitted, n_topics))
        may_be = self.hurried or self.mixed
        return Toy((*fitted.came, n_topics), fitted.splits, int(rough and may_be))

    def more(self, fitted, n_topics, rough=False):
        self.fits.append((fitted, n_topics))
        return Toy((*fitted.came, n_topics), fitted.splits + 1, int(rough))

    def merge(self, fitted, least):
        return None

    def criterion(self, fitted):
        luck = 0.3 * fitted.rough - self.gain * fitted.splits
        return abs(fitted.n_topics - self.least) + luck


def test_the_least_is_found_and_has_neighbours():
    problem = Valley(least=37)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert abs(best_order(problem, path) - 37) <= 2
    assert list(path) == sorted(path)
    assert min(path) < 30 < 45 < max(path) <= 80


def test_mixed_documents_are_searched_from_below():
    problem = Valley(least=37, mixed=True)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert list(path) == sorted(path)
    best = best_order(problem, path)
    assert best == 37
    assert not any(fitted.rough for m, fitted in path.items() if m != best)
    assert max(path) < 60
    assert {35, 36, 38, 39} & set(path)


def test_rounds_of_splits_go_on_where_the_one_before_has_ended():
    """So that each one adds to what the others have found."""
    problem = Valley(least=37, mixed=True, gain=0.1)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    best = path[best_order(problem, path)]
    turns = np.diff(np.sign(np.diff(best.came)))
    assert np.count_nonzero(turns < 0) == 2
    assert best.splits >= max(fitted.splits for fitted in path.values()) - 5


@pytest.mark.parametrize("hasty", [True, False])
def test_rounds_are_rough_and_remove_much_at_once_only_in_haste(hasty):
    problem = Valley(least=37, mixed=True)
    path = split_and_prune(problem, 40, Toy((40,)), floor=2, limit=300, hasty=hasty)
    assert best_order(problem, path) == 37
    assert any(fitted.rough for fitted, _ in problem.fits) == hasty
    deep = [n for old, n in problem.fits if n < fine(old.n_topics, 2)]
    assert len(deep) == (2 if hasty else 0)


def test_growth_ends_at_the_limit_and_where_no_topic_can_be_split():
    class Whole(Valley):
        def more(self, fitted, n_topics, rough=False):
            return super().more(fitted, n_topics) if n_topics < 20 else None

    problem = Valley(least=37, mixed=True)
    assert max(prune(problem, ceiling=300, floor=2, limit=30)) == 30
    path = prune(Whole(least=37, mixed=True), ceiling=300, floor=2, limit=300)
    assert max(path) == best_order(problem, path) == 19


def test_fine_steps_go_on_from_the_better_fit_of_an_order():
    """Fits that came from far are better here, and those are of coarse steps."""

    class Far(Valley):
        def criterion(self, fitted):
            from_far = min(fitted.came[-2:]) + 4 < max(fitted.came[-2:])
            return abs(fitted.n_topics - self.least) + (0.0 if from_far else 5.0)

    problem = Far(least=37)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    twice = [m for m in path if [n for _, n in problem.fits].count(m) == 2]
    assert twice
    for n_topics in twice:
        heirs = [old for old, _ in problem.fits if old.n_topics == n_topics]
        assert set(heirs) == {path[n_topics]}


def test_rough_fits_are_not_kept():
    problem = Valley(least=37, hurried=True)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert {fitted.rough for fitted in path.values()} == {0}
    assert any(fitted.rough for fitted, _ in problem.fits)
    assert min(path) < 37 / 2 + 3


def test_where_rough_fits_tell_little_all_steps_are_fine():
    problem = Valley(least=37, hurried=True, blended=True)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert best_order(problem, path) == 37
    assert [n for _, n in problem.fits] == sorted(path, reverse=True)
    for fitted, n_topics in problem.fits:
        assert n_topics == fine(fitted.n_topics, 2)
    assert {fitted.rough for fitted in path.values()} == {0}
    assert min(path) == 29


@pytest.mark.parametrize("blended", [False, True])
def test_a_search_that_is_best_at_its_first_order_begins_anew(blended):
    problem = Valley(least=500, hurried=blended, blended=blended)
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

    problem = Stopping(least=37)
    path = prune(problem, ceiling=300, floor=2, limit=300)
    assert len(problem.fits) == problem.begun == 1
    assert list(path) == [230, 300]


def test_a_stop_ends_a_search_from_below():
    class Stopping(Valley):
        def more(self, fitted, n_topics, rough=False):
            self.stopped = n_topics > 10
            return super().more(fitted, n_topics)

    problem = Stopping(least=37, mixed=True)
    assert list(prune(problem, ceiling=300, floor=2, limit=300)) == [13]
