import csv
import json

import pytest
from tests.cli.runner import SUBJECTS, run

from leantopics import ParsimoniousTopicModel


@pytest.fixture
def guided(folder, tmp_path):
    guide = {"words": {"Boats": [SUBJECTS["sea"][0]]}}
    (tmp_path / "guide.json").write_text(json.dumps(guide))
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--topics", 2,
                 "--guide", tmp_path / "guide.json")  # fmt: skip
    return result, tmp_path / "m"


def test_a_guided_fit_says_what_the_guide_costs(guided):
    result, path = guided
    assert result.exit_code == 0, result.stderr
    assert "1 belief held, of which 0 cost something\n" in result.stderr
    model = ParsimoniousTopicModel.load(path)
    assert "Boats" in model.topic_names


def test_costs_as_table_json_and_csv(guided):
    _, path = guided
    model = ParsimoniousTopicModel.load(path)
    (belief,) = model.guide_costs_
    head, line = (row.split("\t") for row in run("guide", path).stdout.splitlines())
    assert head == ["topic", "name", "belief", "what", "nats", "held"]
    number = model.topic_names.index("Boats")
    assert line == [str(number), "Boats", "word", SUBJECTS["sea"][0],
                    f"{belief['nats']:.1f}", "True"]  # fmt: skip
    (row,) = json.loads(run("guide", path, "--json").stdout)
    assert row == {**belief, "topic": number, "name": "Boats"}
    (cells,) = csv.DictReader(run("guide", path, "--csv").stdout.splitlines())
    assert cells["what"] == SUBJECTS["sea"][0]
    assert json.loads(run("guide", path, "--json", "--dear").stdout) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"words": {"Boats": ["zebra"]}}', "Words of the guide must occur in the doc"),
        ("{", "must be a guide in JSON"),
        ('{"labels": {"nobody": "Boats"}}', "Got 'nobody' instead."),
        ('{"apart": [[1, 1]]}', "document 1 must be apart from itself."),
        (None, "guide.json"),
    ],
)
def test_wrong_guides_write_nothing(folder, tmp_path, text, message):
    if text is not None:
        (tmp_path / "guide.json").write_text(text)
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m",
                 "--guide", tmp_path / "guide.json")  # fmt: skip
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (tmp_path / "m").exists()


def test_a_guide_in_yaml_with_documents_together_and_apart(folder, tmp_path):
    (tmp_path / "guide.yaml").write_text("together:\n- [0, 1]\napart: [[2, 3]]\n")
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--topics", 2,
                 "--guide", tmp_path / "guide.yaml")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "2 beliefs held" in result.stderr
    lines = run("guide", tmp_path / "m").stdout.splitlines()
    cells = sorted(tuple(line.split("\t")[1:4]) for line in lines[1:])
    assert cells == [("", "apart", "2, 3"), ("", "together", "0, 1")]
    rows = json.loads(run("guide", tmp_path / "m", "--json").stdout)
    assert sorted(row["what"] for row in rows) == [[0, 1], [2, 3]]


def test_a_model_without_a_guide_has_no_costs(folder):
    result = run("guide", folder / "texts")
    assert result.exit_code == 1
    assert "was fitted without a guide; give one with fit --guide." in result.stderr
