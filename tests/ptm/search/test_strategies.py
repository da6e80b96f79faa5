"""The order of fits in a search, on problems whose answers are known."""

from typing import NamedTuple

import numpy as np
import pytest

from leantopics.models.sweep import best_number
from leantopics.ptm.search import from_above, from_below, from_finer
from leantopics.ptm.search.steps import coarse, fine


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

    def __init__(self, least, gain=0.0):
        self.least, self.gain, self.fits = least, gain, []

    def fewer(self, fitted, n_topics, *, merging=False, max_iter=None):
        self.fits.append((fitted, n_topics))
        rough = int(max_iter is not None)
        return Toy((*fitted.came, n_topics), fitted.splits, rough)

    def more(self, fitted, n_topics, *, max_iter=None):
        self.fits.append((fitted, n_topics))
        rough = int(max_iter is not None)
        return Toy((*fitted.came, n_topics), fitted.splits + 1, rough)

    def merge(self, fitted, least):
        return None

    def criterion(self, fitted):
        luck = 0.3 * fitted.rough - self.gain * fitted.splits
        return abs(fitted.n_topics - self.least) + luck


def above(problem, ceiling=300, rough=None, may_grow=True):
    return from_above.descend(problem, ceiling, Toy((ceiling,)), 2, may_grow, rough)


def blended(problem, ceiling=300):
    return from_above.descend_finely(problem, ceiling, Toy((ceiling,)), 2, True)


def below(problem, limit=300):
    return from_below.ascend(problem, 2, Toy((2,)), limit)


def test_the_least_is_found_and_has_neighbours():
    problem = Valley(least=37)
    path, _ = above(problem)
    assert abs(best_number(problem, path) - 37) <= 2
    assert list(path) == sorted(path)
    assert min(path) < 30 < 45 < max(path) <= 80


def test_mixed_documents_are_searched_from_below():
    problem = Valley(least=37)
    path = below(problem)
    assert list(path) == sorted(path)
    best = best_number(problem, path)
    assert best == 37
    assert not any(fitted.rough for m, fitted in path.items() if m != best)
    assert max(path) < 60
    assert {35, 36, 38, 39} & set(path)


def test_rounds_of_splits_go_on_where_the_one_before_has_ended():
    """So that each one adds to what the others have found."""
    problem = Valley(least=37, gain=0.1)
    path = below(problem)
    best = path[best_number(problem, path)]
    turns = np.diff(np.sign(np.diff(best.came)))
    assert np.count_nonzero(turns < 0) == 2
    assert best.splits >= max(fitted.splits for fitted in path.values()) - 5


@pytest.mark.parametrize("hasty", [True, False])
def test_rounds_are_rough_and_remove_much_at_once_only_in_haste(hasty):
    problem = Valley(least=37)
    path = from_below.split_and_prune(problem, 40, Toy((40,)), 2, 300, hasty=hasty)
    assert best_number(problem, path) == 37
    assert any(fitted.rough for fitted, _ in problem.fits) == hasty
    deep = [n for old, n in problem.fits if n < fine(old.n_topics, 2)]
    assert len(deep) == (2 if hasty else 0)


def test_growth_ends_at_the_limit_and_where_no_topic_can_be_split():
    class Whole(Valley):
        def more(self, fitted, n_topics, *, max_iter=None):
            return super().more(fitted, n_topics) if n_topics < 20 else None

    problem = Valley(least=37)
    assert max(below(problem, 30)) == 30
    path = below(Whole(least=37))
    assert max(path) == best_number(problem, path) == 19


def test_fine_steps_go_on_from_the_better_fit_of_an_order():
    """Fits that came from far are better here, and those are of coarse steps."""

    class Far(Valley):
        def criterion(self, fitted):
            from_far = min(fitted.came[-2:]) + 4 < max(fitted.came[-2:])
            return abs(fitted.n_topics - self.least) + (0.0 if from_far else 5.0)

    problem = Far(least=37)
    path, _ = above(problem)
    twice = [m for m in path if [n for _, n in problem.fits].count(m) == 2]
    assert twice
    for n_topics in twice:
        heirs = [old for old, _ in problem.fits if old.n_topics == n_topics]
        assert set(heirs) == {path[n_topics]}


def test_rough_fits_are_not_kept():
    problem = Valley(least=37)
    path, _ = above(problem, rough=1)
    assert {fitted.rough for fitted in path.values()} == {0}
    assert any(fitted.rough for fitted, _ in problem.fits)
    assert min(path) < 37 / 2 + 3


def test_where_rough_fits_tell_little_all_steps_are_fine():
    problem = Valley(least=37)
    path, _ = blended(problem)
    assert best_number(problem, path) == 37
    assert [n for _, n in problem.fits] == sorted(path, reverse=True)
    for fitted, n_topics in problem.fits:
        assert n_topics == fine(fitted.n_topics, 2)
    assert {fitted.rough for fitted in path.values()} == {0}
    assert min(path) == 29


@pytest.mark.parametrize("descend", [above, blended])
def test_a_search_that_is_best_at_its_first_number_begins_again(descend):
    _, again = descend(Valley(least=500))
    assert again
    path, again = descend(Valley(least=500), 600)
    assert not again
    assert abs(best_number(Valley(least=500), path) - 500) <= 38


def test_a_search_that_may_not_grow_ends_at_its_first_number():
    path, again = above(Valley(least=500), may_grow=False)
    assert not again
    assert max(path) == 300


@pytest.mark.parametrize("n_topics", [3, 20, 21, 23, 24, 100])
def test_a_coarse_step_removes_a_topic_at_least(n_topics):
    assert 2 <= coarse(n_topics, 2) < n_topics
    assert coarse(n_topics, n_topics - 1) == n_topics - 1


def test_a_stop_ends_the_search():
    class Stopping(Valley):
        def fewer(self, fitted, n_topics, **how):
            self.stopped = True
            return super().fewer(fitted, n_topics, **how)

    problem = Stopping(least=37)
    path, _ = above(problem)
    assert len(problem.fits) == 1
    assert list(path) == [230, 300]


def test_a_stop_ends_a_search_from_below():
    class Stopping(Valley):
        def more(self, fitted, n_topics, *, max_iter=None):
            self.stopped = n_topics > 10
            return super().more(fitted, n_topics)

    problem = Stopping(least=37)
    assert list(below(problem)) == [13]


class Cut(Valley):
    """Cuts of a fit, and which of them were made."""

    def __init__(self, least, gain=0.0):
        super().__init__(least, gain)
        self.cuts = []

    def cuts_of(self, fitted):
        def cut(n_topics):
            self.cuts.append((fitted.n_topics, n_topics))
            return Toy((*fitted.came, n_topics))

        return cut


def finer(problem, first=100, floor=2):
    return from_finer.descend(problem, first, Toy((first,)), floor, problem.cuts_of)


@pytest.mark.parametrize("least", [2, 3, 11, 37, 99, 100])
def test_cuts_close_in_on_the_lowest(least):
    problem = Cut(least)
    path = finer(problem)
    assert best_number(problem, path) == least
    assert list(path) == sorted(path)
    assert all(n_topics < above for above, n_topics in problem.cuts)
    first = [n_topics for above, n_topics in problem.cuts if above == 100]
    assert len(first) == len(set(first)) < 30


def test_a_better_fit_below_is_cut_again_from_some_more_topics():
    """Fits are better the more often they were cut, which only turns can do."""

    class Twice(Cut):
        def criterion(self, fitted):
            return super().criterion(fitted) - 5.0 * (len(fitted.came) > 2)

    problem = Twice(least=20)
    path = finer(problem, 40)
    above = {m for m, _ in problem.cuts}
    assert 40 in above and above - {40}
    assert all(m >= 1.3 * 20 for m in above)
    assert len(path[best_number(problem, path)].came) > 2


def test_a_stop_ends_cuts_and_steps():
    class Stopping(Cut):
        def cuts_of(self, fitted):
            cut = super().cuts_of(fitted)

            def stopping(n_topics):
                self.stopped = True
                return cut(n_topics)

            return stopping

    problem = Stopping(least=37)
    assert list(finer(problem)) == [99, 100]
    assert problem.fits == []


def test_the_fewest_topics_are_not_cut():
    problem = Cut(least=2)
    assert list(finer(problem, 2)) == [2]
    assert problem.cuts == []


def test_two_topics_are_cut_to_one():
    problem = Cut(least=1)
    assert list(finer(problem, 2, floor=1)) == [1, 2]
    assert (2, 1) in problem.cuts
