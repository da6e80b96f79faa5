"""What a fitted model shows: attributes, words, documents, explanations."""

import copy
import itertools

import numpy as np
import pytest
from scipy import sparse, special
from tests import reference
from tests.model.recount import (
    assert_sound,
    dense,
    pattern,
    scored_topics,
)

from leantopics import Corpus, ParsimoniousTopicModel

TERMS = [
    "topic_switches",
    "word_switches",
    "word_switches_constant",
    "proportions",
    "word_probabilities",
    "neg_log_likelihood",
]


def test_attributes_have_their_shapes(model, corpus):
    D, N = corpus.counts.shape
    M = model.n_topics_
    assert M == 4
    shapes = {
        "topic_proportions_": (D, M),
        "salient_word_prob_": (M, N),
        "salience_": (M, N),
        "components_": (M, N),
        "shared_word_prob_": (N,),
        "n_salient_words_": (M,),
        "topic_mass_": (M,),
    }
    for name, shape in shapes.items():
        assert getattr(model, name).shape == shape, name
    for name in ("topic_proportions_", "salient_word_prob_", "salience_"):
        assert sparse.issparse(getattr(model, name))
        assert getattr(model, name).format == "csr"
        assert getattr(model, name).has_canonical_format
    assert model.vocabulary_ == corpus.vocabulary
    assert model.n_features_in_ == N
    assert isinstance(model.bic_, float)
    assert isinstance(model.log_likelihood_, float)
    assert isinstance(model.n_iter_, int)
    assert model.converged_ is True
    assert model.stop_reason_ == "converged"
    assert model.word_prior_ == "exact"


def test_the_model_is_sound_at_every_order(model, corpus):
    for row in model.path_:
        assert_sound(model.at(row["n_topics"]), corpus.counts)


def test_bic_is_the_sum_of_its_terms(model):
    assert list(model.bic_terms_) == TERMS
    assert model.bic_ == pytest.approx(sum(model.bic_terms_.values()), rel=1e-12)


def test_the_shared_model_is_the_corpus_frequencies(model, corpus):
    totals = corpus.counts.sum(axis=0)
    assert model.shared_word_prob_ == pytest.approx(totals / totals.sum())


def test_words_that_are_not_salient_have_the_shared_probability(model):
    salient = pattern(model.salient_word_prob_)
    components = model.components_
    shared = np.broadcast_to(model.shared_word_prob_, components.shape)
    assert np.array_equal(components[~salient], shared[~salient])
    own = model.salient_word_prob_.toarray()
    assert np.array_equal(components[salient], own[salient])
    assert np.array_equal(salient, pattern(model.salience_))
    assert np.array_equal(model.n_salient_words_, salient.sum(axis=1))


def test_topics_are_numbered_by_falling_mass(model, corpus):
    lengths = corpus.counts.sum(axis=1)
    mass = lengths @ model.topic_proportions_.toarray()
    assert model.topic_mass_ == pytest.approx(mass / mass.sum())
    assert np.all(np.diff(model.topic_mass_) <= 0)


def test_salience_is_the_deviance_less_the_price(model, corpus):
    counts, state = dense(model, corpus.counts)
    x = reference.expected_counts(counts, state)
    tokens = counts.sum(axis=1) @ state.v
    for j in range(model.n_topics_):
        u = state.u[j]
        nu = reference.mu(x[j], u, state.beta0) * state.beta0[u]
        deviance = special.rel_entr(x[j][u], nu) - x[j][u] + nu
        price = 0.5 * np.log(tokens[j] / (2 * np.pi))
        found = model.salience_[[j]].data
        assert found == pytest.approx(deviance - price, abs=1.0, rel=0.02)
        assert found.min() > -1.0


def runs(history):
    """The history cut where the order changes; the best one is gone on with last."""
    groups = itertools.groupby(history, key=lambda step: step.n_topics)
    return [list(run) for _, run in groups]


def test_the_objective_never_rises(model):
    for run in runs(model.history_):
        assert np.all(np.diff([step.iteration for step in run]) == 1)
        bics = np.array([step.bic for step in run])
        assert np.all(np.diff(bics) <= 1e-9 * np.abs(bics[1:]))
        assert np.all(np.diff([step.seconds for step in run]) >= 0)
        assert all(step.objective == step.bic for step in run)


def test_the_history_ends_where_the_model_is(model):
    last = model.history_[-1]
    assert last.n_topics == model.n_topics_
    assert last.bic == model.bic_
    assert last.log_likelihood == model.log_likelihood_
    assert last.word_flips >= 0
    assert last.topic_flips == 0


def test_iterations_at_the_chosen_order_are_counted(model, corpus):
    single = ParsimoniousTopicModel(4, random_state=0).fit(corpus)
    last = single.history_[-single.n_iter_ :]
    assert {step.n_topics for step in last} == {4}
    assert [step.iteration for step in last] == list(range(1, single.n_iter_ + 1))
    here = [step for step in model.history_ if step.n_topics == model.n_topics_]
    assert model.n_iter_ == len(here)


def test_the_path_holds_every_order(model, corpus):
    assert [row["n_topics"] for row in model.path_] == list(range(2, 9))
    for row in model.path_:
        other = model.at(row["n_topics"])
        assert row["bic"] == other.bic_
        if row["n_topics"] != model.n_topics_:
            assert row["criterion"] == row["bic"]
        assert {name: row[name] for name in TERMS} == other.bic_terms_
        assert row["log_likelihood"] == other.log_likelihood_
        present = np.diff(other.topic_proportions_.indptr)
        assert row["topics_per_document"] == present.mean()
        assert row["salient_per_topic"] == other.n_salient_words_.mean()
        distinct = np.unique(other.salient_word_prob_.indices)
        assert row["distinct_salient"] == len(distinct)
        assert row["seconds"] >= 0
        assert row["n_iter"] == other.n_iter_ >= 1
    assert min(model.path_, key=lambda row: row["bic"])["n_topics"] == model.n_topics_


def test_another_order_of_the_path(model, corpus):
    other = model.at(6)
    assert other.n_topics_ == 6
    assert other.get_params() == {**model.get_params(), "prediction": "switched"}
    assert other.transform(corpus).shape == (120, 6)
    assert other.path_ == model.path_
    assert other.at(4).bic_ == model.bic_
    assert model.n_topics_ == 4
    assert len(other.top_words(5)) >= 1


@pytest.mark.parametrize("order", [1, 9, 0, -1, "4", None])
def test_an_order_that_was_not_fitted(model, order):
    with pytest.raises(ValueError, match=r"must be from 2 to 8.* instead") as refused:
        model.at(order)
    assert ("fit again" in str(refused.value)) == (order == 9)


def test_topic_names_can_be_given(model):
    model = copy.deepcopy(model)
    default = model.topic_names
    assert len(default) == 4
    for j, name in enumerate(default):
        assert {*name.split()} <= {word for word, _ in model.top_words(j, 100)}
    model.topic_names = ["north", "east", "south", "west"]
    assert model.topic_names == ["north", "east", "south", "west"]
    model.topic_names[0] = "nowhere"
    assert model.topic_names[0] == "north"
    assert len(model.at(6).topic_names) == 6
    for wrong in (["north"], "nesw", []):
        with pytest.raises(ValueError, match="topic_names must be 4 names"):
            model.topic_names = wrong


def test_top_words_by_probability(model):
    for j in range(model.n_topics_):
        words = model.top_words(j, 1000, by="probability")
        row = model.salient_word_prob_[[j]]
        used = row.data > model.shared_word_prob_[row.indices]
        assert len(words) == used.sum()
        assert_falling(words)
        for name, value in words:
            assert value == model.components_[j, model.vocabulary_.index(name)]
        assert model.top_words(j, 3, by="probability") == words[:3]
        assert model.top_words(j, by="probability") == words[:10]


def test_words_are_ranked_by_salience_unless_asked_otherwise(model):
    for j in range(model.n_topics_):
        assert model.top_words(j, 9) == model.top_words(j, 9, by="salience")
        avoided = {word for word, _ in model.top_words(j, 1000, which="avoided")}
        for by in ("salience", "probability", None):
            assert not avoided & {word for word, _ in model.top_words(j, 1000, by=by)}


def test_top_words_by_salience(model):
    ratio = model.components_ / model.shared_word_prob_
    salience = model.salience_.toarray()
    for j in range(model.n_topics_):
        used = model.top_words(j, 1000, by="salience")
        avoided = model.top_words(j, 1000, which="avoided")
        assert len(used) + len(avoided) == model.n_salient_words_[j]
        for words, sign in ((used, 1), (avoided, -1)):
            assert_falling(words)
            for name, value in words:
                n = model.vocabulary_.index(name)
                assert value == salience[j, n]
                assert sign * (ratio[j, n] - 1) > 0
        assert avoided == model.top_words(j, 1000, by="salience", which="avoided")


def test_top_words_that_are_shared(model):
    salient = pattern(model.salient_word_prob_)
    for j in range(model.n_topics_):
        words = model.top_words(j, 1000, which="shared")
        assert_falling(words)
        assert len(words) == 100 - model.n_salient_words_[j]
        for name, value in words:
            n = model.vocabulary_.index(name)
            assert not salient[j, n]
            assert value == model.shared_word_prob_[n]


def assert_falling(words):
    values = [value for _, value in words]
    assert values == sorted(values, reverse=True)
    assert all(type(value) is float for value in values)


def test_typical_documents(model):
    alpha = model.topic_proportions_.toarray()
    for j in range(model.n_topics_):
        found = model.documents(j, 1000)
        assert sorted(d for d, _ in found) == list(np.flatnonzero(alpha[:, j]))
        assert all(share == alpha[d, j] for d, share in found)
        assert model.documents(j, 3) == found[:3]
        assert len(model.documents(j)) == 10
        assert found[0][1] > 0.8


def test_typical_documents_are_rows_of_the_input(corpus):
    gaps = sparse.csr_array(
        sparse.vstack([sparse.csr_array((1, 100)), corpus.counts[:60]])
    )
    a = ParsimoniousTopicModel(3, random_state=0).fit(corpus.counts[:60])
    b = ParsimoniousTopicModel(3, random_state=0).fit(gaps)
    shifted = [(d + 1, share) for d, share in a.documents(0)]
    assert b.documents(0) == shifted
    assert b.bic_ == a.bic_
    assert b.topic_proportions_.toarray()[0] == pytest.approx(b.topic_mass_)


@pytest.mark.parametrize("evidence", ["words", "bursts"])
def test_explanations(evidence, model, corpus):
    if evidence == "bursts":
        model = ParsimoniousTopicModel(4, evidence=evidence, random_state=0)
        model.fit(corpus)
    alpha, p = model.transform(corpus), scored_topics(model)
    known = model._effective(corpus.counts).toarray()
    rest = pattern(model.salient_word_prob_), model.shared_word_prob_
    tokens = model._snapshot.tokens
    found = model.explain(corpus)
    assert len(found) == corpus.n_docs
    n_kept = 0
    for d, one in enumerate(found):
        row = corpus.counts[[d]]
        assert np.array_equal(one.word, row.indices)
        assert np.array_equal(one.counts, row.data)
        topics = np.flatnonzero(alpha[d])
        pairs = reference.paying_words(
            known[d], topics, alpha[d, topics], p, *rest, tokens
        )
        n_kept += len(pairs)
        pays = np.zeros(p.shape, dtype=bool)
        pays[tuple(np.array(sorted(pairs)).T)] = True
        part = alpha[d][:, None] * p[:, one.word]
        part /= part.sum(axis=0)
        shared = np.where(pays[:, one.word], 0.0, part).sum(axis=0)
        own = np.where(pays[:, one.word], part, 0.0)
        assert one.shared == pytest.approx(shared, abs=1e-9)
        assert one.share == pytest.approx(np.maximum(shared, own.max(axis=0)))
        by_topic = one.topic >= 0
        assert np.array_equal(one.topic[by_topic], own.argmax(axis=0)[by_topic])
        assert np.array_equal(by_topic, own.max(axis=0) > shared)
        assert set(one.topic[~by_topic]) <= {-1}
        for share in (one.share, one.shared):
            assert np.all((share >= 0) & (share <= 1 + 1e-12))
    assert 0 < n_kept < corpus.counts.nnz


def test_the_gain_of_a_document_is_the_sum_of_its_words(model, corpus):
    """What is expected and does not occur counts, so the second terms add to zero."""
    p, beta0 = scored_topics(model), model.shared_word_prob_
    single = np.flatnonzero(np.diff(model.topic_proportions_.indptr) == 1)
    for d in single[:20]:
        j, c = model.topic_proportions_[[d]].indices[0], corpus.counts[[d]].toarray()[0]
        logs = np.log(p[j] / beta0)
        by_word = c * logs - c.sum() * (p[j] - beta0)
        assert by_word.sum() == pytest.approx(c @ logs)


def test_words_of_every_topic_are_not_coloured():
    """A word a little more frequent than usual does not pay in any one document."""
    random = np.random.default_rng(0)
    beta = np.zeros((2, 22))
    beta[:, :2] = [[0.27, 0.23], [0.23, 0.27]]  # both topics use these nearly alike
    beta[0, 2:12] = beta[1, 12:] = 0.05
    counts = np.vstack([random.multinomial(100, beta[d % 2], 1) for d in range(800)])
    model = ParsimoniousTopicModel(2, evidence="words", random_state=0).fit(counts)
    assert pattern(model.salient_word_prob_)[:, :2].all()
    coloured = np.zeros(22)
    for one in model.explain(counts):
        np.add.at(coloured, one.word[one.topic >= 0], 1)
    assert coloured[2:].min() > 250  # of 400 documents
    assert coloured[:2].max() < 200  # of 800


def test_the_share_of_the_shared_model(model, corpus):
    shares = model.shared_share(corpus)
    assert shares.shape == (corpus.n_docs,)
    assert np.all((shares >= 0) & (shares <= 1))
    unsalient = ~pattern(model.salient_word_prob_).any(axis=0)
    length = corpus.counts.sum(axis=1)
    assert np.all(shares >= corpus.counts @ unsalient / length - 1e-9)
    found = [one.counts @ one.shared for one in model.explain(corpus)]
    assert shares == pytest.approx(found / length)
    stop = Corpus([[1.0]], [corpus.vocabulary[1]])
    assert model.shared_share(stop) == pytest.approx([1.0])


@pytest.mark.parametrize("inference", ["sparse", "all"])
@pytest.mark.parametrize("prediction", ["switched", "shrunk"])
def test_the_score_is_the_mean_log_likelihood_of_a_word(
    inference, prediction, model, corpus
):
    settings = dict(inference=inference, prediction=prediction)
    model = copy.deepcopy(model).set_params(**settings)
    counts = corpus.counts.toarray()
    words = model.transform(counts) @ model.predictive_components_
    values = counts * np.log(words)
    assert model.score(counts) == pytest.approx(values.sum() / counts.sum(), rel=1e-10)


def test_the_score_of_the_training_documents_is_that_of_the_fit(model, corpus):
    model = copy.deepcopy(model).set_params(prediction="switched")
    per_word = model.log_likelihood_ / corpus.n_tokens
    assert model.score(corpus) == pytest.approx(per_word, abs=1e-3)


def test_a_state_made_elsewhere(model, corpus):
    alpha, u = model.topic_proportions_, pattern(model.salient_word_prob_)
    shuffled = [2, 0, 3, 1]
    made = ParsimoniousTopicModel.from_arrays(
        corpus,
        alpha.toarray()[:, shuffled],
        model.components_[shuffled],
        u[shuffled],
        pattern(alpha)[:, shuffled],
        model.shared_word_prob_,
    )
    assert made.n_topics_ == 4
    assert made.bic_ == pytest.approx(model.bic_, rel=1e-12)
    assert made.bic_terms_ == pytest.approx(model.bic_terms_, rel=1e-9)
    assert made.components_ == pytest.approx(model.components_)
    assert made.transform(corpus) == pytest.approx(model.transform(corpus), abs=1e-6)
    assert made.stop_reason_ == "given"
    assert made.converged_ is False
    assert made.vocabulary_ == corpus.vocabulary
    assert_sound(made, corpus.counts)
    sparse_parts = ParsimoniousTopicModel.from_arrays(
        corpus.counts,
        alpha,
        model.salient_word_prob_,
        sparse.csr_array(u.astype(float)),
        sparse.csr_array(pattern(alpha)),
        model.shared_word_prob_,
    )
    assert sparse_parts.bic_ == pytest.approx(model.bic_, rel=1e-12)
