"""The page of the format is complete, and its program reads what is saved."""

import ast
import json
import re
import subprocess
import sys

import pytest
from tests.docs.pages import PAGES, ROOT, blocks
from tests.samples.make import MODELS

from leantopics import load_model
from leantopics.storage import FORMAT_VERSION, read_manifest

PAGE = PAGES["format.md"].read_text(encoding="utf-8")
(PROGRAM,) = blocks("format.md", "python")
SAMPLES = ROOT / "tests" / "samples" / str(FORMAT_VERSION)


def test_the_program_is_short_and_needs_no_package_of_ours():
    assert len(PROGRAM.splitlines()) <= 35
    imports = [
        node for node in ast.walk(ast.parse(PROGRAM)) if isinstance(node, ast.Import)
    ]
    names = {alias.name for node in imports for alias in node.names}
    assert names - set(sys.stdlib_module_names) == {"numpy"}


@pytest.mark.parametrize("name", [*MODELS, "model.zip"])
def test_the_program_prints_the_words_of_topics(name):
    model = load_model(SAMPLES / name)
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", PROGRAM, str(SAMPLES / name)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines() == [
        " ".join([str(j), *(word for word, _ in model.top_words(j, by="probability"))])
        for j in range(model.n_topics_)
    ]


@pytest.mark.parametrize("name", ["corpus", *MODELS])
def test_the_page_names_every_field_and_file(name):
    manifest = read_manifest(SAMPLES / name)
    fields = {*manifest, *manifest["content"]}
    for order in manifest["content"].get("orders", []):
        fields |= {"sizes", "shared"} & order.keys()
    for entry in manifest["files"].values():
        fields |= {f"files.*.{field}" for field in entry}
    fields |= {re.sub(r"-\d+$", "-M", file) for file in manifest["files"]}
    fields -= {"shape"}  # as content.shape
    assert [field for field in sorted(fields) if f"`{field}`" not in PAGE] == []


def test_the_page_is_that_of_this_version():
    assert f"This page is the format, version {FORMAT_VERSION}." in PAGE.replace(
        "\n", " "
    )
    whole = json.loads((SAMPLES / "model" / "manifest.json").read_text())
    assert whole["format_version"] == FORMAT_VERSION
