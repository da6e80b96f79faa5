"""The report in a real browser: every view, by mouse and by keyboard."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.cli.runner import SUBJECTS
from tests.report.conftest import HOSTILE, fitted, hostile  # noqa: F401
from tests.report.test_pictures import seen  # noqa: F401

from leantopics import LDA, Corpus
from leantopics.report import to_html

VIEWS = (
    "answer",
    "topics",
    "map",
    "lineage",
    "words",
    "documents",
    "comparison",
    "made",
)
WIDTHS = (380, 800, 1400)


@pytest.fixture(scope="module")
def report(fitted, tmp_path_factory):  # noqa: F811
    model, corpus = fitted
    model.topic_names = ["at sea", "in the wood"]
    other = LDA(3, random_state=0).fit(corpus)
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(to_html(model, corpus, title="Two walks", others={"LDA": other}))
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


def test_topics(report, visit):
    opened = visit(report)
    page = opened.go("topics")
    assert page.locator(".card").count() == 2
    for place in (1, 3):
        page.select_option("#topic-rank", str(place))
        script = f"topics[0].words.sort((a, b) => b[{place}] - a[{place}])"
        ranked = page.evaluate(f"{script}.slice(0, 12).map((entry) => words[entry[0]])")
        assert opened.text("#card-0 .words").split() == ranked
    page.fill("#topic-find", "mushr")
    assert page.locator(".card:visible").count() == 1
    page.click(".card:visible a")
    opened.shows("#topic h2", "in the wood")
    assert "wood" in opened.text("#topic ul")
    assert page.locator("#topic .bars tr").count() > 5
    page.click("#topic >> text=next")
    opened.shows("#topic h2", "at sea")
    page.click("#topic a[href^='#documents-']")
    opened.shows("#documents")
    assert page.locator("#doc-topic").input_value() == "0"
    assert opened.text("#doc-count") == "36 documents"


def test_pinned_words_are_marked(fitted, visit, tmp_path):  # noqa: F811
    model = fitted[0].at(fitted[0].n_topics_)
    word, _ = model.top_words(0, 99, by="salience")[-1]
    model.pinned_words_ = {0: [word]}
    file = tmp_path / "pinned.html"
    file.write_text(to_html(model, fitted[1]))
    opened = visit(file)
    page = opened.go("topics")
    for place in (1, 3):
        page.select_option("#topic-rank", str(place))
        assert opened.text(".card .pinned") == word
    opened.go("topic-0")
    opened.shows("#topic .hint", "pinned by hand")
    assert opened.text("#topic .bars .pinned") == word


def test_words(report, visit):
    opened = visit(report)
    page = opened.go("words")
    page.fill("#word-find", "tides")
    assert "Salient in" in opened.text("#word-found")
    page.fill("#word-find", "zzz")
    assert opened.text("#word-found") == "No word starts like this."
    page.fill("#word-find", "")
    assert opened.text("#word-found") == ""


def test_documents(report, visit):
    opened = visit(report)
    page = opened.go("documents")
    assert opened.text("#doc-count") == "60 documents"
    assert page.locator("#doc-list > li").count() == 20
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
    page = visit(report).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("section.view:visible").get_attribute("id") != "answer"


def test_dark_and_light(report, visit):
    opened = visit(report, color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = opened.page.evaluate(paper)
    opened.page.click("#theme")
    dark = opened.page.evaluate(paper)
    assert light != dark
    assert visit(report, color_scheme="dark").page.evaluate(paper) == dark


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(report, visit, width):
    opened = visit(report, viewport={"width": width, "height": 800})
    for view in (*VIEWS, "topic-1"):
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
def test_accessible(report, visit, scheme):
    opened = visit(report, color_scheme=scheme)
    for view in (*VIEWS, "topic-1", "word-3"):
        found = Axe().run(opened.go(view)).response["violations"]
        serious = [v for v in found if v["impact"] in ("serious", "critical")]
        assert not serious, (view, [(v["id"], v["nodes"][0]["html"]) for v in serious])


def test_no_script_of_a_hostile_corpus_runs(hostile, visit, tmp_path):  # noqa: F811
    file = tmp_path / "hostile.html"
    file.write_text(to_html(*hostile, title=HOSTILE[1]), errors="replace")
    opened = visit(file)
    for view in ("topics", "map", "words", "topic-0", "topic-1", "documents"):
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
    assert opened.page.title() == "Two walks"
    assert any("Content Security Policy" in line for line in opened.wrong)
    opened.wrong.clear()


def test_readable_without_script(report, visit):
    opened = visit(report, java_script_enabled=False)
    for view in ("answer", "topics", "map", "lineage", "words", "made"):
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
    ranked = page.evaluate("ranked(topics[0], 12).map((e) => words[e[0]])")
    assert drawn("#card-0 .words img.patch") == ranked
    assert len(drawn("#card-0 img.thumbnail")) > 0
    opened.go("topic-0")
    opened.shows("#topic h3", "Most typical pictures")
    typical = [corpus.ids[row] for row, _ in model.documents(0)]
    assert drawn("#topic img.thumbnail") == typical
    assert len(drawn("#topic .bars img.patch")) > 5
    opened.go("documents")
    assert drawn("#doc-list img.thumbnail") == corpus.ids
    opened.go("words")
    assert drawn(".shared img.patch") == page.locator(".shared li").evaluate_all(
        "(all) => vocabulary.shared.map(([n]) => words[n])"
    )
    for view in ("topics", "topic-0", "words", "documents"):
        opened.go(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
        assert Axe().run(page).violations_count == 0
