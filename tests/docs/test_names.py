"""Every dotted name of the package on the pages is that of something.

The changelog is left out: history may name what is gone.
"""

import inspect
import pkgutil
import re

import pytest
from tests.docs.pages import ROOT

import leantopics
from leantopics import images

CLASSES = {
    name: f"{module.__name__}.{name}"
    for module in (leantopics, images)
    for name in module.__all__
    if inspect.isclass(getattr(module, name))
}
NAME = re.compile(
    rf"(?<![\w./:-])(?:leantopics|{'|'.join(CLASSES)})(?:\.[A-Za-z_]\w*)+"
)
TO_COME = "leantopics.evaluation.exclusivity"
"""What the worked example of CONTRIBUTING.md adds."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def unknown(text):
    """Names in a text, but not in its addresses, that stand for nothing."""
    found = []
    for name in sorted(set(NAME.findall(re.sub(r"\w+://\S+", "", text))) - {TO_COME}):
        first, dot, rest = name.partition(".")
        try:
            pkgutil.resolve_name(CLASSES.get(first, first) + dot + rest)
        except (ImportError, AttributeError):
            found.append(name)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_of_the_package_are_there(page):
    assert unknown(page.read_text(encoding="utf-8")) == []


def test_what_is_not_there_is_noticed():
    assert unknown(
        "`leantopics.report.to_pyldavis(model)`, leantopics.gone.name, Corpus.opened, "
        "but leantopics.Corpus.open, `ParsimoniousTopicModel.fit` and "
        "`leantopics.report`. And https://example.org/leantopics.gone, "
        "VisualWords.transform."
    ) == ["Corpus.opened", "leantopics.gone.name", "leantopics.report.to_pyldavis"]
