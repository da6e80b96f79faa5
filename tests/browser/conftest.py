"""A headless Chromium. LEANTOPICS_BROWSER names it; CI does not go on without one."""

import os
import shutil

import pytest

CHROMIUM = os.environ.get("LEANTOPICS_BROWSER") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)


@pytest.fixture(scope="module")  # its event loop must not outlive the module
def browser():
    if CHROMIUM is None:
        message = "NOT RUN: no Chromium is installed (Debian: apt install chromium)."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Visit:
    """A page with the network off; what it logs, asks for and breaks is kept."""

    def __init__(self, browser, file, **options):
        self.context = browser.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.wrong, self.asked = [], []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: self.wrong.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.address = file.as_uri()
        self.page.goto(self.address)

    def go(self, view):
        self.page.goto(f"{self.address}#{view}")
        return self.page

    def shows(self, selector, text=""):
        """Wait until something is visible; the page follows links in its own time."""
        self.page.locator(selector, has_text=text).wait_for()

    def text(self, selector):
        return self.page.locator(selector).inner_text()


@pytest.fixture
def visit(browser):
    visits = []

    def open_page(file, **options):
        visits.append(Visit(browser, file, **options))
        return visits[-1]

    yield open_page
    for each in visits:
        each.context.close()
        assert each.wrong == []
        assert all(url.split("#")[0] == each.address for url in each.asked)
