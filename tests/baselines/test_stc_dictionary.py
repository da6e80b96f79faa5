"""The dictionary of sparse topical coding: simplex, derivatives, optimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import approx_fprime
from tests.baselines import stc_twin as twin

from leantopics.baselines import stc_fit
from leantopics.baselines.kernels import stc_dictionary, stc_words
from leantopics.engine.threads import Inline


def coded(seed, **sizes):
    """A tiny problem, its codes, and both as dense arrays."""
    counts, dictionary, weights = twin.tiny(seed, **sizes)
    codes = stc_fit.code_new(counts, dictionary, weights, Inline())
    s = twin.word_codes(counts, codes.theta, codes.ratio, dictionary, weights)
    return stc_fit.prepare(counts), dictionary, weights, codes, counts.toarray(), s


def projected(v, curvature, guess=0.0):
    tau, move = np.full(v.shape[1], guess), np.empty_like(v)
    zero = np.zeros_like(v)
    stc_dictionary.project(v, zero, curvature.copy(), tau, move)
    return v + move


columns = arrays(np.float64, (7, 3), elements=st.floats(-5, 5))


@settings(deadline=None, max_examples=200)
@given(columns, st.sampled_from([-30.0, 0.0, 0.1, 100.0]))
def test_the_euclidean_projection_is_that_by_sorting(v, guess):
    ours = projected(v, np.ones_like(v), guess)
    for column, theirs in zip(ours.T, v.T, strict=True):
        np.testing.assert_allclose(column, twin.simplex_projection(theirs), atol=1e-12)


@settings(deadline=None, max_examples=200)
@given(columns, arrays(np.float64, (7, 3), elements=st.floats(0.01, 100)))
def test_the_scaled_projection_is_the_nearest_point(v, curvature):
    """Its conditions: on the simplex, h (v - p) alike where p > 0, no larger else."""
    p = projected(v, curvature)
    assert p.min() >= 0.0
    np.testing.assert_allclose(p.sum(axis=0), 1.0, rtol=1e-9)
    pull = curvature * (v - p)
    for k in range(3):
        inside = p[:, k] > 1e-12
        level = pull[inside, k].mean()
        np.testing.assert_allclose(pull[inside, k], level, rtol=1e-6, atol=1e-6)
        assert np.all(pull[~inside, k] <= level + 1e-6 * (1.0 + abs(level)))


def test_entries_without_codes_have_no_curvature_and_do_no_harm():
    gradient, curvature = np.zeros((4, 2)), np.zeros((4, 2))
    gradient[0], curvature[0, 0] = -1.0, 2.0
    start, move = np.full((4, 2), 0.25), np.empty((4, 2))
    change = stc_dictionary.project(start, gradient, curvature, np.zeros(2), move)
    assert change < 0.0
    np.testing.assert_allclose(move.sum(axis=0), 0.0, atol=1e-12)
    assert np.all(start + move >= 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_derivatives_are_those_of_the_loss(seed):
    data, dictionary, weights, codes, counts, s = coded(seed, n_words=5, n_topics=3)
    random = np.random.default_rng(seed)
    here = np.ascontiguousarray(random.dirichlet(np.ones(5), 3).T)
    mean = np.empty(len(codes.ratio))
    gradient, curvature = np.empty_like(here), np.empty_like(here)
    (words,) = data.words
    ratio, prices = codes.ratio[data.by_word], stc_words.prices(weights)
    stc_dictionary.slopes(
        *words,
        codes.theta,
        ratio,
        dictionary,
        here,
        *prices,
        mean,
        gradient,
        curvature,
    )

    def loss(z):
        return twin.loss(counts, s, z.reshape(here.shape))

    numeric = approx_fprime(here.ravel(), loss, 1e-7).reshape(here.shape)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)
    inverse = np.zeros_like(counts)
    inverse[counts > 0] = 1.0 / np.einsum("dnk,nk->dn", s, here)[counts > 0]
    expected = np.einsum("dn,dnk->nk", counts * inverse**2, s**2)
    np.testing.assert_allclose(curvature, expected)
    move, out = random.normal(size=here.shape) * 1e-3, np.empty_like(mean)
    stc_dictionary.means(*words[:2], codes.theta, ratio, dictionary, move, *prices, out)
    for length in (1.0, 0.25):
        change = stc_dictionary.loss_change(words.data, mean, out, length)
        expected = loss(here + length * move) - loss(here)
        assert change == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_dictionary_reaches_the_optimum_of_a_generic_solver(seed):
    data, dictionary, weights, codes, counts, s = coded(seed, n_docs=5)
    found = stc_fit.improve(data, dictionary, weights, codes, Inline(), steps=3000)
    assert found.min() >= 0.0
    np.testing.assert_allclose(found.sum(axis=0), 1.0)
    best = twin.best_dictionary(counts, s, dictionary)
    assert twin.loss(counts, s, found) <= best + 1e-5 * abs(best)


@pytest.mark.parametrize("seed", range(20))
def test_every_step_goes_down(seed):
    data, dictionary, weights, codes, counts, s = coded(seed, n_docs=10, n_words=25)
    losses = [
        twin.loss(
            counts,
            s,
            stc_fit.improve(data, dictionary, weights, codes, Inline(), steps=steps),
        )
        for steps in range(12)
    ]
    assert np.diff(losses).max() <= 1e-12 * np.abs(losses).max()
    assert losses[-1] < losses[0]


def test_a_mean_that_would_not_be_positive_is_infinitely_bad():
    one = np.ones(1)
    assert stc_dictionary.loss_change(one, one, -one, 1.0) == np.inf
    assert np.isfinite(stc_dictionary.loss_change(one, one, -one, 0.5))
