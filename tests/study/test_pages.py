"""The committed pages are made of the committed results."""

import json

import pytest
from studies import render

from leantopics.study.claims import CLAIMS, OURS, held
from leantopics.study.methods import METHODS
from leantopics.study.verdicts import Results, above


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
    assert better == ("for 3 of 3 numbers of topics", True)
    assert not above("label_accuracy", ["lda", "stc"])(results, "ptm").holds
    fewer = above("label_accuracy", ["stc"], below=True, least=4)(results, "ptm")
    assert fewer == ("for 2 of 2 numbers of topics", True)
    with pytest.raises(LookupError, match="no common number of topics"):
        above("label_accuracy", ["lda"], least=7)(results, "ptm")


def test_what_was_not_measured_is_said():
    counts = held([])
    trials = len(OURS) * sum(map(len, CLAIMS.values()))
    assert counts == {"holds": 0, "does not": 0, "not measured": trials}
    assert render.claims([]).count("not measured") == trials + 1
