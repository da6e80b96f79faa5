"""Where fits begin: from scratch, and after topics were removed."""

import math

import numpy as np
import pytest
from scipy import sparse
from tests import reference

from leantopics.datasets import make_corpus
from leantopics.engine.threads import Inline
from leantopics.ptm.moves import rearrange, remove
from leantopics.ptm.search import from_above, from_below, starts
from leantopics.ptm.search.fitter import Fitter, Options
from leantopics.ptm.state import prepare


@pytest.fixture(scope="module")
def counts():
    corpus, _ = make_corpus(400, 200, 6, salient_per_topic=20, boost=4, doc_length=60)
    return corpus.counts


def searched(counts, procedure="paper", init="seeded", removal="mass"):
    options = Options(procedure, removal, False, "frequency", init, 5, 100, 20, 1e-4)
    random = np.random.RandomState(0)
    return Fitter(prepare(counts), options, random, Inline(), lambda each: None)


@pytest.mark.parametrize(("shared", "most"), [("frequency", 12), ("learned", None)])
def test_no_fit_is_rough_where_the_shared_model_is_learned(
    counts, monkeypatch, shared, most
):
    problem = searched(counts)
    problem._options = problem._options._replace(shared=shared)
    asked = []
    monkeypatch.setattr(from_below, "ascend", lambda *given: asked.append(given[-1]))
    from_below.search(problem, 4, 20)
    assert asked == [most]
    assert from_above.may_be_rough(problem, 6) == (shared == "frequency")


@pytest.mark.parametrize("init", ["seeded", "random"])
def test_a_start_is_settled_with_one_topic_a_document(counts, init):
    first = searched(counts, init=init).first(6)
    drawn = searched(counts, init=init).first(6, rounds=0)
    data, dense = prepare(counts), counts.toarray()
    settled, raw = (reference.dense_model(data, each) for each in (first, drawn))
    for model in (settled, raw):
        assert (model.v.sum(axis=1) == 1).all()
        assert model.v.any(axis=0).all()
    assert reference.bic(dense, settled) < reference.bic(dense, raw)
    # Hardly any document would rather be elsewhere.
    likelihood = (
        dense @ np.log(np.where(settled.u, settled.beta, settled.beta0) + 1e-9).T
    )
    moved = likelihood.argmax(axis=1) != settled.v.argmax(axis=1)
    assert moved.mean() < 0.1


def test_mixed_documents_are_not_settled(monkeypatch):
    """Documents of several topics each keep the start that was drawn."""
    corpus, _ = make_corpus(
        200, 80, 8, salient_per_topic=8, doc_length=20_000, topics_per_doc=3
    )
    problem = searched(corpus.counts)
    rounds = []
    monkeypatch.setattr(starts, "one_topic_each", rounds.append)
    problem.first(8)
    assert rounds == []


@pytest.mark.parametrize("procedure", ["paper", "published"])
def test_documents_that_keep_their_topics_stay_quiet(monkeypatch, counts, procedure):
    problem = searched(counts, procedure)
    fitted = problem.start(8)
    given = {}

    def fit(data, parameters, certify, quiet, max_iter):
        assert quiet
        given.update(parameters=parameters)
        return fitted

    monkeypatch.setattr(problem, "fit", fit)
    problem.fewer(fitted, 6)
    before = reference.dense_model(problem.data, fitted.parameters).v
    after = reference.dense_model(problem.data, given["parameters"]).v
    mass = rearrange.topic_mass(problem.data, fitted.parameters, Inline())
    kept = np.sort(np.argsort(-mass, kind="stable")[:6])
    same = (before[:, kept] == after).all(axis=1)
    same &= before.sum(axis=1) == after.sum(axis=1)
    quiet, then = (
        np.concatenate([part for group in each.topics for part in group.quiet])
        for each in (fitted.parameters, given["parameters"])
    )
    np.testing.assert_array_equal(then, np.where(same, quiet, -np.inf))
    assert 0 < same.sum() < len(same)


def dense_loss(counts, model, topic):
    """What documents lose without a topic, as `losses` puts it, one by one."""
    trace = 1e-6
    ratio = np.where(model.u, model.beta / model.beta0, 1.0)
    ratio = 1.0 + (1.0 - trace) * (ratio - 1.0)
    others = np.delete(np.arange(len(model.beta)), topic)
    out = 0.0
    for row, alpha, present in zip(counts, model.alpha, model.v, strict=True):
        if not present[topic]:
            continue
        m, n_topics = int(present.sum()), len(alpha)
        used = row > 0
        whole, row, near = ratios_of(model)[:, used], row[used], ratio[:, used]
        now = row @ np.log(alpha @ whole)
        own = 0.5 * np.log(row.sum() / (2 * np.pi))
        choose = [math.log(math.comb(n_topics, k)) for k in range(n_topics + 1)]
        single = max(row @ np.log(near[k]) for k in others)
        loss = now - single - (m - 1) * own - (choose[m] - choose[1])
        if m > 1 and alpha[topic] < 1.0:
            rest = np.where(np.arange(n_topics) == topic, 0.0, alpha)
            kept = row @ np.log(rest / rest.sum() @ near)
            loss = min(loss, now - kept - own - (choose[m] - choose[m - 1]))
        out += loss
    return out


def ratios_of(model):
    return np.where(model.u, model.beta / model.beta0, 1.0)


def test_losses_of_topics(counts):
    problem = searched(counts, removal="loss")
    fitted = problem.start(8)
    data, dense = prepare(counts), counts.toarray()
    model = reference.dense_model(data, fitted.parameters)
    found, heirs = problem.losses(fitted)
    n_salient, tokens = model.u.sum(axis=1), dense.sum(axis=1) @ model.v
    p = n_salient.sum() / model.u.size
    price = 0.5 * np.log(tokens / (2 * np.pi)) + np.log((1 - p) / p)
    for j in range(8):
        expected = dense_loss(dense, model, j) - n_salient[j] * price[j]
        assert found[j] == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert heirs.sum(axis=1) == pytest.approx(1.0)
    assert not heirs.diagonal().any()


def test_the_topic_of_the_least_loss_goes(monkeypatch, counts):
    problem = searched(counts, removal="loss")
    fitted = problem.start(8)
    worst = int(np.argmin(problem.losses(fitted)[0]))
    starts = []
    monkeypatch.setattr(problem, "fit", lambda _, start, **how: starts.append(start))
    problem.fewer(fitted, 7)
    kept = np.delete(np.arange(8), worst)
    sizes = np.diff(fitted.parameters.salient.indptr)[kept]
    assert np.array_equal(np.diff(starts[0].salient.indptr), sizes)


def test_the_loss_tells_what_a_removal_costs(counts):
    """The order of estimated losses is about that of fits without the topic."""
    problem = searched(counts, removal="loss")
    fitted = problem.start(8)
    (estimated, _), found = problem.losses(fitted), []
    for j in range(8):
        kept = np.delete(np.arange(8), j)
        data = fitted.data
        fewer = rearrange.renumber(data, fitted.parameters, kept, Inline())
        start = rearrange.with_orphans(data, fewer, Inline())
        found.append(problem.criterion(problem.fit(data, start, certify=False)))
    assert np.corrcoef(estimated, found)[0, 1] > 0.8


def test_heirs_stay_while_there_are_others_to_remove():
    loss = np.array([1.0, 2.0, 3.0, 4.0])
    heirs = sparse.csr_array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    assert sorted(remove.spread_out(loss, heirs, 2)) == [0, 2]
    assert sorted(remove.spread_out(loss, heirs, 3)) == [0, 1, 2]
    few = sparse.csr_array(0.2 * heirs)
    assert sorted(remove.spread_out(loss, few, 2)) == [0, 1]
