"""Pages whose Python is a program: it runs in an empty folder, and prints as shown.

What the tutorial prints is of the versions that it names; with others it only runs.
"""

import io
import re
from contextlib import redirect_stdout
from importlib.metadata import version

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


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_quickstart():
    count, topics = run(blocks("quickstart.md", "python"))
    assert int(count.split()[0]) > 1000
    assert int(topics.split()[0]) > 20
    assert "most of all topic" in topics


@pytest.mark.filterwarnings("default")  # tomotopy warns on import, others may
def test_coming_from():
    data, *printed = run(blocks("coming-from.md", "python"))
    assert data == ""
    assert all(printed)


def test_tutorial():
    page = PAGES["tutorial.md"].read_text(encoding="utf-8")
    named = re.findall(r"(numpy|scipy|scikit-learn) (\d+\.\d+\.\d+)", page)
    assert len(named) == 3
    same = all(version(package) == number for package, number in named)
    printed = run(blocks("tutorial.md", "python"))
    assert all(printed)
    for text in blocks("tutorial.md", "text"):
        assert not same or text in printed
