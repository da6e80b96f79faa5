import json
import shutil

import pytest
from tests.cli.runner import run
from tests.storage.toy import edit_manifest

from leantopics import LDA, Corpus, SparseTopicalCoding, __version__, read_corpus

CORPUS = """\
fact\tvalue
kind\tcorpus
documents\t40
words\t24
tokens\t1600
density\t0.610417
empty_documents\t0
median_document\t40
longest_document\t40
frequent_words\tislands 90, some 84, tides 81
first_ids\tdoc0, doc1, doc2
has_texts\tyes
labelled_documents\t40
labels\t2
frequent_labels\tsea 24, wood 16
fields\tsplit
"""


def test_a_corpus(folder):
    result = run("inspect", folder / "texts.jsonl", "-n", 3)
    assert result.stdout == CORPUS
    assert (result.exit_code, result.stderr) == (0, "")
    lines = run("inspect", folder / "texts.jsonl", "-n", 3, "--csv").stdout.split("\n")
    assert lines[9] == 'frequent_words,"islands 90, some 84, tides 81"'
    document = json.loads(
        run("inspect", folder / "texts.jsonl", "-n", 1, "--json").stdout
    )
    assert document["frequent_words"] == {"islands": 90}
    assert document["frequent_labels"] == {"sea": 24}
    assert (document["labels"], document["first_ids"]) == (2, ["doc0"])


def test_every_source(folder, tmp_path):
    text = "first text\n\nsecond text\n"
    piped = json.loads(run("inspect", "-", "--json", input=text).stdout)
    assert (piped["documents"], piped["empty_documents"]) == (3, 1)
    assert piped["frequent_words"] == {"text": 2, "first": 1, "second": 1}
    Corpus([[0.5, 0], [0, 2]]).save(tmp_path / "saved")
    saved = json.loads(run("inspect", tmp_path / "saved", "--json").stdout)
    assert (saved["tokens"], saved["has_texts"]) == (2.5, False)
    counts = run("inspect", folder / "counts.ldac", "--where", "id=3", "--json")
    assert json.loads(counts.stdout)["documents"] == 1


def test_a_model(folder, tmp_path):
    command = ("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--max-topics", 6)
    run(*command, "--no-themes", "--seed", 3, "--stem", "porter", "--ngrams", "1-2")
    result = run("inspect", tmp_path / "m")
    lines = dict(line.split("\t") for line in result.stdout.splitlines())
    assert lines["class"] == "ParsimoniousTopicModel"
    assert lines["leantopics_version"] == __version__
    assert (lines["documents"], lines["n_topics"], lines["seed"]) == ("40", "2", "3")
    assert (lines["fewest_topics"], lines["most_topics"]) == ("2", "4")
    assert (lines["converged"], lines["counted_from"]) == ("yes", "text")
    assert "max_topics 6, " in lines["settings"]
    assert "ngrams 1 2, " in lines["text_settings"]
    found = json.loads(run("inspect", tmp_path / "m", "--json").stdout)
    assert found["settings"]["procedure"] == "paper"
    assert "shared" not in found
    assert not {"pinned_words", "edits", "stability"} & set(found)
    assert found["bic"] > 0
    assert f"bic,{found['bic']}" in run("inspect", tmp_path / "m", "--csv").stdout


@pytest.mark.parametrize(
    "model",
    [LDA(2, max_topics=3, random_state=0), SparseTopicalCoding(2, word_penalty=[0.1])],
)
def test_other_models(folder, tmp_path, model):
    model.fit(read_corpus(folder / "counts.ldac"))
    model.topic_names = ["sea", "wood"]
    model.save(tmp_path / "m")
    found = json.loads(run("inspect", tmp_path / "m", "--json").stdout)
    assert found["class"] == type(model).__name__
    assert (found["documents"], found["words"], found["n_topics"]) == (40, 24, 2)
    assert found["most_topics"] == max(row["n_topics"] for row in model.path_)
    assert found["seed"] == model.random_state
    assert found["converged"] == model.converged_
    assert (found["counted_from"], found["topic_names"]) == ("counts", ["sea", "wood"])
    assert "bic" not in found


def test_a_damaged_manifest_is_one_sentence(folder, tmp_path):
    shutil.copytree(folder / "texts", tmp_path / "m")
    edit_manifest(tmp_path / "m", lambda m: m["content"].pop("settings"))
    result = run("inspect", tmp_path / "m")
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: {tmp_path}/m must be a complete model, but part of it is missing or "
        "garbled ('settings'): save the model again.\n"
    )


def test_what_was_changed_by_hand_and_how_sure_it_is(folder, tmp_path):
    texts, model, edited = folder / "texts.jsonl", tmp_path / "m", tmp_path / "e"
    run("fit", texts, "-o", model, "--topics", 3)
    result = run(
        "edit", model, texts, "-o", edited, "--merge", "0,1", "--pin", "2=some"
    )
    assert result.exit_code == 0, result.output
    run("stability", edited, texts, "--repeats", 2)
    found = json.loads(run("inspect", edited, "--json").stdout)
    (edit,) = found["edits"]
    assert edit.startswith('topics 0 and 1 merged; "some" pinned in topic 2 (BIC ')
    assert list(found["pinned_words"].values()) == [["some"]]
    assert found["stability"] == {"how": "starts", "repeats": 2}
    lines = run("inspect", edited).stdout.splitlines()
    assert "stability\thow starts, repeats 2" in lines
    assert f"edits\t{edit}" in lines
