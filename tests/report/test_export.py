import csv
import json

import numpy as np

from leantopics.report.export import export, to_pyldavis
from leantopics.report.figures import write_figures
from leantopics.report.summarise import summarise


def test_exports_hold_the_model(fitted, tmp_path):
    model, corpus = fitted
    summary = summarise(model, corpus)
    files = export(model, summary, tmp_path / "out", corpus)
    assert [file.name for file in files] == [
        "topics.csv",
        "words.csv",
        "documents.csv",
        "report.json",
        "report.md",
    ]
    with open(files[0], newline="") as file:
        topics = list(csv.DictReader(file))
    assert [int(row["topic"]) for row in topics] == [0, 1]
    assert [int(row["documents"]) for row in topics] == model.n_documents_.tolist()
    with open(files[1], newline="") as file:
        words = list(csv.DictReader(file))
    assert len(words) == model.salient_word_prob_.nnz
    for row in words:
        n = model.vocabulary_.index(row["word"])
        value = model.salient_word_prob_[int(row["topic"]), n]
        assert float(row["probability"]) == value
    for j in range(2):
        own = [row["word"] for row in words if int(row["topic"]) == j]
        ranked = [word for word, _ in model.top_words(j, 1000)]
        avoided = [word for word, _ in model.top_words(j, 1000, which="avoided")]
        assert own[: len(ranked)] == ranked
        assert own[len(own) - len(avoided) :] == avoided
    with open(files[2], newline="") as file:
        documents = list(csv.DictReader(file))
    assert len(documents) == model.topic_proportions_.nnz
    assert {row["document"] for row in documents} == set(corpus.ids)
    assert json.loads(files[3].read_text()) == summary
    assert files[4].read_text().startswith("# Topics\n\n2 topics in 60 documents;")


def test_exports_hold_themes_and_their_topics(nested, tmp_path):
    model, corpus = nested
    files = export(model, summarise(*nested), tmp_path, corpus)
    assert [file.name for file in files][:2] == ["topics.csv", "themes.csv"]
    with open(files[0], newline="") as file:
        topics = list(csv.DictReader(file))
    assert [int(row["theme"]) for row in topics] == model.parents_.tolist()
    with open(files[1], newline="") as file:
        themes = list(csv.DictReader(file))
    assert [row["name"] for row in themes] == model.topic_names
    with open(files[2], newline="") as file:
        numbers = {int(row["topic"]) for row in csv.DictReader(file)}
    assert numbers == set(range(6))
    text = files[-1].read_text()
    assert "3 themes, made of 6 topics in 180 documents;" in text
    assert "| theme | share |" in text and "| topic | share |" in text


def test_markdown_leaves_hostile_text_alone(hostile, tmp_path):
    model, corpus = hostile
    *_, file = export(model, summarise(model, corpus), tmp_path, corpus)
    assert "\\<script\\>" in file.read_text()
    assert "<" not in file.read_text().replace("\\<", "")


def test_arrays_for_pyldavis(fitted):
    model, corpus = fitted
    found = to_pyldavis(model, corpus)
    for name in ("topic_term_dists", "doc_topic_dists"):
        np.testing.assert_allclose(found[name].sum(axis=1), 1.0)
    assert found["topic_term_dists"].shape == (2, len(found["vocab"]))
    assert found["doc_topic_dists"].shape == (len(found["doc_lengths"]), 2)
    assert found["term_frequency"].sum() == found["doc_lengths"].sum()


def test_figures(fitted, hostile, tmp_path):
    names = [file.name for file in write_figures(summarise(*fitted), tmp_path / "a")]
    assert names == [
        f"{n}.{k}" for n in ("bic", "map", "words") for k in ("svg", "png")
    ]
    assert all((tmp_path / "a" / name).stat().st_size > 1000 for name in names)
    assert len(write_figures(summarise(*hostile), tmp_path / "b")) == 4
