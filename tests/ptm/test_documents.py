import math

import numpy as np
import pytest
from tests import reference
from tests.ptm.instances import random_counts, random_state

from leantopics.ptm.kernels import bounds, documents, ratios
from leantopics.ptm.kernels.arrays import workspace
from leantopics.ptm.kernels.constants import (
    ACCEPTED,
    GAP,
    MIN_GAIN,
    REJECTED,
    SCREENED,
    SOLVED,
)
from leantopics.ptm.kernels.views import (
    CountsView,
    PricesView,
    SalientView,
    ScreenView,
    SolverView,
    TableView,
)


def run_visit(counts, model, prices=None, *, fresh=False):
    """Visit all documents: final (topics, alpha, value) of each, mixes, f, tallies."""
    prices = reference.topic_prices(counts, model) if prices is None else prices
    mixes = reference.mixes_of(model.v, model.alpha)
    values, quiet = np.zeros(len(counts)), np.full(len(counts), -np.inf)
    tallies = np.zeros(4, dtype=np.int64)
    bundle = reference.counts_of(counts)
    changes = documents.visit(
        bundle,
        mixes,
        reference.salient_of(model),
        reference.table_of(model),
        reference.prices_of(prices),
        fresh,
        values,
        quiet,
        tallies,
        documents.scratch(bundle, mixes, len(model.u), counts.shape[1]),
    )
    changed, ends, topic, alpha, new_values = changes
    final = {}
    for d in range(len(counts)):
        part = slice(mixes.indptr[d], mixes.indptr[d + 1])
        final[d] = (mixes.topic[part], mixes.alpha[part], values[d])
    for i, d in enumerate(changed):
        part = slice(ends[i], ends[i + 1])
        final[d] = (topic[part], alpha[part], new_values[i])
    return final, mixes, values, tallies, set(changed.tolist())


def test_quiet_documents_are_left_alone_until_they_move():
    counts, model = random_state(3, n_docs=30, topics_per_doc=2.0)
    bundle, table = reference.counts_of(counts), reference.table_of(model)
    salient = reference.salient_of(model)
    mixes = reference.mixes_of(model.v, model.alpha)
    prices = reference.prices_of(reference.topic_prices(counts, model))
    values, quiet = np.zeros(30), np.full(30, -np.inf)

    def visit():
        tallies = np.zeros(4, dtype=np.int64)
        scratch = documents.scratch(bundle, mixes, len(model.u), counts.shape[1])
        look = (values, quiet, tallies, scratch)
        changed, *_ = documents.visit(
            bundle, mixes, salient, table, prices, False, *look
        )
        return set(changed.tolist()), tallies.sum()

    changed, tried = visit()
    assert changed and tried > 0
    assert (quiet > -1e-5).all()
    quiet[:] = 1.0
    assert visit() == (set(), 0)
    assert (quiet < 1.0).all()
    # Documents whose likelihood has moved by twice that are looked at again.
    quiet[:] = 1.0
    moved = min(changed)
    values[moved] += 2.0
    again, tried_again = visit()
    assert again == {moved}
    assert 0 < tried_again < tried


KINDS = {
    "plain": {},
    "many topics a document": {"topics_per_doc": 3.0, "length": 60.0},
    "fractional": {"fractional": True},
    "short": {"length": 3.0},
    "few salient words": {"density": 0.1},
    "all words salient": {"density": 1.1},
    "long and sharp": {"length": 200.0, "sharp": 0.03},
}


@pytest.mark.parametrize("kind", KINDS)
def test_screened_pass_equals_the_exhaustive_pass(kind):
    tallies, changed, short = np.zeros(4, dtype=np.int64), 0, 0
    for seed in range(4):
        counts, model = random_state(seed, **KINDS[kind])
        final, mixes, values, tally, moved = run_visit(counts, model)
        tallies += tally
        changed += len(moved)
        short += (counts.sum(axis=1) < reference.TWO_PI).sum()
        ratio, prices = reference.ratios(model), reference.topic_prices(counts, model)
        _, alpha = reference.dense_mixes(mixes, len(ratio))
        for d, row in enumerate(counts):
            start = np.flatnonzero(model.v[d])
            theirs = reference.steepest_pass(row, ratio, start, prices)
            topics, proportions, value = final[d]
            assert tuple(sorted(topics.tolist())) == theirs.topics
            assert value == pytest.approx(theirs.value, abs=2e-6)
            assert values[d] == pytest.approx(theirs.start_value, abs=2e-6)
            assert (d in moved) == bool(theirs.falls)
            assert proportions.min() >= 0
            assert proportions.sum() == pytest.approx(1.0)
            seen = row > 0
            own = row[seen] @ np.log(proportions @ ratio[topics][:, seen])
            assert own == pytest.approx(value, abs=1e-9)
            before = row[seen] @ np.log(alpha[d] @ ratio[:, seen])
            assert before == pytest.approx(values[d], abs=1e-9)
    assert short > 0 or kind != "short"
    assert changed > 0
    assert tallies[[SCREENED, ACCEPTED]].min() > 0
    assert tallies[[REJECTED, SOLVED]].sum() > 0


@pytest.mark.parametrize("fractional", [False, True])
def test_new_documents(fractional):
    """Not counted in the prices; a trace of the shared model keeps words possible."""
    changed = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        counts, phi = random_counts(rng, 12, 15, 5)
        trained = random_state(seed)[1]
        prices = reference.topic_prices(counts, trained)
        new = rng.multinomial(30, rng.dirichlet(np.ones(5)) @ phi, size=10).astype(
            float
        )
        new *= rng.uniform(0.1, 1.0, new.shape) if fractional else 1.0
        first = rng.integers(5, size=10)
        v = np.zeros((10, 5), dtype=bool)
        v[np.arange(10), first] = True
        beta = np.where(
            trained.u, (1 - 1e-6) * trained.beta + 1e-6 * trained.beta0, 0.0
        )
        model = reference.Model(v.astype(float), v, beta, trained.u, trained.beta0)
        final, _, _, _, moved = run_visit(new, model, prices, fresh=True)
        changed += len(moved)
        for d, row in enumerate(new):
            theirs = reference.steepest_pass(
                row, reference.ratios(model), [first[d]], prices, fresh=True
            )
            assert tuple(sorted(final[d][0].tolist())) == theirs.topics
            assert final[d][2] == pytest.approx(theirs.value, abs=2e-6)
    assert changed > 0


def test_a_document_of_one_word():
    counts, model = random_state(1, n_docs=8)
    counts[0] = 0.0
    counts[0, 3] = 1.0
    ratio, prices = reference.ratios(model), reference.topic_prices(counts, model)
    start = np.flatnonzero(model.v[0])
    if (ratio[start, 3] == 0).all():
        pytest.fail("the instance must allow the word")
    final, *_ = run_visit(counts[:1], model._replace(v=model.v[:1]), prices)
    theirs = reference.steepest_pass(counts[0], ratio, start, prices)
    assert tuple(sorted(final[0][0].tolist())) == theirs.topics
    assert final[0][2] == pytest.approx(theirs.value, abs=2e-6)


def test_the_only_document_of_a_topic_keeps_it():
    kept = 0
    for seed in range(8):
        counts, model = random_state(seed, n_docs=6, n_topics=5, topics_per_doc=2.0)
        alone = model.v.sum(axis=0) == 1
        final, *_ = run_visit(counts, model)
        for d in range(len(counts)):
            for k in np.flatnonzero(model.v[d] & alone):
                assert k in final[d][0]
                kept += 1
    assert kept > 10


def test_a_topic_may_go_although_the_others_need_one_that_was_idle():
    """Topic 2 has no share, but without topic 0 only it allows the second word."""
    ratio = np.array([[1.0, 3.0], [2.0, 0.0], [1.0, 1.0]])
    row = np.array([10.0, 5.0])
    prices = reference.TopicPrices(
        np.array([200, 1, 1]), np.array([30.0, 150.0, 15.0]), np.array([2, 10, 1])
    )
    start, _ = reference.best_proportions(row, ratio)
    theirs = reference.steepest_pass(row, ratio, [0, 1, 2], prices)
    assert theirs.topics == (1, 2)
    assert theirs.start_value == start
    beta0 = np.array([0.5, 0.5])
    model = reference.Model(
        np.array([[0.6, 0.4, 0.0]]),
        np.ones((1, 3), dtype=bool),
        ratio * beta0,
        np.ones((3, 2), dtype=bool),
        beta0,
    )
    final, *_ = run_visit(row[None], model, prices)
    assert tuple(sorted(final[0][0].tolist())) == theirs.topics
    assert final[0][2] == pytest.approx(theirs.value, abs=2e-6)


def loaded(counts, model, d, alpha):
    """Document d and a workspace that holds its ratios and q: (doc, work, topics)."""
    bundle = CountsView(reference.counts_of(counts))
    doc = ratios.Document()
    ratios.read(bundle, d, doc)
    topics = np.flatnonzero(model.v[d]).astype(np.int32)
    n_topics = len(model.u)
    work = workspace(n_topics + 1, len(doc.words), n_topics, counts.shape[1])
    salient, n = SalientView(reference.salient_of(model)), len(doc.words)
    ratios.mark(doc.words, work.trial.place, True)
    for k, topic in enumerate(topics):
        ratios.load_row(salient, topic, n, work.trial.place, work.solver.ratio[k])
    ratios.mark(doc.words, work.trial.place, False)
    assert (work.trial.place == -1).all()
    ratios.mix(work.solver.ratio, alpha, n, work.solver.q)
    ratios.invert(work.solver.q, n, work.screen.inverse)
    return doc, work, topics


def test_document_and_its_ratios():
    counts, model = random_state(2, fractional=True, topics_per_doc=3.0)
    ratio = reference.ratios(model)
    for d in range(len(counts)):
        alpha = model.alpha[d][model.v[d]]
        doc, work, topics = loaded(counts, model, d, alpha)
        words = np.asarray(doc.words)
        assert words.tolist() == np.flatnonzero(counts[d]).tolist()
        assert doc.length == pytest.approx(counts[d].sum())
        own_price = 0.5 * math.log(counts[d].sum() / reference.TWO_PI)
        assert doc.own_price == pytest.approx(own_price)
        m, n = len(topics), len(words)
        np.testing.assert_allclose(work.solver.ratio[:m, :n], ratio[topics][:, words])
        np.testing.assert_allclose(work.solver.q[:n], alpha @ ratio[topics][:, words])


@pytest.mark.parametrize("least", [1, 2])
def test_rows_of_all_documents(least):
    counts, model = random_state(4, fractional=True, topics_per_doc=3.0)
    mixes = reference.mixes_of(model.v, model.alpha)
    salient = reference.salient_of(model)
    start, rows = ratios.load_rows(
        reference.counts_of(counts), mixes, salient, counts.shape[1], least
    )
    theirs = reference.ratios(model)
    for d in range(len(counts)):
        for e in range(mixes.indptr[d], mixes.indptr[d + 1]):
            own = rows[start[e] : start[e + 1]]
            wanted = counts[d] > 0 if model.v[d].sum() >= least else slice(0)
            np.testing.assert_allclose(own, theirs[mixes.topic[e], wanted])
    assert start[-1] == len(rows)


@pytest.mark.parametrize("seed", range(5))
def test_gradients_and_bins_of_all_topics(seed):
    counts, model = random_state(seed, topics_per_doc=2.5, sharp=0.03)
    ratio, table = reference.ratios(model), TableView(reference.table_of(model))
    for d in range(len(counts)):
        alpha = model.alpha[d][model.v[d]]
        doc, work, topics = loaded(counts, model, d, alpha)
        solver, found = SolverView(work.solver), ScreenView(work.screen)
        base = bounds.accumulate(doc, len(topics), table, solver, found)
        words, row = np.asarray(doc.words), np.asarray(doc.counts)
        share = row / work.solver.q[: len(words)]
        rho = ratio[:, words] / work.solver.q[: len(words)]
        near = rho > 3.0
        np.testing.assert_allclose(base + work.screen.total, ratio[:, words] @ share)
        np.testing.assert_allclose(work.screen.near_count, near @ row, atol=1e-9)
        expected = (near * rho) @ row
        np.testing.assert_allclose(work.screen.near, expected, atol=1e-9)
        if len(topics) > 1:
            own = ratio[topics][:, words] * share
            np.testing.assert_allclose(
                work.screen.near_own[:, : len(topics)], near @ own.T, atol=1e-9
            )


def test_two_bins_in_closed_form():
    rng = np.random.default_rng(0)
    for _ in range(300):
        size = rng.lognormal(0, 2, 2)
        own, new = rng.lognormal(0, 1.5, (2, 2)) * size
        if rng.random() < 0.2:
            own[rng.integers(2)] = 0.0
        value, t = bounds._collapsed(*size, *own, *new)
        best, alpha = reference.best_proportions(size, np.array([own, new]) / size)
        assert value == pytest.approx(best, abs=1e-8)
        assert t == pytest.approx(alpha[1], abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_no_paying_flip_is_screened_out(kind):
    """The bound of each candidate is at least what it can gain; others cannot pay."""
    survived = lost = 0
    for seed in range(10, 16):
        counts, model = random_state(seed, **KINDS[kind])
        ratio, prices = reference.ratios(model), reference.topic_prices(counts, model)
        table, bundle = reference.table_of(model), reference.prices_of(prices)
        for d, row in enumerate(counts):
            present = model.v[d]
            if present.all():
                continue
            value, alpha = reference.best_proportions(row, ratio[present])
            doc, work, topics = loaded(counts, model, d, alpha)
            seen = row > 0
            slack = reference.duality_gap(row[seen], ratio[present][:, seen], alpha)
            n_candidates = bounds.screen(
                doc,
                len(topics),
                present,
                present,
                slack,
                TableView(table),
                PricesView(bundle),
                SolverView(work.solver),
                ScreenView(work.screen),
            )
            hope = dict(
                zip(
                    work.screen.candidate.tolist(),
                    work.screen.hope[:n_candidates],
                    strict=False,
                )
            )
            price = dict(
                zip(
                    work.screen.candidate.tolist(),
                    work.screen.price[:n_candidates],
                    strict=False,
                )
            )
            for k in np.flatnonzero(~present):
                after = present.copy()
                after[k] = True
                gain = reference.best_proportions(row, ratio[after])[0] - value
                cost = reference.topic_flip_cost(present, k, row.sum(), prices)
                if k in hope:
                    survived += 1
                    assert price[k] == pytest.approx(cost, abs=1e-9)
                    assert hope[k] >= gain - cost - 1e-9
                else:
                    lost += 1
                    assert gain - cost <= MIN_GAIN + 1e-9
    assert survived > 0
    assert lost > 0


@pytest.mark.parametrize("seed", range(4))
def test_bins_bound_every_change_of_proportions(seed):
    """The document of bins bounds any change, and finer bins are never looser."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        m, n = int(rng.integers(2, 5)), int(rng.integers(4, 10))
        c, ratio = rng.integers(1, 9, n).astype(float), rng.lognormal(0, 1.5, (m, n))
        alpha = rng.dirichlet(np.ones(m))
        value = reference.mixture_value(c, ratio, alpha)
        best, _ = reference.best_proportions(c, ratio)
        q = alpha @ ratio
        coarse = (ratio[0] / q > 3.0).astype(int)
        bounds = [
            reference.collapsed_bound(c, ratio, q, bins)
            for bins in (np.zeros(n), coarse, 10 * coarse + np.arange(n) % 3)
        ]
        gap = reference.duality_gap(c, ratio, alpha)
        assert bounds[0] == pytest.approx(gap, abs=1e-6)
        assert bounds[0] >= bounds[1] - 1e-7
        assert bounds[1] >= bounds[2] - 1e-7
        assert bounds[2] >= best - value - 1e-7


def test_presence_cost():
    counts, model = random_state(0)
    prices = reference.topic_prices(counts, model)
    bundle = PricesView(reference.prices_of(prices))
    for d, row in enumerate(counts):
        length, present = row.sum(), model.v[d]
        common = 0.5 * math.log(length / reference.TWO_PI)
        for k in range(len(present)):
            ours = bounds.presence_cost(bundle, k, length, present[k])
            if present[k] and prices.documents[k] == 1:
                assert ours > 1e3 or ours == math.inf
                continue
            sign = -1 if present[k] else 1
            theirs = sign * reference.topic_flip_cost(present, k, length, prices)
            m = int(present.sum())
            choose = math.log(math.comb(5, m + sign)) - math.log(math.comb(5, m))
            assert ours == pytest.approx(theirs - common - sign * choose, abs=1e-9)


def test_solver_tolerance_is_that_of_the_flips():
    assert GAP <= MIN_GAIN
