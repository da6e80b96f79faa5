import io
import shutil

import numpy as np
import pytest
from tests.study.conftest import SETTINGS

from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.analysis import scoring
from leantopics.evaluation import coherence, n_top_words
from leantopics.study import compare, grid, reproduce, results
from leantopics.study.data import split
from leantopics.study.measure import Cell, measure_coherence
from leantopics.study.methods import DEFAULT, OWN

TIMES = ("seconds", "cumulative_seconds", "sweep_seconds", "processor_seconds")
"""Columns that differ from run to run."""


def timeless(rows):
    return [{k: v for k, v in row.items() if k not in TIMES} for row in rows]


def test_every_method_seed_and_order_has_a_row(whole):
    _, rows = whole
    assert {row["method"] for row in rows} == set(OWN)
    for method in OWN:
        for seed in (0, 1):
            own = [r for r in rows if (r["method"], r["seed"]) == (method, seed)]
            assert [r["n_topics"] for r in own][:4] == [2, 4, 6, 8]
            assert sum(bool(r["is_chosen"]) for r in own) == method.startswith("ptm")


def test_measures_are_where_they_make_sense(whole):
    for row in whole[1]:
        ours, stc = row["method"].startswith("ptm"), row["method"] == "stc"
        assert (row["bic"] is not None) == ours
        assert (row["salient_per_topic"] is not None) == ours
        assert (row["log_likelihood"] is None) == stc
        assert (row["held_out_per_word"] is None) == stc
        background = row["method"] == "lda-background"
        assert (row["topics_with_background"] is not None) == background
        assert row["words_by"] == ("salience" if ours else "probability")
        for name in ("label_accuracy", "label_auc", "npmi", "coh", "diversity"):
            assert row[name] is not None, name
        if ours:
            terms = list(row)[list(row).index("bic") + 1 : list(row).index("naive_bic")]
            assert sum(row[term] for term in terms) == pytest.approx(row["bic"])


def test_least_criterion_is_chosen_and_times_add_up(whole):
    rows = [r for r in whole[1] if r["method"] == "ptm" and r["seed"] == 0]
    chosen = min(rows, key=lambda row: row["criterion"])
    assert chosen["is_chosen"]
    total = sum(row["seconds"] for row in rows)
    assert max(row["cumulative_seconds"] for row in rows) == pytest.approx(total)
    assert total <= rows[0]["sweep_seconds"]
    assert 0.0 < rows[0]["processor_seconds"]


def test_naive_bic_by_hand(corpus, whole):
    data = split("corpus", corpus)
    model = ParsimoniousTopicModel(
        evidence="words", max_topics=8, step=2, random_state=0, n_jobs=1
    )
    model = model.fit(data.train).at(4)
    row = next(r for r in whole[1] if (r["method"], r["n_topics"]) == ("ptm", 4))
    assert row["bic"] == model.bic_
    n_topics = np.diff(model.topic_proportions_.indptr)
    n_parameters = sum(model.n_salient_words_) + sum(n_topics - 1)
    terms = model.bic_terms_
    rest = sum(terms.values()) - terms["proportions"] - terms["word_probabilities"]
    naive = rest + 0.5 * n_parameters * np.log(data.train.toarray().sum())
    assert row["naive_bic"] == pytest.approx(naive)


def test_coherence_has_the_same_number_of_words_for_all_methods(corpus, whole):
    """Of the first seed of the published procedure; also where its topics differ."""
    rows = whole[1]
    for order in (2, 4, 6, 8):
        at = [row for row in rows if row["n_topics"] == order]
        (lead,) = (
            round(row["coh_own_words"])
            for row in at
            if (row["method"], row["seed"]) == ("ptm-published", 0)
        )
        assert {row["coh_words"] for row in at} == {lead}
    data = split("corpus", corpus)
    model = ParsimoniousTopicModel(
        evidence="words", max_topics=8, step=2, random_state=0, n_jobs=1
    )
    model = model.fit(data.train).at(4)
    row = next(r for r in rows if (r["method"], r["n_topics"]) == ("ptm", 4))
    shown = scoring.top_words(model, 100)
    for sizes, name in (
        (np.full(4, int(row["coh_words"])), "coh"),
        (n_top_words(model.n_salient_words_), "coh_own"),
    ):
        first = [words[:n].tolist() for words, n in zip(shown, sizes, strict=True)]
        assert row[name] == coherence(first, data.train, "coh").value


def test_uneven_numbers_of_words_change_coherence():
    """Ten words of each topic, or two of one and eighteen of the other: equal means."""
    counts = np.random.default_rng(0).poisson(0.4, (200, 40))
    cell = Cell(
        [{"n_topics": 2}], {"top": np.arange(40).reshape(2, 20).astype(np.int64)}
    )
    data = split("toy", Corpus(counts))
    (row,) = measure_coherence(data, cell, {2: 10}).rows
    even = [list(range(10)), list(range(20, 30))]
    uneven = [list(range(2)), list(range(20, 38))]
    assert row == {"coh": coherence(even, data.train, "coh").value, "coh_words": 10}
    assert coherence(uneven, data.train, "coh").value < 1.3 * row["coh"]


def test_interrupted_run_goes_on_to_the_same_table(
    corpus, whole, tmp_path, monkeypatch
):
    out, rows = whole
    work, done = grid._work, []

    def dies(n, task, folder):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(task.name)
        return work(n, task, folder)

    monkeypatch.setattr(grid, "_work", dies)
    with pytest.raises(KeyboardInterrupt):
        compare(corpus, tmp_path, **SETTINGS)
    assert not (tmp_path / "results.csv").exists()
    assert len(list((tmp_path / "cells").iterdir())) == 4

    again = []

    def counts(n, task, folder):
        again.append(task.name)
        return work(n, task, folder)

    monkeypatch.setattr(grid, "_work", counts)
    found = compare(corpus, tmp_path, **SETTINGS)
    assert not set(done) & set(again)
    assert timeless(found) == timeless(rows)
    assert timeless(results.read(tmp_path / "results.csv")) == timeless(
        results.read(out / "results.csv")
    )


def test_processes_do_not_change_the_numbers(corpus, whole, tmp_path):
    methods = ("ptm-published", "lda")
    found = compare(corpus, tmp_path, methods=methods, n_jobs=2, **SETTINGS)
    same = [row for row in whole[1] if row["method"] in methods]
    assert timeless(found) == timeless(same)


def test_the_lda_of_the_paper_is_one_more_method(corpus, tmp_path):
    assert set(DEFAULT) - set(OWN) == {"lda-c-like"}
    rows = compare(corpus, tmp_path, methods=["lda-c-like"], max_topics=4, step=2)
    assert [row["n_topics"] for row in rows] == [2, 4]
    assert all(row["held_out_per_word"] < 0.0 < row["coh_words"] for row in rows)


def test_a_later_run_extends(corpus, tmp_path):
    settings = dict(max_topics=4, step=2)
    compare(corpus, tmp_path, methods=["lda"], **settings)
    first = results.read(tmp_path / "results.csv")
    compare(corpus, tmp_path, methods=["lda-background"], name="other", **settings)
    both = results.read(tmp_path / "results.csv")
    assert [r for r in both if r["method"] == "lda"] == first
    assert {r["dataset"] for r in both} == {"corpus", "other"}


def test_a_sweep_in_the_table_is_not_fitted_again(corpus, whole, tmp_path, monkeypatch):
    """Not even without its cells, but with more seeds or other words for coherence."""
    out, rows = whole
    shutil.copy(out / "results.csv", tmp_path / "results.csv")
    work, done = grid._work, []

    def counts(n, task, folder):
        done.append(task.name)
        return work(n, task, folder)

    monkeypatch.setattr(grid, "_work", counts)
    assert compare(corpus, tmp_path, **SETTINGS) == rows
    assert not done
    more = {**SETTINGS, "seeds": 3, "methods": ["ptm-published", "lda"]}
    compare(corpus, tmp_path, **more)
    sweeps = {name for name in done if "coherence" not in name}
    assert sweeps == {"corpus ptm-published 2", "corpus lda 2"}

    changed = [
        {**row, "coh_words": 9.0} if row["method"] == "lda" else row for row in rows
    ]
    results.write(tmp_path / "results.csv", changed)
    done.clear()
    found = compare(corpus, tmp_path, **SETTINGS)
    sweeps = {name for name in done if "coherence" not in name}
    assert sweeps == {"corpus lda 0", "corpus lda 1"}
    assert timeless(found) == timeless(rows)


def test_means_are_of_one_grid(corpus, tmp_path):
    settings = dict(methods=["lda"], max_topics=4)
    compare(corpus, tmp_path, seeds=2, step=1, **settings)
    compare(corpus, tmp_path, seeds=1, step=2, **settings)
    found = results.read(tmp_path / "results.csv")
    assert [(row["seed"], row["n_topics"]) for row in found] == [(0, 2), (0, 4)]


def test_damaged_cell_is_made_again(corpus, tmp_path):
    settings = dict(methods=["lda"], max_topics=4, step=2)
    rows = compare(corpus, tmp_path, **settings)
    (tmp_path / "results.csv").unlink()
    for array in (tmp_path / "cells").glob("*/top.npy"):
        array.write_bytes(b"no array")
    assert timeless(compare(corpus, tmp_path, **settings)) == timeless(rows)


def test_without_labels_the_columns_are_empty(corpus, tmp_path):
    bare = Corpus(corpus.counts, corpus.vocabulary)
    rows = compare(bare, tmp_path, methods=["ptm"], max_topics=4, min_topics=4)
    assert rows and all(row["label_accuracy"] is row["nmi"] is None for row in rows)
    assert not (tmp_path / "figures" / "corpus-labels.svg").exists()


def test_few_documents(tmp_path):
    tiny = Corpus(np.tile(np.eye(3), (2, 2)), labels=list("ababab"))
    rows = compare(tiny, tmp_path, methods=["ptm", "lda"], max_topics=50)
    assert max(row["n_topics"] for row in rows) <= 5


@pytest.mark.parametrize(
    "settings, message",
    [
        (dict(methods=["nmf"]), "There is no method 'nmf'"),
        (dict(methods=[]), "Name at least one method"),
        (dict(max_topics=2, min_topics=3), "min_topics must be from 1 to max_topics=2"),
    ],
)
def test_wrong_settings(corpus, tmp_path, settings, message):
    with pytest.raises(ValueError, match=message):
        compare(corpus, tmp_path, **settings)


def test_wrong_corpora(tmp_path):
    with pytest.raises(ValueError, match="There is no corpus 'none'"):
        reproduce("none", tmp_path)
    with pytest.raises(ValueError, match="profile must be 'quick', 'long' or 'full'"):
        reproduce("reuters", tmp_path, profile="slow")
    with pytest.raises(ValueError, match="must have two documents at least"):
        compare(Corpus([[1, 2]]), tmp_path)


def test_foreign_table_is_not_overwritten(corpus, tmp_path):
    (tmp_path / "results.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="has no column 'dataset'"):
        compare(corpus, tmp_path, methods=["ptm"], max_topics=4)
    assert (tmp_path / "results.csv").read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_the_name_of_a_corpus_cannot_steer_the_terminal(monkeypatch, terminal):
    out = io.StringIO()
    out.isatty = lambda: terminal
    monkeypatch.setattr("sys.stderr", out)
    monkeypatch.setenv("TERM", "dumb")
    task = grid.Task("a\x1b[2J [/x] ptm 0", (), 1.0, dict, ())
    with grid.Progress([task], 1, show=True) as progress:
        progress.done(task, 1.0)
        if terminal:
            bar = progress._bar.rich
            bar.console.print(bar.get_renderable())
    assert r"a\x1b[2J [/x] ptm 0 took 1 s" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()
