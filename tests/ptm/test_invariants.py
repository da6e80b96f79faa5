"""A fit that is sound passes; every broken invariant is named."""

import numpy as np
import pytest
from tests.ptm.instances import csr, random_counts

from leantopics.engine.threads import Inline
from leantopics.ptm import em, initialise, invariants, state
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.updates import WordRules

PRIOR = WordPrior(exact=False)


@pytest.fixture
def fitted():
    counts, _ = random_counts(np.random.default_rng(0), 30, 25, 4)
    data = state.prepare(csr(counts))
    start = initialise.seeded(data, 4, 2, np.random.RandomState(0), Inline())
    rules, stopping = WordRules(PRIOR, 20), em.Stopping(tol=1e-6, max_iter=100)
    return em.fit(data, em.Start(start), rules, Inline(), stopping)


def test_a_sound_fit_passes(fitted):
    invariants.check(fitted, PRIOR, Inline())


def with_salient(fitted, **changes):
    salient = fitted.parameters.salient._replace(**changes)
    return fitted._replace(parameters=fitted.parameters._replace(salient=salient))


def with_mix(fitted, **changes):
    (topics,) = fitted.parameters.topics
    first, *others = topics.mixes
    topics = topics._replace(mixes=[first._replace(**changes), *others])
    return fitted._replace(parameters=fitted.parameters._replace(topics=[topics]))


def mix_of(fitted):
    return fitted.parameters.topics[0].mixes[0]


def changed(values, place, value):
    out = values.copy()
    out[place] = value
    return out


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.5])
def test_proportions_that_are_none(fitted, value):
    alpha = changed(mix_of(fitted).alpha, 0, value)
    with pytest.raises(RuntimeError, match="a proportion is negative or not a number"):
        invariants.check(with_mix(fitted, alpha=alpha), PRIOR, Inline())


def test_proportions_that_do_not_sum_to_one(fitted):
    alpha = 0.9 * mix_of(fitted).alpha
    with pytest.raises(
        RuntimeError, match=r"the topics of document \d+ sum to 0\.[89]"
    ):
        invariants.check(with_mix(fitted, alpha=alpha), PRIOR, Inline())


def test_a_document_without_a_topic(fitted):
    indptr = changed(mix_of(fitted).indptr, 1, 0)
    with pytest.raises(RuntimeError, match="document 0 has no topic"):
        invariants.check(with_mix(fitted, indptr=indptr), PRIOR, Inline())


def test_a_topic_without_a_document(fitted):
    topic = mix_of(fitted).topic.copy()
    topic[topic == 2] = 1
    with pytest.raises(RuntimeError, match="topic 2 has no document"):
        invariants.check(with_mix(fitted, topic=topic), PRIOR, Inline())


def test_a_topic_without_a_salient_word(fitted):
    indptr = changed(fitted.parameters.salient.indptr, 1, 0)
    with pytest.raises(RuntimeError, match="topic 0 has no salient word"):
        invariants.check(with_salient(fitted, indptr=indptr), PRIOR, Inline())


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.5])
def test_word_probabilities_that_are_none(fitted, value):
    excess = changed(fitted.parameters.salient.excess, 0, value)
    with pytest.raises(RuntimeError, match="probability is negative or not a number"):
        invariants.check(with_salient(fitted, excess=excess), PRIOR, Inline())


def test_words_that_do_not_sum_to_one(fitted):
    excess = fitted.parameters.salient.excess + 0.01
    with pytest.raises(RuntimeError, match=r"the words of topic \d sum to 1\.0"):
        invariants.check(with_salient(fitted, excess=excess), PRIOR, Inline())


@pytest.mark.parametrize("value", [np.nan, np.inf, 1.0])
def test_a_bic_that_is_another(fitted, value):
    terms = fitted.terms
    terms = terms._replace(neg_log_likelihood=terms.neg_log_likelihood + value)
    with pytest.raises(RuntimeError, match=r"its BIC is .*, but .* when recomputed"):
        invariants.check(fitted._replace(terms=terms), PRIOR, Inline())
