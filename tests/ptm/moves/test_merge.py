"""Topics merged where BIC falls by it."""

import numpy as np
import pytest
from tests import reference
from tests.ptm.search.test_fitter import searched
from tests.ptm.test_words import random_topic

from leantopics.datasets import make_corpus
from leantopics.engine.threads import Inline, engine
from leantopics.ptm.kernels import merged
from leantopics.ptm.moves import merge, rearrange, split
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.search import from_above
from leantopics.ptm.state import Parameters


@pytest.mark.parametrize("seed", range(100))
def test_words_of_two_topics_as_one_are_the_best_of_all_sets(seed):
    rng, x, beta0, price = random_topic(seed)
    other = rng.permutation(x)
    both = np.vstack([x, other])
    statistics, shared = (
        reference.statistics_of(both, beta0),
        reference.shared_of(beta0),
    )
    one, two = np.array([0]), np.array([1])
    value, size = merged.merged_values(
        0, 1, one, two, statistics, shared, np.array([price])
    )
    best, _ = reference.best_words(x + other, beta0, price)
    assert value[0] == pytest.approx(best, abs=1e-7)
    assert 1 <= size[0] <= len(x)


@pytest.mark.parametrize("seed", range(20))
def test_value_of_the_present_words(seed):
    rng, x, beta0, price = random_topic(seed)
    u = rng.random((1, len(x))) < 0.5
    u[0, 0] = True
    indptr, word = np.array([0, u.sum()]), np.flatnonzero(u[0]).astype(np.int32)
    statistics, shared = (
        reference.statistics_of(x[None], beta0),
        reference.shared_of(beta0),
    )
    found = merged.values(0, 1, statistics, shared, np.array([price]), indptr, word)
    expected = reference.words_value(x, u[0], beta0, price)
    assert found[0] == pytest.approx(expected, abs=1e-7)


def every_pair(n_topics):
    return np.triu_indices(n_topics, 1)


def as_one(model, j, k, words_of):
    """Topics j and k as one, with other words."""
    kept = np.delete(np.arange(len(model.beta)), k)
    u = model.u.copy()
    u[j] = words_of
    alpha = model.alpha.copy()
    alpha[:, j] += alpha[:, k]
    v = model.v.copy()
    v[:, j] |= v[:, k]
    return model._replace(u=u[kept], v=v[:, kept], alpha=alpha[:, kept])


@pytest.mark.parametrize("exact", [False, True])
def test_the_loss_is_the_difference_of_bic(exact):
    """Exactly so where every document has one topic."""
    corpus, _ = make_corpus(120, 11, 4, salient_per_topic=3, boost=4, doc_length=60)
    dense = corpus.counts.toarray()
    dense = dense[dense.sum(axis=1) > 0]
    problem = searched(corpus.counts)
    drawn = problem.first(5)
    data = problem.data
    prior = WordPrior(exact)
    model = reference.dense_model(data, drawn)
    assert (model.v.sum(axis=1) == 1).all()
    x = reference.expected_counts(dense, model)

    def fitted(one):
        counts = np.array(
            [dense[one.v[:, j]].sum(axis=0) for j in range(one.v.shape[1])]
        )
        beta = reference.word_probabilities(counts, one.u, one.beta0)
        return reference.bic(dense, one._replace(beta=beta), exact=exact)

    n_salient, tokens = model.u.sum(), dense.sum(axis=1) @ model.v
    slope = prior.price(n_salient, model.u.size)
    one, two = every_pair(5)
    found = merge.losses(data, drawn, one, two, prior, Inline())
    for loss, j, k in zip(found, one, two, strict=True):
        price = 0.5 * np.log((tokens[j] + tokens[k]) / (2 * np.pi)) + slope
        _, best = reference.best_words(x[j] + x[k], model.beta0, price)
        merged = as_one(model, j, k, best)
        assert loss == pytest.approx(fitted(merged) - fitted(model), abs=1e-6)


def test_bic_rises_by_no_more_than_the_loss():
    """Also where documents have several topics, and both of the pair."""
    corpus, _ = make_corpus(
        200, 60, 5, salient_per_topic=8, doc_length=150, topics_per_doc=2, boost=4
    )
    problem = searched(corpus.counts)
    fitted = problem.start(7)
    data, parameters = fitted.data, fitted.parameters
    one, two = every_pair(7)
    prior = problem.prior(7)
    found = merge.losses(data, parameters, one, two, prior, Inline())
    for loss, j, k in zip(found, one, two, strict=True):
        into = np.arange(7)
        into[k] = j
        merged = rearrange.merge(data, parameters, into, Inline())
        start = rearrange.renumber(data, merged, np.unique(into), Inline())
        after = problem.criterion(problem.fit(data, start, certify=False))
        assert after <= problem.criterion(fitted) + loss + 1e-6


@pytest.fixture(scope="module")
def halved():
    """A model in which one topic stands twice, with some of its documents each."""
    corpus, _ = make_corpus(300, 200, 5, salient_per_topic=20, boost=4, doc_length=80)
    problem = searched(corpus.counts, removal="loss")
    fitted = problem.start(5)
    data, parameters = fitted.data, fitted.parameters
    halves = split.split(data, parameters, 1, np.random.RandomState(0), Inline())
    return problem, fitted, problem.fit(data, halves, certify=False, max_iter=1)


def test_halves_of_a_topic_are_merged(halved):
    problem, whole, twice = halved
    n_topics, merged = problem.merge(twice, 2)
    assert n_topics == merged.parameters.n_topics == 5
    assert problem.criterion(merged) < problem.criterion(twice)
    assert problem.criterion(merged) <= problem.criterion(whole) * (1 + 1e-4)


def test_no_topics_are_merged_below_the_least_number_or_if_it_does_not_pay(halved):
    problem, whole, twice = halved
    assert problem.merge(twice, 6) is None
    assert problem.merge(whole, 2) is None


def test_losses_of_merging_have_the_same_bits_on_two_threads(halved):
    _, _, twice = halved
    one, two = every_pair(6)
    asked = (twice.data, twice.parameters, one, two, WordPrior(False))
    with engine(2) as workers:
        assert np.array_equal(
            merge.losses(*asked, workers), merge.losses(*asked, Inline())
        )


def test_at_most_so_many_are_merged():
    loss, one, two = (
        np.array([-1.0, -2.0, 3.0]),
        np.array([0, 2, 4]),
        np.array([1, 3, 5]),
    )
    assert list(merge.chosen(loss, one, two, 6, 6)) == [0, 0, 2, 2, 4, 5]
    assert list(merge.chosen(loss, one, two, 6, 1)) == [0, 1, 2, 2, 4, 5]


def test_a_search_begins_with_the_topics_of_two_starts(monkeypatch):
    corpus, _ = make_corpus(400, 200, 6, salient_per_topic=20, boost=4, doc_length=60)
    problem = searched(corpus.counts, removal="loss")
    pooled = []
    pool = from_above._pool
    monkeypatch.setattr(
        from_above, "_pool", lambda *given: pooled.append(given) or pool(*given)
    )
    fitted, blended = from_above.begin(problem, from_above.first(problem, 80), 2)
    assert not blended
    assert [start.n_topics for start in pooled[0][1:3]] == [20, 20]
    assert fitted.parameters.n_topics <= 40
    model = reference.dense_model(fitted.data, fitted.parameters)
    assert model.v.any(axis=0).all()
    start: Parameters = pool(*pooled[0])
    v = reference.dense_model(fitted.data, start).v
    assert (v.sum(axis=1) == 1).all()
    assert v.any(axis=0).all()


def test_blended_documents_begin_with_all_topics_of_the_likelier_start(monkeypatch):
    corpus, _ = make_corpus(
        400, 200, 6, salient_per_topic=20, boost=4, doc_length=60, topics_per_doc=2
    )
    problem = searched(corpus.counts, removal="loss")
    monkeypatch.setattr(from_above, "_BLENDED", -1.0)
    pooled, rough = [], []
    pool, fewer = from_above._pool, problem.fewer
    monkeypatch.setattr(
        from_above, "_pool", lambda *given: pooled.append(given) or pool(*given)
    )

    def watched(fitted, n_topics, *, merging, max_iter):
        rough.append((n_topics, max_iter is not None))
        return fewer(fitted, n_topics, merging=merging, max_iter=max_iter)

    monkeypatch.setattr(problem, "fewer", watched)
    fitted, blended = from_above.begin(problem, from_above.first(problem, 80), 2)
    assert blended
    assert [start.n_topics for start in pooled[0][1:3]] == [12, 12]
    assert {n >= 20 for n, is_rough in rough if is_rough} == {True}
    assert {n < 20 for n, is_rough in rough if not is_rough} == {True}
    assert fitted.parameters.n_topics <= 24

    joined = reference.dense_model(fitted.data, pool(*pooled[0]))
    one, two = (reference.dense_model(fitted.data, start) for start in pooled[0][1:3])
    dense = corpus.counts.toarray()
    first, second = (
        reference.document_log_likelihoods(dense, each) for each in (one, two)
    )
    clear = np.abs(first - second) > 1e-6
    assert clear.mean() > 0.9
    ours, theirs = one.alpha.copy(), two.alpha.copy()
    ours[second > first] = 0.0
    theirs[second <= first] = 0.0
    assert ours.any()
    assert theirs.any()
    alpha = np.hstack([ours, theirs])
    kept = alpha.any(axis=0)
    np.testing.assert_array_equal(joined.alpha[clear], alpha[clear][:, kept])
    np.testing.assert_array_equal(joined.beta, np.vstack([one.beta, two.beta])[kept])

    assert not from_above.may_be_rough(problem, 200)
