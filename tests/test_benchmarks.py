"""The benchmarks run at toy sizes, and their page is made of their results."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks import corpora, machine, peers, probe, timing
from benchmarks.cases import CASES
from benchmarks.render import PAGE, load, render
from benchmarks.run import main

QUICK = timing.Settings(
    repeats=1, quick=True, without=frozenset({"gensim", "tomotopy"})
)


def result(cases: dict) -> dict:
    return {
        "meta": {
            "file": "benchmarks/results/small.json",
            "command": "python benchmarks/run.py --out benchmarks/results/small.json",
            "commit": "0123456789abcdef",
            "began": "2026-01-01T00:00:00+00:00",
            "ended": "2026-01-01T00:01:00+00:00",
            "repeats": 3,
            "quick": False,
            "load before": [0.25, 0.1, 0.1],
            "load after": [1.75, 0.1, 0.1],
            "machine": {
                "cpu": "Abacus 9",
                "cores": 2,
                "memory_bytes": 2**34,
                "system": "Linux x86_64",
            },
            "python": "3.11.7",
            "versions": {"numpy": "2.0.0", "tomotopy": "not installed"},
            "warm-up seconds": 1.25,
        },
        "cases": cases,
    }


def race() -> dict:
    times = {"sweep": [1.0, 2.0, 4.0], "peer": [10.0, 10.0, 8.0]}
    timings = timing.interleave(
        {
            name: lambda seed, seconds=seconds: {"seconds": seconds[seed], "topics": 7}
            for name, seconds in times.items()
        },
        3,
    )
    found = timing.ratio(timings, "sweep", "peer", goal="below 1", most=1.0)
    return {
        "question": "Who is first?",
        "corpus": {"documents": 12345},
        "timings": timings,
        "ratios": {"sweep / peer": found},
        "figures": {"slope": timing.against_goal(1.5, "below 1.1", most=1.1)},
        "curves": {
            "topics": [
                {"x": x, "median": float(x), "min": 1.0, "max": 9.0} for x in (1, 3, 9)
            ]
        },
        "table": {"columns": ["step", "ms"], "rows": [["word pass", 12.34]]},
        "not run": {"tomotopy LDA": "not installed (pip install tomotopy)"},
        "load before": [0.5, 0.1, 0.1],
    }


def test_contenders_take_turns():
    order = []

    def contender(name):
        return lambda seed: order.append((name, seed)) or {"seconds": 1.0}

    timing.interleave({"a": contender("a"), "b": contender("b")}, 2)
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


def test_ratio_of_medians_and_its_spread():
    found = race()["ratios"]["sweep / peer"]
    assert found["value"] == pytest.approx(0.2)
    assert (found["min"], found["max"]) == pytest.approx((0.1, 0.5))
    assert found["met"] is True


@pytest.mark.parametrize(
    ("value", "most", "least", "met"),
    [(1.0, 1.1, 0.9, True), (1.2, 1.1, 0.9, False), (3.0, None, None, None)],
)
def test_goals(value, most, least, met):
    assert timing.against_goal(value, "", most, least)["met"] is met


def test_slope_is_the_exponent():
    assert timing.slope([1, 2, 4], [3, 12, 48]) == pytest.approx(2.0)


def test_wide_documents_have_forty_distinct_words(monkeypatch):
    monkeypatch.setattr(corpora, "CHUNK", 7)
    counts = corpora.wide(20, 4000, 5)
    assert counts.shape == (20, 4000)
    for row in counts:
        assert len(np.unique(row.indices)) == 40
    assert counts.has_sorted_indices
    assert counts.data.min() == 1


def test_page_has_ratios_spread_and_sources():
    page = render([result({"race": race()})])
    for text in (
        "| sweep / peer | 0.200 | 0.100 to 0.500 | below 1 | yes |",
        "| slope | 1.50 |  | below 1.1 | **no** |",
        "| sweep | 2 | 1 to 4 | 3 | 7 |",
        "| word pass | 12.3 |",
        "12,345 documents",
        "**tomotopy LDA: not installed (pip install tomotopy).**",
        "tomotopy not installed",
        "Abacus 9, 2 cores, 16 GiB",
        "`benchmarks/results/small.json`, commit `0123456789`, `python benchmarks/",
        "seconds per iteration against topics",
    ):
        assert text in page
    assert page.count("|" + "o") + page.count(" o") >= 3


def test_page_without_results_says_so():
    assert "There are no results yet." in render([])


@pytest.mark.skipif(not PAGE.exists(), reason="docs/benchmarks.md is not there")
def test_page_is_made_of_the_committed_results():
    assert PAGE.read_text() == render(load())


@pytest.mark.parametrize("name", [name for name in CASES if name != "startup"])
def test_case_runs_at_toy_size(name, monkeypatch):
    monkeypatch.setattr(probe, "elsewhere", probe.probe)
    found = CASES[name](QUICK)
    page = render([result({name: found | {"load before": [0.0]}})])
    assert found["question"] in page
    json.dumps(found)


def test_probe_runs_in_a_process_of_its_own():
    found = probe.elsewhere(100, 1000, 3, 1)
    assert found["stored counts"] == 4000
    assert len(found["flips"]) == 1


def test_startup_runs_once():
    if not Path(sys.executable).with_name("leantopics").exists():
        pytest.skip("the command is not beside the interpreter")
    found = CASES["startup"](QUICK)
    assert found["ratios"]


def test_absent_peers_are_named(monkeypatch, capsys):
    monkeypatch.setattr(machine, "version", lambda package: None)
    settings = timing.Settings(quick=True)
    peers.announce(settings)
    err = capsys.readouterr().err
    found = CASES["newsgroups_fit"](timing.Settings(repeats=1, quick=True))
    assert "tomotopy DOES NOT RUN: not installed" in err
    assert found["not run"]["tomotopy LDA"].startswith("not installed")
    assert not found["ratios"]


def test_command_line_writes_a_result(tmp_path):
    out = tmp_path / "here.json"
    main(
        [
            *("--out", str(out), "--quick", "--repeats", "2", "--only", "threads"),
            *("--without", "tomotopy,gensim"),
        ]
    )
    found = json.loads(out.read_text())
    assert list(found["cases"]) == ["threads"]
    assert len(found["cases"]["threads"]["timings"]["1 thread"]["runs"]) == 2
    assert found["meta"]["command"] == (
        "python benchmarks/run.py --out benchmarks/results/here.json --repeats 2 "
        "--only threads --without gensim,tomotopy --quick"
    )
    assert str(tmp_path) not in out.read_text()
    assert "these numbers mean nothing" in render([found])


@pytest.mark.parametrize(
    "arguments", [["--only", "speed"], ["--without", "us"], ["--repeats", "0"]]
)
def test_command_line_refuses_what_it_does_not_know(arguments, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--out", str(tmp_path / "x.json"), *arguments])
    assert "error" in capsys.readouterr().err
