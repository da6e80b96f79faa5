import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import reference
from tests.ptm.instances import quick, random_state

from leantopics.ptm.objective import TWO_PI, WordPrior, bic_terms, log_choose, total


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("density", [0.2, 0.8])
@pytest.mark.parametrize("length", [3.0, 40.0])
def test_terms_equal_the_reference(exact, density, length):
    counts, model = random_state(
        1, density=density, length=length, topics_per_doc=2.5, fractional=True
    )
    theirs = reference.bic_terms(counts, model, exact=exact)
    ours = bic_terms(
        with_topics=np.bincount(model.v.sum(axis=1), minlength=len(model.u) + 1),
        proportions=(model.v.sum(axis=1) - 1) @ np.log(counts.sum(axis=1) / TWO_PI),
        salient_in_topic=model.u.sum(axis=1),
        tokens_in_topic=counts.sum(axis=1) @ model.v,
        n_words=counts.shape[1],
        log_likelihood=reference.log_likelihood(counts, model),
        word_prior=WordPrior(exact),
    )
    assert ours._asdict() == pytest.approx(theirs, abs=1e-9)
    assert total(ours) == pytest.approx(reference.bic(counts, model, exact=exact))
    weighted = reference.bic(counts, model, exact=exact, weight=0.1)
    assert total(ours, 0.1) == pytest.approx(weighted)


def test_binomials():
    for n_topics in (1, 2, 7, 60):
        exact = [math.comb(n_topics, m) for m in range(n_topics + 1)]
        np.testing.assert_allclose(
            log_choose(n_topics), [math.log(x) for x in exact], atol=1e-10
        )


@quick
@given(st.integers(2, 10**7), st.floats(1e-6, 1.0), st.booleans())
def test_cost_of_word_switches(n_switches, p, exact):
    n_salient = max(1, min(n_switches, round(p * n_switches)))
    ours = WordPrior(exact).cost(float(n_salient), float(n_switches))
    theirs = reference.word_switch_cost(n_salient, n_switches, exact)
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_no_salient_word_costs_nothing():
    assert WordPrior(exact=False).cost(0.0, 100.0) == 0.0


@quick
@given(st.integers(100, 10**6), st.floats(1e-3, 0.499), st.floats(0.01, 1.0))
def test_price_is_the_slope_of_the_cost(n_switches, p, weight):
    prior, n_salient, step = WordPrior(False, weight), p * n_switches, 1e-3
    slope = prior.cost(n_salient + step, n_switches)
    slope -= prior.cost(n_salient - step, n_switches)
    assert prior.price(n_salient, n_switches) == pytest.approx(
        weight * slope / (2 * step), rel=1e-4, abs=1e-4
    )


@quick
@given(st.integers(10, 10**6), st.floats(0.0, 1.0), st.integers(-500, 500))
def test_tangent_is_never_below_the_cost(n_switches, p, step):
    """The cost is concave: a pass that trusts the slope does not overshoot."""
    prior = WordPrior(exact=False)
    here = float(max(1, round(p * n_switches)))
    there = float(min(max(1.0, here + step), n_switches))
    tangent = prior.cost(here, n_switches)
    tangent += (there - here) * prior.price(here, n_switches)
    assert prior.cost(there, n_switches) <= tangent + 1e-9 * n_switches


@quick
@given(st.integers(4, 10**6), st.floats(0.0, 1.0), st.booleans(), st.floats(0.01, 1))
def test_exact_prices_of_a_flip(n_switches, p, exact, weight):
    n_salient = min(max(1, round(p * n_switches)), n_switches - 1)
    prior = WordPrior(exact, weight)
    on, off = prior.flip_prices(float(n_salient), float(n_switches))
    cost = [
        reference.word_switch_cost(n_salient + s, n_switches, exact) for s in (-1, 0, 1)
    ]
    scale = 1e-13 * n_switches
    assert on == pytest.approx(weight * (cost[2] - cost[1]), abs=scale)
    assert off == pytest.approx(weight * (cost[1] - cost[0]), abs=scale)
    assert on <= off + scale


def test_from_one_half_on_a_word_is_free():
    for p in (0.5, 0.7, 1.0):
        prior = WordPrior(exact=False)
        assert prior.price(p * 1000, 1000) == 0.0
        assert prior.cost(p * 1000, 1000) == pytest.approx(1000 * math.log(2))
    assert WordPrior(exact=True).price(10, 1000) == 0.0
    assert WordPrior(exact=True).flip_prices(10, 1000) == (0.0, 0.0)
