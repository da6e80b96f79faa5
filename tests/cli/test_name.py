import json

import pytest
from tests.cli.runner import run

from leantopics import LDA, read_corpus


@pytest.fixture
def model(folder, tmp_path):
    run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--topics", 2)
    return tmp_path / "m"


def names(model):
    topics = json.loads(run("topics", model, "--json").stdout)["topics"]
    return [topic["name"] for topic in topics]


def test_named_topics_are_shown_by_their_names(model):
    assert names(model) == [None, None]
    result = run("name", model, "1=The wood")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"1 topic named in {model}.\n"
    first, second = names(model)
    assert len(first.split()) == 3
    assert second == "The wood"
    run("name", model, "0= Sea = water ")
    assert names(model) == ["Sea = water", "The wood"]


def test_any_model_can_have_names(folder, tmp_path):
    corpus = read_corpus(folder / "texts.jsonl")
    LDA(2, random_state=0).fit(corpus).save(tmp_path / "lda")
    assert run("name", tmp_path / "lda", "0=a", "1=b").exit_code == 0
    assert names(tmp_path / "lda") == ["a", "b"]


def test_the_report_has_them(model, tmp_path):
    run("name", model, "0=Open <sea>")
    run("report", model, "-o", tmp_path / "r.html")
    assert "Open &lt;sea&gt;" in (tmp_path / "r.html").read_text()
