import html
import json
import re

import numpy as np
import pytest
from tests.cli.runner import SHARED, SUBJECTS

from leantopics import LDA, Corpus, ParsimoniousTopicModel
from leantopics.analysis.groups import groups_of, topic_shares
from leantopics.report import render, summarise


@pytest.fixture(scope="module")
def summary(fitted):
    return summarise(*fitted, title="Sea and wood")


def test_summary_is_json(summary):
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_answer(fitted, summary):
    model, _ = fitted
    answer = summary["answer"]
    assert answer["n_topics"] == model.n_topics_ == 2
    assert [row["n_topics"] for row in answer["orders"]] == [2, 3, 4, 5, 6]
    assert sum(answer["terms"].values()) == pytest.approx(model.bic_)
    assert answer["spread"] is None
    behind = [row["behind"] for row in answer["runners_up"]]
    assert behind == sorted(behind)
    assert min(behind) >= 0.0


def test_topics_have_their_words_and_classes(fitted, summary):
    model, _ = fitted
    words = summary["words"]
    for topic, label in zip(summary["topics"], ("sea", "wood"), strict=True):
        j = topic["number"]
        first = [words[entry[0]] for entry in topic["words"]]
        assert first[:5] == [w for w, _ in model.top_words(j, 5, by="salience")]
        assert topic["classes"][0]["label"] == label
        assert topic["classes"][0]["share"] > 0.9
        assert topic["coherence"] is not None
        for word, probability, shared, nats in topic["words"]:
            stored = model.salient_word_prob_[j, word]
            assert probability == pytest.approx(stored, rel=1e-3)
            assert shared == pytest.approx(model.shared_word_prob_[word], rel=1e-3)
            assert probability > shared
            assert nats == pytest.approx(model.salience_[j, word], abs=0.06)
        for _, probability, shared, _ in topic["avoided"]:
            assert probability < shared
        (sibling,) = topic["siblings"]  # of two topics
        assert sibling["topic"] == 1 - j
        for side in ("more", "less"):
            assert all(here > there for _, here, there in sibling[side])
        subject = {words[n] for n, _, _ in sibling["more"]}
        assert subject <= set(SUBJECTS[label])


def test_documents_have_coloured_texts(fitted, summary):
    model, corpus = fitted
    found = summary["documents"]
    assert found["kind"] == "text"
    assert found["training"] is True
    assert len(found["listed"]) == found["total"] == 60
    for entry in found["listed"]:
        pieces = [p if isinstance(p, str) else p[0] for p in entry["pieces"]]
        assert "".join(pieces) == corpus.texts[entry["row"]]
        topics = {p[1] for p in entry["pieces"] if not isinstance(p, str)}
        assert topics <= {j for j, _ in entry["topics"]}
        own = dict(entry["topics"])
        stored = model.topic_proportions_[[entry["row"]]].toarray()[0]
        assert own == pytest.approx({j: stored[j] for j in own}, abs=1e-4)
        assert 0.0 <= entry["shared"] <= 1.0
        assert {row[0] for row in entry["receipt"]} <= {*range(model.n_topics_)}


def test_few_documents_are_the_typical_ones(fitted):
    model, corpus = fitted
    listed = summarise(model, corpus, n_documents=8)["documents"]["listed"]
    rows = {entry["row"] for entry in listed}
    assert len(listed) == len(rows) == 8
    for j in range(model.n_topics_):
        assert {row for row, _ in model.documents(j, 2)} <= rows


def test_without_a_corpus_documents_have_numbers(fitted):
    found = summarise(fitted[0])["documents"]
    assert found["kind"] == "none"
    assert found["listed"][3]["id"] == "3"
    assert found["listed"][3]["title"] is None
    assert "pieces" not in found["listed"][3]


def test_other_documents_have_inferred_topics(fitted):
    model, corpus = fitted
    some = corpus.select(np.arange(10)[::-1])
    summary = summarise(model, some)
    assert summary["documents"]["training"] is False
    assert summary["made"]["tokens"] is None
    theirs = model.transform(some)
    for entry in summary["documents"]["listed"]:
        for j, share in entry["topics"]:
            assert share == pytest.approx(theirs[entry["row"], j], abs=1e-4)


def test_documents_in_another_order_are_not_those_of_the_fit(fitted):
    model, corpus = fitted
    assert model.is_fitted_to(corpus)
    assert not model.is_fitted_to(corpus.select(np.arange(60)[::-1]))
    assert not model.is_fitted_to(corpus.select(np.arange(59)))


def test_counts_without_texts_are_shown_as_words(fitted):
    model, corpus = fitted
    plain = corpus.select(np.arange(60))
    plain.texts = None
    entry = summarise(model, plain)["documents"]["listed"][0]
    shown = [p if isinstance(p, str) else p[0] for p in entry["pieces"]]
    words = [word.split("\u00a0")[0] for word in shown if word.strip()]
    assert sorted(words) == sorted(set(corpus.texts[0].split()))


def test_other_starts_tell_how_sure(fitted):
    model, corpus = fitted
    again = [
        ParsimoniousTopicModel(**{**model.get_params(), "random_state": s}).fit(corpus)
        for s in (1, 2)
    ]
    others = {str(s): m for s, m in enumerate(again)}
    others["lda"] = LDA(3, random_state=0).fit(corpus)
    summary = summarise(model, corpus, others=others)
    assert summary["answer"]["starts"] == 3
    values = [m.at(2).bic_ for m in (model, *again)]
    assert summary["answer"]["spread"] == pytest.approx(np.std(values, ddof=1))
    assert 2 in summary["answer"]["within"]
    assert summary["comparison"]["same"]["0"] == 2
    assert [row["method"] for row in summary["comparison"]["models"]] == [
        *["ParsimoniousTopicModel"] * 3,
        "LDA",
    ]


def test_models_over_other_words_are_refused(fitted):
    model, corpus = fitted
    other = LDA(2, random_state=0).fit(corpus.counts[:, :5])
    with pytest.raises(ValueError, match="same vocabulary; lda has another"):
        summarise(model, others={"lda": other})


def test_models_of_other_classes_are_refused(fitted):
    with pytest.raises(TypeError, match="Got LDA instead: give it in others"):
        summarise(LDA(2, random_state=0).fit(fitted[1]), fitted[1])


def test_vocabulary_tells_where_a_word_is_used_more(fitted, summary):
    model, _ = fitted
    found = summary["vocabulary"]
    for n in range(len(model.vocabulary_)):
        here = slice(found["indptr"][n], found["indptr"][n + 1])
        listed = dict(zip(found["topic"][here], found["times"][here], strict=True))
        column = model.salient_word_prob_[:, [n]].toarray().ravel()
        ratio = column / model.shared_word_prob_[n]
        assert sorted(listed) == np.flatnonzero(ratio > 1.0).tolist()
        for j, times in listed.items():
            assert times == pytest.approx(ratio[j], rel=1e-3)


def test_topics_by_group(fitted):
    model, corpus = fitted
    dated = [{"date": f"2026-{1 + n % 4:02}-11"} for n in range(corpus.n_docs)]
    dated = Corpus(corpus.counts, corpus.vocabulary, corpus.ids, metadata=dated)
    (found,) = summarise(model, dated, by="date", period="month")["groups"]
    assert found["names"] == ["2026-01", "2026-02", "2026-03", "2026-04"]
    assert (found["by"], found["period"], found["left_out"]) == ("date", "month", 0)
    assert found["documents"] == [15, 15, 15, 15]
    length = corpus.counts.sum(axis=1)
    shares = topic_shares(
        model.topic_proportions_, length, groups_of(dated, "date", "month")
    )
    for row in shares:
        here = found["points"][row.topic][found["names"].index(row.group)]
        assert here == pytest.approx([row.share, row.low, row.high], abs=1e-5)
    assert [point[0] for point in found["points"][2]] == [1.0] * 4  # all topics


def test_dates_and_labels_are_found(nested):
    found = summarise(*nested)["groups"]
    assert [(one["by"], one["period"]) for one in found] == [
        ("date", "day"),
        ("label", None),
    ]
    asked = summarise(*nested, by="title")["groups"]
    assert [one["by"] for one in asked] == ["title", "date"]


def test_only_the_largest_groups_are_shown(fitted, monkeypatch):
    model, corpus = fitted
    monkeypatch.setattr("leantopics.report.by_group.N_GROUPS", 2)
    fields = [{"kind": "abc"[n % 5 // 2]} for n in range(corpus.n_docs)]
    kinds = Corpus(corpus.counts, corpus.vocabulary, corpus.ids, metadata=fields)
    (found,) = summarise(model, kinds, by="kind")["groups"]
    assert (found["names"], found["left_out"]) == (["a", "b"], 1)


def test_groups_need_documents(fitted):
    with pytest.raises(ValueError, match="must be given"):
        summarise(fitted[0], by="date")


def test_what_comes_again(fitted):
    model, corpus = fitted
    assert summarise(model)["stability"] is None
    again = model.at(model.n_topics_)
    found = again.measure_stability(corpus, repeats=2)
    told = summarise(again, corpus)
    assert told["stability"]["repeats"] == 2
    assert told["stability"]["fewest"] == found.orders.min()
    assert [topic["found"] for topic in told["topics"]] == found.found.tolist()
    page = render(told)
    assert "2 further fits from other starts" in page
    assert "found again, of 2" in page
    assert f'<td class="n" data-name="found again">{found.found[0]}</td>' in page
    assert "were given the same number" not in page


@pytest.fixture(scope="module")
def edited(fitted):
    """A model with the two topics of a subject made one, a word pinned in the other."""
    corpus = fitted[1]
    three = ParsimoniousTopicModel(3, evidence="words", random_state=0).fit(corpus)
    firsts = [three.top_words(j, 1, by="salience")[0][0] for j in range(3)]
    subjects = [[j for j in range(3) if firsts[j] in s] for s in SUBJECTS.values()]
    (other,), pair = sorted(subjects, key=len)
    salient = {w for w, _ in three.top_words(other, corpus.n_words)}
    word = next(word for word in SHARED if word not in salient)
    return three.edit(corpus, merge=[pair], pin={other: [word]}), corpus, word


def test_changes_by_hand_are_told(fitted, edited):
    model, corpus, word = edited
    told = summarise(model, corpus)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    (one, two), (other,) = model.edits_[0]["merge"][0], model.edits_[0]["pin"]
    change = model.edits_[0]["bic_change"]
    text = f'topics {one} and {two} merged; "{word}" pinned in topic {other}'
    assert told["made"]["edits"] == [
        {"text": text, "n_topics": 3, "bic_change": change}
    ]
    page = html.unescape(render(told))
    assert "settings below are not enough to reproduce this model" in page
    assert f"<bdi>{text}</bdi>" in page
    moved = "rose" if change > 0 else "fell"
    assert f"BIC {moved} by {abs(change):,.0f} nats" in page
    assert "Topics were changed by hand, so their number was given" in page
    assert "switching a word, except pinned ones, on or off" in page
    before = render(summarise(*fitted))
    assert "switching a word on or off" in before
    assert "by hand" not in before.partition("<script")[0]


def test_pinned_words_are_listed_and_marked(edited):
    model, corpus, word = edited
    told = summarise(model, corpus)
    (topic,) = model.pinned_words_
    place = corpus.vocabulary.index(word)
    assert [t["pinned"] for t in told["topics"]] == [
        [place] if j == topic else [] for j in range(2)
    ]
    entries = [*told["topics"][topic]["words"], *told["topics"][topic]["avoided"]]
    assert place in [entry[0] for entry in entries]
    told["topics"][topic]["words"] = [[n, 0.1, 0.05, 1.0] for n in range(14)]
    told["topics"][topic]["pinned"] = [13]
    page = render(told)
    assert page.count('<bdi class="pinned"') == 1
    last = told["words"][13]
    assert f'title="pinned by hand">{last}</bdi>' in page


def test_repeats_that_were_given_the_number_say_nothing_of_it(fitted, edited):
    model, corpus, _ = edited
    model.measure_stability(corpus, repeats=2)
    page = render(summarise(model, corpus))
    assert "were given the same number of topics, and test the topics" in page
    assert "They ignore the changes by hand." in page
    assert "have 2 topics" not in page
    given = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    given.measure_stability(corpus, repeats=1)
    page = render(summarise(given, corpus))
    assert "was given the same number of topics, and tests the topics" in page
    assert "by hand" not in page.partition("<script")[0]


@pytest.mark.parametrize("fields", ["no labels", "no words"])
def test_groups_without_words_are_refused_in_a_sentence(fitted, fields):
    model, corpus = fitted
    empty = [[] for _ in range(corpus.n_docs)]
    other = Corpus(corpus.counts, corpus.vocabulary, labels=empty)
    if fields == "no words":
        kinds = [{"labels": "a"}, {}]
        counts = [[0] * corpus.n_words, [1] * corpus.n_words]
        other = Corpus(counts, corpus.vocabulary, metadata=kinds)
    with pytest.raises(ValueError, match="'labels', some document must have both"):
        summarise(model, other, by="labels")


def test_documents_without_the_field_are_counted(fitted):
    model, corpus = fitted
    fields = [{"kind": "ab"[n % 2]} if n else {} for n in range(corpus.n_docs)]
    kinds = Corpus(corpus.counts, corpus.vocabulary, corpus.ids, metadata=fields)
    told = summarise(model, kinds, by="kind")
    assert told["groups"][0]["without"] == 1
    assert "1 document without this field is left out." in render(told)


def test_one_document_is_no_documents(fitted):
    model, corpus = fitted
    told = summarise(model, corpus.select(np.arange(1)))
    told["topics"][0] |= {"share": 1.0, "documents": 1}
    page = render(told)
    assert '<td class="n">100%</td>' in page
    assert '<p class="hint">1 of 1 document.' in page
    assert "1e+02" not in page
    assert not re.search(r"\b1 (document|topic)s\b", page.partition("<script")[0])


def test_documents_show_their_receipts(fitted):
    model, corpus = fitted
    listed = summarise(model, corpus)["documents"]["listed"]
    rows = [entry["row"] for entry in listed]
    shown = corpus.select(rows)
    shares = model.topic_proportions_[rows]
    for entry, found in zip(
        listed, model.explain(shown, shares, receipts=True), strict=True
    ):
        topics = {topic.topic: topic for topic in found.receipt.topics}
        assert {topic for topic, *_ in entry["receipt"]} == set(topics)
        nets = [net for _, net, *_ in entry["receipt"]]
        assert nets == sorted(nets, reverse=True)
        for topic, net, runner_up, margin in entry["receipt"]:
            assert net == pytest.approx(topics[topic].net, abs=0.051)
            assert runner_up == topics[topic].runner_up
            assert margin is None or margin == pytest.approx(
                topics[topic].margin, abs=0.051
            )
