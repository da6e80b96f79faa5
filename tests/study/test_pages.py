"""The committed pages are made of the committed results."""

import json

import pytest
from studies import render

from leantopics.study import figures, published
from leantopics.study.claims import (
    CLAIMS,
    OURS,
    RIVALS,
    WORDS,
    claims_table,
    summary_table,
    trials,
)
from leantopics.study.methods import METHODS
from leantopics.study.verdicts import Results, above, alike, time_ratio


def rows_of(name, **columns):
    """Three methods at three orders, ours the better the smaller."""
    return [
        {
            "dataset": name,
            "method": method,
            "seed": seed,
            "n_topics": order,
            "is_chosen": order == 4 and METHODS[method].is_ours,
            **{column: value[method] for column, value in columns.items()},
        }
        for method in ("ptm", "lda", "stc")
        for seed in (0, 1)
        for order in (2, 4, 6)
    ]


def test_pages_are_made_of_the_committed_results():
    rows, runs, large = render.load()
    page = (render.DOCS / "reproduction.md").read_text()
    assert page == render.reproduction(rows, runs, large, render.sample_topics())
    assert (render.DOCS / "claims.md").read_text() == render.claims(rows)


def test_pages_name_what_was_run():
    run = dict(
        study="reuters",
        command="make",
        commit="0123456789ab with changes",
        began="b",
        ended="e",
    )
    large = json.loads(
        '{"corpora": ["a", "b"], "documents": 1000, "words": 9, "tokens": 99,'
        ' "topics": 5, "threads": 2, "fits": {"ptm": {"seconds": 3.0, "iterations": 7},'
        ' "lda": {"seconds": 4.0, "iterations": 8}}}'
    )
    page = render.reproduction([], [run], large, {})
    assert "| reuters | `make` | `0123456789 with changes` | b | e |" in page
    assert "0.75 times" in page


def test_claims_hold_or_not():
    values = {"ptm": 0.5, "lda": 0.4, "stc": 0.6}
    results = Results(rows_of("labelme", label_accuracy=values))
    better = above("label_accuracy", ["lda"])(results, "ptm")
    assert better[:2] == ("for 3 of 3 numbers of topics", True)
    worse = above("label_accuracy", ["lda", "stc"])(results, "ptm")
    assert worse[:2] == ("for 0 of 3 numbers of topics, not 2, 4, 6 (STC)", False)
    fewer = above("label_accuracy", ["stc"], below=True, least=4)(results, "ptm")
    assert fewer[:2] == ("for 2 of 2 numbers of topics", True)
    with pytest.raises(LookupError, match="no common number of topics"):
        above("label_accuracy", ["lda"], least=7)(results, "ptm")


def test_another_lda_stands_for_ours():
    rows = rows_of("labelme", label_accuracy={"ptm": 0.5, "lda": 0.6, "stc": 0.1})
    weaker = [{**row, "method": "lda-c-like"} for row in rows if row["method"] == "lda"]
    rows += [{**row, "label_accuracy": 0.4} for row in weaker]
    check = above("label_accuracy", ["lda", "stc"])
    assert not check(Results(rows), "ptm").holds
    assert check(Results(rows, "lda-c-like"), "ptm").holds
    text = claims_table("labelme", rows)
    line = next(x for x in text.splitlines() if x.startswith("| Label accuracy"))
    cells = [cell.strip() for cell in line.split("|")[2:-1]]
    assert cells[:3] == ["not measured"] * 3  # no background here, no published fits
    assert cells[3] == "holds: for 3 of 3 numbers of topics"


def test_coherence_is_compared_for_the_same_number_of_words():
    values = {"ptm": -9.0, "lda": -10.0, "stc": -8.0}
    rows = rows_of("reuters", coh=values, coh_words=dict.fromkeys(values, 5.0))
    for row in rows:
        if row["method"] == "lda" and row["n_topics"] == 6:
            row |= {"coh": -5.0, "coh_words": 4.0}
    found = above("coh", ["lda"])(Results(rows), "ptm")
    assert found[:2] == ("for 2 of 2 numbers of topics", True)
    assert alike("coh", ["lda"])(Results(rows), "ptm").number == "10% apart on average"


@pytest.mark.parametrize(
    "ours, word", [(1.0, "not comparable"), (6.0, "holds"), (9.0, "does not hold")]
)
def test_times_that_other_algorithms_save_are_not_comparable(ours, word):
    rows = rows_of("ohsumed", seconds={"ptm": ours, "lda": 2.0, "stc": 1.0})
    assert time_ratio("lda", 2.0, 4.0)(Results(rows), "ptm").word == word
    for row in rows:  # of three fits
        row["processor_seconds"] = {"ptm": 3.0, "lda": 6.0, "stc": 0.0}[row["method"]]
    busy = time_ratio("lda", 0.0, 1.0)(Results(rows), "ptm")
    assert busy.number == "0.5 times the time per fit"


def test_what_was_not_measured_is_said():
    found = trials([])
    claims = [claim for own in CLAIMS.values() for claim in own]
    n = sum(len(OURS) * (1 if claim.alone else len(RIVALS)) for claim in claims)
    assert len(found) == n
    assert {trial.word for trial in found} == {"not measured"}
    assert render.claims([]).count("not measured") == n + 2


def test_the_summary_counts_the_trials():
    rows, _, _ = render.load()
    last = summary_table(rows).splitlines()[-1].split("|")[2:-1]
    words = [trial.word for trial in trials(rows)]
    assert [int(cell) for cell in last] == [words.count(word) for word in WORDS]
    page = render.claims(rows)
    assert page.count("**does not hold**") == words.count("does not hold")


def test_every_failed_claim_says_why():
    rows, _, _ = render.load()
    page = render.claims(rows)
    for trial in trials(rows):
        if trial.word in ("does not hold", "not comparable"):
            assert f"- *{trial.claim.text}*: {trial.claim.why}" in page
            assert trial.claim.why.endswith(".")


def test_figures_have_the_published_points(tmp_path):
    rows = rows_of("reuters", coh={"ptm": 0.1, "lda": 0.2, "stc": 0.3})
    figures.write(tmp_path, "reuters", rows)
    text = (tmp_path / "reuters-coherence.svg").read_text()
    assert "published: PTM above to here" in text
    assert f"published {published.N_TOPICS['reuters']}" in text


def test_the_page_says_what_remains_to_run():
    rows = rows_of("reuters", bic={"ptm": 1.0, "lda": 2.0, "stc": 3.0})
    for row in rows:
        row |= {"step": 2, "cell": "x" if row["seed"] == 0 else None}
    page = render._sweeps(rows)
    assert "| reuters | PTM | 1 | 10 | 1 |" in page
    assert "| reuters | LDA | 1 | 3 | 1 |" in page
    assert "| labelme | STC | 0 | 3 | 0 |" in page
