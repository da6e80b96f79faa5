"""The pages of the documentation and their blocks of code."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    page.name: page
    for page in (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md")
}
PROGRAMS = {
    "README.md": "tests/docs/test_programs.py",
    "coming-from.md": "tests/docs/test_programs.py",
    "format.md": "tests/storage/test_format_page.py",
    "quickstart.md": "tests/docs/test_programs.py",
    "serve.md": "tests/server/test_page.py",
    "tutorial.md": "tests/docs/test_programs.py",
}
"""Pages whose Python is a program, with the tests that run it."""


def blocks(page, language):
    """The blocks of a language on a page."""
    text = PAGES[page].read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
