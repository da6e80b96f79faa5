"""Topics that differ by group or with a number are found, and no others."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from leantopics.analysis.effects import find_effects
from leantopics.analysis.trends import fit_trends

GROUPS = ["a", "b", "c"]


def drawn(rng, n, effect, m=6):
    """Proportions of documents in three groups; topic 0 has a larger share in one."""
    groups = rng.choice(GROUPS, n)
    alpha = np.zeros((n, m))
    for d, group in enumerate(groups):
        chance = np.full(m, 1.0)
        chance[0] += effect * (group == "a")
        present = rng.choice(
            m, rng.integers(1, 3), replace=False, p=chance / chance.sum()
        )
        alpha[d, present] = rng.dirichlet(np.ones(len(present)))
    return alpha, groups.tolist()


def test_the_nats_are_the_difference_of_bic_for_whole_documents():
    rng = np.random.default_rng(0)
    alpha = np.eye(3)[rng.integers(0, 3, 90)]
    groups = rng.choice(GROUPS, 90)
    found = find_effects(alpha, groups.tolist(), draws=9)
    for effect in found.effects:
        one, own = 0.0, 0.0
        for group in [None, *GROUPS]:
            rows = alpha[:, effect.topic][(groups == group) | (group is None)]
            k, n = rows.sum(), len(rows)
            value = k * math.log(k / n) + (n - k) * math.log(1.0 - k / n)
            one, own = (value, own) if group is None else (one, own + value)
        price = 0.5 * 2 * math.log(90)
        assert effect.nats == pytest.approx(own - one - price)
        assert [share.group for share in effect.shares] == GROUPS
        for share in effect.shares:
            own_rows = alpha[groups == share.group, effect.topic]
            assert share.share == pytest.approx(own_rows.mean())
            assert share.low <= share.share <= share.high
            assert share.documents == len(own_rows)


def test_what_differs_has_the_lowest_bic_of_all_sets():
    rng = np.random.default_rng(1)
    alpha, groups = drawn(rng, 400, 2.0)
    effects = find_effects(alpha, groups, draws=9).effects
    nats = np.array([effect.nats for effect in effects])
    assert np.all(np.diff(nats) <= 0.0)
    values = [
        sum(nats[np.array(chosen, dtype=bool)]) - math.log(math.comb(6, sum(chosen)))
        for chosen in np.ndindex(*(2,) * 6)
    ]
    found = tuple(int(effect.differs) for effect in effects)
    best = list(np.ndindex(*(2,) * 6))[int(np.argmax(values))]
    assert sum(found) == sum(best)


def test_rates_with_and_without_a_difference():
    """Over 200 draws each: BIC and the permutation test."""
    rng = np.random.default_rng(2)
    none = [find_effects(*drawn(rng, 300, 0.0), draws=39) for _ in range(200)]
    some = [find_effects(*drawn(rng, 300, 5.0), draws=39) for _ in range(200)]
    false = np.mean([bool(each.found) for each in none])
    hits = np.mean([0 in {e.topic for e in each.found} for each in some])
    by_chance = np.mean([min(e.p for e in each.effects) <= 0.05 for each in none])
    assert false <= 0.02
    assert hits >= 0.95
    assert by_chance <= 0.1
    assert max(effect.p for each in some for effect in each.found) <= 0.1


def test_intervals_hold_what_was_planted():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(100):
        alpha = sparse.csr_array((rng.random((80, 1)) < 0.3).astype(float))
        groups = ["a", "b"] * 40
        shares = find_effects(alpha, groups, draws=1).effects[0].shares
        held += sum(share.low <= 0.3 <= share.high for share in shares)
    assert 0.88 <= held / 200 <= 0.99


def test_a_group_without_a_topic_has_an_interval():
    alpha = np.repeat([[1.0, 0.0], [0.0, 1.0]], 20, axis=0)
    found = find_effects(alpha, ["a"] * 20 + ["b"] * 20, draws=19)
    (share,) = (s for s in found.effects[0].shares if s.share == 0.0)
    assert share.low == 0.0 and 0.1 < share.high < 0.25


def test_trends_are_those_of_logistic_regression():
    rng = np.random.default_rng(4)
    x = rng.normal(size=400)
    x = (x - x.mean()) / x.std()
    yes = rng.random(400) < expit(-1.0 + 0.7 * x)
    trends = fit_trends(sparse.csr_array(np.column_stack([yes, ~yes]) * 1.0), x)
    theirs = LogisticRegression(C=1e9, tol=1e-10).fit(x[:, None], yes)
    assert trends.slope[0] == pytest.approx(theirs.coef_[0, 0], abs=1e-4)
    assert trends.level[0] == pytest.approx(theirs.intercept_[0], abs=1e-4)
    assert trends.slope[1] == pytest.approx(-trends.slope[0], abs=1e-6)


def test_numbers_and_dates_have_trends():
    rng = np.random.default_rng(5)
    days = rng.integers(0, 900, 500)
    yes = rng.random(500) < expit(-2.0 + days / 300)
    alpha = np.column_stack([yes, ~yes]).astype(float)
    start = np.datetime64("2020-01-01")
    dates = [str(start + day) for day in days]
    by_date = find_effects(alpha, dates, draws=19)
    by_number = find_effects(alpha, days.tolist(), draws=19)
    assert (by_date.kind, by_number.kind) == ("date", "number")
    for found in (by_date, by_number):
        assert len(found.found) == 2 and found.found[0].p == 0.05
        first, last = found.effects[0].shares
        assert first.low < first.share < first.high
        assert abs(first.share - last.share) > 0.3
    assert by_date.effects[0].shares[0].group.startswith("2020-0")
    assert "changes with date" in by_date.describe("date", ["sea", "wood"])


def test_noise_has_no_trend():
    rng = np.random.default_rng(6)
    false = 0
    for _ in range(200):
        alpha = rng.dirichlet(np.full(4, 0.1), 150)
        false += bool(find_effects(alpha, rng.random(150).tolist(), draws=1).found)
    assert false <= 6


def test_same_seed_same_result_and_plain_words():
    rng = np.random.default_rng(7)
    alpha, groups = drawn(rng, 300, 4.0)
    one, two = (find_effects(alpha, groups, draws=9) for _ in range(2))
    assert one == two
    told = one.describe("place", [f"t{j}" for j in range(6)])
    assert told.startswith("Topic 0 (t0) differs by place: ")
    assert "other topic" in told
    none = find_effects(np.full((40, 2), 0.5), ["a", "b"] * 20, draws=9)
    assert none.describe("place", ["x", "y"]) == "No topic differs by place."


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        (["a"] * 6, {}, "at least two different values"),
        ([None] * 6, {}, "at least two different values"),
        (list("abcdef"), {}, "Got 6 groups of 6 documents"),
        (list("aabbcc"), {"kind": "number"}, "must be numbers"),
        (list("aabbcc"), {"kind": "date"}, "must be dates such as 2026-11-16"),
        (list("aabbcc"), {"kind": "day"}, "kind must be"),
        (list("aabbcc"), {"level": 1.0}, "level must be"),
        (list("aabbcc"), {"draws": 0}, "draws must be"),
        (list("aabb"), {}, "must be of the same documents"),
    ],
)
def test_what_cannot_be_compared_gets_a_sentence(values, settings, message):
    with pytest.raises(ValueError, match=message):
        find_effects(np.full((6, 2), 0.5), values, **settings)
