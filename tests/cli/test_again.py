"""A model keeps how its corpus was read, so that commands need not be told again."""

import csv
import json

import polars as pl
import pytest
from tests.cli.runner import documents, run

from leantopics import load_model

RECORDS = list(documents(40))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table in Windows-1252, with unusual names, and a model fitted to it."""
    folder = tmp_path_factory.mktemp("again")
    file = folder / "notes.csv"
    with open(file, "w", encoding="cp1252", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["key", "note", "kind"])
        for record in RECORDS:
            rows.writerow([record["id"], record["text"] + " café", record["label"]])
    options = ["--encoding", "cp1252", "--text-field", "note", "--id-field", "key"]
    options += ["--label-field", "kind", "--topics", 2]
    done = run("fit", file, "-o", folder / "model", *options)
    assert done.exit_code == 0, done.stderr
    return file, folder / "model"


def test_the_model_keeps_it(table):
    assert load_model(table[1]).analyser_["reading"] == {
        "encoding": "cp1252",
        "text_field": "note",
        "id_field": "key",
        "label_field": "kind",
    }


COMMANDS = {
    "report": ["-o", "page.html"],
    "groups": ["--by", "labels", "--csv"],
    "evaluate": ["--json"],
    "edit": ["-o", "edited", "--merge", "0,1"],
    "stability": ["--repeats", 1],
    "infer": [],
    "refresh": ["-o", "newer"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_read_as_the_fit_did(table, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, model = table
    done = run(command, model, file, *COMMANDS[command])
    assert done.exit_code == 0, done.stderr
    if command == "infer":
        assert "doc0" in done.stdout
    if command == "groups":
        assert "sea" in done.stdout


def test_options_go_first_and_only_what_applies_is_kept(table, tmp_path):
    _, model = table
    other = tmp_path / "new.txt"
    other.write_text("boats and waves Größe\n", encoding="cp1252")
    assert run("infer", model, other).exit_code == 0
    other.write_text("boats and waves Größe\n", encoding="utf-8")
    assert run("infer", model, other, "--encoding", "utf-8").exit_code == 0
    rows = tmp_path / "new.jsonl"
    rows.write_text(json.dumps({"body": "boats", "id": "7"}))
    wrong = run("infer", model, rows)
    assert wrong.exit_code == 1
    assert "name the text field (--text-field)" in wrong.stderr
    assert run("infer", model, rows, "--text-field", "body", "--id-field", "id").stdout


def test_lines_in_a_pipe_need_no_fields(table):
    done = run("infer", table[1], "-", input="boats and waves\n")
    assert done.exit_code == 0, done.stderr
    done = run("infer", table[1], "-", input="key,note\nx7,boats and waves\n")
    assert "x7" in done.stdout


def test_a_table_without_header_is_read_again(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("".join(f"{r['text']}\t{r['label']}\n" for r in RECORDS))
    options = ["--format", "tsv", "--columns", "text,label", "--topics", 2]
    assert run("fit", file, "-o", tmp_path / "m", *options).exit_code == 0
    done = run("groups", tmp_path / "m", file, "--by", "labels", "--csv")
    assert done.exit_code == 0, done.stderr
    assert "wood" in done.stdout


def test_a_saved_corpus_needs_nothing(table, tmp_path):
    file, model = table
    options = ["--encoding", "cp1252", "--text-field", "note"]
    assert run("convert", file, "-o", tmp_path / "c", *options).exit_code == 0
    assert run("evaluate", model, tmp_path / "c").exit_code == 0
    assert run("fit", tmp_path / "c", "-o", tmp_path / "m", "--topics", 2)
    kept = load_model(tmp_path / "m").analyser_["reading"]
    assert kept == {"encoding": "cp1252", "text_field": "note"}


def test_bad_files_of_a_folder_are_left_out_and_named(tmp_path):
    for d, record in enumerate(RECORDS):
        (tmp_path / "texts" / record["label"]).mkdir(parents=True, exist_ok=True)
        name = f"{d}.{'TXT' if d % 2 else 'md'}"
        (tmp_path / "texts" / record["label"] / name).write_text(record["text"])
    (tmp_path / "texts" / "sea" / "pound.txt").write_bytes(
        b"boats for \xa35m in harbours"
    )
    (tmp_path / "texts" / "bad.txt").write_bytes(bytes(range(256)))
    fit = ["fit", tmp_path / "texts", "-o", tmp_path / "m", "--topics", 2]
    stopped = run(*fit)
    assert stopped.exit_code == 1
    assert "--skip-bad" in stopped.stderr
    assert "--encoding auto" in stopped.stderr
    done = run(*fit, "--encoding", "auto", "--skip-bad")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("Not in UTF-8, and read by a guess: 1 file as cp1") == 1
    assert done.stderr.count("Left out 1 document that cannot be read: ") == 1
    assert "bad.txt" in done.stderr
    assert "41 documents" in done.stderr
    again = run("report", tmp_path / "m", tmp_path / "texts", "-o", tmp_path / "p.html")
    assert again.exit_code == 0, again.stderr
    assert "£5m" in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_parquet_is_fitted(tmp_path):
    pl.DataFrame(RECORDS).write_parquet(tmp_path / "a.parquet")
    done = run("fit", tmp_path / "a.parquet", "-o", tmp_path / "m", "--topics", 2)
    assert done.exit_code == 0, done.stderr
    assert run("groups", tmp_path / "m", tmp_path / "a.parquet", "--by", "split").stdout


def test_sklearn_words_do_not_reach_the_user(tmp_path):
    (tmp_path / "two.txt").write_text("a cat\na dog\n")
    done = run("fit", tmp_path / "two.txt", "-o", tmp_path / "m", "--topics", 9)
    assert "must not exceed that of documents with words, 2. Got 9" in done.stderr
    (tmp_path / "one.txt").write_text("a cat\n")
    done = run("fit", tmp_path / "one.txt", "-o", tmp_path / "m", "--topics", 9)
    assert "n_samples" not in done.stderr
    done = run("topics", tmp_path / "nowhere")
    assert done.stderr == f"Error: There is no file or folder {tmp_path / 'nowhere'}.\n"
