import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import reference
from tests.ptm.instances import quick

from leantopics.ptm.kernels import mixture
from leantopics.ptm.kernels.arrays import workspace
from leantopics.ptm.kernels.constants import GAP
from leantopics.ptm.kernels.views import SolverView, TrialView

positive = st.floats(
    min_value=5e-324, max_value=1.7e308, allow_nan=False, allow_subnormal=True
)


def run_log_likelihood(counts, q):
    return mixture.log_likelihood(
        np.asarray(counts, dtype=float), np.asarray(q, dtype=float), np.empty(len(q))
    )


@quick
@given(positive)
def test_logarithm_of_any_number(q):
    assert run_log_likelihood([1.0], [q]) == pytest.approx(
        math.log(q), rel=1e-15, abs=1e-300
    )


def test_logarithm_over_the_whole_range():
    rng = np.random.default_rng(0)
    for spread in (1e-15, 1e-9, 1e-3, 1.0, 10.0, 300.0, 700.0):
        for q in np.exp(rng.uniform(-spread, spread, 500)):
            ours = run_log_likelihood([1.0], [q])
            assert ours == pytest.approx(math.log(q), rel=4e-16, abs=1e-300)


def test_logarithm_around_the_breaks_of_its_series():
    for break_at in (2.0**-0.5, 2.0**0.5, 1.0, 0.5, 2.0, 2.0**-1022, 1e-300):
        for q in (np.nextafter(break_at, 0), break_at, np.nextafter(break_at, 9)):
            ours = run_log_likelihood([1.0], [q])
            assert ours == pytest.approx(math.log(q), rel=4e-16, abs=1e-300)


@quick
@given(
    st.lists(
        st.tuples(st.floats(1e-3, 1e4), st.floats(1e-6, 1e6)), min_size=1, max_size=23
    )
)
def test_sum_of_logarithms(pairs):
    counts, q = zip(*pairs, strict=True)
    terms = [c * math.log(x) for c, x in pairs]
    scale = sum(map(abs, terms))
    assert abs(run_log_likelihood(counts, q) - math.fsum(terms)) <= 1e-14 * scale


def test_sum_with_a_subnormal_or_a_zero():
    tiny = 5e-324
    ours = run_log_likelihood([2.0, 1.0], [tiny, 3.0])
    assert ours == pytest.approx(2 * math.log(tiny) + math.log(3.0), rel=1e-15)
    assert run_log_likelihood([2.0, 1.0], [0.0, 3.0]) == -math.inf


def random_problem(seed, m=None):
    """Counts and ratios with zeros, equal rows, and rows equal to the shared model."""
    rng = np.random.default_rng(seed)
    m = m or int(rng.integers(1, 7))
    n = int(rng.integers(1, 14))
    counts = rng.integers(1, 10, n).astype(float)
    if rng.random() < 0.3:
        counts *= rng.uniform(0.01, 1.0, n)
    ratio = rng.lognormal(0.0, rng.choice([0.05, 1.0, 3.0]), (m, n))
    ratio[rng.random((m, n)) < rng.choice([0.0, 0.4])] = 1.0
    ratio[rng.random((m, n)) < rng.choice([0.0, 0.2])] = 0.0
    if m > 1 and rng.random() < 0.3:
        ratio[rng.integers(m)] = ratio[rng.integers(m)]
    lost = ratio.max(axis=0) == 0.0
    ratio[0, lost] = 0.5
    alpha = rng.dirichlet(np.ones(m))
    return rng, counts, ratio, alpha


def run_solve(counts, ratio, alpha, target=-math.inf, curvature=None):
    """(f, gap, alpha); the rows of ratio are spread out to test ``cols``.

    The first step takes what it can from ``curvature``.
    """
    m, n = ratio.shape
    work = workspace(2 * m, n + 3, 4, 5).solver
    cols = 2 * np.arange(m)[::-1].copy()
    work.ratio[cols, :n] = ratio
    known = 0 if curvature is None else len(curvature)
    if known:
        work.hess[:known, :known] = np.tril(curvature)
    out = alpha.copy()
    value, gap = mixture.solve(
        cols, counts, counts.sum(), out, target, known, SolverView(work)
    )
    if value > -math.inf:
        np.testing.assert_allclose(work.q[:n], out @ ratio, rtol=1e-12)
    return value, gap, out


@pytest.mark.parametrize("seed", range(300))
def test_solver_reaches_the_optimum(seed):
    _, counts, ratio, alpha = random_problem(seed)
    start = reference.mixture_value(counts, ratio, alpha)
    value, gap, found = run_solve(counts, ratio, alpha)
    best, _ = reference.best_proportions(counts, ratio)
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert gap <= 1e-5
    assert value == pytest.approx(
        reference.mixture_value(counts, ratio, found), abs=1e-9
    )
    assert value >= start - 1e-12 * abs(start)
    assert best - 2e-6 <= value <= best + 1e-7


@pytest.mark.parametrize("seed", range(12))
def test_solver_equals_long_em(seed):
    _, counts, ratio, alpha = random_problem(1000 + seed, m=1 + seed % 6)
    value, _, _ = run_solve(counts, ratio, alpha)
    theirs, _ = reference.long_em(counts, ratio)
    assert value >= theirs - 1e-6


@pytest.mark.parametrize("seed", range(200))
def test_solver_gives_up_only_what_cannot_reach_the_target(seed):
    rng, counts, ratio, alpha = random_problem(2000 + seed)
    best, _ = reference.best_proportions(counts, ratio)
    target = best + float(rng.choice([-10.0, -0.1, -1e-5, 1e-5, 0.1, 10.0]))
    value, gap, _ = run_solve(counts, ratio, alpha, target)
    if gap > GAP:
        assert best <= target + 1e-7
    else:
        assert value >= best - 2e-6
    assert value <= best + 1e-7
    assert (value > target + 2e-6) == (best > target + 2e-6)


def curvature(counts, ratio, alpha):
    return (ratio * (counts / (alpha @ ratio) ** 2)) @ ratio.T


@pytest.mark.parametrize("seed", range(100))
def test_solver_begins_with_the_curvature_of_other_proportions(seed):
    """It takes other steps to the same optimum, whatever it is given."""
    rng, counts, ratio, alpha = random_problem(3000 + seed)
    best, _ = reference.best_proportions(counts, ratio)
    other = curvature(counts, ratio, rng.dirichlet(np.ones(len(alpha))))
    for known in (len(alpha), len(alpha) - 1):
        start = other[:known, :known]
        value, gap, _ = run_solve(counts, ratio, alpha, curvature=start)
        assert gap <= 1e-5
        assert best - 2e-6 <= value <= best + 1e-7
        for off in (-0.1, 1e-5, 0.1, 10.0):
            value, gap, _ = run_solve(counts, ratio, alpha, best + off, start)
            assert (value > best + off + 2e-6) == (off < 0.0)
            assert gap <= 1e-5 or best <= best + off + 1e-7


@pytest.mark.parametrize("seed", range(100))
def test_slopes_and_curvature(seed):
    _, counts, ratio, alpha = random_problem(4000 + seed)
    m, n = ratio.shape
    work = workspace(m, n, 4, 5).solver
    work.ratio[:, :n], work.q[:n] = ratio, alpha @ ratio
    mixture.expand(np.arange(m), counts, SolverView(work))
    slopes = ratio @ (counts / work.q[:n])
    np.testing.assert_allclose(work.grad, slopes, rtol=1e-12)
    theirs = np.tril(curvature(counts, ratio, alpha))
    np.testing.assert_allclose(np.tril(work.hess), theirs, rtol=1e-12)


@pytest.mark.parametrize("seed", range(100))
def test_best_share_of_a_new_topic(seed):
    rng, counts, ratio, alpha = random_problem(5000 + seed, m=4)
    q, row = alpha[:3] / alpha[:3].sum() @ ratio[:3], ratio[3]
    n = len(q)
    if (q == 0.0).any() or (counts * row / q).sum() <= counts.sum() * (1 + 1e-9):
        return
    work = SolverView(workspace(4, n, 4, 5).solver)
    share = mixture.best_share(counts, row, 1.0 / q, rng.uniform(0.01, 0.99), work)
    assert 0.0 < share < 1.0
    best, _ = reference.best_proportions(counts, np.array([q, row]))
    start = reference.mixture_value(counts, q[None], np.ones(1))
    ours = reference.mixture_value(
        counts, np.array([q, row]), np.array([1.0 - share, share])
    )
    assert ours <= best + 1e-9
    assert ours - start >= 0.9 * (best - start) - 1e-9


@pytest.mark.parametrize("seed", range(100))
def test_quadratic_model_without_a_topic(seed):
    """The others cannot raise the model by much: its gap, as the model is concave."""
    rng, counts, ratio, alpha = random_problem(6000 + seed, m=5)
    place = int(rng.integers(5))
    rows = np.delete(np.arange(5), place)
    work = workspace(5, len(counts), 4, 5)
    slopes = ratio @ (counts / (alpha @ ratio))
    bend = curvature(counts, ratio, alpha)
    work.trial.slope[:], work.trial.hess[:] = slopes, np.tril(bend)
    found = rng.dirichlet(np.ones(4))
    mixture.quadratic_without(
        place, rows, alpha, found, TrialView(work.trial), SolverView(work.solver)
    )
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0)
    after = np.insert(found, place, 0.0)
    rise = (slopes - bend @ (after - alpha))[rows]
    rounding = 1e-9 * (np.abs(slopes).max() + np.abs(bend).max())
    assert rise.max() - found @ rise[: len(found)] <= 0.2 + rounding
    own = np.tril(bend[np.ix_(rows, rows)])
    np.testing.assert_allclose(np.tril(work.solver.hess[:4, :4]), own)


def test_solver_stops_early_when_it_can():
    early = 0
    for seed in range(100):
        _, counts, ratio, alpha = random_problem(seed)
        best, _ = reference.best_proportions(counts, ratio)
        _, gap, _ = run_solve(counts, ratio, alpha, best + 5.0)
        early += gap > GAP
    assert early > 50


def test_solver_from_an_impossible_start():
    """A start that makes a word impossible is left alone, at minus infinity."""
    counts, ratio = np.ones(2), np.array([[0.0, 1.0], [1.0, 1.0]])
    value, gap, alpha = run_solve(counts, ratio, np.array([1.0, 0.0]))
    assert (value, gap) == (-math.inf, math.inf)
    assert alpha.tolist() == [1.0, 0.0]


def test_solver_leaves_a_vertex():
    counts, ratio = np.array([3.0, 1.0]), np.array([[2.0, 0.5], [0.1, 4.0]])
    value, _, alpha = run_solve(counts, ratio, np.array([1.0, 0.0]))
    best, expected = reference.best_proportions(counts, ratio)
    assert value == pytest.approx(best, abs=1e-6)
    np.testing.assert_allclose(alpha, expected, atol=1e-3)
