"""Shares of topics in groups against sums by hand and intervals by drawing again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leantopics import Corpus
from leantopics.groups import groups_of, topic_shares, wilson


@given(seed=st.integers(0, 10**6), n_docs=st.integers(1, 30))
def test_shares_are_sums_over_the_group(seed, n_docs):
    draw = np.random.default_rng(seed)
    alpha = draw.dirichlet([0.3, 0.3, 0.3], n_docs)
    length = draw.integers(0, 40, n_docs)
    groups = [["a", "b", None][g] for g in draw.integers(3, size=n_docs)]
    found = topic_shares(alpha, length, groups)
    for share in found:
        rows = [d for d in range(n_docs) if groups[d] == share.group and length[d]]
        words = sum(length[d] * alpha[d, share.topic] for d in rows)
        assert share.share == pytest.approx(words / sum(length[d] for d in rows))
        assert share.documents == len(rows)
        assert 0.0 <= share.low <= share.share + 1e-12
        assert share.share - 1e-12 <= share.high <= 1.0
    for group in {share.group for share in found}:
        assert sum(s.share for s in found if s.group == group) == pytest.approx(1.0)


def test_intervals_hold_the_truth_as_often_as_they_say():
    draw = np.random.default_rng(0)
    held = []
    for _ in range(400):
        length = draw.integers(5, 200, 60)
        alpha = draw.dirichlet([0.2, 0.8, 1.0], 60)
        for share in topic_shares(alpha, length, ["g"] * 60, level=0.9):
            held.append(share.low <= [0.1, 0.4, 0.5][share.topic] <= share.high)
    assert 0.86 <= np.mean(held) <= 0.94


def test_a_topic_that_a_small_group_lacks_is_not_ruled_out():
    (_, none) = topic_shares([[1, 0]] * 3, [100] * 3, ["g"] * 3)
    assert (none.share, none.low) == (0.0, 0.0)
    assert none.high > 0.5


def test_more_documents_make_shares_surer():
    draw = np.random.default_rng(1)
    widths = []
    for n in (10, 100, 1000):
        share = topic_shares(draw.dirichlet([1, 1], n), np.ones(n), ["g"] * n)[0]
        widths.append(share.high - share.low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


def test_wilson_is_the_interval_of_the_score_test():
    low, high = wilson(0.3, 50.0, 1.96)
    for end in (low, high):
        assert abs(0.3 - end) == pytest.approx(1.96 * np.sqrt(end * (1 - end) / 50))


@pytest.fixture
def corpus():
    return Corpus(
        np.ones((3, 1)),
        labels=[["b", "a"], ["c"], []],
        metadata=[{"date": "1987-02-26", "n": 3}, {"date": "1988-01"}, {}],
    )


def test_groups_of_fields(corpus):
    assert groups_of(corpus, "n") == ["3", None, None]
    assert groups_of(corpus, "labels") == ["a, b", "c", None]
    assert groups_of(corpus, "date", "year") == ["1987", "1988", None]
    assert groups_of(corpus, "date", "month") == ["1987-02", "1988-01", None]


@pytest.mark.parametrize(
    ("field", "period", "message"),
    [
        ("kind", None, "No document has the field 'kind' to group by; there are date, "
         "n, labels."),
        ("date", "day", "The day of '1988-01' is not known: dates must be as in ISO "
         "8601, such as 2026-11-16."),
        ("n", "year", "The year of '3' is not known: dates must be as in ISO 8601, "
         "such as 2026-11-16."),
        ("date", "week", "period must be one of year, month, day. Got 'week' instead."),
    ],
)  # fmt: skip
def test_fields_that_do_not_do(corpus, field, period, message):
    with pytest.raises(ValueError) as caught:
        groups_of(corpus, field, period)
    assert str(caught.value) == message


def test_wrong_arguments():
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        topic_shares([[1]], [1], ["g"], level=2)
    with pytest.raises(ValueError, match="Got 1, 2 and 1 of them instead"):
        topic_shares([[1]], [1, 2], ["g"])
