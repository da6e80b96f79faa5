"""Fits that a signal ends, and that go on."""

import signal
import subprocess
import time

import numpy as np
import pytest
from tests.cli.runner import run
from tests.cli.test_exit_codes import COMMAND

from leantopics import Corpus, ParsimoniousTopicModel, make_corpus


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A corpus whose fit takes some seconds."""
    place = tmp_path_factory.mktemp("large") / "corpus"
    make_corpus(2000, 400, 8, salient_per_topic=40, doc_length=80)[0].save(place)
    return place


def fit(corpus, output, *options):
    return run("fit", corpus, "-o", output, "--max-topics", 12, *options)


@pytest.fixture(scope="module")
def half(tmp_path_factory, large):
    """A model of every second document, with a name given by hand."""
    place = tmp_path_factory.mktemp("half")
    corpus = Corpus.open(large)
    corpus.select(range(0, corpus.n_docs, 2)).save(place / "corpus")
    assert fit(place / "corpus", place / "model").exit_code == 0
    assert run("name", place / "model", "0=First").exit_code == 0
    return place / "model"


def stopped(number, output, *command):
    """Send a signal to a fit once it has kept something; return what it said."""
    kept = output.with_name(f"{output.name}.checkpoint")
    command = [*command, "-o", output, "--checkpoint-every", 0]
    process = subprocess.Popen(
        [*COMMAND, *map(str, command)], stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not (kept / "now").exists():
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 128 + number, said
    assert "Stopping after this iteration" in said
    assert f"The progress is in {kept}: repeat the command with --resume" in said
    assert not output.exists()
    return kept


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_fit_that_goes_on(large, tmp_path, number):
    output = tmp_path / "m"
    kept = stopped(number, output, "fit", large, "--max-topics", 12)

    refused = fit(large, output)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "continue it with --resume, or delete it" in refused.stderr

    other = fit(large, output, "--resume", "--seed", 3)
    assert other.exit_code == 1
    assert "random_state 0, not 3" in other.stderr

    assert fit(large, output, "--resume").exit_code == 0
    assert not kept.exists()
    assert fit(large, tmp_path / "whole").exit_code == 0
    one, two = (ParsimoniousTopicModel.load(tmp_path / name) for name in ("m", "whole"))
    np.testing.assert_array_equal(one.components_, two.components_)
    assert one.bic_ == two.bic_

    again = fit(large, output, "--resume")
    assert (again.exit_code, again.stderr) == (0, f"{output} is already finished.\n")
    changed = fit(large, output, "--resume", "--seed", 3)
    assert changed.exit_code == 1
    assert "random_state 0, not 3" in changed.stderr


def test_resume_begins_where_nothing_is(folder, tmp_path):
    result = run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--resume")
    assert result.exit_code == 0
    assert (tmp_path / "m").exists()


def test_a_signal_ends_a_refresh_that_goes_on(large, half, tmp_path):
    """Both levels are refreshed, and the stop is in the finer one."""
    output = tmp_path / "m"

    def refresh(*options, model=half, output=output):
        return run("refresh", model, large, "-o", output, *options)

    kept = stopped(signal.SIGINT, output, "refresh", half, large)
    refused = refresh()
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "continue it with --resume, or delete it" in refused.stderr

    edited = tmp_path / "edited"
    word = ParsimoniousTopicModel.load(half).top_words(0)[0][0]
    corpus = half.with_name("corpus")
    pin = ("--pin", f"0={word}", "-o", edited)
    assert run("edit", half, corpus, *pin).exit_code == 0
    other = refresh("--resume", model=edited)
    assert other.exit_code == 1
    assert "is the checkpoint of a fit with other documents" in other.stderr

    done = refresh("--resume")
    assert done.exit_code == 0, done.stderr
    assert not kept.exists()
    whole = refresh(output=tmp_path / "whole")
    assert whole.stdout == done.stdout
    one, two = (ParsimoniousTopicModel.load(tmp_path / name) for name in ("m", "whole"))
    for ours, theirs in ((one, two), (one.finer_, two.finer_)):
        np.testing.assert_array_equal(ours.components_, theirs.components_)
        assert ours.bic_ == theirs.bic_
        assert ours.changes_ == theirs.changes_
    assert "First" in one.topic_names

    again = refresh("--resume")
    assert (again.exit_code, again.stderr) == (0, f"{output} is already finished.\n")
    changed = refresh("--resume", output=half)
    assert changed.exit_code == 1
    assert "is a model of other documents" in changed.stderr
    assert fit(large, tmp_path / "fresh").exit_code == 0
    fresh = refresh("--resume", output=tmp_path / "fresh")
    assert fresh.exit_code == 1
    assert "was not refreshed from this model; refresh without --resume" in fresh.stderr
