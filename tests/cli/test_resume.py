"""Fits that a signal ends, and that go on."""

import signal
import subprocess
import time

import numpy as np
import pytest
from tests.cli.runner import run
from tests.cli.test_exit_codes import COMMAND

from leantopics import ParsimoniousTopicModel, make_corpus


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A corpus whose fit takes some seconds."""
    place = tmp_path_factory.mktemp("large") / "corpus"
    make_corpus(2000, 400, 8, salient_per_topic=40, doc_length=80)[0].save(place)
    return place


def fit(corpus, output, *options):
    return run("fit", corpus, "-o", output, "--max-topics", 12, *options)


def started(corpus, output):
    command = ["fit", corpus, "-o", output, "--max-topics", 12, "--checkpoint-every", 0]
    return subprocess.Popen(
        [*COMMAND, *map(str, command)],
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_fit_that_goes_on(large, tmp_path, number):
    output, kept = tmp_path / "m", tmp_path / "m.checkpoint"
    process = started(large, output)
    while process.poll() is None and not (kept / "now").exists():
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 128 + number, said
    assert "Stopping after this iteration" in said
    assert f"The progress is in {kept}: repeat the command with --resume" in said
    assert not output.exists()

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
