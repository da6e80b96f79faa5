import tracemalloc

import numpy as np
import pytest
from scipy import stats

from leantopics.datasets import make_corpus

EASY = dict(
    n_docs=300,
    n_words=300,
    n_topics=8,
    topics_per_doc=1.3,
    salient_per_topic=32,
    doc_length=300,
    overlap=1.0,
    boost=4,
    dip=0.05,
)
SETTINGS = [
    {},
    EASY,
    dict(n_topics=2, n_words=100, salient_per_topic=3),
    dict(n_topics=7, boost=3, overlap=0.2, n_docs=50),
    dict(n_topics=13, dip=0.0, topics_per_doc=4, evenness=0.0),
]


def topic_rows(truth):
    rows = np.tile(truth.beta0, (truth.beta.shape[0], 1))
    rows[salient(truth)] = truth.beta.data
    return rows


def salient(truth):
    topic = np.repeat(np.arange(truth.beta.shape[0]), np.diff(truth.beta.indptr))
    return topic, truth.beta.indices


def one_topic_counts(corpus, truth):
    """Return (n_topics, n_words): the words of the documents with one topic."""
    single = np.flatnonzero(np.diff(truth.alpha.indptr) == 1)
    topic = truth.alpha.indices[truth.alpha.indptr[single]]
    counts = np.zeros(truth.beta.shape)
    np.add.at(counts, topic, corpus.counts[single].toarray())
    return counts


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_constraints_of_the_model_hold(settings):
    corpus, truth = make_corpus(**settings)
    n_topics = settings.get("n_topics", 10)
    assert corpus.counts.shape == (truth.alpha.shape[0], truth.beta.shape[1])
    assert truth.alpha.shape[1] == truth.beta.shape[0] == n_topics
    for j in range(n_topics):
        own = slice(truth.beta.indptr[j], truth.beta.indptr[j + 1])
        words = truth.beta.indices[own]
        assert np.all(np.diff(words) > 0)
        outside = 1 - truth.beta0[words].sum()
        assert truth.beta.data[own].sum() + outside == pytest.approx(1, abs=1e-12)
    assert truth.beta0.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(truth.alpha.sum(axis=1), 1, atol=1e-12)
    assert truth.alpha.data.min() > 0
    assert truth.alpha.has_canonical_format
    assert corpus.counts.sum(axis=1).min() >= 1


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_shared_model_is_the_mean_of_the_topics(settings):
    _, truth = make_corpus(**settings)
    rows = topic_rows(truth)
    np.testing.assert_allclose(rows.mean(axis=0), truth.beta0, atol=1e-15)


def test_sizes_are_as_asked():
    corpus, truth = make_corpus(n_docs=2000)
    n_present = np.diff(truth.alpha.indptr)
    assert n_present.min() == 1
    assert n_present.mean() == pytest.approx(1.5, abs=0.06)
    assert np.all(np.diff(truth.beta.indptr) == 30)
    assert corpus.counts.sum() / 2000 == pytest.approx(100, abs=1)
    assert np.bincount(truth.alpha.indices).min() >= 200
    assert truth.alpha.data[np.repeat(n_present, n_present) == 2].min() >= 0.25
    # Vocabularies overlap: each topical word is salient in half of the topics.
    assert set(np.bincount(truth.beta.indices)) == {0, 5}


def test_each_topic_is_present_when_documents_are_few():
    _, truth = make_corpus(n_docs=40, n_topics=40, topics_per_doc=1)
    assert sorted(truth.alpha.indices) == list(range(40))


def test_topics_differ_even_if_many():
    for seed in range(3):
        _, truth = make_corpus(n_docs=1, n_topics=800, random_state=seed)
        assert len(np.unique(topic_rows(truth), axis=0)) == 800


def test_names_and_labels():
    corpus, truth = make_corpus(n_docs=11)
    assert corpus.ids[0] == "doc00"
    assert corpus.vocabulary[12] == "word012"
    first = truth.alpha.indices[: truth.alpha.indptr[1]]
    assert corpus.labels[0] == [f"topic{j}" for j in first]


def test_same_seed_same_corpus():
    (a, truth_a), (b, truth_b), (c, _) = (
        make_corpus(random_state=seed) for seed in (3, 3, 4)
    )
    assert np.array_equal(a.counts.data, b.counts.data)
    assert np.array_equal(a.counts.indices, b.counts.indices)
    assert np.array_equal(truth_a.alpha.data, truth_b.alpha.data)
    assert np.array_equal(truth_a.beta.indices, truth_b.beta.indices)
    assert a.counts.nnz != c.counts.nnz


def test_batches_are_drawn_in_full(monkeypatch):
    monkeypatch.setattr("leantopics.datasets.synthetic.TOKENS_PER_BATCH", 777)
    corpus, truth = make_corpus(n_docs=300)
    assert corpus.n_docs == 300
    assert corpus.counts.sum(axis=1).min() > 50
    counts = one_topic_counts(corpus, truth)
    assert fit_p_values(counts, topic_rows(truth)).min() > 1e-4


@pytest.mark.parametrize("dip", [0.0, 0.1])
def test_words_follow_the_topics(dip):
    corpus, truth = make_corpus(n_docs=3000, n_words=200, n_topics=6, dip=dip)
    counts, rows = one_topic_counts(corpus, truth), topic_rows(truth)
    assert counts[rows == 0].sum() == 0
    assert fit_p_values(counts, rows).min() > 1e-4
    # ... and not the shared model
    assert fit_p_values(counts, np.tile(truth.beta0, (6, 1))).max() < 1e-9


def fit_p_values(counts, rows):
    """Return the chi-square p-value of each topic's counts; rare words pooled."""
    p_values = []
    for seen, row in zip(counts, rows, strict=True):
        expected = row * seen.sum()
        rare = expected < 5
        seen = np.append(seen[~rare], seen[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        kept = expected > 0
        statistic = ((seen - expected)[kept] ** 2 / expected[kept]).sum()
        p_values.append(stats.chi2.sf(statistic, kept.sum() - 1))
    return np.array(p_values)


def test_word_frequencies_are_those_of_the_shared_model():
    corpus, truth = make_corpus(n_docs=3000)
    frequency = corpus.counts.sum(axis=0) / corpus.counts.sum()
    assert np.abs(frequency - truth.beta0).sum() < 0.06
    head = slice(0, 100)
    np.testing.assert_allclose(frequency[head], truth.beta0[head], rtol=0.15)


def test_mixed_documents_follow_their_proportions():
    corpus, truth = make_corpus(n_docs=3000, n_words=200, n_topics=4, topics_per_doc=3)
    length = corpus.counts.sum(axis=1)
    expected = (truth.alpha * length[:, None]).T @ truth.alpha @ topic_rows(truth)
    seen = truth.alpha.T @ corpus.counts.toarray()
    common = expected > 500
    np.testing.assert_allclose(seen[common], expected[common], rtol=0.15)


def test_the_switches_of_the_easy_corpus_can_be_read_from_it():
    """With the true topics, the deviance of a word beats its price where u is set."""
    corpus, truth = make_corpus(**EASY)
    x = one_topic_counts(corpus, truth)
    mean = x.sum(axis=1, keepdims=True) * (corpus.counts.sum(axis=0) / corpus.n_tokens)
    deviance = x * np.log(np.maximum(x, 1) / mean) - x + mean
    u = np.zeros(x.shape, dtype=bool)
    u[salient(truth)] = True
    price = 0.5 * np.log(x.sum(axis=1) / (2 * np.pi)) + np.log(1 / u.mean() - 1)
    read = deviance > price[:, None]
    assert 2 * (read & u).sum() / (read.sum() + u.sum()) > 0.99


def test_no_dense_array_inside():
    tracemalloc.start()
    try:
        corpus, truth = make_corpus(n_docs=2000, n_words=10**6, n_topics=1000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert corpus.counts.shape == (2000, 10**6)
    assert truth.beta.shape == (1000, 10**6)
    assert peak < 400e6


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (dict(n_docs=0), "n_docs must be at least 1, got 0"),
        (dict(n_topics=1), "n_topics must be at least 2, got 1"),
        (dict(topics_per_doc=0.5), "topics_per_doc must be from 1 to n_topics"),
        (dict(topics_per_doc=11), "topics_per_doc must be from 1 to n_topics"),
        (dict(salient_per_topic=0), "salient_per_topic must be at least 1"),
        (dict(doc_length=0), "doc_length must be above 0, got 0"),
        (dict(overlap=0), "overlap must be above 0 and at most 1, got 0"),
        (dict(boost=1), "boost must be at least 2, got 1"),
        (dict(dip=1.0), "dip must be at least 0 and below 1, got 1.0"),
        (dict(evenness=2), "evenness must be from 0 to 1, got 2"),
        (dict(salient_per_topic=5, overlap=1.0), "too small to make all topics diff"),
        (dict(n_words=50), "n_words must be at least 119 for all groups, got 50"),
    ],
)
def test_impossible_settings_stop_with_a_sentence(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_corpus(**settings)
