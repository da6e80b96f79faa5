import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import reference
from tests.ptm.instances import quick, random_state

from leantopics.ptm.kernels import words
from leantopics.ptm.objective import WordPrior


def run_salient_words(x, beta0, price, old=None):
    """Salient sets of all topics for x (M, N): u, excess (M, N), flips."""
    old = np.zeros(x.shape, dtype=bool) if old is None else old
    indptr = np.concatenate(([0], np.cumsum(old.sum(axis=1))))
    size, word, excess, flips = words.salient_words(
        0,
        len(x),
        reference.statistics_of(x, beta0),
        reference.shared_of(beta0),
        np.broadcast_to(np.asarray(price, dtype=float), len(x)).copy(),
        indptr,
        np.nonzero(old)[1].astype(np.int32),
    )
    bounds = np.concatenate(([0], np.cumsum(size)))
    u, over = reference.dense_salient(
        reference.Salient(bounds, word, excess), len(beta0)
    )
    return u, over, flips


def run_best_flip(x, u, beta0, price_on, price_off, held=()):
    """Best single flip of one topic, x and u (N,): (gain, word)."""
    chosen = np.flatnonzero(u).astype(np.int32)
    shared, counts = reference.shared_of(beta0), reference.statistics_of(x[None], beta0)
    held = np.array(held, dtype=np.int32)
    return words.best_flip(0, counts, shared, chosen, held, price_on, price_off)


def random_topic(seed):
    """Counts x, frequencies beta0 and a price: absences, ties, all sizes of prices."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    if rng.random() < 0.5:
        totals = rng.integers(1, 4, n).astype(float) * rng.choice([1, 30])
    else:
        totals = rng.lognormal(2.0, 1.5, n)
    beta0 = totals / totals.sum()
    x = rng.poisson(beta0 * rng.lognormal(0.0, 1.0, n) * rng.choice([5, 30, 200]))
    x = np.where(rng.random(n) < 0.3, 0.0, x * rng.choice([1.0, 0.37]))
    if x.sum() == 0:
        x[rng.integers(n)] = 1.0
    return rng, x, beta0, float(np.exp(rng.uniform(-7.0, 4.0)))


@pytest.mark.parametrize("seed", range(400))
def test_salient_words_are_the_best_of_all_sets(seed):
    rng, x, beta0, price = random_topic(seed)
    old = rng.random(len(x)) < 0.5
    best, _ = reference.best_words(x, beta0, price)
    for before in (None, old[None]):
        u, excess, flips = run_salient_words(x[None], beta0, price, before)
        assert u.sum() >= 1
        value = reference.words_value(x, u[0], beta0, price)
        assert value == pytest.approx(best, abs=1e-7)
        was = np.zeros_like(u) if before is None else before
        assert flips == (u != was).sum()
        beta = reference.word_probabilities(x[None], u, beta0)
        np.testing.assert_allclose(
            np.where(u, (1 + excess) * beta0, 0.0), beta, rtol=1e-12, atol=1e-300
        )


@quick
@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.sampled_from([0.0, 0.0, 0.25, 1.0, 3.0, 9.0])),
        min_size=1,
        max_size=9,
    ),
    st.floats(1e-3, 20.0),
)
def test_salient_words_of_tiny_topics(pairs, price):
    totals, x = (np.array(part, dtype=float) for part in zip(*pairs, strict=True))
    if x.sum() == 0:
        x[0] = 1.0
    beta0 = totals / totals.sum()
    best, _ = reference.best_words(x, beta0, price)
    u, _, _ = run_salient_words(x[None], beta0, price)
    assert reference.words_value(x, u[0], beta0, price) == pytest.approx(best, abs=1e-7)


def test_salient_words_of_several_topics_at_once():
    counts, model = random_state(3)
    x = reference.expected_counts(counts, model)
    price = np.linspace(0.2, 3.0, len(x))
    together, _, _ = run_salient_words(x, model.beta0, price, model.u)
    for j in range(len(x)):
        alone, _, _ = run_salient_words(
            x[j : j + 1], model.beta0, price[j], model.u[j : j + 1]
        )
        assert (together[j] == alone[0]).all()


def test_equal_words_are_kept_when_nothing_is_better():
    """Ties: two absent words of one frequency, only one of which is worth its price."""
    beta0 = np.array([0.4, 0.2, 0.2, 0.2])
    x = np.array([30.0, 5.0, 0.0, 0.0])
    for price in np.linspace(0.5, 12.0, 40):
        best, _ = reference.best_words(x, beta0, price)
        first, _, _ = run_salient_words(x[None], beta0, price)
        value = reference.words_value(x, first[0], beta0, price)
        assert value == pytest.approx(best, abs=1e-7)
        swapped = first[:, [0, 1, 3, 2]]
        again, _, flips = run_salient_words(x[None], beta0, price, swapped)
        assert flips == 0
        assert (again == swapped).all()


@pytest.mark.parametrize("price", [0.0, -0.5, -3.0])
def test_free_words_are_all_salient(price):
    _, x, beta0, _ = random_topic(8)
    u, _, flips = run_salient_words(x[None], beta0, price)
    assert u.all()
    assert flips == len(x)
    best, _ = reference.best_words(x, beta0, price)
    assert reference.words_value(x, u[0], beta0, price) == pytest.approx(best)


@pytest.mark.parametrize("price", [1.5, -1.5])
def test_words_that_no_document_has(price):
    """A word of the dictionary without counts has beta0 = 0: it stays impossible."""
    beta0, x = np.array([0.5, 0.3, 0.2, 0.0]), np.array([20.0, 1.0, 0.0, 0.0])
    u, excess, _ = run_salient_words(x[None], beta0, price)
    assert np.isfinite(excess).all()
    best, _ = reference.best_words(x[:3], beta0[:3], price)
    value = reference.words_value(x[:3], u[0, :3], beta0[:3], price)
    assert value == pytest.approx(best, abs=1e-7)


def test_topic_without_counts_stays_at_the_shared_model():
    beta0, x = np.array([0.5, 0.3, 0.2]), np.zeros((1, 3))
    u, excess, _ = run_salient_words(x, beta0, 2.0)
    assert u.sum() == 1
    assert not excess.any()
    old = np.array([[False, True, True]])
    u, excess, flips = run_salient_words(x, beta0, 2.0, old)
    assert u.sum() == 1
    assert u[0, 1] or u[0, 2]
    assert not excess.any()
    assert flips == 1


def test_topic_without_counts_takes_every_word_it_is_paid_for():
    """A topic of one short document has a negative price: log(Lbar / 2 pi) < 0."""
    beta0, x = np.array([0.5, 0.3, 0.2]), np.zeros((1, 3))
    every = np.ones((1, 3), dtype=bool)
    u, excess, flips = run_salient_words(x, beta0, -1.0, every)
    assert u.all()
    assert not excess.any()
    assert flips == 0


@pytest.mark.parametrize("x", [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 3.0, 0.0]])
@pytest.mark.parametrize("price", [2.0, 0.5, -1.0])
def test_best_flip_of_a_set_without_counts(x, price):
    x, beta0 = np.array(x), np.array([0.2, 0.3, 0.5])
    u = np.array([False, False, True])
    gains = single_flips(x, u, beta0, price, price)
    gain, word = run_best_flip(x, u, beta0, price, price)
    assert gain == pytest.approx(max(gains.values()), abs=1e-9)
    assert gains[word] == pytest.approx(gain, abs=1e-9)


def single_flips(x, u, beta0, price_on, price_off):
    """Gain of every allowed flip of one topic: its value after less its value now."""
    gains = {}
    for n in range(len(x)):
        after = u.copy()
        after[n] = not after[n]
        if after.any():
            gain = reference.words_value(x, after, beta0, 0.0)
            gain -= reference.words_value(x, u, beta0, 0.0)
            gains[n] = gain - (price_on if after[n] else -price_off)
    return gains


@pytest.mark.parametrize("seed", range(150))
def test_best_flip_is_the_best_single_flip(seed):
    rng, x, beta0, price = random_topic(5000 + seed)
    u = rng.random(len(x)) < 0.5
    u[x.argmax()] = True
    price_off = price * rng.uniform(0.8, 1.2)
    gains = single_flips(x, u, beta0, price, price_off)
    gain, word = run_best_flip(x, u, beta0, price, price_off)
    if not gains:
        assert gain == -math.inf
        return
    assert gain == pytest.approx(max(gains.values()), abs=1e-8)
    assert gains[word] == pytest.approx(gain, abs=1e-8)
    if u[word]:
        others = [value for n, value in gains.items() if n != word]
        gain, _ = run_best_flip(x, u, beta0, price, price_off, held=[word])
        assert gain == pytest.approx(max(others, default=-math.inf), abs=1e-8)


@pytest.mark.parametrize("seed", range(60))
def test_paper_formula_of_a_word_flip(seed):
    """(dqu) with (munew) is the change of the topic's gain."""
    _, x, beta0, _ = random_topic(6000 + seed)
    u = np.random.default_rng(seed).random(len(x)) < 0.5
    u[x.argmax()] = True
    gains = single_flips(x, u, beta0, 0.0, 0.0)
    for n, gain in gains.items():
        after = u.copy()
        after[n] = not after[n]
        if x[after].sum() > 0:
            theirs = reference.word_flip_gain(x, u, beta0, n)
            assert gain == pytest.approx(theirs, abs=1e-7)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_word_flip_changes_the_complete_bic_as_predicted(seed, exact):
    """At fixed responsibilities; and BIC itself falls at least as much."""
    counts, start = random_state(seed, density=0.3, fractional=seed % 2 == 1)
    posterior = reference.posteriors(counts, start)
    x = reference.expected_counts(counts, start)
    tokens = counts.sum(axis=1) @ start.v
    model = start._replace(beta=reference.word_probabilities(x, start.u, start.beta0))
    on, off = WordPrior(exact).flip_prices(float(model.u.sum()), float(model.u.size))

    def falls(before, after):
        """Fall of the expected complete-data BIC, and of BIC."""
        complete = reference.complete_bic(counts, posterior, before, exact=exact)
        complete -= reference.complete_bic(counts, posterior, after, exact=exact)
        itself = reference.bic(counts, before, exact=exact)
        return complete, itself - reference.bic(counts, after, exact=exact)

    paid = 0
    for j in range(len(model.u)):
        common = 0.5 * math.log(tokens[j] / reference.TWO_PI)
        gain, word = run_best_flip(
            x[j], model.u[j], model.beta0, common + on, common + off
        )
        u = model.u.copy()
        u[j, word] = not u[j, word]
        beta = reference.word_probabilities(x, u, model.beta0)
        after = model._replace(u=u, beta=beta)
        assert gain == pytest.approx(falls(model, after)[0], abs=1e-7)
        predicted = reference.word_flip_gain(x[j], model.u[j], model.beta0, word)
        predicted -= reference.word_flip_cost(model.u, j, word, tokens, exact=exact)
        assert gain == pytest.approx(predicted, abs=1e-7)
        complete, itself = falls(start, after)
        assert itself >= complete - 1e-7
        paid += gain > 0
    assert paid > 0
