"""Pages whose Python is a program: it runs in an empty folder, and prints as shown.

What the tutorial prints is of the versions that it names; with others it only runs.
"""

import io
import re
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, language):
    """The blocks of a language, each with the text that is shown right after it."""
    text = (DOCS / page).read_text(encoding="utf-8")
    form = rf"^```{language}\n(.*?)^```\n(?:\n```text\n(.*?)^```)?"
    return re.findall(form, text, re.DOTALL | re.MULTILINE)


def run(found):
    """Run blocks in one namespace; return what each printed, and what is shown."""
    space, out = {"__name__": "__main__"}, []
    for number, (block, shown) in enumerate(found):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(block, f"block {number}", "exec"), space)
        out.append((printed.getvalue(), shown))
    return out


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_quickstart():
    (count, _), (topics, _) = run(blocks("quickstart.md", "python"))
    assert int(count.split()[0]) > 1000
    assert int(topics.split()[0]) > 20
    assert "most of all topic" in topics


@pytest.mark.filterwarnings(
    "default"
)  # other libraries may warn; tomotopy does on import
def test_coming_from():
    printed = [text for text, _ in run(blocks("coming-from.md", "python"))]
    assert printed[0] == ""
    assert all(printed[1:])


def test_tutorial():
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    named = re.findall(r"(numpy|scipy|scikit-learn) (\d+\.\d+\.\d+)", page)
    assert len(named) == 3
    same = all(version(package) == number for package, number in named)
    for printed, shown in run(blocks("tutorial.md", "python")):
        assert printed
        assert printed == shown or not (same and shown)
