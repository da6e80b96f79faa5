"""The number of topics, and the two procedures and word priors that price it."""

import logging
import math

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from tests.model.recount import assert_bic_is_right, assert_sound, pattern

from leantopics import ParsimoniousTopicModel, make_corpus

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
ROOM = 1 - math.log(2)


def orders(model):
    return [row["n_topics"] for row in model.path_]


def f1(found, truth):
    return 2 * (found & truth).sum() / (found.sum() + truth.sum())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_topics_are_recovered(seed):
    corpus, truth = make_corpus(**EASY, random_state=seed)
    settings = dict(evidence="words", max_topics=16, step=1, random_state=seed)
    model = ParsimoniousTopicModel(**settings)
    model.fit(corpus)
    assert model.n_topics_ == 8
    assert model.converged_
    u, v = pattern(model.salient_word_prob_), pattern(model.topic_proportions_)
    true_u, true_v = pattern(truth.beta), pattern(truth.alpha)
    overlap = model.topic_proportions_.toarray().T @ truth.alpha.toarray()
    mine, theirs = linear_sum_assignment(-overlap)
    assert f1(u[mine], true_u[theirs]) > 0.9
    assert f1(v[:, mine], true_v[:, theirs]) > 0.9
    rows = np.tile(truth.beta0, (8, 1))
    rows[true_u] = truth.beta.data
    off = np.abs(model.components_[mine] - rows[theirs]).sum(axis=1)
    assert off.max() < 0.15


def test_the_random_start_finds_them_too():
    corpus, _ = make_corpus(**EASY)
    model = ParsimoniousTopicModel(
        max_topics=16, step=1, init="random", random_state=0
    ).fit(corpus)
    assert abs(model.n_topics_ - 8) <= 1


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_sweep_down_fits_every_order_in_range(step, corpus):
    model = ParsimoniousTopicModel(max_topics=12, step=step, random_state=0).fit(corpus)
    assert orders(model) == sorted(range(12, 1, -step))
    assert_sound(model, corpus.counts)


@pytest.mark.parametrize(("step", "expected"), [(1, range(2, 9)), (2, [2, 4, 6, 8])])
def test_a_sweep_up_fits_every_order_in_range(step, expected, corpus):
    model = ParsimoniousTopicModel(
        max_topics=8, step=step, sweep="up", random_state=0
    ).fit(corpus)
    assert orders(model) == list(expected)
    assert model.bic_ == min(row["bic"] for row in model.path_)
    assert_sound(model, corpus.counts)


def test_a_sweep_up_finds_the_planted_number(corpus):
    model = ParsimoniousTopicModel(max_topics=8, step=1, sweep="up", random_state=0)
    assert model.fit(corpus).n_topics_ == 4


def test_a_sweep_up_in_large_steps(corpus):
    model = ParsimoniousTopicModel(max_topics=8, step=3, sweep="up", random_state=0)
    assert orders(model.fit(corpus)) == [2, 5, 8]


@pytest.mark.parametrize("sweep", ["down", "up"])
def test_a_range_of_one_order(sweep, corpus):
    model = ParsimoniousTopicModel(
        max_topics=4, min_topics=4, sweep=sweep, random_state=0
    ).fit(corpus.counts[:4])
    assert orders(model) == [4]


def test_the_chosen_order_is_certified(model):
    assert model.converged_
    again = model.path_[orders(model).index(model.n_topics_)]
    assert again["converged"]
    swept = [s for s in model.history_ if s.n_topics == model.n_topics_]
    assert model.bic_ <= swept[0].bic


def test_the_sweep_goes_on_beyond_a_ceiling_that_was_too_low(corpus, caplog):
    with caplog.at_level(logging.WARNING, logger="leantopics"):
        settings = dict(max_topics=3, step=1, random_state=0)
        model = ParsimoniousTopicModel(**settings).fit(corpus)
    assert model.n_topics_ == 4
    assert orders(model) == list(range(2, max(orders(model)) + 1))
    assert max(orders(model)) in (6, 12)
    first = caplog.records[0]
    assert first.name == "leantopics"
    assert (
        "within two steps of max_topics, 3: starting again from 6" in first.getMessage()
    )


@pytest.mark.parametrize("step", [1, None])
def test_a_ceiling_that_is_high_enough_is_left_in_peace(step, corpus, caplog):
    ParsimoniousTopicModel(max_topics=8, step=step, random_state=0).fit(corpus)
    assert not caplog.records


@pytest.mark.parametrize("seed", range(3))
def test_the_search_begins_with_many_topics(seed, corpus):
    told = []
    settings = dict(max_topics=4, random_state=seed, callback=told.append)
    model = ParsimoniousTopicModel(**settings).fit(corpus)
    assert told[0].n_topics == 40  # one for three documents
    assert model.n_topics_ == 4
    assert max(orders(model)) <= 8
    assert_sound(model, corpus.counts)


def test_the_search_is_not_behind_the_sweep_of_the_paper():
    """On documents whose topics are many and overlap, over the same seeds."""
    found, _ = make_corpus(
        400, 300, 15, topics_per_doc=1.3, salient_per_topic=40, doc_length=80,
        boost=4, dip=0.1, overlap=0.8,
    )  # fmt: skip
    bic = {
        step: [
            ParsimoniousTopicModel(max_topics=30, step=step, random_state=seed)
            .fit(found)
            .bic_
            for seed in range(4)
        ]
        for step in (1, None)
    }
    assert np.mean(bic[None]) < np.mean(bic[1]) * (1 + 1e-4)


def test_the_paper_has_its_own_sweeps(corpus):
    for settings in (dict(procedure="published"), dict(sweep="up")):
        model = ParsimoniousTopicModel(max_topics=6, random_state=0, **settings)
        assert orders(model.fit(corpus)) == list(range(2, 7))


def test_never_more_topics_than_documents_with_words(corpus):
    few = corpus.counts[:7].toarray()
    few = np.vstack([few, np.zeros((5, few.shape[1]))])
    model = ParsimoniousTopicModel(max_topics=100, step=1, random_state=0).fit(few)
    assert orders(model) == list(range(2, 8))
    assert_sound(model, few)


def test_the_sweep_goes_on_to_the_number_of_documents_at_most():
    """Documents that share no word are topics of their own."""
    for step in (1, None):
        settings = dict(evidence="words", max_topics=4, step=step, random_state=0)
        model = ParsimoniousTopicModel(**settings).fit(50 * np.eye(10))
        assert max(orders(model)) == 10
        assert model.n_topics_ == 10


@pytest.mark.parametrize("sweep", ["down", "up"])
def test_fewer_documents_than_min_topics(sweep, corpus):
    model = ParsimoniousTopicModel(min_topics=5, sweep=sweep, random_state=0)
    model.fit(corpus.counts[:3])
    assert orders(model) == [3]
    assert_sound(model, corpus.counts[:3])


@pytest.mark.parametrize("sweep", ["down", "up"])
def test_one_document(sweep, corpus):
    model = ParsimoniousTopicModel(sweep=sweep, random_state=0).fit(corpus.counts[:1])
    assert model.n_topics_ == 1
    assert_sound(model, corpus.counts[:1])


def test_one_topic(corpus):
    model = ParsimoniousTopicModel(1, random_state=0).fit(corpus)
    assert model.n_topics_ == 1
    assert np.all(model.transform(corpus) == 1)
    assert model.bic_terms_["topic_switches"] == 0
    assert model.components_[0] == pytest.approx(model.shared_word_prob_)
    assert_sound(model, corpus.counts)


@pytest.mark.parametrize("sweep", ["down", "up"])
def test_a_step_larger_than_the_range(sweep, corpus):
    model = ParsimoniousTopicModel(
        max_topics=8, step=50, sweep=sweep, random_state=0
    ).fit(corpus)
    assert (8 if sweep == "down" else 2) in orders(model)
    assert_sound(model, corpus.counts)


@pytest.fixture(scope="module")
def noisy():
    """Weak topics over many words, so that the price of a salient word matters."""
    corpus, _ = make_corpus(150, 400, 5, doc_length=150, boost=3, dip=0.4)
    return corpus


@pytest.fixture(scope="module")
def both(noisy):
    settings = dict(max_topics=8, step=1, word_prior="entropy", random_state=0)
    return {
        name: ParsimoniousTopicModel(procedure=name, **settings).fit(noisy)
        for name in ("paper", "published")
    }


def test_the_criterion_of_the_procedures(both):
    for name, model in both.items():
        for row in model.path_:
            room = ROOM * row["word_switches"] if name == "published" else 0.0
            if row["n_topics"] != model.n_topics_:
                expected = pytest.approx(row["bic"] - room, rel=1e-12)
                assert row["criterion"] == expected
        least = min(model.path_, key=lambda row: row["criterion"])
        assert least["n_topics"] == model.n_topics_


def test_orders_are_compared_before_the_chosen_one_is_fitted_to_the_end(both):
    model = both["paper"]
    steps = [step for step in model.history_ if step.n_topics == model.n_topics_]
    row = next(row for row in model.path_ if row["n_topics"] == model.n_topics_)
    assert row["bic"] == steps[-1].bic < row["criterion"]
    assert row["criterion"] in [step.bic for step in steps]


def test_both_procedures_report_the_bic_of_the_paper(both, noisy):
    for model in both.values():
        for order in orders(model):
            assert_bic_is_right(model.at(order), noisy.counts)


def test_published_takes_more_words_at_a_higher_bic(both):
    excess = []
    for order in set(orders(both["paper"])) & set(orders(both["published"])):
        paper, published = (both[name].at(order) for name in ("paper", "published"))
        assert published.n_salient_words_.mean() > paper.n_salient_words_.mean()
        excess.append(published.bic_ - paper.bic_)
    assert np.median(excess) > 0


def test_each_procedure_descends_its_own_objective(both):
    for name, model in both.items():
        for a, b in zip(model.history_, model.history_[1:], strict=False):
            weight = math.log(2) / b.n_topics
            if b.iteration > 1:
                assert b.objective <= a.objective + 1e-9 * abs(a.objective)
            if name == "paper":
                assert b.objective == b.bic
            else:
                assert weight < 1
                assert b.objective < b.bic


def test_the_word_prior_is_decided_by_the_dictionary(corpus):
    for n_words, expected in ((999, "exact"), (1000, "entropy")):
        X = np.zeros((20, n_words))
        X[:, :100] = corpus.counts[:20].toarray()
        model = ParsimoniousTopicModel(2, random_state=0).fit(X)
        assert model.word_prior_ == expected
        assert_sound(model, X)


def test_the_exact_prior_costs_a_bit_a_switch(corpus):
    model = ParsimoniousTopicModel(3, word_prior="exact", random_state=0).fit(corpus)
    assert model.word_prior_ == "exact"
    terms = model.bic_terms_
    assert terms["word_switches"] == pytest.approx(3 * 100 * math.log(2))
    assert terms["word_switches_constant"] == 0


def test_the_entropy_prior(corpus):
    model = ParsimoniousTopicModel(3, word_prior="entropy", random_state=0).fit(corpus)
    assert model.word_prior_ == "entropy"
    p = model.n_salient_words_.sum() / 300
    entropy = -p * math.log(p) - (1 - p) * math.log(1 - p)
    assert model.bic_terms_["word_switches"] == pytest.approx(300 * entropy)
    constant = -0.5 * math.log(300)
    assert model.bic_terms_["word_switches_constant"] == pytest.approx(constant)
    assert_sound(model, corpus.counts)


@pytest.mark.parametrize("n_topics", ["auto", 6])
def test_the_best_of_several_starts_is_kept(n_topics, corpus):
    random, settings = np.random.RandomState(3), {"evidence": "words", "max_topics": 8}
    one_by_one = [
        ParsimoniousTopicModel(n_topics, random_state=random, **settings).fit(corpus)
        for _ in range(3)
    ]
    random = np.random.RandomState(3)
    together = ParsimoniousTopicModel(
        n_topics, n_init=3, random_state=random, **settings
    ).fit(corpus)
    best = min(one_by_one, key=lambda model: model.bic_)
    assert together.bic_ == best.bic_
    assert_sound(together, corpus.counts)


def test_a_stop_ends_all_starts(corpus):
    seen = []
    ParsimoniousTopicModel(
        4, n_init=3, random_state=0, callback=lambda step: seen.append(step) or True
    ).fit(corpus)
    assert len(seen) == 1


@pytest.mark.parametrize("at", [5, 20, 30])
@pytest.mark.parametrize("settings", [{}, {"step": 2}])
def test_a_search_that_was_stopped_says_so(corpus, at, settings):
    seen = []
    model = ParsimoniousTopicModel(max_topics=20, random_state=0, **settings)
    whole = model.fit(corpus)
    finer = [] if whole.finer_ is None else whole.finer_.history_
    assert len(finer) + len(whole.history_) > at
    model.set_params(callback=lambda step: seen.append(step) or len(seen) == at)
    assert model.fit(corpus).stop_reason_ == "callback"
    assert len(seen) == at
