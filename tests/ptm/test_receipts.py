"""The receipt of a document: what its part of BIC is made of."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.ptm.objective import bic_terms, total

TWO_PI = 2.0 * math.pi
TRACE = 1e-6


@pytest.fixture(scope="module", params=["words", "bursts"])
def fitted(request):
    corpus, _ = make_corpus(
        300, 120, 5, topics_per_doc=1.8, boost=5, doc_length=60, random_state=3
    )
    model = ParsimoniousTopicModel(5, evidence=request.param, random_state=0)
    model.fit(corpus.select(np.arange(200)))
    return model, corpus.counts[200:220]


def probabilities(model):
    return (1.0 - TRACE) * model.components_ + TRACE * model.shared_word_prob_


def terms(model, worth, topics, log_likelihood):
    """BIC of the documents of the fit and of one more, if given."""
    alpha = model.topic_proportions_
    sizes = np.bincount(np.diff(alpha.indptr), minlength=model.n_topics_ + 1)
    tokens = model._snapshot.tokens.copy()
    proportions = 0.0
    if topics is not None:
        sizes[len(topics)] += 1
        tokens[topics] += worth.sum()
        proportions = (len(topics) - 1) * math.log(worth.sum() / TWO_PI)
    return total(
        bic_terms(
            with_topics=sizes,
            proportions=proportions,
            salient_in_topic=model.n_salient_words_,
            tokens_in_topic=tokens,
            n_words=120,
            log_likelihood=log_likelihood,
            word_prior=model._prior(),
        )
    )


def test_it_sums_to_the_change_of_bic_by_the_document(fitted):
    model, counts = fitted
    worth = model._effective(counts).toarray()
    before = terms(model, None, None, 0.0)
    for d, one in enumerate(model.explain(counts, receipts=True)):
        receipt = one.receipt
        topics = [line.topic for line in receipt.topics]
        alpha = np.zeros(5)
        alpha[topics] = [line.share for line in receipt.topics]
        likely = float(worth[d] @ np.log(alpha @ probabilities(model)))
        change = terms(model, worth[d], topics, likely) - before
        assert receipt.bic == pytest.approx(change, abs=1e-6)
        parts = receipt.shared + receipt.choice + receipt.together
        parts -= sum(line.net for line in receipt.topics)
        assert receipt.bic == pytest.approx(parts, abs=1e-9)
        assert receipt.by_topic.sum(axis=0) == pytest.approx(receipt.earned)
        if len(topics) == 1:
            assert receipt.together == pytest.approx(0.0, abs=1e-9)
            assert receipt.topics[0].earned == pytest.approx(receipt.earned.sum())
        for line in receipt.topics:
            assert line.net == line.earned - line.price


def best_bic(model, worth, topics):
    """Least part of BIC with these topics, by a general optimiser."""
    beta = probabilities(model)[list(topics)]
    seen = np.flatnonzero(worth)

    def loss(z):
        alpha = np.exp(z - z.max())
        return -float(worth[seen] @ np.log((alpha / alpha.sum()) @ beta[:, seen]))

    starts = [np.zeros(len(topics)), *(4.0 * np.eye(len(topics)))]
    likely = -min(minimize(loss, start, method="BFGS").fun for start in starts)
    before = terms(model, None, None, 0.0)
    return terms(model, worth, list(topics), likely) - before


def test_the_runner_up_is_the_best_in_the_place_of_a_topic(fitted):
    model, counts = fitted
    worth = model._effective(counts).toarray()
    several = 0
    for d, one in enumerate(model.explain(counts, receipts=True)[:12]):
        topics = [line.topic for line in one.receipt.topics]
        several += len(topics) > 1
        mine = best_bic(model, worth[d], topics)
        for line in one.receipt.topics:
            rest = [j for j in topics if j != line.topic]
            ways = {k: [*rest, k] for k in range(5) if k not in topics}
            if rest:
                ways[-1] = rest
            values = {k: best_bic(model, worth[d], way) for k, way in ways.items()}
            if rest:
                assert line.net == pytest.approx(values[-1] - mine, abs=0.02)
            best = min(values.values())
            assert line.margin == pytest.approx(best - mine, abs=0.02)
            assert values[line.runner_up] == pytest.approx(best, abs=0.02)
            assert line.margin > -0.02
    assert several


def test_given_proportions_are_accounted_for(fitted):
    model, counts = fitted
    shares = sparse.csr_array(np.full((2, 5), 0.2))
    for one in model.explain(counts[:2], shares, receipts=True):
        assert [line.share for line in one.receipt.topics] == [0.2] * 5
        others = itertools.chain(line.runner_up for line in one.receipt.topics)
        assert set(others) == {-1}


def test_a_document_without_words_has_no_receipt(fitted):
    model, _ = fitted
    one, two = model.explain(np.zeros((2, 120)), receipts=True)
    assert one.receipt is None and two.receipt is None


def test_there_is_none_unless_asked_for(fitted):
    model, counts = fitted
    assert all(one.receipt is None for one in model.explain(counts))
