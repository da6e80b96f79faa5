"""What the site says of the code is of this code, and what it is made of is there."""

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import leantopics

ROOT = Path(__file__).parents[2]
REFERENCE = {
    name
    for page in (ROOT / "docs" / "api").glob("*.md")
    for name in re.findall(r"^::: (\S+)$", page.read_text("utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize(
    "room", ["", ".datasets", ".evaluation", ".images", ".plot", ".report"]
)
def test_the_reference_has_all_public_names(room):
    module = _module(f"leantopics{room}")
    shown = [_find(name) for name in REFERENCE]
    for name in module.__all__:
        assert any(getattr(module, name) is thing for thing in shown), name


def test_no_name_of_the_reference_is_also_a_module():
    """The site would show the module: the function is named in it instead."""
    for name in REFERENCE:
        assert not (ROOT / "src" / name.replace(".", "/")).with_suffix(".py").exists()


def test_the_reference_has_nothing_twice():
    found = [_find(name) for name in REFERENCE]
    assert len({id(thing) for thing in found}) == len(found)


def test_the_picture_of_the_rooms_is_current():
    script, picture = ROOT / "docs/make/rooms.py", ROOT / "docs/pictures/rooms.svg"
    drawn = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True
    ).stdout
    again = "Draw it again: python docs/make/rooms.py > docs/pictures/rooms.svg"
    assert drawn == picture.read_text(encoding="utf-8"), again


def test_one_version_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert project["version"] == leantopics.__version__ == cited[1]


def test_no_page_asks_for_anything_from_elsewhere():
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"!\[[^]]*\]\(https?:|<script|<link|<img", text), page.name


def test_the_example_of_contributing_is_green():
    """The measure and its test are as they would be in their files."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    measure, check = re.findall(
        r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    )
    home = vars(_module("leantopics.evaluation.words")).copy()
    home["Floats"] = _module("leantopics.evaluation.checks").Floats
    exec(measure, home)
    tests = vars(_module("tests.evaluation.test_words")).copy()
    tests["exclusivity"] = home["exclusivity"]
    exec(check, tests)
    tests["test_exclusivity_is_the_mean_share_of_top_words"]()
    assert home["exclusivity"]([[0.5, 0.5, 0], [0, 0.5, 0.5]], 2).tolist() == [
        0.75,
        0.75,
    ]


def _module(name):
    return importlib.import_module(name)


def _find(path):
    module, _, name = path.rpartition(".")
    return getattr(_module(module), name)
