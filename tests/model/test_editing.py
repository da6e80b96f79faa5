"""Topics changed by hand: merged, dropped, with words pinned."""

import re

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.model.recount import assert_bic_is_right, assert_sound

from leantopics import ParsimoniousTopicModel, count_texts, make_corpus
from leantopics.ptm.attached_texts import keep_texts, kept_corpus


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(250, 150, 5, salient_per_topic=25, boost=4, doc_length=80)[0]


@pytest.fixture(scope="module")
def model(corpus):
    return ParsimoniousTopicModel(6, evidence="words", random_state=0).fit(corpus)


comes_back = pytest.mark.filterwarnings("ignore:Topic . has come back:UserWarning")


def salient(model, topic):
    return {model.vocabulary_[n] for n in model.salient_word_prob_[[topic]].indices}


def mass_of(model, edited, topics):
    """For each new topic, the share of the words of some old topics that it has."""
    old = model.topic_proportions_.toarray()[:, topics].sum(axis=1)
    return edited.topic_proportions_.toarray().T @ old / old.sum()


def test_merged_topics_are_one(corpus):
    model = ParsimoniousTopicModel(5, evidence="words", random_state=0).fit(corpus)
    edited = model.edit(corpus, merge=[(1, 4)])
    assert edited.n_topics_ == 4
    assert edited.converged_
    assert mass_of(model, edited, [1, 4]).max() > 0.8
    assert edited.bic_ > model.bic_
    assert_sound(edited, corpus.counts)
    assert_bic_is_right(edited, corpus.counts)
    assert edited.score(corpus) > model.score(corpus) - 0.2


def test_three_topics_can_become_one_and_another_go(model, corpus):
    edited = model.edit(corpus, merge=[(0, 1, 2)], drop=[5])
    assert edited.n_topics_ == 3
    assert_sound(edited, corpus.counts)


@comes_back
def test_a_dropped_topic_leaves_its_documents_to_others(model, corpus):
    edited = model.edit(corpus, drop=[2])
    assert edited.n_topics_ == 5
    assert (edited.topic_proportions_.sum(axis=1) > 0.999).all()
    assert edited.converged_
    assert_sound(edited, corpus.counts)


def test_pinned_words_stay_salient_and_bic_settles_the_rest(model, corpus):
    topic = 3
    poor = [word for word in model.vocabulary_ if word not in salient(model, topic)]
    poor = [w for w in poor if model.word_frequency_[model.vocabulary_.index(w)] > 0]
    edited = model.edit(corpus, pin={topic: poor[:3]})
    assert edited.converged_
    ((new, words),) = edited.pinned_words_.items()
    assert sorted(words) == sorted(poor[:3])
    assert set(poor[:3]) <= salient(edited, new)
    assert mass_of(model, edited, [topic]).argmax() == new
    assert_bic_is_right(edited, corpus.counts)
    falls = np.diff([step.objective for step in edited.history_])
    assert len(falls) == 0 or falls.max() <= 1e-6


def test_a_pin_costs_what_it_costs(model, corpus):
    """Nothing but the pinned word is worse than without: BIC rises by its price."""
    word = next(
        w
        for n, w in enumerate(model.vocabulary_)
        if model.word_frequency_[n] > 0 and w not in salient(model, 0)
    )
    edited = model.edit(corpus, pin={0: word})
    assert 0.0 < edited.bic_ - model.bic_ < 50.0


def test_pins_last_through_further_changes_and_saving(model, corpus, tmp_path):
    word = next(w for w in model.vocabulary_ if w not in salient(model, 0))
    edited = model.edit(corpus, pin={0: word})
    edited.save(tmp_path / "model")
    again = ParsimoniousTopicModel.load(tmp_path / "model")
    assert again.pinned_words_ == edited.pinned_words_
    ((topic, _),) = again.pinned_words_.items()
    partner = 0 if topic else 1
    further = again.edit(corpus, merge=[(partner, topic)])
    ((new, words),) = further.pinned_words_.items()
    assert words == [word]
    assert word in salient(further, new)


@comes_back
def test_an_edit_is_told_and_kept(model, corpus, tmp_path):
    word = model.top_words(0)[0][0]
    edited = model.edit(corpus, merge=[(2, 0)], pin={3: word}).edit(corpus, drop=[4])
    first, second = edited.edits_
    assert (first["merge"], first["drop"], first["pin"]) == ([[2, 0]], [], {3: [word]})
    assert (second["merge"], second["drop"], second["pin"]) == ([], [4], {})
    assert (first["n_topics"], second["n_topics"]) == (6, 5)
    total = first["bic_change"] + second["bic_change"]
    assert total == pytest.approx(edited.bic_ - model.bic_)
    edited.save(tmp_path / "model")
    assert ParsimoniousTopicModel.load(tmp_path / "model").edits_ == edited.edits_
    assert edited.at(4).edits_ == edited.edits_
    assert model.edits_ == []


def test_a_topic_that_comes_back_is_told(corpus):
    """The largest topic takes the place of one that was split off it."""
    model = ParsimoniousTopicModel(12, random_state=0).fit(corpus)
    model.topic_names = [f"topic {j}" for j in range(12)]
    with pytest.warns(UserWarning, match=r"Topic 0 has come back as topic (\d+), in "
                      r"place of topic (\d+), which BIC") as told:  # fmt: skip
        edited = model.edit(corpus, drop=[0])
    told_of = re.match(r"\D+0\D+(\d+)\D+(\d+)", str(told[0].message))
    new, gone = map(int, told_of.groups())
    assert told[0].filename == __file__
    assert mass_of(model, edited, [0]).argmax() == new
    assert edited.topic_names[new] == "topic 0"
    assert f"topic {gone}" not in edited.topic_names


def test_the_first_of_merged_topics_matters_for_its_name_only(model, corpus):
    one, two = (model.edit(corpus, merge=[pair]) for pair in ((0, 3), (3, 0)))
    np.testing.assert_array_equal(one.components_, two.components_)


@comes_back
def test_names_that_were_not_given_are_those_of_the_new_topics(model, corpus):
    named = model.at(model.n_topics_)
    named.topic_names = ["given", *named.topic_names[1:]]
    edited = named.edit(corpus, merge=[(1, 2)])
    automatic = model.edit(corpus, merge=[(1, 2)]).topic_names
    assert "given" in edited.topic_names
    changed = [a for a, b in zip(edited.topic_names, automatic, strict=True) if a != b]
    assert changed == ["given"]


@comes_back
def test_an_edit_that_ends_early_says_so(model, corpus):
    hasty = model.at(model.n_topics_).set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations") as told:
        hasty.edit(corpus, drop=[0])
    assert told[-1].filename == __file__


@comes_back
def test_kept_texts_stay():
    texts = ["the cat sat on a mat", "a dog ran to the park"] * 20
    corpus = count_texts(texts)
    model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
    keep_texts(model, corpus)
    for other in (model.at(3), model.edit(corpus, drop=[1])):
        assert list(kept_corpus(other).texts) == texts


def test_given_names_go_with_their_topics(model, corpus):
    named = model.at(model.n_topics_)
    named.topic_names = [f"topic {j}" for j in range(6)]
    edited = named.edit(corpus, merge=[(2, 0)], drop=[5])
    assert sorted(edited.topic_names) == ["topic 1", "topic 2", "topic 3", "topic 4"]
    j = edited.topic_names.index("topic 2")
    assert mass_of(model, edited, [0, 2]).argmax() == j


@comes_back
def test_the_same_change_gives_the_same_bits_on_two_threads(model, corpus):
    one = model.edit(corpus, drop=[1])
    parallel = model.at(model.n_topics_).set_params(n_jobs=2)
    two = parallel.edit(corpus, drop=[1])
    np.testing.assert_array_equal(one.components_, two.components_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "something to merge"),
        ({"merge": [(0,)]}, "two or more"),
        ({"merge": [(0, 1), (1, 2)]}, "1 comes twice"),
        ({"merge": [(0, 1)], "drop": [1]}, "1 comes twice"),
        ({"drop": range(6)}, "At least one"),
        ({"drop": [6]}, "topic"),
        ({"drop": [1], "pin": {1: "x"}}, "cannot be dropped"),
        ({"pin": {1: ["no such word"]}}, "no such word"),
    ],
)
def test_changes_that_make_no_sense(model, corpus, change, message):
    with pytest.raises(ValueError, match=message):
        model.edit(corpus, **change)


def test_other_documents_are_refused(model, corpus):
    with pytest.raises(ValueError, match="documents of the fit"):
        model.edit(corpus.counts[:-1], drop=[0])
