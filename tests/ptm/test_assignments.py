import math

import numpy as np
import pytest
from tests import reference
from tests.ptm.instances import random_state

from leantopics.ptm.kernels import assignments, documents
from leantopics.ptm.kernels.views import PricesView


def dense_costs(counts, model):
    """Dense BIC without the log-likelihood."""
    terms = reference.bic_terms(counts, model)
    del terms["neg_log_likelihood"]
    return sum(terms.values())


def solved(counts, model):
    """The model with the best proportions for its topics."""
    alpha, ratio = np.zeros(model.v.shape), reference.ratios(model)
    for d, row in enumerate(counts):
        alpha[d, model.v[d]] = reference.best_proportions(row, ratio[model.v[d]])[1]
    return model._replace(alpha=alpha)


def with_topics(model, d, topics, alpha):
    """The model with other topics in document d."""
    v, all_alpha = model.v.copy(), model.alpha.copy()
    v[d], all_alpha[d] = False, 0.0
    v[d, topics], all_alpha[d, topics] = True, alpha
    return model._replace(v=v, alpha=all_alpha)


@pytest.mark.parametrize("seed", range(3))
def test_every_topic_flip_changes_bic_as_predicted(seed):
    counts, model = random_state(seed, n_docs=8, topics_per_doc=2.0, n_topics=4)
    model = solved(counts, model)
    ratio, prices = reference.ratios(model), reference.topic_prices(counts, model)
    bundle, adds, drops = PricesView(reference.prices_of(prices)), 0, 0
    before = reference.bic(counts, model)
    for d, row in enumerate(counts):
        falls, value = reference.flips(row, ratio, model.v[d], prices)
        for k, fall in falls.items():
            after = model.v[d].copy()
            after[k] = not after[k]
            new_value, alpha = reference.best_proportions(row, ratio[after])
            flipped = with_topics(model, d, np.flatnonzero(after), alpha)
            assert fall == pytest.approx(
                before - reference.bic(counts, flipped), abs=1e-6
            )
            old, new = (np.flatnonzero(v).astype(np.int32) for v in (model.v[d], after))
            cost = assignments.change_cost(old, new, row.sum(), bundle)
            assert new_value - value - cost == pytest.approx(fall, abs=1e-6)
            adds += after[k]
            drops += not after[k]
    assert adds > 0
    assert drops > 0


def find_changes(counts, model):
    """Proposals of a visit: bundle of counts, mixes, values, changes, prices."""
    bundle, mixes = (
        reference.counts_of(counts),
        reference.mixes_of(model.v, model.alpha),
    )
    prices = reference.prices_of(reference.topic_prices(counts, model))
    values, quiet = np.zeros(len(counts)), np.full(len(counts), -np.inf)
    salient, table = reference.salient_of(model), reference.table_of(model)
    changes = documents.visit(
        bundle,
        mixes,
        salient,
        table,
        prices,
        False,
        values,
        quiet,
        np.zeros(4, dtype=np.int64),
        documents.scratch(bundle, mixes, len(model.u), counts.shape[1]),
    )
    return bundle, mixes, values, changes, prices


def one_change(changes, i):
    changed, ends, topic, alpha, value = changes
    part = slice(ends[i], ends[i + 1])
    size = np.array([0, ends[i + 1] - ends[i]])
    return changed[i : i + 1], size, topic[part], alpha[part], value[i : i + 1]


@pytest.mark.parametrize("seed", range(8))
def test_accepted_changes_lower_bic_one_by_one(seed):
    counts, model = random_state(
        seed, n_docs=14, topics_per_doc=1.5 + seed % 3, fractional=seed % 2 == 1
    )
    bundle, mixes, values, changes, prices = find_changes(counts, model)
    proposals = assignments.propose(bundle, mixes, values, changes)
    n_changes = len(changes[0])
    assert n_changes > 0
    at_once = prices._replace(
        tokens=prices.tokens.copy(), documents=prices.documents.copy()
    )
    v, alpha = reference.dense_mixes(mixes, len(model.u))
    model = model._replace(v=v, alpha=alpha)
    bic, decisions = reference.bic(counts, model), []
    for i in range(n_changes):
        change = one_change(changes, i)
        d, _, topic, new_alpha, new_value = change
        old = np.flatnonzero(v[d[0]]).astype(np.int32)
        length = counts[d[0]].sum()
        cost = assignments.change_cost(old, topic, length, PricesView(prices))
        predicted = new_value[0] - values[d[0]] - cost
        accepted = np.zeros(1, dtype=bool)
        one = assignments.propose(bundle, mixes, values, change)
        assignments.accept(one, prices, accepted)
        decisions.append(accepted[0])
        assert accepted[0] == (predicted > 0)
        if i == 0:
            assert accepted[0]
        if accepted[0]:
            model = with_topics(model, d[0], topic, new_alpha)
            after = reference.bic(counts, model)
            assert bic - after == pytest.approx(predicted, abs=1e-6)
            assert after < bic
            bic = after
        theirs = reference.topic_prices(counts, model)
        np.testing.assert_allclose(prices.tokens, theirs.tokens)
        assert prices.documents.tolist() == theirs.documents.tolist()
        assert theirs.documents.min() >= 1
    # All at once is the same.
    together = np.zeros(n_changes, dtype=bool)
    assignments.accept(proposals, at_once, together)
    assert together.tolist() == decisions
    np.testing.assert_array_equal(at_once.tokens, prices.tokens)
    # And in place.
    replaced = reference.DocTopics(*assignments.replace(mixes, changes, together))
    v, alpha = reference.dense_mixes(replaced, len(model.u))
    assert (v == model.v).all()
    np.testing.assert_array_equal(alpha, model.alpha)


def test_two_documents_may_not_both_leave_a_topic():
    prices = reference.prices_of(
        reference.TopicPrices(np.ones(2), np.array([16.0, 16.0]), np.array([2, 2]))
    )
    proposals = (
        np.full(2, 8.0),
        np.full(2, 100.0),
        np.array([0, 2, 4]),
        np.array([0, 1, 0, 1], dtype=np.int32),
        np.array([0, 1, 2]),
        np.array([0, 0], dtype=np.int32),
    )
    accepted = np.zeros(2, dtype=bool)
    assignments.accept(proposals, prices, accepted)
    assert accepted.tolist() == [True, False]
    assert prices.documents.tolist() == [2, 1]
    assert prices.tokens.tolist() == [16.0, 8.0]
    both, one = np.array([0, 1], dtype=np.int32), np.array([0], dtype=np.int32)
    assert assignments.change_cost(both, one, 8.0, PricesView(prices)) == math.inf


def test_cost_of_a_swap():
    counts, model = random_state(4, n_docs=10, n_topics=4)
    bundle = PricesView(reference.prices_of(reference.topic_prices(counts, model)))
    for d in range(len(counts)):
        old = np.flatnonzero(model.v[d]).astype(np.int32)
        new = np.flatnonzero(~model.v[d]).astype(np.int32)[: len(old)]
        if len(new) < len(old) or (model.v[:, old].sum(axis=0) == 1).any():
            continue
        swapped = with_topics(model, d, new, 1.0 / len(new))
        change = dense_costs(counts, swapped) - dense_costs(counts, model)
        ours = assignments.change_cost(old, new, counts[d].sum(), bundle)
        assert ours == pytest.approx(change, abs=1e-8)


def run_best_topics(counts, model, prices):
    table, out = reference.table_of(model), np.full(len(counts), -1, dtype=np.int32)
    log_ratio = np.log1p((1 - 1e-6) * table.excess)
    assignments.best_topics(
        reference.counts_of(counts), table, log_ratio, reference.prices_of(prices), out
    )
    return out


def test_best_topics():
    moved = 0
    for seed in range(6):
        counts, model = random_state(seed, n_docs=30, fractional=seed % 2 == 1)
        free = reference.TopicPrices(np.zeros(5), np.ones(5), np.full(5, 2))
        likelihood = counts @ np.log1p((1 - 1e-6) * reference.excess(model)).T
        most_likely = run_best_topics(counts, model, free)
        assert (most_likely == likelihood.argmax(axis=1)).all()
        priced = reference.topic_prices(counts, model)
        length = counts.sum(axis=1)[:, None]
        cost = 0.5 * priced.salient * np.log((priced.tokens + length) / priced.tokens)
        best = run_best_topics(counts, model, priced)
        assert (best == (likelihood - cost).argmax(axis=1)).all()
        moved += (best != most_likely).sum()
    assert moved > 0


def test_best_topic_among_equals_is_the_first():
    counts, model = random_state(0, n_docs=6)
    same = model._replace(beta=model.beta[[0] * 5], u=model.u[[0] * 5])
    free = reference.TopicPrices(np.zeros(5), np.ones(5), np.full(5, 2))
    assert not run_best_topics(counts, same, free).any()
