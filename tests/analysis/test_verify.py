"""Verification holds for sound models, and finds whatever was changed."""

import copy

import numpy as np
import pytest
from scipy import sparse
from scipy.special import xlogy
from tests import reference
from tests.ptm.instances import random_state

from leantopics import LDA, Guide, ParsimoniousTopicModel, load_model, make_corpus
from leantopics.analysis.certificate import Fit, topic_flips, word_flips
from leantopics.analysis.verify import summary, verify

SETTINGS = [
    {"evidence": "words"},
    {"evidence": "bursts"},
    {"evidence": "words", "word_prior": "entropy"},
    {"evidence": "words", "shared": "learned"},
    {"evidence": "words", "procedure": "published", "word_prior": "entropy"},
]


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(150, 120, 4, topics_per_doc=1.8, boost=5, random_state=5)[0]


@pytest.fixture(scope="module")
def model(corpus):
    return ParsimoniousTopicModel(4, evidence="bursts", random_state=0).fit(corpus)


@pytest.mark.parametrize("settings", SETTINGS)
def test_all_holds_for_every_kind_of_fit(corpus, settings):
    fitted = ParsimoniousTopicModel(5, random_state=0, **settings).fit(corpus)
    assert fitted.converged_
    checks = verify(fitted, corpus)
    assert summary(checks) == f"All {len(checks)} checks hold."
    assert [check.check for check in checks if "certificate" in check.check]


def test_the_finer_topics_are_verified_too(corpus):
    fitted = ParsimoniousTopicModel(evidence="bursts", max_topics=8, random_state=0)
    names = [check.check for check in verify(fitted.fit(corpus), corpus)]
    assert {"bic", "finer bic", "finer certificate: topic switches"} <= set(names)


def failing(model, corpus):
    return {check.check for check in verify(model, corpus) if not check.holds}


@pytest.mark.parametrize(
    "guide",
    [
        Guide(documents={"odd": [0, 1, 2, 3, 4]}),
        Guide(together=[[0, 1, 2]], apart=[[0, 5, 9]]),
        Guide(words={"sea": ["word003"]}, not_words={"sea": ["word001", "word002"]}),
    ],
)
def test_what_a_guide_holds_is_not_switched(corpus, guide, tmp_path):
    fitted = ParsimoniousTopicModel(5, evidence="words", random_state=0)
    fitted.fit(corpus, guide=guide).save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    checks = verify(loaded, corpus)
    assert summary(checks) == f"All {len(checks)} checks hold."
    loaded.guide_costs_ = [{**row, "held": False} for row in loaded.guide_costs_]
    assert sum(row["nats"] > 0.01 for row in loaded.guide_costs_) > 0
    loaded.pinned_words_ = {}
    assert "certificate" in summary(verify(loaded, corpus))


def test_a_refreshed_model_is_verified(corpus):
    rows = range(0, corpus.n_docs, 2)
    first = ParsimoniousTopicModel(evidence="bursts", random_state=0)
    checks = verify(first.fit(corpus.select(rows)).refresh(corpus), corpus)
    assert summary(checks) == f"All {len(checks)} checks hold."


def test_what_was_changed_is_found(model, corpus):
    def changed(**attributes):
        other = copy.copy(model)
        vars(other).update(attributes)
        return failing(other, corpus)

    assert failing(model, corpus) == set()
    assert changed(bic_=model.bic_ + 1.0) == {"bic"}
    assert changed(log_likelihood_=np.nan) == {"log_likelihood"}
    terms = {**model.bic_terms_, "proportions": 0.0}
    assert changed(bic_terms_=terms) == {"proportions"}
    assert "burstiness" in changed(burstiness_=model.burstiness_ * 1.01)
    halved = model.topic_proportions_.copy()
    halved.data[0] *= 0.5
    assert "proportions sum to 1" in changed(topic_proportions_=halved)
    words = model.salient_word_prob_.copy()
    words.data[:2] = words.data[:2].sum() / 2.0
    assert {"neg_log_likelihood", "bic"} <= changed(salient_word_prob_=words)


def test_a_fit_that_was_cut_short_has_no_certificate(corpus):
    with pytest.warns(Warning, match="max_iter=1"):
        short = ParsimoniousTopicModel(4, max_iter=1, random_state=0).fit(corpus)
    checks = verify(short, corpus)
    assert checks[-1].note == "not promised: the fit ended with 'max_iter'"
    short.converged_ = True
    certificates = failing(short, corpus)
    assert certificates <= {"certificate: word switches", "certificate: topic switches"}
    assert certificates


@pytest.mark.parametrize("seed", range(6))
def test_flips_are_those_of_the_reference(seed):
    """The best word switch, and topic switch, as the dense twins have them."""
    counts, model = random_state(seed, n_docs=10, n_words=12, n_topics=4)
    fit = Fit(
        sparse.csr_array(counts),
        pattern(model.v, model.alpha),
        pattern(model.u, model.beta),
        model.beta0,
        False,
        1.0,
    )
    likely = xlogy(counts, model.alpha @ reference.topics(model)).sum()
    assert fit.log_likelihood() == pytest.approx(likely)
    x = reference.expected_counts(counts, model)
    assert fit.expected().toarray() == pytest.approx(x)
    prices = reference.topic_prices(counts, model)
    best = max(
        reference.word_flip_gain(x[j], model.u[j], model.beta0, n)
        - reference.word_flip_cost(model.u, j, n, prices.tokens)
        for j, n in np.ndindex(4, 12)
        if not (model.u[j, n] and model.u[j].sum() == 1)
    )
    assert word_flips(fit, {}).best == pytest.approx(best)
    found = [
        fall
        for c, v in zip(counts, model.v, strict=True)
        for fall in reference.flips(c, reference.ratios(model), v, prices)[0].values()
    ]
    flips = topic_flips(fit)
    assert flips.tried == len(found)
    assert flips.best == pytest.approx(max(found), abs=0.01) or max(found) < 0.0


def pattern(u, values):
    rows, columns = np.nonzero(u)
    indptr = np.concatenate(([0], np.cumsum(u.sum(axis=1))))
    return sparse.csr_array((values[rows, columns], columns, indptr), u.shape)


def test_what_cannot_be_verified_gets_a_sentence(model, corpus):
    with pytest.raises(ValueError, match="must be those of the fit"):
        verify(model, corpus.select(np.arange(100)))
    with pytest.raises(ValueError, match="LDA states no BIC"):
        verify(LDA(2, random_state=0).fit(corpus), corpus)
