"""Pages whose Python is a program: it runs in an empty folder, and prints as shown.

What is printed is of the versions that a page names; with others it only runs.
"""

import io
import re
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.docs.pages import PAGES, blocks


def run(programs):
    """Run blocks in one namespace; return what each printed."""
    space, out = {"__name__": "__main__"}, []
    for number, block in enumerate(programs):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(block, f"block {number}", "exec"), space)
        out.append(printed.getvalue())
    return out


def same(page):
    """Whether the versions that shape the corpus are those that the page names."""
    text = PAGES[page].read_text(encoding="utf-8")
    named = re.findall(r"(numpy|scipy|scikit-learn)\s(\d+\.\d+\.\d+)", text)
    assert len(named) == 3
    return all(version(package) == number for package, number in named)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_readme():
    (printed,) = run(blocks("README.md", "python"))
    assert "themes made of" in printed
    assert printed == blocks("README.md", "text")[0] or not same("README.md")
    assert Path("report.html").stat().st_size > 10_000


def test_quickstart():
    count, topics = run(blocks("quickstart.md", "python"))
    assert int(count.split()[0]) > 1000
    assert int(topics.split()[0]) > 5
    assert "most of all topic" in topics


@pytest.mark.filterwarnings("default")  # tomotopy warns on import, others may
def test_coming_from():
    data, ours, *theirs = run(blocks("coming-from.md", "python"))
    assert data == ""
    assert all(theirs)
    assert ours == blocks("coming-from.md", "text")[0] or not same("coming-from.md")


def test_tutorial():
    printed = run(blocks("tutorial.md", "python"))
    assert all(printed)
    for text in blocks("tutorial.md", "text"):
        assert text in printed or not same("tutorial.md")
