import csv
import json

import pytest
from tests.cli.runner import documents, run

from leantopics import ParsimoniousTopicModel


@pytest.fixture
def older(folder, tmp_path):
    """A model of the documents about the sea, and all of them with a new word."""
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--where",
                 "split=train", "--topics", 2)  # fmt: skip
    assert result.exit_code == 0, result.stderr
    run("name", tmp_path / "m", "0=First", "1=Second")
    with open(tmp_path / "all.jsonl", "w") as out:
        for record in documents():
            record["text"] += " anew"
            out.write(json.dumps(record) + "\n")
    return tmp_path


def test_a_model_is_refreshed_and_its_ledger_printed(older):
    result = run("refresh", older / "m", older / "all.jsonl", "-o", older / "n")
    assert result.exit_code == 0, result.stderr
    model = ParsimoniousTopicModel.load(older / "n")
    head, *lines = (line.split("\t") for line in result.stdout.splitlines())
    assert head == ["level", "change", "before", "after", "share", "bic_change",
                    "name_before", "name"]  # fmt: skip
    assert [line[1] for line in lines] == ["kept", "kept"]
    assert {line[7] for line in lines} == {"First", "Second"} == {*model.topic_names}
    assert "anew" in model.vocabulary_
    assert result.stderr.splitlines() == [
        "2 topics instead of 2: 2 kept",
        f"{len(list(documents()))} documents, saved in {older / 'n'}",
    ]


def test_rows_as_json_and_csv(older):
    command = "refresh", older / "m", older / "all.jsonl", "-o", older / "n"
    rows = json.loads(run(*command, "--json").stdout)
    model = ParsimoniousTopicModel.load(older / "n")
    assert [{k: row[k] for k in model.changes_[0]} for row in rows] == model.changes_
    table = list(csv.DictReader(run(*command, "--csv").stdout.splitlines()))
    assert [row["before"] for row in table] == [str(*row["before"]) for row in rows]
    assert run(*command, "--json", "--changed").stdout == "[]\n"


def test_numbers_and_texts_are_kept(older):
    result = run("refresh", older / "m", older / "all.jsonl", "-o", older / "n",
                 "--keep-numbers", "--keep-text")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    model = ParsimoniousTopicModel.load(older / "n")
    assert model.topic_names == ["First", "Second"]
    assert run("report", older / "n", "-o", older / "page.html").exit_code == 0


@pytest.mark.parametrize(
    ("corpus", "options", "message"),
    [
        ("counts.ldac", ("--keep-text",), "counts.ldac holds counts, so --keep-text"),
        ("none.jsonl", (), "There is no file or folder"),
    ],
)
def test_wrong_documents_write_nothing(older, folder, corpus, options, message):
    target = older / "n"
    result = run("refresh", older / "m", folder / corpus, "-o", target, *options)
    assert result.exit_code == 1
    assert message in result.stderr
    assert not target.exists()


def test_documents_of_other_words_are_refused(older):
    (older / "odd.txt").write_text("zebra okapi\nokapi zebra\n")
    result = run("refresh", older / "m", older / "odd.txt", "-o", older / "n")
    assert result.exit_code == 1
    assert "X must have words that set the topics of the model apart" in result.stderr
    assert not (older / "n").exists()


def test_counts_need_a_model_of_counts(folder, tmp_path):
    texts, counts = folder / "texts.jsonl", folder / "counts"
    result = run("refresh", counts, texts, "-o", tmp_path / "n")
    assert result.exit_code == 1
    assert "was fitted to counts and does not know how to split text" in result.stderr
    vocabulary = ("--vocabulary", folder / "counts.vocab")
    again = run("refresh", counts, folder / "counts.ldac", "-o", tmp_path / "n",
                *vocabulary)  # fmt: skip
    assert again.exit_code == 0, again.stderr


def test_a_model_without_a_seed_gets_one(older):
    model = ParsimoniousTopicModel.load(older / "m")
    model.set_params(random_state=None).save(older / "m")
    for name in ("n", "o"):
        command = "refresh", older / "m", older / "all.jsonl", "-o", older / name
        assert run(*command, "--verbose").exit_code == 0
    one, two = (ParsimoniousTopicModel.load(older / name) for name in ("n", "o"))
    assert one.random_state == 0
    assert one.verbose == 0
    assert one.bic_ == two.bic_
