import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import leantopics


def test_the_list_of_public_names_is_sorted_and_complete():
    abbreviations_first = sorted(leantopics.__all__, key=lambda n: (not n.isupper(), n))
    assert leantopics.__all__ == abbreviations_first
    tree = ast.parse(Path(leantopics.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("leantopics.")
        for alias in node.names
    }
    assert set(leantopics.__all__) == typed
    assert set(leantopics.__all__) <= set(dir(leantopics))


@pytest.mark.parametrize("name", leantopics.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert getattr(leantopics, name).__doc__


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'LatentDirichlet'"):
        _ = leantopics.LatentDirichlet


@pytest.mark.parametrize("heavy", ["sklearn", "scipy", "numpy"])
def test_the_import_is_cheap(heavy, loaded):
    assert heavy not in loaded


@pytest.fixture(scope="module")
def loaded():
    """Names of the top-level modules that a bare import has loaded."""
    program = (
        "import json, sys, leantopics; dir(leantopics); leantopics.__version__; "
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    return json.loads(done.stdout)
