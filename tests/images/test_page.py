"""The page about pictures says what the code does."""

import doctest
import inspect
import re
from pathlib import Path

from leantopics.images import VisualWords
from leantopics.images.pictures import LEAST_SIDE, MOST_PIXELS

PAGE = Path(__file__).parents[2] / "docs" / "images.md"


def test_its_example_runs():
    found = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted > 5
    assert found.failed == 0


def test_its_defaults_are_those_of_the_class():
    text = PAGE.read_text(encoding="utf-8")
    told = dict(re.findall(r"`(\w+)` \(([\w ,]+)\)", text.replace("\n   ", " ")))
    signature = inspect.signature(VisualWords).parameters
    for name in ("n_sampled", "n_words", "merge_distance"):
        assert float(told[name].replace(",", "")) == signature[name].default
    assert (told["min_share"], signature["min_share"].default) == ("a quarter", 0.25)
    assert f"more than {MOST_PIXELS:,} pixels" in text
    assert f"smaller than {LEAST_SIDE} pixels" in text
