"""Where fits begin: from scratch, and after topics were removed."""

import numpy as np
import pytest
from tests import reference

from leantopics.datasets import make_corpus
from leantopics.engine import Inline
from leantopics.ptm import search
from leantopics.ptm.search import Options, Search
from leantopics.ptm.state import prepare


@pytest.fixture(scope="module")
def counts():
    corpus, _ = make_corpus(400, 200, 6, salient_per_topic=20, boost=4, doc_length=60)
    return corpus.counts


def searched(counts, procedure="paper", init="seeded"):
    options = Options(procedure, False, init, 5, 100, 20, 1e-4)
    random = np.random.RandomState(0)
    return Search(prepare(counts), options, random, Inline(), lambda each: None)


@pytest.mark.parametrize("init", ["seeded", "random"])
def test_a_start_is_settled_with_one_topic_a_document(monkeypatch, counts, init):
    first = searched(counts, init=init).first(6)
    monkeypatch.setattr(search, "_ROUNDS", 0)
    drawn = searched(counts, init=init).first(6)
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
    moves = likelihood.argmax(axis=1) != settled.v.argmax(axis=1)
    assert moves.mean() < 0.1


def test_mixed_documents_are_not_settled(monkeypatch):
    """Documents of several topics each keep the start that was drawn."""
    corpus, _ = make_corpus(
        200, 80, 8, salient_per_topic=8, doc_length=20_000, topics_per_doc=3
    )
    problem = searched(corpus.counts)
    rounds = []
    monkeypatch.setattr(problem, "_one_topic_each", rounds.append)
    problem.first(8)
    assert rounds == []


@pytest.mark.parametrize("procedure", ["paper", "published"])
def test_documents_that_keep_their_topics_stay_quiet(monkeypatch, counts, procedure):
    problem = searched(counts, procedure)
    fitted = problem.start(8)
    given = {}

    def fit(parameters, certify, quiet):
        given.update(parameters=parameters, quiet=np.concatenate(quiet))
        return fitted

    monkeypatch.setattr(problem, "fit", fit)
    problem.fewer(fitted, 6)
    before = reference.dense_model(problem._data, fitted.parameters).v
    after = reference.dense_model(problem._data, given["parameters"]).v
    mass = np.array(search.topic_mass(problem._data, fitted.parameters))
    kept = np.sort(np.argsort(-mass, kind="stable")[:6])
    same = (before[:, kept] == after).all(axis=1)
    same &= before.sum(axis=1) == after.sum(axis=1)
    quiet = np.concatenate(fitted.look.quiet)
    np.testing.assert_array_equal(given["quiet"], np.where(same, quiet, -np.inf))
    assert 0 < same.sum() < len(same)
