import re
from collections import Counter
from html.parser import HTMLParser

from tests.report.conftest import HOSTILE

from leantopics.report import render, to_html
from leantopics.report.charts import curve, joins
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
    views = (
        "overview",
        "topics",
        "map",
        "documents",
        "words",
        "groups",
        "many",
        "made",
    )
    for view in views:
        assert f'<section id="{view}"' in page
    assert '<section id="tree"' not in page  # with two topics it says nothing
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
    assert "BIC by number of topics" not in page


def test_marks_of_the_curve_are_inside(fitted):
    chart = curve(summarise(fitted[0])["answer"])
    for point in chart["points"]:
        assert chart["left"] <= point["x"] <= chart["right"]
        assert chart["top"] <= point["y"] <= chart["bottom"]
    assert sum(point["chosen"] for point in chart["points"]) == 1


def test_every_join_has_a_point(nested):
    prices = nested[0].hierarchy().prices.tolist()
    chart = joins([-5.0, *prices[1:]], 3)
    assert len(chart["points"]) == 5
    for point in chart["points"]:
        assert chart["left"] <= point["x"] <= chart["right"]
        assert chart["top"] <= point["y"] <= chart["bottom"]
    assert chart["points"][0]["text"] == "The join that leaves 5 groups saves 5 nats"
    assert chart["points"][4]["text"].startswith("The join that leaves 1 group costs ")
    heights = [point["y"] for point in chart["points"]]
    assert heights[0] == chart["bottom"]  # below one nat
    assert heights[4] == min(heights)


def test_overview_says_how_many_and_of_what(nested, fitted):
    page = to_html(*nested)
    lead = re.sub(
        r"<[^>]*>", "", page.partition('class="lead">')[2].partition("</p>")[0]
    )
    assert "3 themes, made of 6 topics, in 180 documents." in " ".join(lead.split())
    first = max(summarise(*nested)["themes"], key=lambda theme: theme["share"])
    assert f'<a href="#theme-{first["number"]}"><bdi>{first["name"]}</bdi></a>' in page
    assert "BIC by number of themes" not in page  # the number was given
    assert "<strong>2 topics</strong> in <strong>60 documents</strong>" in to_html(
        *fitted
    )


def test_how_many_says_what_the_numbers_rest_on(nested):
    model, corpus = nested
    page = to_html(model, corpus)
    assert "rest on the same evidence" in page
    assert "counts as one" not in page
    told = summarise(model, corpus)
    told["answer"]["evidence"] = "bursts"
    assert "bear out 3 themes. If every occurrence counts" in render(told)
    again = {"repeats": 4, "found": 5, "how": "starts"}
    told["finer_stability"] = again
    page = " ".join(render(told).split())
    assert "Of the 6 topics, 5 recur in at least half of 4 further fits." in page
    told["themes"] = None
    assert "bear out the same number" in render(told)


def test_every_term_is_explained(nested):
    page = to_html(*nested)
    asked = set(re.findall('popovertarget="term-([a-zA-Z]+)"', page))
    assert asked >= {"salience", "shared", "coherence", "price", "nat"}
    script = page.partition("<script>")[2]
    asked |= set(re.findall(r'term\("([a-zA-Z]+)"', script))
    assert asked <= set(re.findall('popover id="term-([a-zA-Z]+)"', page))
