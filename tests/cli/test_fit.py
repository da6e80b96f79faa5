import json

import numpy as np
import pytest
from tests.cli.runner import run, timeless

from leantopics import Corpus, ParsimoniousTopicModel


def array_bytes(model):
    return {file.name: file.read_bytes() for file in model.glob("*.npy")}


def test_a_summary_goes_to_standard_error(folder, tmp_path):
    model = tmp_path / "model"
    result = run("fit", folder / "texts.jsonl", "-o", model, "--max-topics", 8)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert timeless(result.stderr) == (
        "40 documents, 24 different words, 1,600 in all\n"
        "2 topics, 1.00 topics per document, 16 salient words per topic\n"
        f"S seconds, saved in {model}\n"
    )
    assert ParsimoniousTopicModel.load(model).n_topics_ == 2


def test_a_model_that_is_replaced_is_mentioned(folder, tmp_path):
    model, settings = tmp_path / "model", ("--topics", 2, "--evidence", "words")
    command = ("fit", folder / "texts.jsonl", "-o", model, *settings)
    for instead in ("", ", in place of the model that was there"):
        result = run(*command)
        assert result.exit_code == 0
        last = timeless(result.stderr).splitlines()[-1]
        assert last == f"S seconds, saved in {model}{instead}"


def test_text_and_counts_give_the_same_model(folder):
    text, counts = array_bytes(folder / "texts"), array_bytes(folder / "counts")
    assert text and text == counts


def test_the_same_seed_gives_the_same_bytes(folder, tmp_path):
    for name, more in [
        ("a", ["--jobs", 1]),
        ("b", ["--jobs", 2]),
        ("c", ["--seed", 1]),
    ]:
        run("fit", folder / "texts.jsonl", "-o", tmp_path / name, "--topics", 5, *more)
    a, b, c = (array_bytes(tmp_path / name) for name in "abc")
    assert a == b
    assert a != c


def test_every_setting_reaches_the_model(folder, tmp_path):
    options = {
        "--max-topics": 6, "--min-topics": 3, "--step": 2, "--seed": 7,
        "--procedure": "published", "--max-iter": 50, "--jobs": 1,
    }  # fmt: skip
    flat = [item for pair in options.items() for item in pair]
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", *flat)
    assert result.exit_code == 0
    model = ParsimoniousTopicModel.load(tmp_path / "m")
    expected = ParsimoniousTopicModel(
        max_topics=6, min_topics=3, step=2, random_state=7, procedure="published",
        max_iter=50, n_jobs=1,
    )  # fmt: skip
    assert model.get_params() == expected.get_params()


def test_every_setting_of_text_reaches_the_analyser(folder, tmp_path):
    result = run(
        "fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--topics", 1,
        "--stop-words", "english", "--stem", "porter", "--min-df", 2, "--max-df", 0.9,
        "--ngrams", "1-2", "--pattern", "[a-z]+",
    )  # fmt: skip
    assert result.exit_code == 0
    model = ParsimoniousTopicModel.load(tmp_path / "m")
    assert model.analyser_["settings"] == {
        "stop_words": "english", "stem": "porter", "min_df": 2, "max_df": 0.9,
        "ngrams": [1, 2], "pattern": "[a-z]+", "lowercase": True,
    }  # fmt: skip
    assert "the" not in model.vocabulary_
    assert any(" " in term for term in model.vocabulary_)


def test_counts_have_no_analyser(folder):
    assert ParsimoniousTopicModel.load(folder / "counts").analyser_ is None


def test_standard_input(tmp_path):
    model = tmp_path / "m"
    text = 4 * "first text " + "\n" + 4 * "second text " + "\n"
    result = run("fit", "-", "-o", model, "--topics", 1, input=text)
    assert timeless(result.stderr) == (
        "2 documents, 3 different words, 16 in all\n"
        "1 topic, 1.00 topics per document, 1 salient word per topic\n"
        f"S seconds, saved in {model}\n"
    )
    vocabulary = ParsimoniousTopicModel.load(model).vocabulary_
    assert vocabulary == ["first", "second", "text"]


def test_fields_and_encoding(tmp_path):
    source = tmp_path / "texts.csv"
    source.write_bytes("name,kind,words\na,x,Bäume\nb,y,Füchse\n".encode("latin-1"))
    result = run(
        "fit", source, "-o", tmp_path / "m", "--topics", 1, "--encoding", "latin-1",
        "--text-field", "words", "--id-field", "name", "--label-field", "kind",
        "--where", "kind=x", "--where", "name=a",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert ParsimoniousTopicModel.load(tmp_path / "m").vocabulary_ == ["bäume"]


def test_where_selects_documents(folder, tmp_path):
    result = run(
        "fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--topics", 2,
        "--where", "split=train", "--where", "label=sea",
    )  # fmt: skip
    assert result.stderr.startswith("22 documents, 16 different words, 880 in all\n")


def test_a_saved_corpus_and_a_vocabulary_file(folder, tmp_path):
    Corpus(np.eye(3), vocabulary=["x", "y", "z"]).save(tmp_path / "saved")
    result = run("fit", tmp_path / "saved", "-o", tmp_path / "m", "--topics", 1)
    assert result.exit_code == 0
    assert ParsimoniousTopicModel.load(tmp_path / "m").vocabulary_ == ["x", "y", "z"]
    (tmp_path / "bare.dat").write_text("2 0:1 1:2\n1 1:3\n")
    (tmp_path / "words.lst").write_text("oak\nelm\n")
    result = run(
        "fit", tmp_path / "bare.dat", "-o", tmp_path / "m", "--topics", 1,
        "--format", "ldac", "--vocabulary", tmp_path / "words.lst",
    )  # fmt: skip
    assert result.exit_code == 0
    assert ParsimoniousTopicModel.load(tmp_path / "m").vocabulary_ == ["oak", "elm"]


def test_a_warning_is_one_line(folder, tmp_path):
    result = run(
        "fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--topics", 2,
        "--max-iter", 1,
    )  # fmt: skip
    first, *rest = result.stderr.splitlines()
    assert first.startswith("Warning: max_iter=1 iterations were not enough")
    assert ".py" not in first
    assert len(rest) == 3


def test_a_raised_ceiling_is_told(folder, tmp_path):
    result = run(
        "fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--max-topics", 3,
        "--step", 1,
    )  # fmt: skip
    assert result.stderr.startswith(
        "The best number of topics, 2, is within two steps of max_topics, 3: "
        "starting again from 6.\n40 documents"
    )


def test_verbose_prints_iterations(folder, tmp_path):
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--step", 2, "-v")
    first = result.stderr.splitlines()[0]
    assert " topics, iteration 1: BIC " in first


def test_an_old_model_is_replaced_and_other_files_are_not(folder, tmp_path):
    target = tmp_path / "m"
    source = folder / "texts.jsonl"
    for n_topics in (1, 2):
        run("fit", source, "-o", target, "--topics", n_topics)
    assert (
        json.loads((target / "manifest.json").read_text())["content"]["n_topics"] == 2
    )
    (target / "notes.md").write_text("mine")
    result = run("fit", source, "-o", target, "--topics", 1)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {target} also holds notes.md")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("file", "exists and is not a saved model; choose another place."),
        ("no/m", "does not exist; make it before saving there."),
    ],
)
def test_a_bad_target_is_refused_before_reading(tmp_path, target, message):
    (tmp_path / "file").write_text("mine")
    result = run("fit", "no-such-corpus", "-o", tmp_path / target)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.endswith(message + "\n")
    assert result.stderr.count("\n") == 1


def test_interruption(folder, tmp_path, monkeypatch):
    def interrupted(*arguments, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr("leantopics.cli.fit.fit_and_save", interrupted)
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m")
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")
    assert not (tmp_path / "m").exists()
