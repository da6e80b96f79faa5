"""Themes, topics and the tree in the summary of a model."""

import numpy as np
import pytest
from tests.report.conftest import ABOVE, PLACES

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.report import summarise
from leantopics.report.levels import levels_of
from leantopics.report.render import render


@pytest.fixture(scope="module")
def summary(nested):
    return summarise(*nested)


def test_topics_are_the_finer_ones_below_themes(nested, summary):
    model, _ = nested
    assert len(summary["themes"]) == 3
    assert [topic["theme"] for topic in summary["topics"]] == model.parents_.tolist()
    assert summary["answer"]["n_topics"] == 3
    assert summary["finer"]["n_topics"] == 6
    for theme in summary["themes"]:
        below = [t for t in summary["topics"] if t["theme"] == theme["number"]]
        assert theme["share"] == pytest.approx(sum(t["share"] for t in below))
        words = {summary["words"][entry[0]] for entry in theme["words"]}
        assert any(words >= set(above.split()) for above in ABOVE)


def test_the_first_cut_of_the_tree_is_the_themes(nested, summary):
    model, _ = nested
    tree = model.hierarchy()
    assert summary["cut"] == 3
    nodes = tree.nodes(3)
    for theme in summary["themes"]:
        own = np.flatnonzero(model.parents_ == theme["number"])
        assert set(nodes[own]) == {theme["node"]}
    assert len(summary["tree"]["prices"]) == len(summary["tree"]["names"]) == 5
    for words in summary["tree"]["words"][:-1]:
        assert all(here > there for _, here, there in words)


def test_siblings_are_of_the_same_theme(summary):
    topics = summary["topics"]
    for topic in topics:
        first = topic["siblings"][0]
        assert topics[first["topic"]]["theme"] == topic["theme"]
        more = {summary["words"][word] for word, _, _ in first["more"][:4]}
        assert any(more <= set(words.split()) for words in PLACES.values())


def test_a_theme_without_topics_has_no_node(nested):
    model, corpus = nested
    alone = model.at(3)
    alone.parents_ = np.minimum(model.parents_, 1)
    alone._made = {}
    told = summarise(alone, corpus)
    found = told["themes"]
    assert [theme["node"] is None for theme in found] == [False, False, True]
    assert found[2]["share"] == pytest.approx(model.topic_mass_[2])
    page = render(told)
    assert "<strong>3 themes</strong>" in page
    assert "1 theme has no topics of its own, so no place in the pictures" in page
    assert '<button type="button" value="2">2 of 3 themes</button>' in page
    assert "The dashed line is at 2 of 3 themes:" in page
    assert '"opens":"2 of 3 themes"' in page


def test_many_topics_without_themes_are_grouped():
    corpus, _ = make_corpus(120, 200, 4)
    model = ParsimoniousTopicModel(26, random_state=0).fit(corpus)
    levels = levels_of(model, corpus)
    assert (levels.cut, levels.nested) == (12, False)
    assert len(set(levels.nodes)) == 12
    told = summarise(model, corpus)
    assert (told["themes"], told["cut"]) == (None, 12)


def test_themes_of_one_topic_each_are_topics(nested):
    model, corpus = nested
    same = model.finer_.coarsen(corpus, 6)
    told = summarise(same, corpus)
    assert (told["themes"], told["cut"]) == (None, 6)


def test_a_model_without_counts_has_no_tree(fitted):
    model, corpus = fitted
    old = model.at(2)
    old._counted = None
    assert summarise(old)["tree"] is None
    assert summarise(old, corpus)["tree"]["children"] == [[0, 1]]


def test_titles(nested, summary):
    _, corpus = nested
    for entry in summary["documents"]["listed"]:
        assert entry["title"] == corpus.metadata[entry["row"]]["title"]
    few = summarise(*nested, n_documents=6)["documents"]
    for rows in few["typical"]:
        assert len(rows) == 5
    named = set(map(int, few["others"])) | {doc["row"] for doc in few["listed"]}
    assert named >= {row for rows in few["typical"] for row in rows}
    row, (name, title) = next(iter(few["others"].items()))
    assert name == corpus.ids[int(row)]
    assert title == corpus.metadata[int(row)]["title"]
