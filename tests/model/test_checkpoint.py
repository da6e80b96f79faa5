"""Interrupted fits go on and end with the same model."""

import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from tests.faults import Fault, faulty

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.ptm.checkpoint import Checkpoint, FitInterruptedError
from leantopics.ptm.search import from_above, from_below

SETTINGS = {
    "search": {"max_topics": 6},
    "rough search": {"max_topics": 2},
    "sweep": {"max_topics": 8, "step": 2},
    "up": {"max_topics": 6, "sweep": "up"},
    "fixed": {"n_topics": 5},
    "published": {"max_topics": 6, "procedure": "published"},
    "learned": {"max_topics": 5, "shared": "learned"},
    "starts": {"n_topics": 4, "n_init": 3},
}


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(150, 120, 4, salient_per_topic=20, boost=4, doc_length=60)[0]


def same(one, other):
    """Whether two models are the same but for their times."""
    assert one.n_topics_ == other.n_topics_
    for snapshot, theirs in zip(one._path.values(), other._path.values(), strict=True):
        for name, array in snapshot[0]._asdict().items():
            np.testing.assert_array_equal(array, getattr(theirs[0], name), name)
        assert snapshot[1]._replace(seconds=0) == theirs[1]._replace(seconds=0)
    steps = [[s._replace(seconds=0) for s in m.history_] for m in (one, other)]
    assert steps[0] == steps[1]
    return True


def stopping_after(iterations, checkpoint):
    seen = []

    def count(step):
        seen.append(step)
        checkpoint.stop = len(seen) > iterations

    return count


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_stopped_again_and_again_ends_the_same(
    corpus, tmp_path, settings, n_jobs
):
    whole = ParsimoniousTopicModel(random_state=0, **settings).fit(corpus)
    stops = 0
    for length in (1, 2, 5, 11, 17, 30, 10**9):
        checkpoint = Checkpoint(tmp_path / "c", every=0.0 if stops % 2 else 1e9)
        model = ParsimoniousTopicModel(random_state=0, n_jobs=n_jobs, **settings)
        model.set_params(callback=stopping_after(length, checkpoint))
        try:
            model.fit(corpus, checkpoint=checkpoint)
            break
        except FitInterruptedError as stopped:
            assert str(tmp_path / "c") in str(stopped)
            stops += 1
    assert stops >= 2
    assert same(model, whole)


@pytest.mark.parametrize("kind", ["blended", "mixed"])
def test_searches_of_mixed_documents_end_the_same(tmp_path, monkeypatch, kind):
    if kind == "mixed":
        corpus = make_corpus(
            120, 80, 6, salient_per_topic=8, doc_length=20000, topics_per_doc=3
        )[0]
    else:
        corpus = make_corpus(300, 150, 4, salient_per_topic=20, boost=4)[0]
        monkeypatch.setattr(from_above, "_BLENDED", -1.0)
    met = []
    place = (
        (from_below, "ascend") if kind == "mixed" else (from_above, "descend_finely")
    )
    taken = getattr(*place)
    monkeypatch.setattr(*place, lambda *given: met.append(kind) or taken(*given))
    whole = ParsimoniousTopicModel(max_topics=3, random_state=0).fit(corpus)
    assert met
    stops = 0
    for length in (1, 7, 20, 10**9):
        checkpoint = Checkpoint(tmp_path / "c", every=1e9)
        model = ParsimoniousTopicModel(max_topics=3, random_state=0)
        model.set_params(callback=stopping_after(length, checkpoint))
        try:
            model.fit(corpus, checkpoint=checkpoint)
        except FitInterruptedError:
            stops += 1
    assert stops == 3
    assert same(model, whole)


def test_a_callback_that_stops_does_so_after_an_interruption_too(corpus, tmp_path):
    interrupt = True

    def stop_at_three(step):
        checkpoint.stop = interrupt and step.iteration == 2
        return step.iteration == 3

    settings = {"n_topics": 5, "random_state": 0, "callback": stop_at_three}
    checkpoint = Checkpoint(tmp_path / "c", every=1e9)
    with pytest.raises(FitInterruptedError):
        ParsimoniousTopicModel(**settings).fit(corpus, checkpoint=checkpoint)
    interrupt = False
    for every in (0.0, 1e9):  # the second goes on from what the first has left
        checkpoint = Checkpoint(tmp_path / "c", every=every)
        again = ParsimoniousTopicModel(**settings).fit(corpus, checkpoint=checkpoint)
        assert again.stop_reason_ == "callback"
        assert same(again, ParsimoniousTopicModel(**settings).fit(corpus))


def test_a_checkpoint_that_is_finished_gives_the_model_at_once(corpus, tmp_path):
    model = ParsimoniousTopicModel(evidence="words", max_topics=5, random_state=0)
    whole = model.fit(corpus, checkpoint=Checkpoint(tmp_path / "c", every=0.0))
    iterations = []
    model = ParsimoniousTopicModel(evidence="words", max_topics=5, random_state=0)
    model.set_params(callback=iterations.append)
    assert same(model.fit(corpus, checkpoint=Checkpoint(tmp_path / "c")), whole)
    assert len(iterations) == len(whole.history_)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"max_topics": 7}, "max_topics 6, not 7"),
        ({"random_state": 1}, "random_state 0, not 1"),
        ({"random_state": None}, "whole number"),
    ],
)
def test_other_settings_are_refused(corpus, tmp_path, other, message):
    settings = {"max_topics": 6, "random_state": 0}
    ParsimoniousTopicModel(**settings).fit(
        corpus, checkpoint=Checkpoint(tmp_path / "c", every=0.0)
    )
    with pytest.raises(ValueError, match=message):
        ParsimoniousTopicModel(**{**settings, **other}).fit(
            corpus, checkpoint=Checkpoint(tmp_path / "c")
        )


def test_other_documents_are_refused(corpus, tmp_path):
    model = ParsimoniousTopicModel(3, random_state=0)
    model.fit(corpus, checkpoint=Checkpoint(tmp_path / "c", every=0.0))
    with pytest.raises(ValueError, match="other documents"):
        model.fit(corpus.counts[1:], checkpoint=Checkpoint(tmp_path / "c"))


DAMAGES = {
    "no manifest": lambda place: (place / "about" / "manifest.json").unlink(),
    "an empty manifest": lambda place: (place / "about" / "manifest.json").write_text(
        ""
    ),
    "no about": lambda place: shutil.rmtree(place / "about"),
    "a file": lambda place: (shutil.rmtree(place / "about"), (place / "about").touch()),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n_docs", [150, 130])
def test_what_is_kept_needs_what_tells_of_which_fit(
    corpus, tmp_path, damage, seed, n_docs
):
    model = ParsimoniousTopicModel(3, random_state=0)
    model.fit(corpus, checkpoint=Checkpoint(tmp_path / "c", every=0.0))
    damage(tmp_path / "c")
    other = ParsimoniousTopicModel(3, random_state=seed)
    with pytest.raises(ValueError, match="a whole checkpoint, but its part 'about' la"):
        other.fit(corpus.counts[:n_docs], checkpoint=Checkpoint(tmp_path / "c"))


@pytest.mark.parametrize("part", ["now", "fit-0"])
def test_a_part_of_another_fit_is_refused(corpus, tmp_path, part):
    for seed in (0, 1):
        checkpoint = Checkpoint(tmp_path / str(seed), every=0.0)
        settings = {"max_topics": 6, "random_state": seed}
        settings["callback"] = stopping_after(30, checkpoint)
        with pytest.raises(FitInterruptedError):
            ParsimoniousTopicModel(**settings).fit(corpus, checkpoint=checkpoint)
    shutil.rmtree(tmp_path / "0" / part)
    shutil.copytree(tmp_path / "1" / part, tmp_path / "0" / part)
    with pytest.raises(ValueError, match="of a fit with random_state 1, not 0"):
        ParsimoniousTopicModel(max_topics=6, random_state=0).fit(
            corpus, checkpoint=Checkpoint(tmp_path / "0")
        )


def test_a_disk_that_cannot_be_read_is_no_damage(corpus, tmp_path):
    model = ParsimoniousTopicModel(3, random_state=0)
    model.fit(corpus, checkpoint=Checkpoint(tmp_path / "c", every=0.0))
    with faulty(Fault(at=1)), pytest.raises(OSError, match="Input/output error"):
        model.fit(corpus, checkpoint=Checkpoint(tmp_path / "c"))


def test_a_short_fit_leaves_nothing(corpus, tmp_path):
    model = ParsimoniousTopicModel(3, random_state=0)
    model.fit(corpus, checkpoint=Checkpoint(tmp_path / "c"))
    assert list(tmp_path.iterdir()) == []


def test_two_fits_at_once_are_refused(corpus, tmp_path):
    told = []

    def meanwhile(step):
        if not told:
            with pytest.raises(BlockingIOError, match="Another process") as error:
                ParsimoniousTopicModel(3, random_state=0).fit(
                    corpus, checkpoint=Checkpoint(tmp_path / "c")
                )
            told.append(error)

    ParsimoniousTopicModel(3, random_state=0, callback=meanwhile).fit(
        corpus, checkpoint=Checkpoint(tmp_path / "c")
    )
    assert told


FIT = textwrap.dedent(
    """
    import sys
    from leantopics import ParsimoniousTopicModel, make_corpus
    from leantopics.ptm.checkpoint import Checkpoint
    corpus = make_corpus(150, 120, 4, salient_per_topic=20, boost=4, doc_length=60)[0]
    model = ParsimoniousTopicModel(max_topics=6, random_state=0)
    print("begun", flush=True)
    model.fit(corpus, checkpoint=Checkpoint(sys.argv[1] + "/c", every=0.0))
    model.save(sys.argv[1] + "/model")
    """
)


def killed_at_random(folder, whole, n_kills, seed=0):
    """Fit, save and resume through kills; return in how many runs it came to an end.

    Each run is killed at a moment drawn from all that an undisturbed one takes once its
    imports are done. Whatever is there after a kill is whole, and every run that ends
    has the model ``whole``.
    """
    random, length, kills, ends = np.random.default_rng(seed), np.inf, 0, 0
    saved, checkpoint = folder / "model", Checkpoint(folder / "c")
    while kills < n_kills:
        command = [sys.executable, "-c", FIT, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"begun\n"
            begin = time.perf_counter()
            try:
                moment = random.uniform(0.0, 1.1 * length) if ends else None
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
        if process.returncode == 0:
            length = min(length, time.perf_counter() - begin)
            ends += 1
            checkpoint.delete()
        else:
            assert process.returncode == -signal.SIGKILL
        if saved.exists():
            assert same(ParsimoniousTopicModel.load(saved), whole)
    return ends


def survives(corpus, folder, n_kills):
    whole = ParsimoniousTopicModel(max_topics=6, random_state=0).fit(corpus)
    ends = killed_at_random(folder, whole, n_kills)
    print(f"{n_kills} kills, {ends} runs to the end, all with the same model")


def test_kills_at_random_moments(corpus, tmp_path):
    survives(corpus, tmp_path, 5)


@pytest.mark.slow
def test_many_kills_at_random_moments(corpus, tmp_path):
    survives(corpus, tmp_path, 200)
