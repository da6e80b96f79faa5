"""The pictures of the pages, taken from the report of the demo.

``leantopics demo && python docs/make/pictures.py demo/report.html`` takes them again.
Needs the Chromium that the browser tests need (LEANTOPICS_BROWSER names it).
"""

import io
import os
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parents[1]
WORD = "fft"
"""A word of the topic that is shown."""
WIDE = 1120
TALL = {
    "overview": 800,
    "topics": 640,
    "topic": 860,
    "map": 1010,
    "document": 640,
    "tree": 760,
    "many": 900,
}


def main(report: str) -> None:
    """Take each view alone, and the overview for the front page."""
    browser = os.environ.get("LEANTOPICS_BROWSER", "/usr/bin/chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        size = {"width": WIDE, "height": TALL["overview"]}
        page = opened.new_page(viewport=size, color_scheme="light")
        address = Path(report).resolve().as_uri()
        page.goto(address)
        _write(_shot(page), DOCS / "report.png")
        for name, view in _views(page).items():
            page.set_viewport_size({"width": WIDE, "height": TALL[name]})
            page.goto(f"{address}#{view}")
            _write(_shot(page), DOCS / f"pictures/{name}.png")
        opened.close()


def _views(page: Page) -> dict[str, str]:
    """Addresses in the page: the topic is the first that has the word."""
    topic = page.evaluate(
        "(word) => topics.findIndex((topic) => topic.words.slice(0, 3)"
        ".some(([n]) => words[n] === word))",
        WORD,
    )
    names = ("overview", "topics", "map", "tree", "many")
    more = {"topic": f"topic-{topic}", "document": f"documents-{topic}"}
    return {**{name: name for name in names}, **more}


def _shot(page: Page) -> Image.Image:
    page.wait_for_timeout(300)
    return Image.open(io.BytesIO(page.screenshot()))


def _write(image: Image.Image, path: Path) -> None:
    image.convert("RGB").quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
