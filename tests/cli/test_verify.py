import json
import shutil

import pytest
from tests.cli.runner import run

from leantopics import ParsimoniousTopicModel


def test_all_that_a_model_states_holds(folder):
    result = run("verify", folder / "texts", folder / "texts.jsonl")
    assert result.exit_code == 0
    head, *lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert head == "check holds stated found note".split()
    assert {line[1] for line in lines} == {"yes"}
    assert result.stderr == f"All {len(lines)} checks hold.\n"


def test_what_does_not_hold_ends_with_code_1(folder, tmp_path, monkeypatch):
    model = ParsimoniousTopicModel.load(folder / "texts")
    model.bic_ += 1.0
    monkeypatch.setattr("leantopics.models.load_model", lambda path: model)
    result = run("verify", folder / "texts", folder / "texts.jsonl", "--json")
    assert result.exit_code == 1
    told = {row["check"]: row for row in json.loads(result.stdout)}
    assert not told["bic"]["holds"]
    assert told["bic"]["stated"] == pytest.approx(told["bic"]["found"] + 1.0)
    assert result.stderr.endswith("checks does not hold: bic.\n")


def test_other_documents_are_refused_in_a_sentence(folder, tmp_path):
    shutil.copy(folder / "texts.jsonl", tmp_path / "more.jsonl")
    with open(tmp_path / "more.jsonl", "a") as out:
        out.write('{"text": "boats and waves"}\n')
    result = run("verify", folder / "texts", tmp_path / "more.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "its documents must be those of the fit" in result.stderr
