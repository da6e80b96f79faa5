"""The order in which parts are added depends on their number alone."""

import pytest

from leantopics.engine import threads


def rows(parts):
    """The same tree, built row by row."""
    while len(parts) > 1:
        cut = [
            parts[first : first + threads.FAN_IN]
            for first in range(0, len(parts), threads.FAN_IN)
        ]
        parts = [each[0] if len(each) == 1 else [each] for each in cut]
    return parts[0]


@pytest.mark.parametrize("n_parts", [1, 2, 7, 8, 9, 16, 63, 64, 65, 72, 511, 513, 600])
def test_a_tree_is_the_same_however_it_is_built(n_parts):
    tree = threads.Tree(lambda parts: [parts])
    most = 0
    for part in range(n_parts):
        tree.put(part)
        most = max(most, max(map(len, tree._rows)))
    assert tree.total() == rows(list(range(n_parts)))
    assert most < threads.FAN_IN


class Whole:
    """A group of one number."""

    def __init__(self, number):
        self.number = number

    def open(self):
        return self.number


def product(number, state, workers, shared, own):
    return own * shared


def rise(number, state, workers):
    return state + number


def rise_and_keep(number, state, workers, shared, own):
    return state + number, [shared * own]


def joined(parts):
    return [number for part in parts for number in part]


def test_works_are_done_in_order():
    groups = [Whole(n) for n in range(20)]
    with threads.engine(2) as workers:
        states = [100] * 20
        threes, risen = [3 * n for n in range(20)], [100 + n for n in range(20)]
        assert workers.read(product, groups, states, 3, own=range(20)) == threes
        assert workers.update(rise, groups, states) == risen
        given = (rise_and_keep, groups, states, 3)
        found = workers.accumulate(*given, own=range(20), add=joined)
        assert found == (risen, threes)
