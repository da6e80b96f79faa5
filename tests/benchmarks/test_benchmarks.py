"""The benchmarks run at toy sizes, and their page is made of their results."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.cases import CASES, LONG, USUAL, held_out, search
from benchmarks.headlines import TITLES, answered, ordered
from benchmarks.referee import referee, topic_gains, word_gains
from benchmarks.render import PAGE, PICTURES, load, newest, pictures, render
from benchmarks.run import main
from scipy import sparse
from tests import reference
from tests.model import recount

from benchmarks import (
    cells,
    corpora,
    machine,
    ours,
    peers,
    plots,
    predictors,
    probe,
    timing,
)
from leantopics import ParsimoniousTopicModel
from leantopics.evaluation import held_out_log_likelihood
from leantopics.ptm.kernels.arrays import Table
from leantopics.ptm.search import from_finer
from leantopics.ptm.state import prepare, single_topics, unknown

QUICK = timing.Settings(
    repeats=1, quick=True, without=frozenset({"gensim", "tomotopy", "pyrmallet"})
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
            axis: timing.curve(
                "seconds", [{"x": x, "y": 2.0 * x, "min": x, "max": 3.0 * x} for x in x]
            )
            for axis, x in (("documents", (1500, 300_000)), ("topics", (1, 3, 9)))
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
        "![seconds against documents and topics, all logarithmic](benchmarks/race.svg)",
        "| slope | 1.50 | below 1.1 | **no** | [race](#race) |",
    ):
        assert text in page


def test_page_has_the_newest_answer_to_each_question():
    old = result({"race": race(), "walk": race() | {"question": "Who is last?"}})
    new = result({"race": race() | {"question": "Who is first now?"}})
    new["meta"] = new["meta"] | {
        "file": "benchmarks/results/new.json",
        "began": "2026-01-02T00:00:00+00:00",
    }
    for results in ([old, new], [new, old]):
        page = render(results)
        assert "Who is first?" not in page
        assert page.index("Who is first now?") < page.index("Who is last?")
    assert [list(one["cases"]) for one in newest([old, new])] == [["race"], ["walk"]]
    assert "## small" not in render([result({"race": race()}), new])


def test_page_begins_with_ten_lines():
    found = {
        "held_out_reuters": {"ours minus gensim LDA at its best order, 25": 0.331},
        "held_out_imdb": {
            "ours minus gensim LDA at its best order, 50": 0.134,
            "ours minus gensim LDA, the same inference, at its best order, 50": 0.01,
        },
        "growth": {"slope with documents": 1.0},
    }
    cases = {
        name: race() | {"ratios": {label: {"value": v} for label, v in each.items()}}
        for name, each in found.items()
    }
    links = "[Reuters](#held_out_reuters), [IMDB](#held_out_imdb)"
    assert [row[1:] for row in answered(cases)] == [
        ["+0.13 nats to +0.33 nats", links],
        ["2 times", "[details](#growth)"],
    ]
    assert ordered({"new": {}, **cases})[-1] == "new"
    committed = {k: case for one in newest(load()) for k, case in one["cases"].items()}
    assert len(answered(committed)) == 10
    assert set(committed) <= set(TITLES)


def test_page_without_results_says_so():
    assert "There are no results yet." in render([])


@pytest.mark.skipif(not PAGE.exists(), reason="docs/benchmarks.md is not there")
def test_page_is_made_of_the_committed_results():
    results = load()
    assert PAGE.read_text() == render(results)
    for name, (_, curves) in pictures(results).items():
        assert plots.fingerprint(curves) in (PICTURES / name).read_text()


def test_pictures_are_made_of_the_committed_results():
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    for name, what in pictures(load()).items():
        drawn = (PICTURES / name).read_text()
        if f"matplotlib {matplotlib.__version__}" in drawn:
            assert drawn == plots.svg(*what)


def test_picture():
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    curves = race()["curves"]
    drawn = plots.svg("Seconds", curves)
    assert drawn == plots.svg("Seconds", curves)
    for text in ("documents", "1.5k", "300k", "slope 1.00", "linear", "Seconds"):
        assert f">{text}<" in drawn
    assert plots.fingerprint(curves) in drawn
    curves["topics"]["points"][0]["y"] = 3.0
    assert plots.fingerprint(curves) not in drawn


def test_referee_tries_every_flip_as_the_reference_does(monkeypatch):
    """A fit that was cut short: the same flips pay, by as much."""
    counts = corpora.toy(60, 90)
    monkeypatch.setattr(from_finer, "start", lambda fitter, n: fitter.start(n))
    for n_words, iterations in ((90, 2), (90, 50), (1200, 2)):
        counts.resize((60, n_words))
        settings = dict(evidence="words", random_state=3)
        model = ParsimoniousTopicModel(
            5, callback=lambda step, n=iterations: step.iteration >= n, **settings
        ).fit(counts)
        dense, twin = recount.dense(model, counts)
        ratio, prices = reference.ratios(twin), reference.topic_prices(dense, twin)
        theirs = []
        for d, row in enumerate(dense):
            theirs += reference.flips(row, ratio, twin.v[d], prices)[0].values()
        found = topic_gains(counts, model)
        assert len(found) == len(theirs)
        assert found.max() == pytest.approx(max(theirs), abs=3e-6)
        assert (found > 1e-5).sum() == (np.array(theirs) > 1e-5).sum()
        exact = model.word_prior_ == "exact"
        x = reference.expected_counts(dense, twin)
        theirs = [
            reference.word_flip_gain(x[j], twin.u[j], twin.beta0, n)
            - reference.word_flip_cost(twin.u, j, n, prices.tokens, exact=exact)
            for j, n in np.ndindex(twin.u.shape)
            if twin.beta0[n] > 0 and (twin.u[j].sum() > 1 or not twin.u[j, n])
        ]
        np.testing.assert_allclose(word_gains(counts, model), theirs, atol=1e-7)


def test_referee_finds_nothing_in_a_certified_fit():
    counts = corpora.toy()
    verdicts = referee(counts, ours.certified(counts, 4, 1, seed=0))
    for verdict in verdicts.values():
        assert verdict["tried"] > 0
        assert verdict["paying"] == 0
        assert verdict["largest gain"] <= 1e-5


def test_unhurried_looks_at_every_document(monkeypatch):
    looks = []
    visit = ours.em.topic_pass

    def watched(*arguments):
        quiet = [each for group in arguments[1] for each in group.quiet]
        looks.append(arguments[5] or all(np.isneginf(each).all() for each in quiet))
        return visit(*arguments)

    monkeypatch.setattr(ours.em, "topic_pass", watched)
    counts = corpora.toy()
    ours.to_certificate(counts, 4, 1, seed=0)
    assert not all(looks)
    looks.clear()
    assert ours.unhurried(counts, 4, 1, seed=0)["ended"] == "converged"
    assert looks
    assert all(looks)


def test_lines_are_those_of_the_rows():
    """Two documents, then one that is left alone; rows of 20, 0 and 1 entries."""
    data = prepare(sparse.csr_array([[1.0, 1.0, 0.0], [2.0, 0.0, 1.0]]))
    table = Table(np.array([0, 20, 20, 21]), np.zeros(21, np.int32), np.zeros(21))
    spans = {0: 1 + math.ceil(20 / 16) + math.ceil(20 / 8), 1: 1, 2: 1 + 1 + 1}
    topics = unknown([single_topics(np.zeros(2))])
    arguments = data, [topics], None, table, None, False
    assert ours._lines("topic_pass", arguments) == 2 * spans[0] + spans[1] + spans[2]
    topics.quiet[0][0] = 1.0
    assert ours._lines("topic_pass", arguments) == spans[0] + spans[2]
    everywhere = (*arguments[:5], True)
    assert ours._lines("topic_pass", everywhere) == 2 * spans[0] + spans[1] + spans[2]
    assert ours._lines("prices", arguments) == 0


@pytest.mark.parametrize("name", [name for name in CASES if name != "startup"])
def test_case_runs_at_toy_size(name, monkeypatch, tmp_path):
    if name == "memory":
        monkeypatch.setattr(machine, "elsewhere", lambda _, *sizes: probe.probe(*sizes))
    found = CASES[name](replace(QUICK, cells=tmp_path))
    page = render([result({name: found | {"load before": [0.0]}})])
    assert found["question"] in page
    json.dumps(found)


@pytest.mark.parametrize(
    ("name", "module"), [("held_out_imdb", held_out), ("search_labelme", search)]
)
def test_kept_cells_answer_without_a_fit(name, module, monkeypatch, tmp_path):
    settings = replace(QUICK, cells=tmp_path)
    kept = replace(settings, kept=True)
    nothing = CASES[name](kept)
    assert nothing["not run"]
    assert not nothing["figures"]
    page = render([result({name: nothing | {"load before": [0.0]}})])
    assert "| 0 | – | – |" in page
    found = CASES[name](settings)

    def refuse(*arguments):
        raise AssertionError(arguments)

    monkeypatch.setattr(module, "measure", refuse)
    assert CASES[name](settings) == CASES[name](kept) == found
    assert found["figures"]
    with pytest.raises(AssertionError):
        CASES[name](replace(settings, cells=tmp_path / "elsewhere"))


def test_cells_depend_on_code_and_not_on_its_layout(monkeypatch, tmp_path):
    monkeypatch.setattr(cells.leantopics, "__file__", str(tmp_path / "__init__.py"))
    sums = []
    for text in ("x = 1", "x = (1)  # one", "x = 2"):
        Path(tmp_path, "sweep.py").write_text(text)
        sums.append(cells.code.__wrapped__("sweep.py", "ptm/**/*.py"))
    assert sums[0] == sums[1] != sums[2]


def test_words_of_texts_keep_their_numbers():
    counts = sparse.csr_array(([2.0, 1.0, 1.0], ([0, 0, 1], [3, 700, 30])), (2, 701))
    texts = peers.plain_texts(counts)
    assert texts[0].split() == ["wdaaa", "wdaaa", "wyaba"]
    found = [peers.spelled_numbers(text.split()) for text in texts]
    assert found == [[3, 3, 700], [30]]


def test_documents_are_dealt_out_once():
    counts = sparse.csr_array(np.arange(1.0, 11.0)[:, None])
    parts = [part.data.tolist() for part in corpora.dealt(counts, 3, 6)]
    assert [len(part) for part in parts] == [3, 6]
    assert len({*parts[0], *parts[1]}) == 9


@pytest.mark.parametrize(
    ("contender", "options"),
    [
        (predictors.OURS, {"refine": 2}),
        (predictors.SKLEARN, {"max_iter": 20}),
        (predictors.GENSIM, {"passes": 10}),
        (predictors.TOMOTOPY, {"sweeps": 200}),
        (predictors.HDP, {"sweeps": 200}),
        (predictors.MALLET, {"max_iter": 200}),
    ],
)
def test_predictors_know_more_than_frequencies(contender, options):
    """Also where training has not seen a word, and a new document has no known one."""
    package = predictors.CONTENDERS[contender].package.replace(
        "scikit-learn", "sklearn"
    )
    pytest.importorskip(package, reason="the opponent is not installed")
    counts = corpora.toy(600).toarray()
    counts[:500, 7] = 0
    counts[-1] = 0
    counts[-1, 7] = 2
    train, test = (sparse.csr_array(half) for half in (counts[:500], counts[500:]))
    frequency = train.sum(axis=0) / train.sum()
    least = held_out_log_likelihood(
        test, lambda seen: np.ones((100, 1)), frequency[None], seen=frequency > 0
    ).per_word
    rows = predictors.measure(contender, train, test, 3, 0, options).rows
    assert rows[0]["contender"] == contender
    for row in rows:
        assert row["held_out"] > least + 0.02
        assert row["same_inference"] > least + 0.02
        assert row["cpu_seconds"] > 0


def test_the_same_inference_is_that_of_our_model():
    counts = corpora.toy()
    model = ParsimoniousTopicModel(4, inference="all", random_state=0).fit(counts)
    found = predictors.mode(
        counts, model.predictive_components_, ours.topic_prior(model)
    )
    assert np.abs(found - model.transform(counts)).mean() < 5e-3


def test_refined_is_the_fit_with_refine():
    counts = corpora.toy()
    model = ParsimoniousTopicModel(4, random_state=0).fit(counts)
    before = model.predictive_components_
    other = ParsimoniousTopicModel(4, random_state=0, refine=2).fit(counts)
    found = ours.refined(model, counts, 2).predictive_components_
    assert np.array_equal(found, other.predictive_components_)
    assert np.array_equal(before, model.predictive_components_)


def test_full_search_is_no_worse_than_the_default():
    counts = corpora.toy()
    full, default = ours.full_search(counts, seed=0), ours.search(counts, seed=0)
    assert full["topics"] == default["topics"]
    assert full["bic"] == pytest.approx(default["bic"], rel=1e-3)
    assert full["orders"] > default["orders"]


def test_probe_runs_in_a_process_of_its_own():
    found = machine.elsewhere("probe", 100, 1000, 3, 1)
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


def test_absent_peers_do_not_stop_a_contest(tmp_path):
    found = CASES["held_out_acl"](replace(QUICK, cells=tmp_path))
    assert found["not run"]["tomotopy HDP"] == "left out by --without"
    assert {row[0] for row in found["table"]["rows"]} >= {"leantopics"}
    assert not any("tomotopy" in row[0] for row in found["table"]["rows"])


def test_cases_of_hours_run_only_if_named(tmp_path):
    out = tmp_path / "kept.json"
    main(["--out", str(out), "--quick", "--kept", "--only", "search_ohsumed"])
    found = json.loads(out.read_text())
    assert found["cases"]["search_ohsumed"]["not run"]
    assert found["meta"]["command"].endswith("--quick --kept")
    assert not USUAL.keys() & LONG.keys()


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
