"""Words against bursts: fits are kept, and the page is made of them."""

import json

import numpy as np
import pytest
from benchmarks.levels import Fit

from benchmarks import begins, levels, levels_page
from leantopics import Corpus, ParsimoniousTopicModel, make_corpus


@pytest.fixture
def toy(monkeypatch):
    drawn, _ = make_corpus(80, 100, 3, boost=4, overlap=1.0)
    names = [f"w{n:02}" for n in range(100)]
    labels = [[str(d % 2)] if d % 5 else [] for d in range(80)]
    found = Corpus(drawn.counts, names, labels=labels)
    monkeypatch.setattr(levels, "corpus", lambda name, stop_list: found)
    monkeypatch.setattr(levels.ours, "warm_up", lambda: 0.0)
    return found


def cells(folder):
    return {file.stem: json.loads(file.read_text()) for file in folder.glob("*.json")}


def test_a_fit_is_made_once_and_compared_with_other_seeds(toy, tmp_path, monkeypatch):
    fits = [Fit("reuters", False, e, 3, s) for e in levels.EVIDENCE for s in (0, 1)]
    levels.run(fits[:1], tmp_path, tmp_path)
    levels.run(fits, tmp_path, tmp_path)
    found = cells(tmp_path)
    assert set(found) == {fit.name for fit in fits}
    for fit in fits:
        cell = found[fit.name]
        assert cell["n_topics"] == 3
        assert cell["labelled"] == 64
        assert list(cell["found_again"]) == (["0"] if fit.seed else [])
        assert (cell["burstiness"] is None) == (fit.model == "words")
    monkeypatch.setattr(levels, "measure", pytest.fail)
    levels.run(fits, tmp_path, tmp_path)
    assert cells(tmp_path) == found


def test_a_fit_that_chooses_its_number_gives_both_levels(toy, tmp_path):
    fit = Fit("reuters", True, "bursts", "auto", 0)
    model = ParsimoniousTopicModel(random_state=0, n_jobs=1).fit(toy)
    levels.run([fit, fit._replace(model="words")], tmp_path, tmp_path)
    found = cells(tmp_path)
    assert len(found) == 2
    assert found[fit.name]["n_topics"] == model.n_topics_
    assert found["reuters-stop-words-auto-0"]["bic"] == model.finer_.bic_
    assert "cpu_seconds" not in found["reuters-stop-words-auto-0"]


def test_the_page_says_where_ours_is_above_the_published_rows():
    cell = {"corpus": levels.RAW, "stop_list": False, "model": "bursts", "seed": 0}
    cell |= {"npmi": 0.1, "diversity": 1.0, "commit": "0123456789", "n_topics": 9}
    pairs = ((10, 0.1), (20, 0.5))
    page = levels_page.render(
        [cell | {"topics": n, "c_npmi": value} for n, value in pairs]
    )
    assert "is above every published row at 20 topics (0.500 against 0.143)" in page
    assert "; below the best published one at 10 topics (0.100 against 0.163)." in page
    assert levels_page.WHY in page


def test_the_page_says_whether_the_number_of_themes_is_steady():
    cell = {"corpus": "imdb", "stop_list": False, "model": "bursts", "topics": "auto"}
    cell |= {"npmi": 0.1, "diversity": 1.0, "commit": "0123456789", "burstiness": 200.0}
    many = [cell | {"seed": seed, "n_topics": n} for seed, n in enumerate((8, 12))]
    page = levels_page.render(many)
    assert "| IMDB | no | bursts | 2 | 10.0 | 8 | 12 | 0.20 | met | 200 | – |" in page
    many[1]["n_topics"] = 14
    page = levels_page.render(many)
    assert (
        "| IMDB | no | bursts | 2 | 11.0 | 8 | 14 | 0.27 | not met | 200 | – |" in page
    )


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")
def test_the_peers_and_the_published_coherence(toy, tmp_path):
    pytest.importorskip("gensim", reason="the measure is gensim's")
    models = ("bursts", "NMF", "LDA")
    fits = [Fit(levels.RAW, False, model, 10, 0) for model in models]
    levels.run(fits, tmp_path, tmp_path)
    rows = np.split(toy.counts.indices, toy.counts.indptr[1:-1])
    texts = [" ".join(toy.vocabulary[n] for n in row) for row in rows]
    levels.publish(tmp_path, [*texts, " ".join(toy.vocabulary)])
    found = [*cells(tmp_path).values()]
    assert len(found) == 3
    assert all(-1.0 <= cell["c_npmi"] <= 1.0 for cell in found)
    page = levels_page.render(found)
    for name in ("ours, bursts", "NMF, run here", "KeyNMF, with sentence embeddings"):
        assert f"| {name}" in page


def test_every_planned_fit_is_planned_once():
    names = [fit.name for fit in (*levels.plan(), *levels.more())]
    assert len(names) == len(set(names))


def test_the_page_says_who_is_ahead():
    cell = {"corpus": "reuters", "stop_list": False, "seed": 0, "commit": "0123456789"}
    cell |= {"npmi": 0.1, "diversity": 1.0, "cpu_seconds": 1.0}
    many = [
        cell | {"model": model, "topics": topics, "n_topics": 7, "ami": ami, "fmi": 0.5}
        for model, ami in (("words", 0.25), ("bursts", 0.5))
        for topics in ("auto", 10)
    ]
    page = levels_page.render(many)
    assert "| agreement with classes, AMI | chosen number | 0 | 1 | 1 |" in page
    assert "| agreement with classes, FMI | chosen number | 0 | 0 | 1 |" in page
    assert "| Reuters | no | bursts | 1 | 7.0 | 7 | 7 | – |  | – | – |" in page
    assert "| Reuters | 10 | 1/1 | 0.250 | 0.500 | 0.500 | 0.500 |" in page


def test_page_is_made_of_the_committed_cells():
    assert levels_page.PAGE.read_text() == levels_page.render(levels_page.load())


def test_where_fits_begin(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(begins, "NUMBERS", (2,))
    monkeypatch.setattr(begins, "SEEDS", {"named": 2, "themes": 2})
    begins.run(tmp_path, ["reuters"])
    cells = {cell["name"]: cell for cell in begins.cells(tmp_path)}
    assert len(cells) == 6
    for name, cell in cells.items():
        assert 0.0 <= cell["again"] <= 1.0
        assert len(cell["rows"]) == 2
        if "-2-" in name:
            assert [row["n_topics"] for row in cell["rows"]] == [2, 2]
    monkeypatch.setattr(begins, "cells", lambda: [*cells.values()])
    page = levels_page.render([])
    assert "| Reuters | 2 | bursts | tree | 2 |" in page
