"""The public interface in any order, against what must hold of every model."""

import copy
import errno
import json
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    multiple,
    rule,
    run_state_machine_as_test,
)
from tests.cli.runner import run
from tests.faults import Fault, faulty
from tests.model.recount import assert_bic_is_right, assert_same_fit

from leantopics import Checkpoint, Corpus, ParsimoniousTopicModel, make_corpus
from leantopics.io.writers import write_corpus
from leantopics.ptm import em, snapshot
from leantopics.ptm.checkpoint import FitInterruptedError
from leantopics.ptm.fitted import FittedModel

pytestmark = pytest.mark.filterwarnings("ignore:Topic . has come back:UserWarning")

SETTINGS = [
    {"n_topics": 3},
    {"n_topics": 2, "inference": "all"},
    {"n_topics": 3, "shared": "learned", "prediction": "switched"},
    {"n_topics": 3, "init": "random", "n_init": 2},
    {"max_topics": 4, "min_topics": 1},
    {"max_topics": 6, "step": 2, "refine": 1},
    {"max_topics": 4, "sweep": "up"},
    {"max_topics": 4, "procedure": "published"},
]


def corpus_of(seed):
    found, _ = make_corpus(
        40, 30, 3, salient_per_topic=8, doc_length=25, random_state=seed
    )
    counts = found.counts.toarray()
    counts[seed + 5] = 0.0  # a document without words
    counts[:, seed + 7] = 0.0  # a word that does not occur
    return Corpus(counts)


CORPORA = [corpus_of(seed) for seed in range(2)]
WHICH = st.sampled_from(range(len(CORPORA)))
SETTING = st.sampled_from(SETTINGS)
NAMES = st.sampled_from(["a", "b", "a.zip", "b.zip"])
THREADS = st.sampled_from([1, 2])
ERRORS = st.sampled_from([errno.EIO, errno.ENOSPC])
MEMORY = {
    "no memory to begin": (em, "fit"),
    "no memory for results": (snapshot, "take"),
    "no memory at the end": (FittedModel, "_fit_predictor"),
}
FAILURES = ["refused", "interrupted", *MEMORY]


def new_model(setting, n_jobs=1, callback=None):
    return ParsimoniousTopicModel(
        random_state=0, n_jobs=n_jobs, callback=callback, **setting
    )


def whole_fit(which, setting, kept={}):  # noqa: B006, kept from call to call
    """The fit that nothing disturbed."""
    key = which, json.dumps(setting)
    if key not in kept:
        kept[key] = new_model(setting).fit(CORPORA[which])
    return kept[key]


class Interrupted(BaseException):
    """As a KeyboardInterrupt is, no Exception."""


@contextmanager
def fails(how, steps):
    """Have fits fail: the error, a callback, and what to multiply the counts by."""
    seen = []

    def interrupt(step):
        seen.append(step)
        if len(seen) >= steps:
            raise Interrupted

    if how == "refused":
        yield ValueError, None, 1e200
    elif how == "interrupted":
        yield Interrupted, interrupt, 1.0
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(*MEMORY[how], out_of_memory)
            yield MemoryError, None, 1.0


def out_of_memory(*given, **named):
    raise MemoryError


def is_same(one, other):
    """Whether two models have the same fit."""
    with suppress(AssertionError):
        assert_same_fit(one, other)
        return True
    return False


class Interface(RuleBasedStateMachine):
    models = Bundle("models")
    """(which corpus, model, its answers when it was made)"""
    stopped = Bundle("stopped")
    """(which corpus, setting, path of the checkpoint)"""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.saved = {}
        self.n_checkpoints = 0

    def teardown(self):
        shutil.rmtree(self.folder)

    def known(self, which, model):
        """What is remembered of a new model, which must be sound."""
        counts = CORPORA[which].counts
        assert_bic_is_right(model, counts)
        shares = model.transform(counts)
        assert np.all(shares >= 0.0)
        assert np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-9)
        assert np.isfinite(model.score(counts))
        return SimpleNamespace(
            which=which,
            model=model,
            twin=copy.deepcopy(model),
            shares=shares,
            score=model.score(counts),
        )

    def unchanged(self, one):
        assert_same_fit(one.model, one.twin)
        assert one.model.topic_names == one.twin.topic_names

    @rule(target=models, which=WHICH, setting=SETTING, n_jobs=THREADS)
    def fit(self, which, setting, n_jobs):
        model = new_model(setting, n_jobs).fit(CORPORA[which])
        assert_same_fit(model, whole_fit(which, setting))
        return self.known(which, model)

    @rule(target=models, which=WHICH, setting=SETTING, steps=st.integers(1, 12))
    def fit_until_a_callback_stops_it(self, which, setting, steps):
        seen = []

        def callback(step):
            seen.append(step)
            return len(seen) >= steps

        model = new_model(setting, callback=callback).fit(CORPORA[which])
        if model.stop_reason_ == "callback":
            finer = [] if model.finer_ is None else model.finer_.history_
            assert [*finer, *model.history_][: len(seen)] == seen
        model.set_params(callback=None)
        return self.known(which, model)

    def go_on(self, which, setting, path, steps, n_jobs=1):
        """Fit with a checkpoint that is asked to stop; None if it did."""
        checkpoint, seen = Checkpoint(path, every=0.0 if steps % 2 else 1e9), []

        def callback(step):
            seen.append(step)
            checkpoint.stop = len(seen) > steps

        try:
            model = new_model(setting, n_jobs, callback).fit(
                CORPORA[which], checkpoint=checkpoint
            )
        except FitInterruptedError:
            return None
        return self.known(which, model.set_params(callback=None))

    @rule(target=stopped, which=WHICH, setting=SETTING, steps=st.integers(0, 20))
    def interrupt(self, which, setting, steps):
        self.n_checkpoints += 1
        path = self.folder / f"checkpoint-{self.n_checkpoints}"
        self.go_on(which, setting, path, steps)
        return which, setting, path

    @rule(target=models, one=stopped, n_jobs=THREADS, steps=st.integers(0, 60))
    def resume(self, one, n_jobs, steps):
        which, setting, path = one
        found = self.go_on(which, setting, path, steps, n_jobs)
        if found is None:
            return multiple()
        assert_same_fit(found.model, whole_fit(which, setting))
        return found

    @rule(one=stopped, setting=SETTING)
    def resume_with_other_settings(self, one, setting):
        which, own, path = one
        if path.exists() and setting != own:
            with pytest.raises(ValueError, match="is the checkpoint of a fit with"):
                self.go_on(which, setting, path, 0)

    @rule(one=consumes(stopped))
    def delete_checkpoint(self, one):
        Checkpoint(one[2]).delete()
        assert not one[2].exists()

    @rule(one=models, name=NAMES)
    def save(self, one, name):
        one.model.save(self.folder / name)
        self.saved[name] = one
        self.unchanged(one)

    @rule(target=models, name=NAMES)
    def load(self, name):
        if name not in self.saved:
            with pytest.raises(FileNotFoundError):
                ParsimoniousTopicModel.load(self.folder / name)
            return multiple()
        before = self.saved[name]
        loaded = ParsimoniousTopicModel.load(self.folder / name)
        assert_same_fit(loaded, before.twin)
        assert loaded.get_params() == before.model.get_params()
        found = self.known(before.which, loaded)
        assert np.array_equal(found.shares, before.shares)
        assert found.score == before.score
        return found

    @rule(one=models)
    def ask(self, one):
        counts = CORPORA[one.which].counts
        assert np.array_equal(one.model.transform(counts), one.shares)
        assert one.model.score(counts) == one.score
        self.unchanged(one)

    @rule(name=NAMES)
    def infer(self, name):
        if name not in self.saved:
            return
        one = self.saved[name]
        write_corpus(CORPORA[one.which], self.folder / "new.ldac")
        result = run("infer", self.folder / name, self.folder / "new.ldac", "--json")
        assert result.exit_code == 0, result.stderr
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        empty = np.diff(CORPORA[one.which].counts.indptr) == 0
        for row, shares, without in zip(rows, one.shares, empty, strict=True):
            told = sorted(row["topics"])
            kept = [] if without else np.flatnonzero(shares >= 0.00005)
            assert told == [[j, shares[j]] for j in kept]

    @rule(
        one=models,
        which=WHICH,
        how=st.sampled_from(FAILURES),
        steps=st.integers(1, 3),
    )
    def refit_that_fails(self, one, which, how, steps):
        """Refused, interrupted or out of memory: the model is as it was."""
        with fails(how, steps) as (error, callback, factor):
            one.model.set_params(callback=callback)
            with pytest.raises(error):
                one.model.fit(CORPORA[which].counts * factor)
        one.model.set_params(callback=None)
        assert one.model.is_fitted_to(CORPORA[one.which])
        self.ask(one)

    @rule(one=models, name=NAMES, at=st.integers(0, 40), code=ERRORS)
    def save_that_fails(self, one, name, at, code):
        """The old content or the new one is in its place, whole."""
        fault = Fault(at, code=code, lasting=code == errno.ENOSPC)
        with faulty(fault), suppress(OSError):
            one.model.save(self.folder / name)
            self.saved[name] = one
        if len(fault.steps) > at and (self.folder / name).exists():
            found = ParsimoniousTopicModel.load(self.folder / name)
            if name not in self.saved or not is_same(found, self.saved[name].model):
                assert_same_fit(found, one.model)
                self.saved[name] = one
        self.unchanged(one)

    @rule(name=NAMES, at=st.integers(0, 20))
    def load_that_fails(self, name, at):
        if name in self.saved:
            with faulty(Fault(at)), suppress(OSError):
                ParsimoniousTopicModel.load(self.folder / name)
            self.load_again(name)

    def load_again(self, name):
        found = ParsimoniousTopicModel.load(self.folder / name)
        assert_same_fit(found, self.saved[name].twin)

    @rule(one=stopped, at=st.integers(0, 200), code=ERRORS)
    def resume_on_a_bad_disk(self, one, at, code):
        """A checkpoint that cannot be written is the one before, and can go on."""
        which, setting, path = one
        with faulty(Fault(at, code=code)), suppress(OSError):
            self.go_on(which, setting, path, 3)
        found = self.go_on(which, setting, path, 10**6)
        assert_same_fit(found.model, whole_fit(which, setting))

    @rule(target=models, one=models, first=st.integers(0, 9), kind=st.booleans())
    def edit(self, one, first, kind):
        n_topics = one.model.n_topics_
        if n_topics < 2:
            return multiple()
        j, k = first % n_topics, (first + 1) % n_topics
        change = {"merge": [(j, k)]} if kind else {"drop": [j]}
        edited = one.model.edit(CORPORA[one.which], **change)
        assert edited.n_topics_ == n_topics - 1
        self.unchanged(one)
        return self.known(one.which, edited)


def drive(**profile):
    run_state_machine_as_test(
        Interface,
        settings=settings(
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            **profile,
        ),
    )


def test_any_order_of_calls():
    drive(max_examples=6, stateful_step_count=12)


@pytest.mark.slow
def test_many_orders_of_calls():
    drive(max_examples=300, stateful_step_count=40)
