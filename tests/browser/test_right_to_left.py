"""Hebrew and Arabic in the report: every word and sentence runs its own way."""

import random

import pytest

from leantopics import Corpus, ParsimoniousTopicModel, TextVectorizer, count_texts
from leantopics.report import to_html

SEA = [3 * word for word in "סירה גלים נמל עוגן מלח איים גאות דגים".split()]
WOOD = "أشجار أوراق أغصان ثعلب فطريات مسارات جذور طيور".split()
SPOKEN = "(ראו ABC, 2026)."


@pytest.fixture(scope="module")
def corpus():
    draw = random.Random(0)
    texts = [
        " ".join([*draw.choices(SEA if d % 2 else WOOD, k=30), SPOKEN])
        for d in range(60)
    ]
    vectorizer = TextVectorizer(stop_words=["של", "על"])
    ids = [f"מסמך {d}" for d in range(60)]
    return count_texts(texts, vectorizer=vectorizer, ids=ids)


@pytest.fixture(scope="module")
def report(corpus, tmp_path_factory):
    model = ParsimoniousTopicModel(max_topics=4, random_state=0).fit(corpus)
    file = tmp_path_factory.mktemp("rtl") / "report.html"
    file.write_text(to_html(model, corpus, title="נושאים (2026)"), encoding="utf-8")
    return file


LETTERS = """node => {
  const found = [];
  const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode, range = document.createRange();
    for (let n = 0; n < text.length; n++) {
      range.setStart(text, n); range.setEnd(text, n + 1);
      const box = range.getBoundingClientRect();
      found.push([text.data[n], box.x, box.y]);
    }
  }
  return found;
}"""
"""Where each letter of an element is: (letter, x, y), in the order of reading."""


def test_sentences_run_from_right_to_left(report, visit):
    page = visit(report).go("documents")
    text = page.locator(".document").first
    text.wait_for()
    assert text.evaluate("node => getComputedStyle(node).direction") == "rtl"
    letters = text.evaluate(LETTERS)
    top = [x for letter, x, y in letters if letter.strip() and y == letters[0][2]]
    assert len(top) > 20
    assert top == sorted(top, reverse=True)
    place = {letter: x for letter, x, _ in letters}  # of each sign the last
    assert place["."] < place[")"] < place["A"]
    assert place["A"] < place["B"] < place["C"] < place["2"]  # Latin keeps its own way


def test_words_are_listed_by_rank_each_in_its_own_way(report, visit):
    page = visit(report).go("topics")
    boxes = page.locator("#row-0 .words bdi")
    boxes.first.wait_for()
    places = [boxes.nth(n).bounding_box() for n in range(boxes.count())]
    line = [box["x"] for box in places if box["y"] == places[0]["y"]]
    assert len(line) >= 3
    assert line == sorted(line)
    x = [x for _, x, _ in boxes.first.evaluate(LETTERS)]
    assert x == sorted(x, reverse=True)


def test_labels_of_pictures_run_their_own_way(report, visit):
    page = visit(report).go("overview")
    label = page.locator("#overview-map text").first
    label.wait_for()
    first, last = label.evaluate(
        "node => [0, node.getNumberOfChars() - 1].map(n => node.getExtentOfChar(n).x)"
    )
    assert last < first
    tile, box = page.locator("#overview-map rect.tile").first, label.bounding_box()
    assert (
        box["x"] + box["width"]
        <= tile.bounding_box()["x"] + tile.bounding_box()["width"]
    )
    assert box["x"] >= tile.bounding_box()["x"]


def test_what_is_typed_runs_its_own_way(report, visit):
    page = visit(report).go("words")
    page.fill("#word-find", "גלים")
    way = page.locator("#word-find").evaluate(
        "node => getComputedStyle(node).direction"
    )
    assert way == "rtl"
    assert "גלים" in page.locator("#word-found h3").inner_text()


def test_words_without_texts_are_apart_from_each_other(tmp_path, visit):
    mixed = Corpus([[2, 3, 4]] * 20, vocabulary=["boats", "גלים", "איים"])
    model = ParsimoniousTopicModel(1, random_state=0).fit(mixed)
    file = tmp_path / "counts.html"
    file.write_text(to_html(model, mixed), encoding="utf-8")
    text = visit(file).go("documents").locator(".document").first
    text.wait_for()
    place = {letter: x for letter, x, _ in text.evaluate(LETTERS)}
    assert place["4"] < place["א"] < place["3"] < place["ג"] < place["b"] < place["2"]


def test_notebooks_and_settings_isolate_names(corpus, report):
    model = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    table = model._repr_mimebundle_()["text/html"]
    assert all(f"<bdi>{name}</bdi>" in table for name in model.topic_names)
    page = report.read_text(encoding="utf-8")
    assert "<td><bdi>על</bdi> <bdi>של</bdi></td>" in page
