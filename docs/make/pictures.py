"""The pictures of the pages, taken from the report of the demo.

``leantopics demo && python docs/make/pictures.py demo/report.html`` takes them anew.
Needs the Chromium that the browser tests need (LEANTOPICS_BROWSER names it).
"""

import io
import os
import re
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parents[1]
TOPIC = "fft"
"""First word of the topic that is shown."""
SIZE = {"width": 760, "height": 560}
TALL = {"answer": 900, "topic": 860, "map": 1000, "document": 760}
GAP = 14


def main(report: str) -> None:
    """Take each view alone, and four of them together."""
    browser = os.environ.get("LEANTOPICS_BROWSER", "/usr/bin/chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page(viewport=SIZE, color_scheme="light")
        address = Path(report).resolve().as_uri()
        page.goto(address)
        views = _views(page)
        shots = {}
        for name, view in views.items():
            page.set_viewport_size(SIZE)
            page.goto(f"{address}#{view}")
            shots[name] = _shot(page)
            page.set_viewport_size({**SIZE, "height": TALL[name]})
            _write(_shot(page), DOCS / f"pictures/{name}.png")
        opened.close()
    _write(_together(list(shots.values())), DOCS / "report.png")


def _views(page: Page) -> dict[str, str]:
    """Addresses in the page: the topic is found by its first word."""
    first = page.locator(".words bdi:first-child", has_text=re.compile(f"^{TOPIC}$"))
    card = page.locator(".card", has=first).first
    topic = (card.get_attribute("id") or "").removeprefix("card-")
    return {
        "answer": "answer",
        "topic": f"topic-{topic}",
        "map": "map",
        "document": f"documents-{topic}",
    }


def _shot(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot()))


def _together(shots: list[Image.Image]) -> Image.Image:
    wide, high = shots[0].size
    whole = Image.new("RGB", (2 * wide + GAP, 2 * high + GAP), "#c5cbd0")
    for n, shot in enumerate(shots):
        whole.paste(shot, ((n % 2) * (wide + GAP), (n // 2) * (high + GAP)))
    return whole


def _write(image: Image.Image, path: Path) -> None:
    image.convert("RGB").quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
