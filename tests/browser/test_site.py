"""The site: every page, on a desk and on a phone, opened as a file without network."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WIDTHS = {"desk": 1280, "phone": 390}
FACTS = """() => ({
    beyond: document.documentElement.scrollWidth - innerWidth,
    missing: [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src),
    formulas: document.querySelectorAll("math").length,
    options: [...document.querySelectorAll("article .whole")]
        .map((option) => option.getClientRects().length),
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build = ["build", "--strict", "--site-dir", folder]
    subprocess.run([sys.executable, "-m", "mkdocs", *build], cwd=ROOT, check=True)
    return folder


@pytest.fixture(params=WIDTHS)
def page(browser, request):
    size = {"width": WIDTHS[request.param], "height": 900}
    context = browser.new_context(offline=True, viewport=size)
    page = context.new_page()
    wrong = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    yield page
    context.close()
    assert wrong == []
    assert all(url.startswith(("file:", "about:", "data:")) for url in asked)


def test_every_page_is_whole(site, page):
    pages = sorted(set(site.rglob("*.html")) - {site / "404.html"})  # for servers only
    assert {"index.html", "tutorial.html", "contributing.html"} <= {
        p.name for p in pages
    }
    formulas = {}
    for file in pages:
        page.goto(file.as_uri())
        facts = page.evaluate(FACTS)
        assert facts["beyond"] <= 0, file.name
        assert facts["missing"] == [], file.name
        assert set(facts["options"]) <= {1}, file.name  # each on one line
        assert facts["options"] or file.name != "faq.html"
        formulas[file.name] = facts["formulas"]
    assert formulas["method.html"] > 10


def test_search_works_in_files(site, page):
    page.goto((site / "api" / "models.html").as_uri())
    if page.viewport_size["width"] == WIDTHS["phone"]:
        page.locator(".md-header__button[for=__search]").click()
    box = page.locator(".md-search__input")
    box.click()
    box.press_sequentially("exclusivity")
    page.locator(".md-search-result__link", has_text="Contributing").first.wait_for()


FOUND = {
    "dataframe": "data-frames.html",
    "data frame": "data-frames.html",
    "notebook": "notebooks.html",
    "jupyter": "notebooks.html",
    "number of topics": "many-topics.html",
    "too many topics": "many-topics.html",
    "stop words": "faq.html",
    "hierarchy": "faq.html",
}
"""What people type, and the page that is found first."""
RESULTS = """() => [...new Set(
    [...document.querySelectorAll(".md-search-result__item > a")]
        .map((link) => link.href.split(/[?#]/)[0].split("/").pop()))]"""


@pytest.fixture(scope="module")
def searching(site, browser):
    """A page with its search open, which makes its index once."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((site / "index.html").as_uri())
    page.click(".md-search__input")
    yield page
    page.close()


@pytest.mark.parametrize("typed", FOUND)
def test_the_search_finds_what_people_type(searching, typed):
    searching.fill(".md-search__input", "")
    searching.wait_for_selector(".md-search-result__item", state="detached")
    searching.type(".md-search__input", typed)
    searching.wait_for_selector(".md-search-result__item", timeout=20_000)
    searching.wait_for_timeout(500)
    names = searching.evaluate(RESULTS)
    assert names[0] == FOUND[typed]
