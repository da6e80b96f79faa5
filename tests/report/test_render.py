import re
from collections import Counter
from html.parser import HTMLParser

from tests.report.conftest import HOSTILE

from leantopics.report import to_html
from leantopics.report.charts import curve, lineage
from leantopics.report.summarise import summarise


class Tags(HTMLParser):
    """Names of all elements and of their attributes."""

    def __init__(self):
        super().__init__()
        self.names, self.attributes = Counter(), set()

    def handle_starttag(self, tag, attrs):
        self.names[tag] += 1
        self.attributes |= {name for name, _ in attrs}


def test_page_has_every_view_and_nothing_from_elsewhere(fitted):
    page = to_html(*fitted, title="Sea & wood")
    for view in ("answer", "topics", "map", "lineage", "words", "documents", "made"):
        assert f'<section id="{view}"' in page
    assert "<title>Sea &amp; wood</title>" in page
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert "default-src 'none'" in page
    assert "There was one start" in page


def test_nothing_of_a_hostile_corpus_becomes_markup(hostile):
    page = to_html(*hostile, title=HOSTILE[0])
    found = Tags()
    found.feed(page)
    assert found.names["script"] == 2
    assert not {"img", "iframe", "object", "embed", "link", "form"} & set(found.names)
    assert not [name for name in found.attributes if name.startswith("on")]


def test_same_model_same_page(fitted):
    assert to_html(*fitted) == to_html(*fitted)


def test_one_order_has_no_curve(hostile):
    page = to_html(*hostile)
    assert "The number of topics was given, not chosen." in page
    assert "there is no sweep to follow" in page


def test_marks_of_the_curve_are_inside(fitted):
    chart = curve(summarise(fitted[0])["answer"])
    for point in chart["points"]:
        assert chart["left"] <= point["x"] <= chart["right"]
        assert chart["top"] <= point["y"] <= chart["bottom"]
    assert sum(point["chosen"] for point in chart["points"]) == 1


def test_every_topic_of_the_model_has_a_line(fitted):
    model, _ = fitted
    drawn = lineage(summarise(model)["lineage"])["lines"]
    shown = sorted(line["topic"] for line in drawn if line["topic"] is not None)
    assert shown == list(range(model.n_topics_))
