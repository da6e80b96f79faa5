import numpy as np
import pytest
from sklearn.base import clone
from tests import reference
from tests.ptm.instances import random_counts, random_state

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.ptm.kernels import inference


@pytest.mark.parametrize("length", [2, 30, 300])
@pytest.mark.parametrize("seed", range(4))
def test_all_topics_allowed(seed, length):
    """The best proportions on all topics, whatever the first; no topic twice."""
    counts, model = random_state(seed, n_topics=6)
    trace = 1e-6
    beta = np.where(model.u, (1 - trace) * model.beta + trace * model.beta0, 0.0)
    model = model._replace(beta=beta)
    rng = np.random.default_rng(seed)
    new, _ = random_counts(rng, 10, counts.shape[1], 6, length=length)
    first = rng.integers(6, size=10).astype(np.int32)
    values, bundle = np.empty(10), reference.counts_of(new)
    mixes = reference.DocTopics(
        *inference.spread(
            bundle,
            first,
            reference.salient_of(model),
            reference.table_of(model),
            values,
            inference.scratch(bundle, 6, new.shape[1]),
        )
    )
    v, alpha = reference.dense_mixes(mixes, 6)
    np.testing.assert_allclose(alpha.sum(axis=1), 1.0)
    assert (alpha[v] > 0).all()
    ratio = reference.ratios(model)
    for d, row in enumerate(new):
        best, _ = reference.best_proportions(row, ratio)
        assert values[d] == pytest.approx(best, abs=3e-6)
        seen = row > 0
        own = reference.mixture_value(row[seen], ratio[:, seen], alpha[d])
        assert own == pytest.approx(values[d], abs=1e-9)


def together(counts, ratio, beta0):
    """Dense twin: EM on all topics, stopped by the likelihood of all documents."""
    alpha = np.full((len(counts), len(ratio)), 1.0 / len(ratio))
    base, reached = (counts * np.log(beta0)).sum(), -np.inf
    while True:
        q = alpha @ ratio
        before, reached = reached, base + (counts * np.log(q)).sum()
        alpha = alpha * ((counts / q) @ ratio.T) / counts.sum(axis=1, keepdims=True)
        if reached - before < 1e-4 * abs(reached):
            return alpha


def test_the_published_procedure_infers_all_documents_together():
    corpus, _ = make_corpus(150, 80, 4, topics_per_doc=2, doc_length=60, random_state=0)
    few = corpus.counts[:60].toarray()
    few[7] = 0.0
    settings = dict(evidence="words", prediction="switched", inference="all")
    model = ParsimoniousTopicModel(
        4, procedure="published", random_state=0, n_jobs=2, **settings
    ).fit(corpus)
    salient = model.salient_word_prob_
    u = np.zeros(salient.shape, dtype=bool)
    u[np.repeat(np.arange(4), np.diff(salient.indptr)), salient.indices] = True
    beta0 = model.shared_word_prob_
    ratio = np.where(u, (1 - 1e-6) * salient.toarray() / beta0 + 1e-6, 1.0)
    full = few.any(axis=1)
    found = model.transform(few)
    np.testing.assert_allclose(
        found[full], together(few[full], ratio, beta0), rtol=1e-5, atol=1e-9
    )
    alone = model.transform(few[:1])
    assert np.abs(alone - found[:1]).max() < 0.2
    own = clone(model).set_params(procedure="paper").fit(corpus)
    own._snapshot, own._made = model._snapshot, {}
    assert own.score(few[full]) > model.score(few[full])
