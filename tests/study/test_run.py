import io

import numpy as np
import pytest
from tests.study.conftest import SETTINGS

from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.study import compare, grid, reproduce, results
from leantopics.study.data import split
from leantopics.study.methods import DEFAULT

TIMES = ("seconds", "cumulative_seconds", "sweep_seconds")
"""Columns that differ from run to run."""


def timeless(rows):
    return [{k: v for k, v in row.items() if k not in TIMES} for row in rows]


def test_every_method_seed_and_order_has_a_row(whole):
    _, rows = whole
    assert {row["method"] for row in rows} == set(DEFAULT)
    for method in DEFAULT:
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


def test_others_take_the_number_of_top_words_of_our_model(whole):
    rows = whole[1]
    for order in (2, 4, 6, 8):
        at = [row for row in rows if row["n_topics"] == order]
        own = [r["coh_words"] for r in at if r["method"] == "ptm-published"]
        others = {r["coh_words"] for r in at if r["method"] != "ptm-published"}
        assert others == {round(np.mean(own))}


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


def test_a_later_run_extends(corpus, tmp_path):
    settings = dict(max_topics=4, step=2)
    compare(corpus, tmp_path, methods=["lda"], **settings)
    first = results.read(tmp_path / "results.csv")
    compare(corpus, tmp_path, methods=["lda-background"], name="other", **settings)
    both = results.read(tmp_path / "results.csv")
    assert [r for r in both if r["method"] == "lda"] == first
    assert {r["dataset"] for r in both} == {"corpus", "other"}


def test_damaged_cell_is_made_again(corpus, tmp_path):
    settings = dict(methods=["lda"], max_topics=4, step=2)
    rows = compare(corpus, tmp_path, **settings)
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
