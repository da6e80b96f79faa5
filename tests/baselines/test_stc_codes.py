"""Codes of sparse topical coding reach the optimum, and every step goes down."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import lsq_linear, minimize
from tests.baselines import stc_twin as twin

from leantopics.baselines import stc_fit
from leantopics.baselines.kernels.stc_codes import descend
from leantopics.baselines.kernels.stc_words import Weights, word_ratio
from leantopics.engine.threads import Inline
from leantopics.models.shards import cut_shards

numbers = st.floats(1e-3, 1e3)


def codes_of(w, b, theta, weights, guess=0.0):
    half = 0.5 / weights.gamma
    offset = theta - weights.rho * half
    topics = np.flatnonzero(b).astype(np.int32)
    active, part = np.empty(len(b) + 1, np.int32), np.empty(len(b) + 1)
    ratio, count = word_ratio(
        w, topics, b[topics], 0, len(topics), offset, half, guess, 0, active, part
    )
    positive = offset[topics] + (ratio - 1.0) * half * b[topics] > 0.0
    assert np.array_equal(active[:count], topics[positive])
    assert np.array_equal(part[:count], b[active[:count]])
    return ratio, np.maximum(0.0, offset + (ratio - 1.0) * half * b)


def coordinate_root(k, s, w, b, theta, weights):
    """Best code of topic k given those of the others: the larger root, cut at 0."""
    _, gamma, rho = weights
    m = s @ b - s[k] * b[k]
    if b[k] == 0.0:
        return max(0.0, theta[k] - rho / (2 * gamma))
    price = b[k] + rho - 2 * gamma * theta[k]
    roots = np.roots(
        [2 * gamma * b[k], 2 * gamma * m + b[k] * price, m * price - w * b[k]]
    )
    return max(0.0, roots.real.max())


@st.composite
def words(draw):
    """A word: count, row of the dictionary, code of the document, weights, a guess."""
    size = draw(st.integers(1, 6))
    b = draw(st.lists(st.sampled_from([0.0, 1e-6, 0.01, 0.3]), min_size=size))
    theta = draw(
        st.lists(st.floats(0, 50), min_size=len(b), max_size=len(b)).map(np.array)
    )
    weights = Weights(draw(numbers), draw(numbers), draw(numbers))
    b = np.array(b)
    b[draw(st.integers(0, len(b) - 1))] = draw(st.floats(1e-5, 1.0))
    return draw(numbers), b, theta, weights, draw(st.sampled_from([0.0, 1e-3, 1.0, 99]))


@settings(deadline=None, max_examples=300)
@given(words())
def test_the_codes_of_a_word_are_best(word):
    """Stationary: no code wants to move, those at zero want to go lower."""
    w, b, theta, weights, guess = word
    ratio, s = codes_of(w, b, theta, weights, guess)
    slope = b * (1.0 - ratio) + 2.0 * weights.gamma * (s - theta) + weights.rho
    scale = b * (1.0 + ratio) + 2.0 * weights.gamma * (s + theta) + weights.rho
    rounding = 1e-13 * b @ scale / weights.gamma
    assert s @ b == pytest.approx(w / ratio, rel=1e-9, abs=rounding)
    assert np.all(slope >= -1e-9 * scale)
    assert np.all(np.abs(slope[s > 0.0]) <= 1e-9 * scale[s > 0.0])


@settings(deadline=None, max_examples=100)
@given(words(), st.floats(1e-3, 1e6))
def test_the_guess_changes_nothing_but_the_way(word, guess):
    w, b, theta, weights, _ = word
    cold, _ = codes_of(w, b, theta, weights)
    warm, _ = codes_of(w, b, theta, weights, guess)
    assert warm == pytest.approx(cold, rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_no_coordinate_can_do_better(seed):
    """The closed form of one code given the others finds the same codes."""
    random = np.random.default_rng(seed)
    b = random.dirichlet(np.full(5, 0.5))
    b[seed % 5] = 0.0
    theta = random.exponential(3.0, 5) * (random.random(5) < 0.6)
    weights = Weights(0.1, *10.0 ** random.uniform(-2, 0.5, 2))
    _, s = codes_of(4.0, b, theta, weights)
    for k in range(5):
        alone = coordinate_root(k, s, 4.0, b, theta, weights)
        assert alone == pytest.approx(s[k], rel=1e-6, abs=1e-9)


def test_the_closed_form_of_a_coordinate_is_its_minimum():
    """Formulas of the method against a generic search along one coordinate."""
    random = np.random.default_rng(3)
    for _ in range(30):
        b, theta = random.dirichlet(np.ones(3)), random.exponential(2.0, 3)
        s, weights = random.exponential(2.0, 3), Weights(0.1, *random.exponential(1, 2))

        def value(code, b=b, theta=theta, s=s, weights=weights):
            codes = np.r_[code, s[1:]]
            counts, theta = np.array([[3.0]]), theta[None]
            return twin.objective(counts, theta, codes[None, None], b[None], weights)

        found = minimize(value, [1.0], bounds=[(1e-9, None)], method="Nelder-Mead")
        closed = coordinate_root(0, s, 3.0, b, theta, weights)
        assert value([closed]) <= found.fun + 1e-9


def test_the_quadratic_under_bounds_is_solved():
    """Coordinate descent = bounded least squares; the fall it tells is the true one."""
    random = np.random.default_rng(0)
    for _ in range(20):
        root = random.normal(size=(8, 5))
        hessian, gradient = root.T @ root + 0.5 * np.eye(5), random.normal(size=5)
        floor = -random.exponential(0.3, 5)
        step, slope = np.empty(5), gradient.copy()
        fall = descend(hessian, slope, floor, 5, step)
        factor = np.linalg.cholesky(hessian).T
        target = -np.linalg.solve(factor.T, gradient)
        best = lsq_linear(factor, target, (floor, np.inf), tol=1e-12).x
        values = [gradient @ p + p @ hessian @ p / 2 for p in (step, best)]
        assert np.all(step >= floor)
        assert fall == pytest.approx(-values[0])
        assert values[0] <= 0.99 * values[1]
        np.testing.assert_allclose(slope, gradient + hessian @ step, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_documents_reach_the_optimum_of_a_generic_solver(seed):
    counts, dictionary, weights = twin.tiny(seed)
    codes = stc_fit.code_new(counts, dictionary, weights, Inline())
    for d, row in enumerate(counts.toarray()):
        best = twin.best_codes(row, dictionary, weights)
        assert codes.objective[d] == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert codes.objective[d] <= best + 1e-6
    s = twin.word_codes(counts, codes.theta, codes.ratio, dictionary, weights)
    value = twin.objective(counts.toarray(), codes.theta, s, dictionary, weights)
    assert codes.objective.sum() == pytest.approx(value)


@pytest.mark.parametrize("seed", range(20))
def test_the_code_of_a_document_is_its_closed_form(seed):
    """theta_k = max(0, mean_n s_k - lambda / (2 gamma |d|)) at the optimum."""
    counts, dictionary, weights = twin.tiny(seed)
    codes = stc_fit.code_new(counts, dictionary, weights, Inline())
    s = twin.word_codes(counts, codes.theta, codes.ratio, dictionary, weights)
    size = (counts.toarray() > 0).sum(axis=1, keepdims=True)
    mean = s.sum(axis=1) / size
    closed = np.maximum(0.0, mean - weights.lambda_ / (2.0 * weights.gamma * size))
    np.testing.assert_allclose(codes.theta, closed, atol=1e-3 * closed.max())


@pytest.mark.parametrize("seed", range(20))
def test_every_step_goes_down(seed):
    counts, dictionary, weights = twin.tiny(seed, 8, 20, 6)
    shards = cut_shards(counts)
    codes = stc_fit.no_codes(shards, 6)
    codes.theta[:] = np.random.default_rng(seed).exponential(5.0, codes.theta.shape)
    values = []
    for steps in [0] + 15 * [1]:
        stc_fit.code(shards, dictionary, weights, codes, Inline(), steps=steps, tol=0.0)
        values.append(codes.objective.copy())
    assert np.diff(values, axis=0).max() <= 1e-12 * np.abs(values).max()
    assert np.all(values[1] < values[0])


def test_presence_and_mass():
    counts, dictionary, weights = twin.tiny(5, 30, 12, 4)
    codes = stc_fit.code_new(counts, dictionary, weights, Inline())
    shards = cut_shards(counts)
    found = stc_fit.account(shards, dictionary, weights, codes, Inline())
    present, by_code, mass = found
    s = twin.word_codes(counts, codes.theta, codes.ratio, dictionary, weights)
    part = s * dictionary
    expected, largest = np.zeros((2, *present.shape), dtype=bool)
    dense = counts.toarray()
    for d, n in zip(*np.nonzero(dense), strict=True):
        expected[d, part[d, n].argmax()] = True
        largest[d, s[d, n].argmax()] = True
    assert np.array_equal(present, expected)
    assert np.array_equal(by_code, largest) and not np.array_equal(largest, expected)
    shares = part[dense > 0] / part[dense > 0].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(mass, dense[dense > 0] @ shares)


def test_a_document_without_words_has_no_code():
    counts = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 0.0]]))
    dictionary = np.array([[0.5, 0.1], [0.5, 0.9]])
    codes = stc_fit.code_new(counts, dictionary, Weights(0.1, 1.0, 0.1), Inline())
    assert codes.theta[0].any()
    assert not codes.theta[1].any()
    assert codes.objective[1] == 0.0
