"""Words or bursts as evidence: effective counts and their burstiness."""

import copy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import digamma, gammaln
from tests.model.recount import assert_same_fit
from tests.ptm.instances import quick, random_counts

from leantopics import Corpus, ParsimoniousTopicModel, load_model
from leantopics.corpus import rows
from leantopics.engine.threads import Inline, Threads
from leantopics.ptm.evidence import burstiness, effective, word_shares

SAMPLES = Path(__file__).parents[1] / "samples"
OLD = sorted(place for place in SAMPLES.glob("*/model") if place.parent.name <= "4")


def polya(rng, topics, s, n_docs, length):
    """Documents of one topic each, whose words come in bursts of concentration s."""
    which = rng.integers(len(topics), size=n_docs)
    lengths = 10 + rng.poisson(length, n_docs)
    drawn = [
        rng.multinomial(size, rng.dirichlet(s * topics[topic]))
        for size, topic in zip(lengths, which, strict=True)
    ]
    return sparse.csr_array(np.array(drawn, dtype=np.float64)), which


def planted(rng, n_topics, n_words, boost):
    """Topics that share a Zipf's law, but for 40 words of each."""
    topics = np.tile(1.0 / np.arange(1, n_words + 1), (n_topics, 1))
    for topic in topics:
        topic[rng.choice(np.arange(20, n_words), 40, replace=False)] *= boost
    return topics / topics.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def bursty():
    rng = np.random.default_rng(0)
    return polya(rng, planted(rng, 4, 1000, 10.0), 150.0, 400, 500)


@pytest.fixture(scope="module")
def model(bursty):
    settings = {"prediction": "switched", "random_state": 0}
    return ParsimoniousTopicModel(evidence="bursts", **settings).fit(bursty[0])


def log_likelihood(counts, s):
    """Of the Polya distribution whose mean is the word frequencies, written out."""
    p = counts.sum(axis=0) / counts.sum()
    counts, p = counts[:, p > 0], p[p > 0]
    words = gammaln(s * p + counts) - gammaln(s * p)
    lengths = counts.sum(axis=1)
    return (gammaln(s) - gammaln(s + lengths) + words.sum(axis=1)).sum()


@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_burstiness_is_the_maximum_of_the_likelihood(seed, fractional):
    rng = np.random.default_rng(seed)
    sharp = (0.1, 1.0)[seed % 2]
    counts = random_counts(rng, 30, 25, 3, fractional=fractional, sharp=sharp)[0]
    counts = np.vstack([counts, np.zeros(25)])
    direct = minimize_scalar(
        lambda log_s: -log_likelihood(counts, np.exp(log_s)),
        bounds=(np.log(1e-3), np.log(1e6)),
        method="bounded",
        options={"xatol": 1e-9},
    )
    found = burstiness(sparse.csr_array(counts), Inline())
    assert found == pytest.approx(np.exp(direct.x), rel=1e-4)
    assert log_likelihood(counts, found) >= -direct.fun - 1e-9 * abs(direct.fun)


def test_burstiness_at_its_bounds():
    of_one_word = np.diag([3.0, 4.0, 5.0])
    even, no_word_twice = np.full((4, 3), 2.0), np.array([[1.0, 1.0, 0.0]] * 3)
    of_length_one = np.eye(3)
    assert burstiness(sparse.csr_array(of_one_word), Inline()) == 1e-3
    for counts in (even, no_word_twice, of_length_one):
        assert burstiness(sparse.csr_array(counts), Inline()) == np.inf


@pytest.mark.parametrize("s", [20.0, 150.0, 600.0])
def test_burstiness_of_documents_drawn_with_it(s):
    rng = np.random.default_rng(1)
    counts, _ = polya(rng, planted(rng, 1, 500, 1.0), s, 300, 300)
    assert burstiness(counts, Inline()) == pytest.approx(s, rel=0.05)


def test_parts_and_threads_do_not_change_burstiness(bursty, monkeypatch):
    counts = bursty[0]
    whole = burstiness(counts, Inline())
    values = effective(counts, whole, word_shares(counts)).data
    monkeypatch.setattr(rows, "PART_ENTRIES", 5000)
    with ThreadPoolExecutor(2) as pool:
        parts = [burstiness(counts, each) for each in (Inline(), Threads(pool))]
    assert parts[0] == parts[1] == pytest.approx(whole, rel=1e-9)
    assert np.array_equal(effective(counts, whole, word_shares(counts)).data, values)


@quick
@given(
    st.lists(
        st.tuples(st.integers(1, 500), st.floats(1e-6, 1.0)), min_size=1, max_size=20
    ),
    st.floats(1e-2, 1e5),
)
def test_effective_counts_of_whole_counts(pairs, s):
    counts, frequency = (np.array(column) for column in zip(*pairs, strict=True))
    found = effective(sparse.csr_array([counts.astype(float)]), s, frequency).data
    p = s * frequency
    times = [np.arange(count) for count in counts]
    plain = [(mean / (mean + i)).sum() for mean, i in zip(p, times, strict=True)]
    np.testing.assert_allclose(found, plain, rtol=1e-9)
    assert (found <= counts).all()
    assert (found >= 1.0 - 1e-12).all()


@quick
@given(st.floats(1e-3, 1e4), st.floats(1e-2, 1.0), st.floats(1.0, 1e5))
def test_effective_counts_of_any_counts(count, frequency, s):
    [found] = effective(sparse.csr_array([[count]]), s, np.array([frequency])).data
    p = s * frequency
    assert found <= count
    assert found == pytest.approx(
        min(count, p * (digamma(p + count) - digamma(p))), rel=1e-8
    )


def test_limits_of_effective_counts():
    counts = sparse.csr_array([[0.25, 1.0, 1.5, 2.0, 900.0]])
    frequency = np.full(5, 0.2)
    once = effective(counts, 1e-9, frequency).data
    np.testing.assert_allclose(once, [0.25, 1, 1, 1, 1], rtol=1e-6)
    nearly_all = effective(counts, 1e12, frequency).data
    np.testing.assert_allclose(nearly_all, counts.data, rtol=1e-7)
    assert effective(counts, np.inf, frequency) is counts


def test_effective_counts_grow_with_s_and_with_counts():
    counts = sparse.csr_array([np.arange(1.0, 30.0)])
    frequency = np.full(29, 1 / 29)
    found = [effective(counts, s, frequency).data for s in (0.1, 1.0, 10.0, 100.0)]
    assert (np.diff(found, axis=0)[:, 1:] > 0).all()
    assert (np.diff(found, axis=1) > 0).all()


def test_bursts_find_the_topics_where_words_find_too_many(bursty, model):
    """The fitted s is below that of the draw: its mean is that of all topics."""
    counts, which = bursty
    assert model.n_topics_ == 4
    assert model.converged_
    assert 0.7 * 150 < model.burstiness_ < 150
    main = model.topic_proportions_.toarray().argmax(axis=1)
    pairs = np.zeros((4, 4))
    np.add.at(pairs, (which, main), 1)
    assert pairs.max(axis=1).sum() >= 0.95 * len(which)
    words = ParsimoniousTopicModel(evidence="words", random_state=0).fit(counts)
    assert words.n_topics_ >= 20
    assert words.burstiness_ == np.inf


def test_burstiness_of_the_model_is_that_of_its_documents(bursty, model):
    assert model.burstiness_ == burstiness(bursty[0], Inline())
    assert np.array_equal(model.word_frequency_, word_shares(bursty[0]))
    values = effective(bursty[0], model.burstiness_, model.word_frequency_)
    np.testing.assert_allclose(model.shared_word_prob_, word_shares(values), rtol=1e-12)


def test_a_loaded_model_counts_new_documents_alike(bursty, model, tmp_path):
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.burstiness_ == model.burstiness_
    assert loaded.evidence == "bursts"
    assert_same_fit(model, loaded)
    for inference in ("sparse", "all"):
        settings = {"inference": inference}
        a, b = (m.set_params(**settings).transform(bursty[0]) for m in (model, loaded))
        assert np.array_equal(a, b)
    model.set_params(inference="sparse")


def test_topics_of_new_documents_are_those_of_effective_counts(bursty, model):
    worth = effective(bursty[0], model.burstiness_, model.word_frequency_)
    twin = copy.copy(model)
    twin.burstiness_ = np.inf
    assert np.array_equal(twin.transform(worth), model.transform(bursty[0]))


@pytest.mark.parametrize("inference", ["sparse", "all"])
@pytest.mark.parametrize("prediction", ["switched", "shrunk"])
def test_score_is_of_every_word(inference, prediction, bursty, model):
    there = copy.copy(model).set_params(inference=inference, prediction=prediction)
    counts = bursty[0][:50]
    mixed = there.transform(counts) @ there.predictive_components_
    dense = counts.toarray()
    there_is = dense > 0
    plain = (dense[there_is] * np.log(mixed[there_is])).sum() / dense.sum()
    assert there.score(counts) == pytest.approx(plain, rel=1e-9)


def test_on_disk_and_on_two_threads_a_fit_has_the_same_bits(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    counts, _ = polya(rng, planted(rng, 4, 400, 10.0), 150.0, 300, 200)
    corpus = Corpus(counts)
    corpus.save(tmp_path / "corpus")
    monkeypatch.setattr(rows, "PART_ENTRIES", 5000)
    sources = [(corpus, 1), (corpus, 2), (Corpus.open(tmp_path / "corpus"), 2)]
    first, *others = [
        ParsimoniousTopicModel(evidence="bursts", random_state=0, n_jobs=n).fit(source)
        for source, n in sources
    ]
    for other in others:
        assert other.burstiness_ == first.burstiness_
        assert_same_fit(first, other)
        assert np.array_equal(other.transform(corpus), first.transform(corpus))


def test_another_number_of_topics_and_an_edit_keep_the_evidence(bursty, model):
    other = model.at(model.path_[0]["n_topics"], bursty[0])
    assert other.burstiness_ == model.burstiness_
    edited = copy.deepcopy(model).edit(bursty[0], merge=[(0, 1)])
    assert edited.burstiness_ == model.burstiness_
    assert edited.n_topics_ == 3
    assert edited.bic_ > model.bic_


@pytest.mark.filterwarnings("ignore:.* has format version:UserWarning")
@pytest.mark.parametrize("place", OLD, ids=lambda place: place.parent.name)
def test_old_models_are_of_words(place):
    model = load_model(place)
    assert model.evidence == "words"
    assert model.burstiness_ == np.inf


def test_evidence_of_another_name_is_refused(bursty):
    with pytest.raises(ValueError, match="evidence must be"):
        ParsimoniousTopicModel(evidence="letters").fit(bursty[0])


def test_a_state_made_elsewhere_has_words_as_evidence():
    alpha, beta = np.ones((2, 1)), np.full((1, 3), 1 / 3)
    u, v = np.ones((1, 3), dtype=bool), np.ones((2, 1), dtype=bool)
    counts = np.ones((2, 3))
    with pytest.raises(ValueError, match='evidence must be "words"'):
        ParsimoniousTopicModel.from_arrays(
            counts, alpha, beta, u, v, beta[0], evidence="bursts"
        )
