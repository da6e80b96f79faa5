"""The report in a real browser: every view, by mouse and by keyboard."""

import re
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.cli.runner import SUBJECTS
from tests.report.conftest import HOSTILE, fitted, hostile, nested  # noqa: F401
from tests.report.test_pictures import seen  # noqa: F401

from leantopics import LDA, Corpus
from leantopics.report import summarise, to_html
from leantopics.report.render import render

VIEWS = (
    "overview",
    "topics",
    "map",
    "documents",
    "words",
    "groups",
    "tree",
    "many",
    "comparison",
    "made",
)
DEEP = ("topic-1", "group-7", "theme-0", "word-3", "document-5", "topics?cut=2")
WIDTHS = (390, 768, 1280)


def written(folder, model, corpus, **options):
    file = folder / "report.html"
    file.write_text(to_html(model, corpus, **options), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def report(nested, tmp_path_factory):  # noqa: F811
    """Three themes of two topics each, compared with another model."""
    model, corpus = nested
    others = {"LDA": LDA(3, random_state=0).fit(corpus)}
    folder = tmp_path_factory.mktemp("report")
    return written(folder, model, corpus, title="At sea and on land", others=others)


@pytest.fixture(scope="module")
def flat(fitted, tmp_path_factory):  # noqa: F811
    """Two topics and nothing above them."""
    model, corpus = fitted
    model.topic_names = ["at sea", "in the wood"]
    file = written(tmp_path_factory.mktemp("flat"), model, corpus, title="Two walks")
    model._topic_names = None
    return file


def test_every_view_opens_from_its_link(report, visit):
    opened = visit(report)
    for view in VIEWS:
        opened.page.click(f'nav a[href="#{view}"]')
        opened.shows(f"#{view}")
        shown = opened.page.locator("section.view:visible")
        assert shown.count() == 1
        assert shown.get_attribute("id") == view
        assert opened.page.locator("nav a[aria-current]").inner_text() != ""


def test_overview_opens_themes_and_topics(report, visit, nested):  # noqa: F811
    model, _ = nested
    opened = visit(report)
    page = opened.page
    assert "3 themes, made of 6 topics, in 180 documents." in opened.text(
        "#overview .lead"
    )
    tiles = page.locator("#overview-map a")
    assert tiles.count() == 3
    assert page.locator("#overview-cards .card").count() == 3
    assert page.locator("#overview-cards .titles li").count() == 9
    assert page.locator("#overview-cards .spark").count() == 3
    label = tiles.first.get_attribute("aria-label")
    assert label.split(",")[0] in model.topic_names
    assert label.endswith("of all words, 2 topics")
    tiles.first.click()
    opened.shows("#group h2", label.split(",")[0])
    assert page.locator("#group .treemap a").count() == 2
    assert page.locator("#group .tree a").count() == 2
    name = page.locator("#group .treemap a").first.get_attribute("aria-label")
    page.locator("#group .treemap a").first.click()
    opened.shows("#topic h2", name.split(",")[0])


def test_areas_of_tiles_are_shares(report, visit):
    page = visit(report).page
    areas = page.evaluate(
        """() => [...document.querySelectorAll("#overview-map a > rect.tile")]
        .map((tile) => tile.getAttribute("width") * tile.getAttribute("height"))"""
    )
    shares = page.evaluate("now.list.map((group) => group.share)")
    whole = sum(areas)
    assert [area / whole for area in areas] == pytest.approx(shares, rel=1e-3)


def test_the_script_has_the_numbers_of_the_summary(report, visit, nested):  # noqa: F811
    summary, page = summarise(*nested), visit(report).page
    for path, expected in [
        ("topics[3].words", summary["topics"][3]["words"]),
        ("tree.words[1]", summary["tree"]["words"][1]),
        ("groups[0].points[2]", summary["groups"][0]["points"][2]),
    ]:
        for found, entry in zip(page.evaluate(path), expected, strict=True):
            assert found == pytest.approx(entry, rel=1e-6, abs=1e-10)
    more = summary["topics"][0]["siblings"][0]["more"]
    found = page.evaluate("topics[0].siblings[0].more")
    for (word, times), (expected, here, there) in zip(found, more, strict=True):
        assert word == expected
        assert times == pytest.approx(here / max(there, 1e-9), rel=1e-3)


def test_topics_are_grouped_sorted_and_found(report, visit):
    opened = visit(report)
    page = opened.go("topics")
    assert page.locator("#topic-table tr.head").count() == 3
    assert page.locator("#topic-table tr[data-topic]:visible").count() == 0
    page.locator("#topic-table tr.head button").first.click()
    assert page.locator("#topic-table tr[data-topic]:visible").count() == 2
    assert page.locator("#topic-table .sample").count() == 2
    page.fill("#topic-find", "salmon")
    assert page.locator("#topic-table tr[data-topic]:visible").count() == 1
    assert opened.text("#topic-count") == "1 topic found"
    page.fill("#topic-find", "")
    page.click("#topic-open >> text=Close all")
    page.click("#topic-open >> text=Open all")
    assert page.locator("#topic-table tr[data-topic]:visible").count() == 6
    page.uncheck("#topic-grouped")
    rows = page.locator("#topic-table tr[data-topic]")
    column = {"topic": "number", "documents": "documents", "coherence": "coherence"}
    for by, key in column.items():
        values = page.evaluate(f"topics.map((topic) => topic.{key})")
        for down in (by != "topic", by == "topic"):
            page.click(f"#topic-table th[data-by={by}] button")
            shown = rows.evaluate_all("(all) => all.map((row) => row.dataset.topic)")
            found = [values[int(number)] for number in shown]
            assert found == sorted(values, reverse=down)
            way = "descending" if down else "ascending"
            head = page.locator(f"#topic-table th[data-by={by}]")
            assert head.get_attribute("aria-sort") == way


def test_groups_of_topics_have_columns_and_are_sorted(report, visit):
    page = visit(report).go("topics")
    heads = page.locator("#topic-table tr.head")
    places = (
        "(all) => all.map((cell) => Math.round(cell.getBoundingClientRect().right))"
    )
    assert heads.first.locator("td.n").evaluate_all(places) == page.locator(
        "#topic-table thead th.n"
    ).evaluate_all(places)
    for by in ("share", "documents", "coherence"):
        cells = page.locator(f"#topic-table tr.head td[data-name={by}]")
        for sign in (1, -1) if by == "share" else (-1, 1):
            page.click(f"#topic-table th[data-by={by}] button")
            shown = [float(text.strip("%")) for text in cells.all_inner_texts()]
            assert shown == sorted(shown, key=lambda value, sign=sign: sign * value)
    means = page.evaluate(
        """() => now.list.map((group) => group.topics.reduce((sum, j) => sum
        + topics[j].share * topics[j].coherence, 0) / group.share)"""
    )
    assert sorted(shown) == pytest.approx(sorted(means), abs=0.006)


def test_words_in_tiles_are_whole(report, visit):
    for width in WIDTHS:
        page = visit(report, viewport={"width": width, "height": 800}).page
        written = page.locator("#overview-map text:not(.soft)").all_text_contents()
        assert written
        assert not [text for text in written if text.endswith("…")]
        beyond = page.locator("#overview-map a").evaluate_all(
            """(all) => all.filter((link) => { const tile = link.querySelector("rect")
            .getBoundingClientRect(); return [...link.querySelectorAll("text")].some(
            (one) => one.getBoundingClientRect().right > tile.right + 1); }).length"""
        )
        assert beyond == 0


def test_a_topic_has_its_page(report, visit):
    opened = visit(report)
    page = opened.go("topic-0")
    opened.shows("#topic h2", "Topic 0")
    listed = page.locator("#topic .bars th").all_inner_texts()
    assert listed == page.evaluate(
        "topics[0].words.slice(0, 25).map((e) => words[e[0]])"
    )
    lifts = page.locator("#topic .bars .n").all_inner_texts()
    assert all(text.startswith("×") for text in lifts)
    page.click("#topic >> text=Probability")
    assert all(
        text.endswith("%") for text in page.locator("#topic .bars .n").all_inner_texts()
    )
    assert page.locator("#topic .pair").count() == 2
    assert page.locator("#topic .titles").first.locator("li").count() == 5
    assert page.locator("#topic .trend").count() == 2  # by date, by label
    path = page.locator("#topic .path li")
    assert path.count() == 1
    assert "theme" in path.inner_text()
    other = path.locator("a").first.inner_text()
    page.click("#topic >> text=next")
    opened.shows("#topic h2", other)
    page.click("#topic a[href^='#documents-']")
    opened.shows("#documents")
    assert page.locator("#doc-topic").input_value() != ""


def test_flat_models_have_topics_at_once(flat, visit):
    opened = visit(flat)
    page = opened.page
    assert "2 topics in 60 documents" in opened.text("#overview .lead")
    assert page.locator("nav a[href='#tree']").count() == 0
    assert page.locator("#overview-map a").count() == 2
    page.locator("#overview-cards a", has_text="in the wood").first.click()
    opened.shows("#topic h2", "in the wood")
    page.click("#topic a[href^='#documents-']")
    opened.shows("#documents")
    assert page.locator("#doc-topic").input_value() == "1"
    assert opened.text("#doc-count") == "24 documents"
    opened.go("topics")
    assert page.locator("#topic-table tr[data-topic]:visible").count() == 2


def test_the_cut_of_the_tree_shows_in_every_view(report, visit):
    opened = visit(report)
    page = opened.go("tree")
    assert page.locator("#tree-box a").count() == 3
    page.locator("#tree-range").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#tree-box a").count() == 2
    assert opened.text("#cut-text") == "Cut into 2 groups"
    assert "nat" in opened.text("#tree-next")
    assert page.url.endswith("#tree?cut=2")
    counts = {
        "overview": "#overview-map a",
        "topics": "#topic-table tr.head",
        "groups": "#group-list > li",
        "map": ".mapbox text.theme",
    }
    for view, selector in counts.items():
        page.click(f'nav a[href^="#{view}"]')
        opened.shows(f"#{view}")
        assert page.locator(selector).count() == 2, view
    page.click('nav a[href^="#documents"]')
    opened.shows("#documents")
    assert page.locator("#doc-group option").count() == 3
    colours = "(all) => new Set(all.map((mark) => mark.dataset.c)).size"
    assert page.locator("#doc-list mark").evaluate_all(colours) == 2
    again = visit(report).go(page.url.partition("#")[2])
    assert again.locator("#doc-group option").count() == 3
    page.click("#cut-back")
    assert page.locator("#cut-note:visible").count() == 0
    assert page.locator("#doc-group option").count() == 4
    page.click('nav a[href^="#tree"]')
    opened.shows("#tree")
    page.fill("#tree-number", "6")
    page.keyboard.press("Enter")
    assert page.locator("#tree-box a").count() == 6
    assert opened.text("#tree-next").startswith("Next to join: ")
    assert re.search(r", which costs [\d,]+ nats?\.$", opened.text("#tree-next"))


def test_a_join_that_lowers_bic_saves_nats(nested, visit, tmp_path):  # noqa: F811
    told = summarise(*nested)
    told["tree"]["prices"][3] = -81.4
    file = tmp_path / "report.html"
    file.write_text(render(told), encoding="utf-8")
    opened = visit(file)
    opened.go("tree?cut=3")
    opened.shows("#tree-next", "which saves 81 nats.")


def wait_until(true):
    """Wait for what the page does in its own time; its policy forbids the usual way."""
    for _ in range(100):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen in five seconds")


def scale_of(page):
    return page.evaluate("lens.k")


def test_the_map_zooms_and_moves_by_mouse_and_keys(report, visit):
    opened = visit(report)
    page = opened.go("map")
    assert page.locator("#map-box circle").count() == 6
    begin = scale_of(page)
    page.click("#map-in")
    assert scale_of(page) > begin
    page.click("#map-all")
    assert scale_of(page) == begin
    box = page.locator("#map-box svg").bounding_box()
    x, y = box["x"] + 20, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    wait_until(lambda: scale_of(page) > begin)
    place = page.evaluate("lens.x")
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    assert page.evaluate("lens.x") == pytest.approx(place + 60, abs=2)
    assert opened.page.url.endswith("#map")
    page.locator("#map-box a[tabindex='0']").focus()
    page.keyboard.press("0")
    assert scale_of(page) == begin
    page.keyboard.press("+")
    assert scale_of(page) > begin
    page.keyboard.press("0")
    first = page.evaluate("document.activeElement.getAttribute('href')")
    moved = set()
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
        moved.add(page.evaluate("document.activeElement.getAttribute('href')"))
    assert moved - {first}
    page.keyboard.press("Enter")
    opened.shows("#topic")


def test_the_map_zooms_by_two_fingers(report, visit):
    opened = visit(report, viewport={"width": 390, "height": 800}, has_touch=True)
    page = opened.go("map")
    begin = scale_of(page)
    box = page.locator("#map-box svg").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = opened.context.new_cdp_session(page)

    def fingers(kind, reach):
        points = [{"x": x - reach, "y": y, "id": 0}, {"x": x + reach, "y": y, "id": 1}]
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": points if kind != "touchEnd" else []},
        )

    fingers("touchStart", 20)
    for reach in (30, 45, 60):
        fingers("touchMove", reach)
    fingers("touchEnd", 0)
    wait_until(lambda: scale_of(page) > 2 * begin)


def test_labels_of_the_map_do_not_overlap(report, visit):
    for width in WIDTHS:
        page = visit(report, viewport={"width": width, "height": 800}).go("map")
        for _ in range(3):
            boxes = page.locator(".mapbox svg text").evaluate_all(
                """(all) => all.map((one) => { const box = one.getBoundingClientRect();
                return [box.left, box.top + 3, box.right, box.bottom - 3]; })"""
            )
            assert boxes
            for n, (left, top, right, bottom) in enumerate(boxes):
                for a, b, c, d in boxes[:n]:
                    apart = left >= c or right <= a or top >= d or bottom <= b
                    assert apart, (width, boxes[n])
            page.click("#map-in")


@pytest.mark.parametrize("size", [(390, 800), (1280, 800), (1600, 900)])
def test_the_map_fills_its_box_and_circles_stay_apart(report, visit, size):
    width, height = size
    page = visit(report, viewport={"width": width, "height": height}).go("map")
    box = page.locator("#map-box svg").bounding_box()
    circles = page.locator("#map-box circle").evaluate_all(
        """(all) => all.map((one) => { const box = one.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2, box.width / 2]; })"""
    )
    for n, (x, y, r) in enumerate(circles):
        assert box["x"] <= x - r and x + r <= box["x"] + box["width"]
        assert box["y"] <= y - r and y + r <= box["y"] + box["height"]
        for u, v, s in circles[:n]:
            assert ((x - u) ** 2 + (y - v) ** 2) ** 0.5 >= r + s
    wide = max(x + r for x, _, r in circles) - min(x - r for x, _, r in circles)
    assert wide > 0.8 * box["width"]
    page.set_viewport_size({"width": min(width, 1200) - 60, "height": height})
    wait_until(lambda: page.evaluate("atlas.width") < box["width"])
    assert scale_of(page) == page.evaluate("atlas.begin")  # all of it is still shown


def test_addresses_open_what_they_name(report, visit, nested):  # noqa: F811
    model, corpus = nested
    opened = visit(report)
    opened.go("theme-1")
    opened.shows("#group h2", f"Theme 1 {model.topic_names[1]}")
    opened.go("document-7")
    opened.shows("#doc-list h3", corpus.metadata[7]["title"])
    assert opened.text("#doc-count").startswith("1 document")
    opened.page.click("#doc-count a")
    opened.shows("#doc-count", "180 documents")
    opened.go("documents?label=soup&q=broth")
    opened.shows("#doc-count", "30 documents")
    opened.page.select_option("#doc-date", "2015-05-01")
    shared = opened.page.url.partition("#")[2]
    assert shared == "documents?q=broth&label=soup&date=2015-05-01"
    count = opened.text("#doc-count")
    visit(report).go(shared)
    assert opened.text("#doc-count") == count != "30 documents"
    opened.go("group-2")
    opened.shows("#topic h2", "Topic 2")
    for wrong in (
        "topic-99",
        "group-99",
        "theme-x",
        "nonsense",
        "word-",
        "topics?cut=x",
    ):
        opened.go(wrong)
        assert opened.page.locator("section.view:visible").count() == 1
    opened.go("topics?cut=99")
    assert opened.text("#cut-text") == "Cut into 6 groups"


def test_terms_are_explained_on_demand(report, visit):
    page = visit(report).go("many")
    term = page.locator("#many .term", has_text="nats").first
    note = page.locator("#term-nat")
    assert not note.is_visible()
    term.focus()
    page.keyboard.press("Enter")
    assert "1.44 bits" in note.inner_text()
    box = note.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    page.keyboard.press("Escape")
    assert not note.is_visible()


def test_groups_show_themes_and_their_topics(report, visit):
    opened = visit(report)
    page = opened.go("groups")
    assert page.locator("#group-list > li").count() == 3
    assert page.locator("#group-list > li .trend").count() == 3
    page.locator("#group-list summary").first.click()
    page.locator("#group-list .trend").nth(4).wait_for()
    page.click("#group-fields button >> text=label")
    assert "Lines are" in opened.text("#groups .about:visible")
    assert page.locator("#group-list .trend").count() == 3


def test_no_view_is_slow(report, visit):
    page = visit(report).page
    script = """(view) => { const begin = performance.now(); location.hash = view;
    route(); document.body.offsetHeight; return performance.now() - begin; }"""
    for view in (*VIEWS, *DEEP):
        assert min(page.evaluate(script, view) for _ in range(3)) < 100.0, view


def test_pinned_words_are_marked(fitted, visit, tmp_path):  # noqa: F811
    model = fitted[0].at(fitted[0].n_topics_)
    word, _ = model.top_words(0, 99)[-1]
    model.pinned_words_ = {0: [word]}
    opened = visit(written(tmp_path, model, fitted[1]))
    opened.go("topics")
    assert opened.text("#row-0 .pinned") == word
    opened.go("topic-0")
    opened.shows("#topic .hint", "pinned by hand")
    assert opened.text("#topic .bars .pinned") == word


def test_words(flat, visit):
    opened = visit(flat)
    page = opened.go("words")
    first = page.locator("#word-examples a").first
    word = first.inner_text()
    first.click()
    opened.shows("#word-found h3", word)
    page.fill("#word-find", "tides")
    assert "Salient in" in opened.text("#word-found")
    page.fill("#word-find", "zzz")
    assert opened.text("#word-found") == "No word starts like this."
    page.fill("#word-find", "")
    assert opened.text("#word-found") == ""


def test_documents(flat, visit):
    opened = visit(flat)
    page = opened.go("documents")
    assert opened.text("#doc-count") == "60 documents"
    assert page.locator("#doc-list > li").count() == 20
    assert " nats over its price, " in opened.text("#doc-list > li:first-child")
    page.click("#doc-more")
    assert page.locator("#doc-list > li").count() == 40
    page.select_option("#doc-topic", "1")
    assert opened.text("#doc-count") == "24 documents"
    page.select_option("#doc-sort", "typical")
    page.fill("#doc-find", "doc11")
    assert opened.text("#doc-count") == "1 document"
    marks = page.locator("#doc-list mark")
    assert marks.count() > 5
    words = {marks.nth(i).inner_text() for i in range(marks.count())}
    assert words & set(SUBJECTS["wood"])
    assert not words & set(SUBJECTS["sea"])
    text = opened.text("#doc-list .document").split()
    assert set(text) - words


def test_by_keyboard_alone(report, visit):
    opened = visit(report)
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    opened.shows("#topics")
    opened.go("overview")
    page.locator("#overview-map a").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label != page.locator("#overview-map a").first.get_attribute("aria-label")
    page.keyboard.press("Enter")
    opened.shows("#group h2", label.split(",")[0])


def test_dark_and_light(report, visit):
    opened = visit(report, color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = opened.page.evaluate(paper)
    opened.page.click("#shade")
    dark = opened.page.evaluate(paper)
    assert light != dark
    assert visit(report, color_scheme="dark").page.evaluate(paper) == dark


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(report, visit, width):
    opened = visit(report, viewport={"width": width, "height": 800})
    for view in (*VIEWS, *DEEP):
        page = opened.go(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_long_names_of_documents_are_broken(fitted, visit, tmp_path):  # noqa: F811
    model, corpus = fitted
    ids = [f"a_name_without_a_blank_{d:060}" for d in range(len(corpus))]
    file = tmp_path / "long.html"
    named = Corpus(corpus.counts, corpus.vocabulary, ids, texts=corpus.texts)
    file.write_text(to_html(model, named), encoding="utf-8")
    page = visit(file, viewport={"width": 390, "height": 800}).go("documents")
    page.get_by_text(ids[0]).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_accessible(report, visit, scheme, width):
    size = {"width": width, "height": 800}
    opened = visit(report, color_scheme=scheme, viewport=size)
    opened.page.evaluate(Axe().axe_script)  # the page stays the same from view to view
    for view in (*VIEWS, *DEEP):
        page = opened.go(view)
        found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        assert not found, (view, [(v["id"], v["nodes"][0]["html"]) for v in found])


def test_no_script_of_a_hostile_corpus_runs(hostile, visit, tmp_path):  # noqa: F811
    file = tmp_path / "hostile.html"
    file.write_text(to_html(*hostile, title=HOSTILE[1]), errors="replace")
    opened = visit(file)
    for view in (
        "overview",
        "topics",
        "map",
        "words",
        "topic-0",
        "topic-1",
        "documents",
    ):
        page = opened.go(view)
        assert page.locator("img, iframe").count() == 0
    page.fill("#doc-find", "script")
    assert opened.page.title() == HOSTILE[1]
    assert opened.page.evaluate("document.scripts.length") == 2


def test_policy_stops_what_is_not_ours(report, visit, tmp_path):
    """Even if some markup got in, the page's own policy would not let it run."""
    file = tmp_path / "broken.html"
    bad = "<script>document.title = 'owned'</script></main>"
    file.write_text(report.read_text().replace("</main>", bad))
    opened = visit(file)
    assert opened.page.title() == "At sea and on land"
    assert any("Content Security Policy" in line for line in opened.wrong)
    opened.wrong.clear()


def test_paper_has_the_views_without_their_controls(report, visit):
    opened = visit(report, color_scheme="dark")
    page = opened.page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for view in ("overview", "topics", "map", "tree", "groups", "many", "made"):
        assert page.locator(f"#{view}").is_visible(), view
    assert page.locator("#topic-table tr.head button").first.is_visible()
    assert page.locator("#topics .term").first.is_visible()
    for control in ("nav", "#shade", ".tools", "#map-in", "#documents"):
        assert not page.locator(control).first.is_visible(), control
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("section.view:visible").count() == 1
    assert page.evaluate(paper) != "rgb(255, 255, 255)"


def test_readable_without_script(report, visit):
    opened = visit(report, java_script_enabled=False)
    for view in ("overview", "topics", "words", "many", "made"):
        assert opened.page.locator(f"#{view}").is_visible()


def test_pictures(seen, tmp_path, visit):  # noqa: F811
    model, corpus, words = seen
    file = tmp_path / "pictures.html"
    file.write_text(to_html(model, corpus, codebook=words))
    opened = visit(file, viewport={"width": 380, "height": 800})

    def drawn(selector):
        found = opened.page.locator(selector)
        script = "(all) => all.map((one) => [one.alt, one.complete, one.naturalWidth])"
        shown = found.evaluate_all(script)
        assert all(complete and width for _, complete, width in shown)
        return [alt for alt, _, _ in shown]

    page = opened.go("topics")
    ranked = page.evaluate("topics[0].words.slice(0, 10).map((e) => words[e[0]])")
    assert drawn("#row-0 .words img.patch") == ranked
    assert len(drawn("#row-0 img.thumbnail")) > 0
    opened.go("overview")
    assert len(drawn("#overview-cards img.thumbnail")) > 0
    opened.go("topic-0")
    opened.shows("#topic h3", "Most typical pictures")
    typical = [corpus.ids[row] for row, _ in model.documents(0, 5)]
    assert drawn("#topic img.thumbnail") == typical
    assert len(drawn("#topic .bars img.patch")) > 5
    opened.go("documents")
    assert drawn("#doc-list img.thumbnail") == corpus.ids
    opened.go("words")
    shared = summarise(model, corpus)["vocabulary"]["shared"]
    assert drawn(".shared img.patch") == [model.vocabulary_[n] for n, _ in shared]
    opened.go("map")
    opened.shows("#map-box image >> nth=0")
    assert page.locator("#map-box image").count() == model.n_topics_
    for view in ("overview", "topics", "topic-0", "map", "words", "documents"):
        opened.go(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
        assert Axe().run(page).violations_count == 0
