"""Shares of topics in groups against sums by hand and intervals by drawing again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leantopics import Corpus
from leantopics.analysis.groups import groups_of, topic_shares, wilson


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


def test_traces_do_not_make_a_share_surer():
    pure, traced = np.tile([1.0, 0.0], (30, 1)), np.tile([1.0, 0.0], (30, 1))
    traced[3] = 1 - 1e-9, 1e-9
    length = np.full(30, 100)
    for topic in (0, 1):
        without, with_trace = (
            topic_shares(alpha, length, ["g"] * 30)[topic] for alpha in (pure, traced)
        )
        assert with_trace.low == pytest.approx(without.low, abs=1e-6)
        assert with_trace.high == pytest.approx(without.high, abs=1e-6)


@given(gap=st.floats(1e-15, 1e-3), length=st.integers(1, 999), n=st.integers(1, 4))
def test_documents_alike_leave_a_share_unsure(gap, length, n):
    alpha = np.tile([1.0 - gap, gap], (n, 1))
    whole, trace = topic_shares(alpha, [length] * n, ["g"] * n)
    assert whole.low < 0.8
    assert trace.high > 0.2


def test_intervals_of_rare_topics_hold_the_truth_in_spite_of_traces():
    draw, held = np.random.default_rng(0), []
    for _ in range(300):
        rare = np.where(draw.random(40) < 0.03, 1.0, 1e-4 * draw.random(40))
        alpha = np.column_stack([1.0 - rare, rare])
        share = topic_shares(alpha, [100] * 40, ["g"] * 40)[1]
        held.append(share.low <= 0.03 <= share.high)
    assert np.mean(held) > 0.93


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
        metadata=[
            {"date": "1987-02-26", "n": 3, "none": ""},
            {"date": "1988-01", "n": float("nan")},
            {},
        ],
    )


def test_groups_of_fields(corpus):
    assert groups_of(corpus, "n") == ["3", None, None]
    assert groups_of(corpus, "labels") == ["a, b", "c", None]
    assert groups_of(corpus, "date", "year") == ["1987", "1988", None]
    assert groups_of(corpus, "date", "month") == ["1987-02", "1988-01", None]


@pytest.mark.parametrize(
    ("field", "period", "message"),
    [
        ("kind", None, "No document has a value in the field 'kind' to group by; there "
         "are date, n, labels."),
        ("none", None, "No document has a value in the field 'none' to group by; there "
         "are date, n, labels."),
        ("date", "day", "The day of '1988-01' is not known: dates must be in ISO "
         "8601, such as 2026-11-16, or name the month, such as 16 Nov 2026."),
        ("n", "year", "The year of '3' is not known: dates must be in ISO 8601, "
         "such as 2026-11-16, or name the month, such as 16 Nov 2026."),
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
    with pytest.raises(ValueError, match="doc_length must not be negative or NaN"):
        topic_shares([[1]], [-1], ["g"])


def test_groups_may_have_any_names_and_lengths_any_shape():
    shares = topic_shares([[1]] * 4, np.ones((4, 1)), ["b", 3, float("nan"), None])
    assert [(s.group, s.documents) for s in shares] == [("3", 1), ("b", 1)]


@pytest.mark.parametrize("date", ["1987-W05-1", "1987-W05", "1987W051"])
def test_weeks_are_no_dates(date):
    corpus = Corpus(np.ones((1, 1)), metadata=[{"date": date}])
    with pytest.raises(ValueError, match=f"The month of '{date}' is not known"):
        groups_of(corpus, "date", "month")


def test_dates_without_dashes_are_dates():
    dates = ["20261116", "20261116T093000", "2026-11-16T09:30:00"]
    corpus = Corpus(np.ones((3, 1)), metadata=[{"date": date} for date in dates])
    assert groups_of(corpus, "date", "day") == ["2026-11-16"] * 3
