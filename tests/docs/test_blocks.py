"""Every block of Python on every page runs: pytest runs those with prompts.

It does so page by page, see `--doctest-glob` and `testpaths` in pyproject.toml.
"""

import ast
import doctest
import re
import tomllib

import pytest
from tests.docs.pages import PAGES, PROGRAMS, ROOT, blocks

WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]


def test_pytest_runs_the_pages():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    settings = settings["tool"]["pytest"]["ini_options"]
    assert "--doctest-glob=*.md" in settings["addopts"].split()
    assert {"docs", "README.md"} <= set(settings["testpaths"])
    assert {"data-frames.md", "languages.md", "interoperability.md"} <= set(WITH_PYTHON)


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_no_block_of_python_is_passed_over(page):
    if page in PROGRAMS:
        named = (ROOT / PROGRAMS[page]).read_text(encoding="utf-8")
        assert f'blocks("{page}", "python")' in named
        for block in blocks(page, "python"):
            ast.parse(block)
        return
    for block in blocks(page, "python"):
        first, *rest = block.splitlines()
        assert first.startswith(">>> "), f"{first!r} has no prompt, so it does not run."
        assert rest[-1] == "", "A blank line must end the output before the fence."
        examples = doctest.DocTestParser().get_examples(block)
        assert not any(doctest.SKIP in example.options for example in examples)


@pytest.mark.parametrize("page", PAGES)
def test_fences_have_known_names(page):
    """So that no Python hides under another name."""
    text = PAGES[page].read_text(encoding="utf-8")
    opened = re.findall(r"^ *```+ *(\S*)", text, re.MULTILINE)[::2]
    assert set(opened) <= {"", "bash", "nginx", "python", "text"}
