"""Documents that the fit has not seen."""

import copy
import warnings

import numpy as np
import pytest
from scipy import sparse
from tests import reference
from tests.model.recount import document_log_likelihoods, pattern, scored_topics

from leantopics import Corpus, ParsimoniousTopicModel, make_corpus


@pytest.fixture(scope="module")
def others():
    """Documents from the same topics, some of them long, short or odd."""
    settings = dict(salient_per_topic=16, overlap=1.0, boost=4, dip=0.05)
    drawn, _ = make_corpus(60, 100, 4, topics_per_doc=2.0, doc_length=60, **settings)
    counts = drawn.counts.toarray()
    counts[:10] *= 30
    counts[10:20] *= 0.01
    counts[20:30] = np.eye(100)[:10]
    return counts


@pytest.fixture(scope="module")
def gapped(corpus):
    """A model of a corpus without words 7 and 50, and with an empty document."""
    counts = corpus.counts.toarray()
    counts[:, [7, 50]] = 0
    counts[3] = 0
    return ParsimoniousTopicModel(4, evidence="words", random_state=0).fit(
        counts
    ), counts


def switched(model, inference="sparse"):
    """The same fitted model, predicting with the switches of the paper."""
    settings = dict(prediction="switched", inference=inference)
    return copy.deepcopy(model).set_params(**settings)


def test_words_never_seen_are_left_out(gapped):
    model, counts = gapped
    more = counts.copy()
    more[:, 7] = 5
    more[::2, 50] = 1000
    filled = counts.sum(axis=1) > 0
    for inference in ("sparse", "all"):
        here = copy.deepcopy(model).set_params(inference=inference)
        assert np.array_equal(here.transform(more), here.transform(counts))
        assert here.score(more) == here.score(counts)
        assert np.array_equal(here.shared_share(more), here.shared_share(counts))
        assert not {7, 50} & set(np.concatenate([e.word for e in here.explain(more)]))
    strange = np.zeros((1, 100))
    strange[0, 7] = 3
    assert np.array_equal(model.transform(strange)[0], model.topic_mass_)
    assert model.score(strange) == 0.0
    assert filled.sum() == len(counts) - 1


def test_a_document_without_words_has_the_shares_of_the_corpus(gapped):
    model, counts = gapped
    assert np.array_equal(model.topic_proportions_.toarray()[3], model.topic_mass_)
    assert np.array_equal(model.transform(counts)[3], model.topic_mass_)
    assert model.shared_share(counts)[3] == 1.0
    assert len(model.explain(counts)[3].word) == 0
    assert 3 not in {d for j in range(4) for d, _ in model.documents(j, 1000)}


@pytest.mark.parametrize("inference", ["sparse", "all"])
@pytest.mark.parametrize("sparse_output", [False, True])
@pytest.mark.parametrize("make", [np.zeros, sparse.csr_array])
def test_nothing_but_empty_documents(inference, sparse_output, make, model):
    settings = dict(inference=inference, sparse_output=sparse_output)
    model = copy.deepcopy(model).set_params(**settings)
    nothing = make((3, 100))
    found = model.transform(nothing)
    assert sparse.issparse(found) == sparse_output
    found = found.toarray() if sparse_output else found
    assert np.array_equal(found, np.tile(model.topic_mass_, (3, 1)))
    assert model.score(nothing) == 0.0
    assert np.array_equal(model.shared_share(nothing), np.ones(3))
    assert [len(one.word) for one in model.explain(nothing)] == [0, 0, 0]


def test_a_corpus_with_another_vocabulary_is_matched_by_name(model, corpus):
    order = np.random.default_rng(0).permutation(100)
    shuffled = Corpus(
        corpus.counts[:, order], [corpus.vocabulary[n] for n in order], corpus.ids
    )
    assert np.array_equal(model.transform(shuffled), model.transform(corpus))
    assert model.score(shuffled) == model.score(corpus)
    known = order[:40]
    part = Corpus(
        np.hstack([np.full((120, 1), 9.0), corpus.counts[:, known].toarray()]),
        ["never seen", *(corpus.vocabulary[n] for n in known)],
    )
    expected = np.zeros((120, 100))
    expected[:, known] = corpus.counts[:, known].toarray()
    assert np.array_equal(model.transform(part), model.transform(expected))


def test_a_corpus_without_any_known_word(model):
    foreign = Corpus([[1, 2], [0, 0]], ["ein", "zwei"])
    none_known = pytest.warns(UserWarning, match="like 'ein', those of the model")
    with none_known:
        assert np.array_equal(model.transform(foreign), [model.topic_mass_] * 2)
    with none_known:
        assert model.score(foreign) == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(foreign.align(model.vocabulary_))
        model.transform(Corpus([[0, 0]], ["ein", "zwei"]))


@pytest.mark.parametrize("inference", ["sparse", "all"])
def test_documents_do_not_see_each_other(inference, model, others):
    model = copy.deepcopy(model).set_params(inference=inference)
    batch = model.transform(others)
    alone = np.vstack([model.transform(row[None]) for row in others])
    assert np.array_equal(alone, batch)
    assert np.array_equal(model.transform(others[::-1]), batch[::-1])
    assert np.allclose(batch.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_all_topics_are_never_less_likely_than_few(model, others):
    few = switched(model).transform(others)
    all_ = switched(model, "all").transform(others)
    a, b = (document_log_likelihoods(model, others, p) for p in (few, all_))
    assert np.all(b >= a - 1e-6)
    assert np.any(b > a + 1e-3)
    assert (few[30:] > 0).sum() < (all_[30:] > 0).sum()


def test_all_topics_reach_the_maximum_of_the_likelihood(model, others):
    found = switched(model, "all").transform(others)
    values = document_log_likelihoods(model, others, found)
    ratio = scored_topics(model) / model.shared_word_prob_
    for row, value in zip(others, values, strict=True):
        used = row > 0
        best, _ = reference.long_em(row[used], ratio[:, used], gap=1e-7)
        best += row[used] @ np.log(model.shared_word_prob_[used])
        assert value == pytest.approx(best, abs=1e-5)


def test_few_topics_are_those_of_the_exhaustive_pass(model, others):
    """The pass of the fit with the document not yet counted, all flips tried."""
    ratio = scored_topics(model) / model.shared_word_prob_
    present = pattern(model.topic_proportions_)
    tokens = training_lengths(model) @ present
    prices = reference.TopicPrices(
        model.n_salient_words_, tokens, present.sum(axis=0).astype(np.int64)
    )
    model = switched(model).set_params(sparse_output=True)
    found = model.transform(others)
    for row, there, proportions in zip(
        others, pattern(found), found.toarray(), strict=True
    ):
        topics = np.flatnonzero(there)
        again = reference.steepest_pass(row, ratio, topics, prices, fresh=True)
        assert again.topics == tuple(topics)
        assert again.falls == []
        value = reference.mixture_value(row, ratio, proportions)
        assert value == pytest.approx(again.value, abs=1e-3)


def training_lengths(model):
    settings = dict(topics_per_doc=1.3, salient_per_topic=16, doc_length=100)
    corpus, _ = make_corpus(120, 100, 4, overlap=1.0, boost=4, dip=0.05, **settings)
    assert corpus.n_docs == model.topic_proportions_.shape[0]
    return corpus.counts.sum(axis=1)


def test_a_word_salient_by_its_absence_does_not_rule_a_topic_out():
    """Topic words that never occur elsewhere: one stray word changes nothing."""
    counts = np.kron(np.eye(2), np.full((20, 5), 20.0)) + np.ones((40, 1)) * [0] * 10
    model = ParsimoniousTopicModel(2, evidence="words", random_state=0).fit(counts)
    assert np.any(model.salient_word_prob_.data == 0)
    stray = np.array([[20.0] * 5 + [1.0, 0, 0, 0, 0]])
    for inference in ("sparse", "all"):
        found = model.set_params(inference=inference).transform(stray)[0]
        assert found.max() > 0.9
        assert np.isfinite(model.score(stray))
    assert np.argmax(found) == np.argmax(model.transform(counts[:1])[0])
