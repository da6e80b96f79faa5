import csv
import io
import json

import pytest
from tests.cli.runner import run


@pytest.fixture
def effects(folder):
    def command(*options):
        return run("effects", folder / "texts", folder / "texts.jsonl", *options)

    return command


def test_topics_that_differ_by_label_in_sentences(effects):
    result = effects("--by", "labels", "--draws", 19)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert " differs by labels: " in line and line.endswith(" nats, p = 0.05.")
        assert " in sea (" in line and " in wood (" in line


def test_what_does_not_differ(effects):
    result = effects("--by", "split")
    assert result.exit_code == 0
    assert result.stdout == "No topic differs by split.\n"


def test_json_and_csv_have_all_topics(effects):
    told = json.loads(effects("--by", "labels", "--json").stdout)
    assert (told["by"], told["kind"], told["documents"]) == ("labels", "groups", 40)
    assert {topic["topic"] for topic in told["topics"]} == {0, 1}
    assert all(topic["differs"] and topic["name"] for topic in told["topics"])
    rows = list(csv.DictReader(io.StringIO(effects("--by", "labels", "--csv").stdout)))
    assert len(rows) == 4
    assert {row["group"] for row in rows} == {"sea", "wood"}
    shares = [share["share"] for topic in told["topics"] for share in topic["shares"]]
    assert [float(row["share"]) for row in rows] == shares


def test_documents_without_the_field_are_counted(folder, tmp_path):
    lines = (folder / "texts.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    for record in records[:3]:
        del record["label"]
    texts = tmp_path / "some.jsonl"
    texts.write_text("".join(json.dumps(record) + "\n" for record in records))
    result = run("effects", folder / "texts", texts, "--by", "labels")
    assert result.stderr == "Left out: 3 documents without labels or words.\n"


def test_wrong_fields_get_a_sentence(effects):
    result = effects("--by", "country")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No document has a value in the field 'country'" in result.stderr
    result = effects("--by", "labels", "--kind", "date")
    assert "must be dates such as 2026-11-16" in result.stderr
