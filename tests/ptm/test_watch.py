"""New documents that share a topic which the model does not have."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy
from tests.ptm.instances import quick

from leantopics import LDA, Corpus, ParsimoniousTopicModel, make_corpus
from leantopics.engine.threads import Inline
from leantopics.ptm.evidence import burstiness, effective
from leantopics.ptm.inference import tables
from leantopics.ptm.watch import grow, words
from leantopics.ptm.watch.batch import prepare
from leantopics.ptm.watch.draws import draw

TWO_PI = 2.0 * math.pi


@pytest.fixture(scope="module")
def planted():
    """A model of four of five topics, their documents, and those of the fifth."""
    corpus, truth = make_corpus(
        600, 400, 5, topics_per_doc=1.2, boost=6, doc_length=80, random_state=1
    )
    new = np.flatnonzero(truth.alpha.toarray()[:, 0] > 0)
    old = np.setdiff1d(np.arange(600), new)
    model = ParsimoniousTopicModel(4, evidence="bursts", random_state=0)
    return model.fit(corpus.select(old[:300])), corpus, old[300:], new


def batch_of(model, counts):
    known = model._effective(counts)
    return prepare(known, tables(model._snapshot), model.shared_word_prob_, Inline())


def test_documents_of_a_new_topic_are_found(planted):
    model, corpus, old, new = planted
    rows = np.concatenate([old[:100], new[:20]])
    watched = model.watch(corpus.select(rows), draws=19)
    (found,) = watched.found
    truly = found.documents >= 100
    assert truly.mean() > 0.9 and truly.sum() >= 16
    assert found.p == 0.05 and watched.draws == 19
    assert np.all(np.diff(found.gains) <= 0.0)
    assert all(nats > 0.0 for _, nats in found.words)


def test_documents_like_those_of_the_fit_share_nothing_new(planted):
    model, corpus, old, _ = planted
    watched = model.watch(corpus.select(old))
    assert (watched.groups, watched.found, watched.draws) == ([], [], 0)
    assert "No documents share a topic the model does not have." in str(watched)


def test_the_nats_are_the_prices_and_likelihoods(planted):
    """All that a group is worth, from probabilities alone."""
    model, corpus, old, new = planted
    rows = np.concatenate([old[:100], new[:20]])
    counts = corpus.counts[rows]
    batch = batch_of(model, counts)
    found = grow.grow(batch, np.ones(120, dtype=bool), 3)
    worth = model._effective(counts).toarray()
    beta0, snapshot = model.shared_word_prob_, model._snapshot
    topics = (1.0 - 1e-6) * model.components_ + 1e-6 * beta0
    beta = beta0 * np.exp(found.topic.log_ratio)
    assert beta.sum() == pytest.approx(1.0, abs=1e-5)
    alpha, total = batch.mixes.toarray(), 0.0
    for d, share, gain in zip(found.docs, found.share, found.gain, strict=True):
        c, length, known = worth[d], worth[d].sum(), alpha[d] @ topics
        before, present = float(c @ np.log(known)), np.flatnonzero(alpha[d])
        one_more = max(0.5 * math.log(length / TWO_PI), 0.0)
        if share < 1.0:
            both = (1.0 - share) * known + share * beta
            mine = float(c @ np.log(both)) - before - one_more
        else:
            cost = math.log(math.comb(4, len(present))) + one_more * (len(present) - 1)
            for j in present:
                tokens = snapshot.tokens[j]
                cost += 0.5 * model.n_salient_words_[j] * math.log1p(length / tokens)
            left = min(float(c @ np.log(beta0)) - before + cost, 0.0)
            mine = float(c @ np.log(beta)) - float(c @ np.log(beta0)) + left
        assert gain == pytest.approx(mine, abs=1e-6)
        total += min(mine, float(found.gain[2]))
    n, k = len(found.docs), found.topic.n_salient
    tokens = float(batch.length[found.docs].sum())
    price = math.log(math.comb(120, n)) + math.log(120)
    price += math.log(math.comb(400, k)) + math.log(400)
    price += 0.5 * k * math.log(tokens / TWO_PI)
    assert found.nats == pytest.approx(total - price, abs=1e-5)


@quick
@given(st.integers(0, 10**6))
def test_words_are_the_best_subset(seed):
    """Among all subsets of the words that occur, up to a tenth of a nat."""
    rng = np.random.default_rng(seed)
    beta0, x = rng.dirichlet(np.ones(200)), np.zeros(200)
    often = rng.gamma(0.5, 60.0, 9) * beta0[:9] * 100
    x[:9] = rng.poisson(often)
    x[0] += 1.0
    tokens, seen = 300.0, np.flatnonzero(x)

    def value(chosen):
        own, mass = x[chosen].sum(), beta0[chosen].sum()
        gain = xlogy(x[chosen], x[chosen] / beta0[chosen]).sum()
        price = words.price_of_words(len(chosen), 200, tokens)
        return gain - own * np.log(own / mass) - price

    subsets = itertools.chain.from_iterable(
        itertools.combinations(seen, k) for k in range(1, len(seen) + 1)
    )
    best = max(value(np.array(each)) for each in subsets)
    topic = words.best_words(x, beta0, tokens)
    chosen = np.flatnonzero(topic.log_ratio)
    ours = value(chosen) if len(chosen) else value(seen[:1])
    assert ours >= best - 0.1


def test_a_document_that_repeats_itself_is_no_topic(planted):
    model, corpus, old, _ = planted
    counts = corpus.counts[old[:60]].toarray()
    rare = np.argsort(model.word_frequency_)[:6]
    counts[0, rare] = 100.0
    for evidence in ("bursts", "words"):
        assert model.watch(counts, evidence=evidence).groups == []


def test_two_seeds_of_the_same_number_are_the_same_bits(planted):
    model, corpus, old, new = planted
    batch = corpus.select(np.concatenate([old[:60], new[:15]]))
    one, two = (
        json.dumps(model.set_params(n_jobs=n).watch(batch, draws=6).to_dict())
        for n in (1, 2)
    )
    assert one == two


def test_draws_have_the_lengths_the_topics_and_the_bursts_of_a_batch(planted):
    model, corpus, _, new = planted
    counts = corpus.counts[new[:40]]
    batch = batch_of(model, counts)
    lengths = np.full(40, 3000)
    topics = (1.0 - 1e-6) * model.components_ + 1e-6 * model.shared_word_prob_
    plain = draw(batch, lengths, np.inf, np.random.default_rng(0))
    assert np.all(plain.sum(axis=1) == 3000)
    mean = batch.mixes.toarray() @ topics
    assert np.abs(plain.toarray() / 3000 - mean).max() < 5 * np.sqrt(mean.max() / 3000)
    bursty = draw(batch, lengths, 300.0, np.random.default_rng(0))
    assert burstiness(plain, Inline()) > 1000.0
    assert 200.0 < burstiness(bursty, Inline()) < 300.0
    assert np.all(effective(bursty, 300.0, model.word_frequency_).data <= bursty.data)


def test_topics_that_grew_and_shrank_are_named(planted):
    model, corpus, old, _ = planted
    main = np.asarray(model.transform(corpus)).argmax(axis=1)
    of_one = old[main[old] == 1]
    watched = model.watch(corpus.select(of_one))
    changes = {c.topic: c.change for c in watched.topics}
    assert changes[1] == "grew" and "shrank" in changes.values()
    assert f"Topic 1 ({model.topic_names[1]}) grew: " in repr(watched)


def test_changes_are_rarely_reported_where_there_are_none(planted):
    model, corpus, old, _ = planted
    rng = np.random.default_rng(0)
    changed = 0
    for _ in range(40):
        rows = rng.choice(old, 60, replace=False)
        watched = model.watch(corpus.select(rows))
        changed += any(change.change for change in watched.topics)
    assert changed <= 6


def test_the_unexplained_share_of_the_fit_is_that_of_its_documents():
    corpus, _ = make_corpus(300, 400, 4, boost=5, random_state=2)
    model = ParsimoniousTopicModel(4, evidence="bursts", random_state=0).fit(corpus)
    share, low, high, fit = model.watch(corpus).unexplained
    assert low <= share <= high
    assert share == pytest.approx(fit, abs=0.01)


def test_a_model_of_words_watches_with_the_bursts_of_the_batch(planted):
    _, corpus, old, new = planted
    model = ParsimoniousTopicModel(4, evidence="words", random_state=0)
    model.fit(corpus.select(old[:300]))
    rows = np.concatenate([old[300:], new[:20]])
    assert len(model.watch(corpus.select(rows), draws=19).found) == 1


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.zeros((5, 400)), "Got 0 of 5 instead"),
        (np.ones((1, 400)), "at least min_documents=3 documents must have words"),
        (Corpus([[1.0]] * 4, ["zebra"]), "must have words that the model knows"),
    ],
)
def test_what_cannot_be_watched_gets_a_sentence(planted, counts, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=message):
            planted[0].watch(counts)


@pytest.mark.parametrize(
    "wrong",
    [{"draws": 0}, {"min_documents": 1}, {"level": 1.0}, {"evidence": "pixels"}],
)
def test_wrong_settings_get_a_sentence(planted, wrong):
    model, corpus, *_ = planted
    with pytest.raises(ValueError, match=next(iter(wrong))):
        model.watch(corpus, **wrong)


def test_other_models_do_not_watch():
    assert not hasattr(LDA(2), "watch")
