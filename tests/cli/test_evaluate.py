import json

import numpy as np
import pytest
from tests.cli.runner import run

from leantopics import LDA, SparseTopicalCoding, TextVectorizer, read_corpus
from leantopics.analysis.scoring import coherence, evaluate, top_words
from leantopics.evaluation import held_out_log_likelihood
from leantopics.models import load_model

TEST = ("--where", "split=test")


def documents(folder, model, **reading):
    vectorizer = TextVectorizer.from_dict(model.analyser_)
    return read_corpus(folder / "texts.jsonl", vectorizer=vectorizer, **reading)


def test_tab_separated_in_a_pipe(folder):
    result = run("evaluate", folder / "texts", folder / "texts.jsonl", *TEST)
    assert result.stdout == (
        "measure\tvalue\n"
        "n_topics\t2\n"
        "documents\t4\n"
        "tokens\t160\n"
        "held_out_per_word\t-2.78013\n"
        "perplexity\t16.1211\n"
        "score\t-2.74155\n"
        "npmi\t0.9375\n"
        "diversity\t1\n"
        "coh\t11.6668\n"
        "coh_words\t10\n"
        "coh_own\t0.405465\n"
        "coh_own_words\t2\n"
        "words_by\tsalience\n"
        "label_accuracy\t1\n"
        "label_auc\t1\n"
        "nmi\t1\n"
        "topics_per_document\t1\n"
        "topics_by_assignment\t1\n"
        "salient_per_topic\t16\n"
        "distinct_salient\t16\n"
        "topics_per_salient_word\t2\n"
    )
    assert (result.exit_code, result.stderr) == (0, "")


def test_json_and_csv_have_all_digits(folder):
    command = ("evaluate", folder / "texts", folder / "texts.jsonl", *TEST)
    model = load_model(folder / "texts")
    found = evaluate(model, documents(folder, model, where={"split": "test"}))
    assert json.loads(run(*command, "--json").stdout) == found
    lines = run(*command, "--csv").stdout.splitlines()
    assert lines[0] == "measure,value"
    assert lines[1:] == [f"{name},{value}" for name, value in found.items()]


def test_the_likelihood_is_that_of_the_library(folder):
    model = load_model(folder / "texts")
    corpus = documents(folder, model)
    theirs = held_out_log_likelihood(
        corpus.counts,
        model.transform,
        model.predictive_components_,
        shared=model.shared_word_prob_,
    )
    ours = evaluate(model, corpus)
    assert ours["held_out_per_word"] == theirs.per_word
    assert ours["score"] == model.score(corpus)


def test_coherence_is_that_of_the_words_that_are_shown(folder):
    for name in ("texts", "counts"):
        model = load_model(folder / name)
        for j, columns in enumerate(top_words(model, 10)):
            shown = [word for word, _ in model.top_words(j, 10)]
            assert [model.vocabulary_[n] for n in columns] == shown


def test_counts_without_labels(folder):
    result = run("evaluate", folder / "counts", folder / "counts.ldac", "--json")
    found = json.loads(result.stdout)
    assert found["documents"] == 40
    assert not {"nmi", "label_accuracy", "label_auc"} & set(found)


@pytest.mark.parametrize(
    ("model", "has_likelihood"),
    [
        (LDA(2, random_state=0), True),
        (LDA(2, background=True, random_state=0), True),
        (SparseTopicalCoding(2, random_state=0), False),
    ],
)
def test_other_models(folder, tmp_path, model, has_likelihood):
    source = folder / "counts.ldac"
    model.fit(read_corpus(source)).save(tmp_path / "m")
    found = json.loads(run("evaluate", tmp_path / "m", source, "--json").stdout)
    assert ("perplexity" in found) is has_likelihood
    assert (found["coh_words"], found["words_by"]) == (10, "probability")
    assert 1.0 <= found["topics_by_assignment"] <= 2.0
    assert "salient_per_topic" not in found


def test_what_makes_no_sense_is_left_out(tmp_path):
    run("fit", "-", "-o", tmp_path / "m", "--topics", 1, input="a tree\na tree\n")
    result = run("evaluate", tmp_path / "m", "-", "--json", input="the tree\n")
    found = json.loads(result.stdout)
    assert (found["tokens"], found["score"]) == (1.0, 0.0)
    assert not {"npmi", "coh", "diversity", "words_by", "perplexity"} & set(found)
    assert coherence(load_model(tmp_path / "m"), [np.array([], int)], [[1]]) == {}


def test_documents_of_unknown_words_are_refused(folder):
    result = run("evaluate", folder / "texts", "-", input="xyzzy\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: The documents must have words that the model knows, but have none; "
        "evaluate it on documents in the same language, prepared the same way.\n"
    )
