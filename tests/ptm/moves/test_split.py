"""Topics split where their documents tell two apart."""

import numpy as np
import pytest
from scipy.special import xlogy
from tests import reference
from tests.ptm.search.test_fitter import searched

from leantopics.datasets import make_corpus
from leantopics.engine.threads import Inline, engine
from leantopics.models import shards
from leantopics.models.sweep import best_number
from leantopics.ptm import state
from leantopics.ptm.moves import rearrange, split
from leantopics.ptm.search import choice, from_below


@pytest.fixture(scope="module")
def mixed():
    """Documents of several topics each."""
    return make_corpus(
        200, 80, 8, salient_per_topic=8, doc_length=20_000, topics_per_doc=3
    )[0].counts


@pytest.fixture(scope="module")
def fitted(mixed):
    problem = searched(mixed)
    return problem, problem.start(5)


def halves(fit, workers=None, seed=0):
    random = np.random.RandomState(seed)
    return split.halves(fit.data, fit.parameters, random, workers or Inline())


def words_of(fit):
    """Words x[d, j, n] that a document has of a topic."""
    counts = reference.dense_data(fit.data)
    model = reference.dense_model(fit.data, fit.parameters)
    posterior = reference.posteriors(counts, model)
    return np.einsum("dn,djn->djn", counts, posterior), model


def test_gains_are_those_of_the_words_drawn_from_two_topics_instead_of_one(fitted):
    _, fit = fitted
    both, gain = halves(fit)
    x, model = words_of(fit)
    v = reference.dense_model(fit.data, both).v
    first, second = v[:, :5], v[:, 5:]
    assert not (first & second).any()
    np.testing.assert_array_equal(first | second, model.v)
    a, b = (np.einsum("djn,dj->jn", x, half) for half in (first, second))
    terms = [xlogy(each, each / each.sum(axis=1)[:, None]) for each in (a, b, a + b)]
    expected = (terms[0] + terms[1] - terms[2]).sum(axis=1)
    np.testing.assert_allclose(gain, expected, rtol=1e-9)
    assert (gain > 0).all()


def test_documents_end_in_the_half_that_makes_their_words_more_likely(fitted):
    _, fit = fitted
    both, _ = halves(fit)
    x, model = words_of(fit)
    second = reference.dense_model(fit.data, both).v[:, 5:]
    halved = [np.einsum("djn,dj->jn", x, half) for half in (model.v & ~second, second)]
    share = [each / each.sum(axis=1)[:, None] for each in halved]
    whole = sum(halved) / sum(halved).sum(axis=1)[:, None]
    odds = np.log((share[1] + 0.1 * whole) / (share[0] + 0.1 * whole))
    likelier = np.einsum("djn,jn->dj", x, odds) > 0
    assert (likelier == second)[model.v].mean() > 0.98


def test_a_topic_that_was_made_of_two_is_split_first(mixed):
    """And its halves are those two."""
    problem = searched(mixed)
    fit = problem.start(9)
    v = reference.dense_model(fit.data, fit.parameters).v
    together = (v[:, :, None] & v[:, None, :]).sum(axis=0) + np.eye(9) * 1e9
    j, k = np.sort(np.unravel_index(together.argmin(), together.shape))
    into = np.arange(9)
    into[k] = j
    joined = rearrange.merge(fit.data, fit.parameters, into, Inline())
    eight = rearrange.renumber(fit.data, joined, np.unique(into), Inline())
    parted = split.split(fit.data, eight, 1, np.random.RandomState(0), Inline())
    assert parted.n_topics == 9
    after = reference.dense_model(fit.data, parted).v
    mine = [set(np.flatnonzero(v[:, each])) for each in (j, k)]
    found = [set(np.flatnonzero(after[:, each])) for each in (j, 8)]
    alike = [[len(a & b) / len(a | b) for b in found] for a in mine]
    assert max(min(alike[0][0], alike[1][1]), min(alike[0][1], alike[1][0])) > 0.6


def test_those_are_split_that_gain_most_and_others_stay(fitted):
    _, fit = fitted
    _, gain = halves(fit)
    parted = split.split(
        fit.data, fit.parameters, 2, np.random.RandomState(0), Inline()
    )
    before = reference.dense_model(fit.data, fit.parameters)
    after = reference.dense_model(fit.data, parted)
    chosen = np.sort(np.argsort(-gain)[:2])
    assert parted.n_topics == 7
    np.testing.assert_array_equal(after.u[5:], before.u[chosen])
    np.testing.assert_allclose(after.beta[5:], before.beta[chosen])
    joined = after.alpha[:, :5].copy()
    joined[:, chosen] += after.alpha[:, 5:]
    np.testing.assert_allclose(joined, before.alpha)


def test_topics_of_one_document_cannot_be_split():
    problem = searched(make_corpus(3, 60, 2, doc_length=50)[0].counts)
    fit = problem.start(3)
    assert problem.more(fit, 4) is None


def test_more_than_twice_as_many_topics_are_split_twice(fitted):
    problem, fit = fitted
    more = problem.more(fit, 12)
    assert more.parameters.n_topics == 12
    assert problem.criterion(more) < problem.criterion(fit)


def test_halves_have_the_same_bits_on_two_threads_and_in_groups(monkeypatch, mixed):
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 500)
    fit = searched(mixed).start(5)
    alone, gain = halves(fit)
    with engine(2) as workers:
        both, same = halves(fit, workers)
    np.testing.assert_array_equal(gain, same)
    mixes = [reference.all_mixes(each.topics) for each in (alone, both)]
    for one, two in zip(*mixes, strict=True):
        np.testing.assert_array_equal(one.topic, two.topic)
    monkeypatch.setattr(state, "GROUP_ENTRIES", 3000)
    grouped = searched(mixed).start(5)
    assert len(grouped.data.groups) > 1
    np.testing.assert_allclose(halves(grouped)[1], gain, rtol=1e-6)


def test_a_search_of_mixed_documents_grows_from_few_topics(mixed, monkeypatch):
    problem, grown = searched(mixed, removal="loss"), []
    ascend = from_below.ascend
    monkeypatch.setattr(
        from_below, "ascend", lambda *given: grown.append(given) or ascend(*given)
    )
    path = choice.search(problem, 20, 2, 200)
    ((_, n_topics, few, *_),) = grown
    assert n_topics == few.parameters.n_topics == 2
    assert few.stop_reason == "tol"
    best = best_number(problem, path)
    assert 7 <= best <= 9
    assert problem.criterion(path[best]) < problem.criterion(
        searched(mixed).start(best)
    )
