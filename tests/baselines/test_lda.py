"""LDA as a whole: against other libraries, on planted topics, with a background."""

import numpy as np
import pytest
from scipy.special import digamma
from sklearn.decomposition import LatentDirichletAllocation
from tests.baselines import reference
from tests.baselines.conftest import planted

from leantopics.baselines import LDA


def exact(**settings):
    """A model whose documents are settled to the last digits."""
    return LDA(
        4,
        **{"random_state": 0, "doc_max_iter": 2000, "doc_tol": 1e-12, **settings},
    )


def posterior(model):
    """Lambda (M, N) of a smoothed model."""
    return model.components_ * model._order.extra["concentration"][:, None]


def test_proportions_and_bound_are_those_of_scikit_learn(corpus):
    ours = exact(smoothing=0.2, proportion_prior=0.3).fit(corpus)
    theirs = LatentDirichletAllocation(
        4,
        doc_topic_prior=0.3,
        topic_word_prior=0.2,
        max_iter=1,
        mean_change_tol=1e-12,
        max_doc_update_iter=2000,
    ).fit(corpus.counts)
    theirs.components_ = posterior(ours)
    log_beta = digamma(theirs.components_) - digamma(
        theirs.components_.sum(axis=1, keepdims=True)
    )
    theirs.exp_dirichlet_component_ = np.exp(log_beta)
    np.testing.assert_allclose(
        ours.transform(corpus.counts), theirs.transform(corpus.counts), atol=1e-6
    )
    assert ours.bound_ == pytest.approx(theirs.score(corpus.counts), rel=1e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_gamma_and_bound_are_those_of_gensim(corpus):
    models = pytest.importorskip("gensim.models", reason="the oracle is not installed")
    ours = exact(smoothing=0.2).fit(corpus)
    theirs = models.LdaModel(
        id2word=dict(enumerate(corpus.vocabulary)),
        num_topics=4,
        alpha=ours.proportion_prior_,
        eta=0.2,
        iterations=2000,
        gamma_threshold=1e-12,
        dtype=np.float64,
    )
    theirs.state.sstats = posterior(ours) - 0.2
    theirs.sync_state()
    rows = corpus.counts
    bags = [
        [(int(n), float(c)) for n, c in zip(row.indices, row.data, strict=True)]
        for row in (rows[[d]] for d in range(corpus.n_docs))
    ]
    gamma, _ = theirs.inference(bags)
    proportions = gamma / gamma.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.transform(corpus), proportions, atol=1e-6)
    assert ours.bound_ == pytest.approx(theirs.bound(bags), rel=1e-6)


@pytest.mark.parametrize(
    "settings", [{}, {"smoothing": 0.1}, {"smoothing": 0.1, "proportion_prior": 0.2}]
)
def test_planted_topics_are_found(settings):
    corpus, main = planted(150, 3, 4, 40, seed=0)
    model = LDA(3, max_topics=6, step=1, random_state=0, **settings).fit(corpus)
    blocks = model.components_[:, :12].reshape(3, 3, 4).sum(axis=2)
    place = blocks.argmax(axis=1)
    assert sorted(place) == [0, 1, 2]
    assert blocks.max(axis=1).min() > 0.95
    assert np.mean(place[model.transform(corpus).argmax(axis=1)] == main) > 0.97
    for j in range(3):
        words = {f"w{n}" for n in range(4 * place[j], 4 * place[j] + 4)}
        assert {word for word, _ in model.top_words(j, 4)} == words


def test_it_does_as_well_as_scikit_learn_from_scratch(corpus):
    ours = max(
        LDA(4, smoothing=0.2, proportion_prior=0.3, tol=1e-6, random_state=seed)
        .fit(corpus)
        .bound_
        for seed in range(3)
    )
    theirs = max(
        LatentDirichletAllocation(
            4,
            doc_topic_prior=0.3,
            topic_word_prior=0.2,
            max_iter=50,
            random_state=seed,
        )
        .fit(corpus.counts)
        .score(corpus.counts)
        for seed in range(3)
    )
    assert ours >= theirs - 1e-3 * abs(theirs)


def test_bound_and_plug_in_likelihood(corpus):
    counts = corpus.counts.toarray()
    for settings in ({}, {"background": True}, {"smoothing": 0.1}):
        model = LDA(4, random_state=0, **settings).fit(corpus)
        plug_in = reference.plug_in(counts, model.topic_proportions_, model.components_)
        assert model.log_likelihood_ == pytest.approx(plug_in)
        assert model.bound_ < model.log_likelihood_
        assert model.bound_ == model.history_[-1].objective == model.path_[0]["bound"]
        found = model.transform(corpus)
        plug_in = reference.plug_in(counts, found, model.components_)
        assert model.score(corpus) == pytest.approx(plug_in / counts.sum())


def test_no_word_has_probability_zero(corpus):
    counts = corpus.counts.toarray()
    counts[:, 2] = 0.0
    model = LDA(4, random_state=0).fit(counts)
    totals = counts.sum(axis=0)
    floor = 1e-6 * (totals + 1) / (totals + 1).sum()
    assert np.all(model.components_ >= 0.999 * floor)
    np.testing.assert_allclose(model.components_[:, 2], floor[2])
    assert LDA(4, random_state=0, smoothing=0.1).fit(counts).components_.min() > 0.0


def test_the_background_stays_as_it_is(corpus):
    totals = corpus.counts.sum(axis=0)
    model = LDA(
        2, max_topics=6, step=2, background=True, smoothing=0.1, random_state=0
    ).fit(corpus)
    for order in (2, 4, 6):
        other = model.at(order)
        np.testing.assert_allclose(other.components_[-1], totals / totals.sum())
        assert other.proportion_prior_.shape == (order + 1,)
        row = next(row for row in model.path_ if row["n_topics"] == order)
        present = other.topics_present_
        without, with_it = present[:, :order].sum(axis=1), present.sum(axis=1)
        assert row["topics_per_document"] == pytest.approx(without.mean())
        found = row["topics_per_document_with_background"]
        assert found == pytest.approx(with_it.mean())
    assert "topics_per_document_with_background" not in LDA(2).fit(corpus).path_[0]


def test_the_background_takes_part_in_documents_of_no_topic():
    corpus, _ = planted(120, 4, 8, 80, seed=2)
    counts = corpus.counts.toarray()
    frequency = counts.sum(axis=0) / counts.sum()
    mixed = np.random.default_rng(0).multinomial(80, frequency, size=60)
    model = LDA(4, background=True, random_state=0).fit(np.vstack((counts, mixed)))
    share = model.topic_proportions_[:, -1]
    assert share[120:].min() > 0.1
    assert share[:120].mean() < 0.01


def test_the_least_massive_topics_are_removed(corpus):
    """The next order starts from the topics kept, as one iteration shows."""
    settings = dict(step=2, random_state=0, max_iter=1, tol=0.0, doc_max_iter=1)
    with pytest.warns(UserWarning, match="max_iter=1"):
        model = LDA(2, max_topics=4, **settings).fit(corpus)
    larger = model.at(4)
    kept = larger.components_[np.argsort(-larger.topic_mass_)[:2]]
    np.testing.assert_allclose(
        np.sort(model.components_, axis=0), np.sort(kept, axis=0), atol=2e-6
    )


def test_parameters_changed_after_the_fit_change_nothing(corpus):
    for settings in ({}, {"smoothing": 0.1, "background": True}):
        model = LDA(3, random_state=0, **settings).fit(corpus)
        before = model.transform(corpus)
        model.set_params(smoothing=None if settings else 0.5, background=not settings)
        assert np.array_equal(model.transform(corpus), before)


def test_one_topic_is_the_corpus(corpus):
    totals = corpus.counts.sum(axis=0)
    model = LDA(1, random_state=0).fit(corpus)
    np.testing.assert_allclose(model.components_[0], totals / totals.sum(), rtol=1e-4)
    assert np.all(model.transform(corpus) == 1.0)


def test_eta_is_learned_or_given(corpus):
    learned = LDA(4, random_state=0).fit(corpus)
    assert len(set(learned.proportion_prior_)) == 4
    given = LDA(4, random_state=0, proportion_prior=0.7).fit(corpus)
    assert np.all(given.proportion_prior_ == 0.7)
    assert learned.bound_ > given.bound_


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("smoothing", [0, -1.0, "some", np.inf, np.nan]),
        ("proportion_prior", [0.0, "auto"]),
        ("init_docs", [0, 1.5]),
        ("doc_max_iter", [0, None]),
        ("doc_tol", [-1.0, None]),
        ("background", [1, "yes", None]),
    ],
)
def test_parameters_that_make_no_sense(name, values, corpus):
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name} must .*Got {value!r}"):
            LDA(2, **{name: value}).fit(corpus)
