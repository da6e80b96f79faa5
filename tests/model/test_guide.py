"""Fits with known topics: what is held, what it costs, and what is refused."""

import itertools
import re

import numpy as np
import pytest
from scipy import sparse
from tests.model.recount import assert_bic_is_right, assert_sound

from leantopics import (
    Checkpoint,
    Corpus,
    Guide,
    ParsimoniousTopicModel,
    load_model,
    make_corpus,
)
from leantopics.ptm.guided.links import Blocks
from leantopics.ptm.guided.placing import Values, choose


@pytest.fixture(scope="module")
def planted():
    """Documents of four topics, the topic of each, and the words of each topic."""
    corpus, truth = make_corpus(
        250, 150, 4, topics_per_doc=1.0, salient_per_topic=15, boost=6, doc_length=80
    )
    beta = truth.beta.toarray()
    ratio = np.where(beta > 0.0, beta / truth.beta0, 0.0)
    words = [
        [corpus.vocabulary[n] for n in np.argsort(-ratio[j])[:3]] for j in range(4)
    ]
    return corpus, truth.alpha.toarray().argmax(axis=1), words


def fit(X, guide=None, **settings):
    settings = {"evidence": "words", "random_state": 0, **settings}
    return ParsimoniousTopicModel(**settings).fit(X, guide=guide)


def salient(model, topic):
    return {model.vocabulary_[n] for n in model.salient_word_prob_[[topic]].indices}


def has_most(model, topic):
    return model.topic_proportions_[:, [topic]].toarray().ravel() > 0.5


def test_a_topic_with_known_words_is_found_and_named(planted):
    corpus, topic, words = planted
    model = fit(corpus, Guide(words={"sea": words[2]}))
    sea = model.topic_names.index("sea")
    assert set(words[2]) <= salient(model, sea)
    assert model.pinned_words_ == {sea: sorted(words[2], key=model.vocabulary_.index)}
    assert (has_most(model, sea) == (topic == 2)).mean() > 0.95
    assert model.converged_
    assert_sound(model, corpus.counts)
    assert_bic_is_right(model, corpus.counts)
    free = fit(corpus)
    assert model.bic_ == pytest.approx(free.bic_, rel=1e-3)
    assert all(row["held"] and row["nats"] < 0.0 for row in model.guide_costs_)


def test_words_that_may_not_be_salient_are_not(planted):
    corpus, _, words = planted
    guide = Guide(words={"sea": words[2][1:]}, not_words={"sea": words[2][:1]})
    model = fit(corpus, guide)
    sea = model.topic_names.index("sea")
    assert words[2][0] not in salient(model, sea)
    assert set(words[2][1:]) <= salient(model, sea)
    dearest = model.guide_costs_[0]
    assert dearest["what"] == words[2][0]
    assert dearest["belief"] == "not word"
    assert dearest["nats"] > 0.0
    assert_bic_is_right(model, corpus.counts)


def test_documents_stay_in_their_topic(planted):
    corpus, topic, _ = planted
    mine = np.flatnonzero(topic == 1)[:5].tolist()
    odd = int(np.flatnonzero(topic == 3)[0])
    model = fit(corpus, Guide(documents={"mine": [*mine, odd]}))
    number = model.topic_names.index("mine")
    shares = model.topic_proportions_.toarray()
    assert (shares[[*mine, odd], number] == 1.0).all()
    assert (has_most(model, number) == (topic == 1)).mean() > 0.95
    costs = {row["what"]: row["nats"] for row in model.guide_costs_}
    assert set(costs) == {*mine, odd}
    assert costs[odd] > 5.0
    assert all(costs[d] == 0.0 for d in mine)
    assert_bic_is_right(model, corpus.counts)


def test_a_documents_cost_is_what_bic_would_fall_by(planted):
    """Freed, with everything else the same, the document goes where it is best."""
    corpus, topic, _ = planted
    odd = int(np.flatnonzero(topic == 3)[0])
    mine = [*np.flatnonzero(topic == 1)[:5].tolist(), odd]
    model = fit(corpus, Guide(documents={"mine": mine}))
    alpha = model.topic_proportions_.toarray()
    costs = {row["what"]: row["nats"] for row in model.guide_costs_}
    beta, u = model.salient_word_prob_.toarray(), model.salient_word_prob_.copy()
    u.data = np.ones_like(u.data)
    arrays = [beta, u.toarray(), None, model.shared_word_prob_]

    def bic(shares):
        arrays[2] = shares > 0.0
        return ParsimoniousTopicModel.from_arrays(
            corpus.counts, shares, *arrays, evidence="words"
        ).bic_

    best = np.inf
    for k in range(model.n_topics_):
        other = alpha.copy()
        other[odd] = np.eye(model.n_topics_)[k]
        best = min(best, bic(other))
    assert bic(alpha) - best == pytest.approx(costs[odd], abs=1e-6)


def test_labels_of_some_documents_are_propagated(planted):
    corpus, topic, _ = planted
    labels = [None] * corpus.n_docs
    for d in range(0, corpus.n_docs, 10):
        labels[d] = f"class {topic[d]}"
    model = fit(corpus, Guide(labels=labels))
    number = [model.topic_names.index(f"class {j}") for j in range(4)]
    found = model.topic_proportions_[:, number].toarray().argmax(axis=1)
    assert (found == topic).mean() > 0.95
    all_ = fit(corpus, Guide(labels=[f"class {t}" for t in topic]))
    assert all_.n_topics_ == 4
    named = Corpus(corpus.counts, corpus.vocabulary,
                   labels=[[f"class {t}"] for t in topic])  # fmt: skip
    again = fit(named, Guide(labels="corpus"))
    assert again.bic_ == all_.bic_


def test_documents_may_be_named_by_their_ids(planted):
    corpus, topic, _ = planted
    rows = np.flatnonzero(topic == 1)[:5].tolist()
    ids = [corpus.ids[d] for d in rows]
    one = fit(corpus, Guide(documents={"mine": rows}))
    two = fit(corpus, Guide(labels=dict.fromkeys(ids, "mine")))
    assert one.bic_ == two.bic_


def test_beliefs_that_the_data_refute_are_dropped(planted):
    corpus, topic, words = planted
    mine = np.flatnonzero(topic == 1)[:5].tolist()
    odd = int(np.flatnonzero(topic == 3)[0])
    guide = Guide({"mine": words[1][:1]}, documents={"mine": [*mine, odd]},
                  trust="data", bound=5.0)  # fmt: skip
    model = fit(corpus, guide)
    dropped = [row for row in model.guide_costs_ if not row["held"]]
    assert [(row["belief"], row["what"]) for row in dropped] == [("document", odd)]
    assert dropped[0]["nats"] > 5.0
    number = model.topic_names.index("mine")
    assert not has_most(model, number)[odd]
    assert all(row["nats"] <= 5.0 for row in model.guide_costs_ if row["held"])


def test_a_fixed_number_of_topics_counts_the_known_ones(planted):
    corpus, _, words = planted
    model = fit(corpus, Guide(words={"sea": words[2]}), n_topics=4)
    assert model.n_topics_ == 4
    assert "sea" in model.topic_names


def test_themes_are_guided_and_finer_topics_are_below(planted):
    corpus, _, words = planted
    often = Corpus(3.0 * corpus.counts, corpus.vocabulary)
    model = fit(often, Guide(words={"sea": words[2]}), evidence="bursts")
    assert "sea" in model.topic_names
    assert len(model.parents_) == model.finer_.n_topics_


def test_a_guided_model_is_saved_and_goes_on(planted, tmp_path):
    corpus, _, words = planted
    guide = Guide(words={"sea": words[2]})
    model = fit(corpus, guide)
    model.save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.guide_costs_ == model.guide_costs_
    assert loaded.topic_names == model.topic_names
    newer = loaded.refresh(corpus)
    sea = newer.topic_names.index("sea")
    assert set(words[2]) <= salient(newer, sea)


def test_threads_and_checkpoints_do_not_matter(planted, tmp_path):
    corpus, _, words = planted
    guide = Guide({"sea": words[2]}, documents={"odd": [0, 1]})
    one = fit(corpus, guide)
    assert fit(corpus, guide, n_jobs=2).bic_ == one.bic_
    kept = tmp_path / "c"
    other = ParsimoniousTopicModel(evidence="words", random_state=0)
    assert (
        other.fit(corpus, guide=guide, checkpoint=Checkpoint(kept, 0)).bic_ == one.bic_
    )
    with pytest.raises(ValueError, match="is the checkpoint of a fit with other"):
        other.fit(corpus, checkpoint=Checkpoint(kept, 0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "The guide must name words or documents of a topic, or documents"),
        ({"words": {"sea": ["zebra"]}},
         "Words of the guide must occur in the documents, but 'zebra' of 'sea' does"),
        ({"words": {"sea": ["{0}"]}, "not_words": {"sea": ["{0}"]}},
         "The guide may not contradict itself, but '{0}' must and may not be a word"),
        ({"documents": {"b": [0]}, "not_words": {"sea": ["{0}"]}},
         "A topic of the guide must have words, or"),
        ({"documents": {"sea": [250]}},
         "The documents of a guide must be rows from 0 to 249 or ids of the corpus."),
        ({"documents": {"sea": ["nobody"]}}, "Got 'nobody' instead."),
        ({"documents": {"sea": [3], "wood": [3]}},
         "A document may belong to one topic of the guide, but 3 belongs to 'sea' and"),
        ({"labels": ["sea"]},
         "labels of a guide must be one for each of 250 documents, None where"),
        ({"labels": "field"}, 'labels of a guide must be "corpus", for a Corpus with'),
    ],
)  # fmt: skip
def test_wrong_guides_are_refused(planted, settings, message):
    corpus = planted[0]
    word = corpus.vocabulary[0]
    filled = eval(repr(settings).replace("{0}", word))
    with pytest.raises(ValueError, match=re.escape(message.replace("{0}", word))):
        fit(corpus, Guide(**filled))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Guide(words=["sea"]), "words of a guide must be lists by the name"),
        (lambda: Guide(words={"sea": "refund"}), "words of a guide must be lists. Got"),
        (lambda: Guide(trust="me"), "trust"),
        (lambda: Guide(bound=-1), "bound must be a number from 0 up. Got -1 instead."),
    ],
)
def test_wrong_settings_of_a_guide(make, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        make()


def test_wrong_settings_of_the_model(planted):
    corpus, _, words = planted
    guide = Guide(words={"a": words[0], "b": words[1]})
    with pytest.raises(ValueError, match="n_topics must be at least 2, the number"):
        fit(corpus, guide, n_topics=1)
    with pytest.raises(ValueError, match='A guide needs procedure="paper"'):
        fit(corpus, guide, procedure="published")
    with pytest.raises(TypeError, match="guide must be a Guide"):
        fit(corpus, {"words": {}})


def test_words_of_one_topic_are_not_all_that_it_may_have(planted):
    """A topic whose likely words are all barred keeps another one."""
    corpus, topic, _ = planted
    rows = np.flatnonzero(topic == 0).tolist()
    free = fit(corpus, Guide(documents={"odd": rows}))
    own = salient(free, free.topic_names.index("odd"))
    model = fit(corpus, Guide(not_words={"odd": own}, documents={"odd": rows}))
    left = salient(model, model.topic_names.index("odd"))
    assert left
    assert not left & own


def together(model, rows):
    """Whether documents have one topic each, the same."""
    shares = model.topic_proportions_[rows]
    return (np.diff(shares.indptr) == 1).all() and len(set(shares.indices)) == 1


def apart(model, rows):
    shares = model.topic_proportions_[rows]
    one_each = (np.diff(shares.indptr) == 1).all()
    return one_each and len(set(shares.indices)) == len(rows)


def bic_with(model, counts, topics):
    """BIC where some documents have another topic alone, everything else the same."""
    alpha = model.topic_proportions_.toarray()
    for row, topic in topics.items():
        alpha[row] = np.eye(model.n_topics_)[topic]
    u = model.salient_word_prob_.copy()
    u.data = np.ones_like(u.data)
    return ParsimoniousTopicModel.from_arrays(
        counts, alpha, model.salient_word_prob_.toarray(), u.toarray(), alpha > 0.0,
        model.shared_word_prob_, evidence="words",
    ).bic_  # fmt: skip


@pytest.mark.parametrize("kind", ["together", "apart"])
def test_a_pairs_cost_is_what_bic_would_fall_by(planted, kind):
    corpus, topic, _ = planted
    other = {"together": 1, "apart": 0}[kind]
    pair = [int(np.flatnonzero(topic == 0)[0]), int(np.flatnonzero(topic == other)[1])]
    model = fit(corpus, Guide(**{kind: [pair]}))
    holds = {"together": together, "apart": apart}[kind]
    assert holds(model, pair)
    assert model.converged_
    assert_sound(model, corpus.counts)
    assert_bic_is_right(model, corpus.counts)
    (row,) = model.guide_costs_
    assert (row["topic"], row["belief"], row["what"]) == (None, kind, pair)
    best = min(
        bic_with(model, corpus.counts, dict(zip(pair, places, strict=True)))
        for places in itertools.product(range(model.n_topics_), repeat=2)
    )
    assert model.bic_ - best == pytest.approx(row["nats"], abs=0.5)
    assert row["nats"] > 20.0
    assert not holds(fit(corpus), pair)


def test_what_the_documents_say_costs_nothing(planted):
    corpus, topic, _ = planted
    same = np.flatnonzero(topic == 0)[:4].tolist()
    each = [int(np.flatnonzero(topic == j)[5]) for j in range(4)]
    model = fit(corpus, Guide(together=[same[:2], same[1:]], apart=[each]))
    assert together(model, same)
    assert apart(model, each)
    assert len(model.guide_costs_) == 3
    assert all(0.0 <= row["nats"] < 1.0 for row in model.guide_costs_)
    free = fit(corpus)
    assert model.bic_ == pytest.approx(free.bic_, abs=1.0)


def test_documents_apart_get_as_many_topics_as_it_takes(planted):
    corpus, topic, _ = planted
    same = np.flatnonzero(topic == 0)[:6].tolist()
    model = fit(corpus, Guide(apart=[same]))
    assert apart(model, same)
    assert model.n_topics_ >= 6
    assert_sound(model, corpus.counts)


def test_links_reach_into_known_topics(planted):
    corpus, topic, words = planted
    sea, other = (np.flatnonzero(topic == j)[:3].tolist() for j in (2, 1))
    ids = [corpus.ids[row] for row in (other[0], other[1])]
    guide = Guide(words={"sea": words[2]}, documents={"sea": sea},
                  together=[[sea[0], ids[0]]], apart=[[sea[1], ids[1]]])  # fmt: skip
    model = fit(corpus, guide)
    number = model.topic_names.index("sea")
    shares = model.topic_proportions_[:, [number]].toarray().ravel()
    assert (shares[[*sea, other[0]]] == 1.0).all()
    assert shares[other[1]] == 0.0
    dear = [row for row in model.guide_costs_ if row["nats"] > 10.0]
    assert [(row["belief"], row["what"]) for row in dear] == [
        ("together", [sea[0], other[0]])
    ]
    kept = fit(corpus, Guide(words={"sea": words[2]}, documents={"sea": sea},
                             together=[[sea[0], ids[0]]], trust="data"))  # fmt: skip
    assert [row["what"] for row in kept.guide_costs_ if not row["held"]] == [
        [sea[0], other[0]]
    ]
    assert not together(kept, [sea[0], other[0]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"apart": [[3, 3]]}, "document 3 must be apart from itself."),
        ({"apart": [[3, 5]], "together": [[3, 5]]},
         "documents 3 and 5 must be apart, and together."),
        ({"apart": [[3, 9]], "together": [[3, 5, 7], [7, 9]]},
         "documents 3 and 9 must be apart, and together by way of 5, 7."),
        ({"documents": {"sea": [3], "wood": [9]}, "together": [[3, 5], [5, 9]]},
         "documents 3 of 'sea' and 9 of 'wood' must be together."),
        ({"documents": {"sea": [3, 9]}, "apart": [[3, 9]]},
         "documents 3 and 9 must be apart, and belong to 'sea' both."),
        ({"documents": {"sea": [3, 9]}, "together": [[9, 5]], "apart": [[3, 5]]},
         "documents 3 and 5 must be apart, and belong to 'sea' both."),
        ({"together": [[3, "nobody"]]}, "Got 'nobody' instead."),
        ({"apart": [[3, 999]]}, "must be rows from 0 to 249 or ids of the corpus."),
    ],
)  # fmt: skip
def test_links_that_contradict_each_other_are_refused(planted, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fit(planted[0], Guide(**settings))


@pytest.mark.parametrize("given", ["ab", {"a": 1}, 3, [[3]], ["ab"], [3, 4]])
def test_links_are_lists_of_documents(given):
    with pytest.raises(TypeError, match=r"apart of a guide must be lists of .*doc"):
        Guide(apart=given)


def test_links_are_saved_with_their_costs(planted, tmp_path):
    corpus, topic, _ = planted
    pair = [int(np.flatnonzero(topic == j)[0]) for j in (0, 1)]
    guide = Guide(together=[pair])
    model = fit(corpus, guide)
    model.save(tmp_path / "m")
    assert load_model(tmp_path / "m").guide_costs_ == model.guide_costs_
    two = fit(corpus, guide, n_jobs=2)
    assert two.bic_ == model.bic_
    kept = Checkpoint(tmp_path / "c", 0)
    one = ParsimoniousTopicModel(evidence="words", random_state=0)
    assert one.fit(corpus, guide=guide, checkpoint=kept).bic_ == model.bic_
    with pytest.raises(ValueError, match="is the checkpoint of a fit with other"):
        one.fit(corpus, guide=Guide(apart=[pair]), checkpoint=kept)


@pytest.mark.parametrize("seed", range(30))
def test_places_are_the_best_there_are(seed):
    """Few blocks, so that all places can be tried."""
    random = np.random.default_rng(seed)
    n_blocks, n_topics = 4, 3
    apart_from = [set() for _ in range(n_blocks)]
    for a, b in ((0, 1), (1, 2), (2, 3)):
        apart_from[a].add(b)
        apart_from[b].add(a)
    rows = np.arange(n_blocks)
    blocks = Blocks(rows, rows, apart_from, np.full(n_blocks, -1))
    known = Values(random.normal(size=(n_blocks, n_topics)), np.ones(n_blocks),
                   sparse.csr_array((n_blocks, n_topics)), np.full(n_topics, 50.0),
                   np.zeros(n_topics))  # fmt: skip
    found = choose(known, blocks, 0)

    def worth(topics):
        if any(topics[a] == topics[b] for a in rows for b in apart_from[a]):
            return -np.inf
        return sum(known.gain[b, j] for b, j in enumerate(topics))

    best = max(map(worth, itertools.product(range(n_topics), repeat=n_blocks)))
    assert np.isfinite(worth(found))
    assert worth(found) >= best - 1.5


def test_yaml(tmp_path):
    pytest.importorskip("yaml")
    file = tmp_path / "guide.yaml"
    file.write_text("words:\n  sea: [ship]\napart:\n- [3, d5]\nbound: 3\n")
    guide = Guide.read(file)
    assert (guide.words, guide.apart, guide.bound) == (
        {"sea": ["ship"]},
        [[3, "d5"]],
        3,
    )
    for text, message in (
        ("words: [", "must be a guide in YAML: while parsing"),
        ("!!python/object/apply:os.system [exit]", "could not determine a constructor"),
        ("- a", "must be a YAML object with apart, bound"),
        ("", "must be a YAML object with"),
        ("2020-13-45", "must be a guide in YAML: month must be"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=message):
            Guide.read(file)


def test_files(tmp_path):
    file = tmp_path / "guide.json"
    file.write_text('{"words": {"sea": ["ship"]}, "trust": "data", "bound": 3}')
    guide = Guide.read(file)
    assert (guide.words, guide.trust, guide.bound) == ({"sea": ["ship"]}, "data", 3.0)
    for text, message in (
        ("{", "must be a guide in JSON"),
        ('{"wörds": {}}', "must be a JSON object with apart, bound, documents"),
        ("[]", "must be a JSON object"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=message):
            Guide.read(file)
