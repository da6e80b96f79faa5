"""A model or corpus in one file does all that one in a folder does."""

import json
import zipfile

import pytest
from tests.cli.runner import run, timeless
from tests.cli.test_demo import few_documents

from leantopics import Corpus, read_corpus
from leantopics.storage import FORMAT_VERSION, load_folder


@pytest.fixture
def model(folder, tmp_path):
    target = tmp_path / "m.zip"
    result = run(
        "fit",
        folder / "texts.jsonl",
        "-o",
        target,
        "--topics",
        2,
        "--evidence",
        "words",
    )
    assert timeless(result.stderr).endswith(f"S seconds, saved in {target}\n")
    assert zipfile.is_zipfile(target)
    return target


@pytest.mark.parametrize(
    "command",
    [
        ("topics", "{m}"),
        ("infer", "{m}", "{f}/texts.jsonl"),
        ("evaluate", "{m}", "{f}/texts.jsonl"),
        ("groups", "{m}", "{f}/texts.jsonl", "--by", "split"),
    ],
)
def test_every_command_reads_it(folder, model, command):
    one, other = (
        run(*(word.format(m=place, f=folder) for word in command))
        for place in (model, folder / "texts")
    )
    assert (one.exit_code, one.stdout) == (0, other.stdout)
    assert one.stdout


def test_names_and_facts_and_a_report(folder, model, tmp_path):
    assert run("name", model, "0=Sea").exit_code == 0
    facts = json.loads(run("inspect", model, "--json").stdout)
    assert facts["topic_names"][0] == "Sea"
    assert facts["class"] == "ParsimoniousTopicModel"
    assert facts["format_version"] == FORMAT_VERSION
    page = tmp_path / "r.html"
    assert run("report", model, folder / "texts.jsonl", "-o", page).exit_code == 0
    assert "Sea" in page.read_text()


def test_a_corpus(folder, tmp_path):
    target = tmp_path / "c.zip"
    result = run("convert", folder / "texts.jsonl", "-o", target)
    assert (result.exit_code, result.stderr) == (
        0,
        f"40 documents written to {target}\n",
    )
    assert Corpus.load(target).labels == read_corpus(folder / "texts.jsonl").labels
    facts = json.loads(run("inspect", target, "--json").stdout)
    assert (facts["kind"], facts["documents"]) == ("corpus", 40)
    result = run(
        "fit", target, "-o", tmp_path / "m", "--topics", 2, "--evidence", "words"
    )
    assert result.exit_code == 0, result.stderr
    ours, theirs = (
        load_folder(path, kind="model").arrays
        for path in (tmp_path / "m", folder / "texts")
    )
    assert all((ours[name] == theirs[name]).all() for name in theirs)


def test_a_named_corpus(pictures, tmp_path):
    target = tmp_path / "l.zip"
    result = run("datasets", "labelme", "-o", target, "--folder", pictures)
    assert result.exit_code == 0, result.stderr
    assert Corpus.load(target).n_docs == 24


def test_the_demo(tmp_path, monkeypatch):
    monkeypatch.setattr("leantopics.datasets.load_python_docs", few_documents)
    target = tmp_path / "new" / "demo.zip"
    result = run("demo", "-o", target, "--max-topics", 8)
    assert result.exit_code == 0, result.stderr
    assert (
        f"the model is in {target}.\nOpen {tmp_path}/new/demo.html in" in result.stderr
    )
    assert run("topics", target).exit_code == 0
    assert (tmp_path / "new" / "demo.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("command", ["topics {m}", "inspect {m}", "fit {m} -o {t}/x"])
def test_what_is_no_such_file_is_one_sentence(tmp_path, command):
    path = tmp_path / "m.zip"
    path.write_bytes(b"PK nothing")
    result = run(*command.format(m=path, t=tmp_path).split())
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: {path} is damaged: it is not a complete zip file (File is not a zip "
        "file); save it again or take another copy.\n"
    )


def test_a_target_that_is_not_ours_is_refused_before_reading(tmp_path):
    (tmp_path / "m.zip").write_bytes(b"mine")
    result = run("fit", "no-such-corpus", "-o", tmp_path / "m.zip")
    assert result.stderr == (
        f"Error: {tmp_path}/m.zip exists and is not a saved model; choose another "
        "place.\n"
    )
