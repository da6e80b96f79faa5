"""What a fit tells while it runs, and how it is stopped."""

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.fixes import parse_version
from tests.model.recount import assert_same_fit, assert_sound

from leantopics import ParsimoniousTopicModel

HAS_CALLBACKS = parse_version(sklearn.__version__) >= parse_version("1.9")


def test_the_callback_gets_every_iteration(corpus):
    told = []
    model = ParsimoniousTopicModel(5, random_state=0, callback=told.append).fit(corpus)
    assert told == model.history_
    last = told[-model.n_iter_ :]
    assert [step.iteration for step in last] == list(range(1, model.n_iter_ + 1))
    assert {step.n_topics for step in last} == {5}
    plain = ParsimoniousTopicModel(5, random_state=0).fit(corpus)
    assert_same_fit(plain, model)


def test_the_callback_gets_every_order(corpus):
    told = []
    model = ParsimoniousTopicModel(
        max_topics=7, step=1, random_state=0, callback=told.append
    ).fit(corpus)
    assert told == model.history_
    assert {step.n_topics for step in told} == {row["n_topics"] for row in model.path_}
    assert told[0].n_topics == 7


def test_a_callback_can_stop_the_fit(corpus):
    model = ParsimoniousTopicModel(
        6, random_state=0, callback=lambda step: step.n_topics == 6
    ).fit(corpus)
    assert [step.n_topics for step in model.history_].count(6) == model.n_iter_ == 1
    assert model.stop_reason_ == "callback"
    assert model.converged_ is False
    assert_sound(model, corpus.counts)


def test_only_true_stops_the_fit(corpus):
    model = ParsimoniousTopicModel(
        4, random_state=0, callback=lambda step: step.iteration
    ).fit(corpus)
    assert model.converged_


def test_a_callback_that_stops_stops_the_whole_search(corpus):
    """Once stopped, the fit does not start further orders."""
    told = []

    def stop(step):
        told.append(step)
        return True

    model = ParsimoniousTopicModel(
        max_topics=8, step=1, random_state=0, callback=stop
    ).fit(corpus)
    assert model.stop_reason_ == "callback"
    assert len(told) == 1
    assert_sound(model, corpus.counts)


def test_an_error_in_a_callback_comes_through(corpus):
    def fail(step):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ParsimoniousTopicModel(3, callback=fail, n_jobs=2).fit(corpus)


def test_too_few_iterations_give_a_warning(corpus):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 ") as caught:
        model = ParsimoniousTopicModel(4, max_iter=1, random_state=0).fit(corpus)
    assert caught[0].filename == __file__
    assert len(caught) == 1
    assert model.converged_ is False
    assert model.stop_reason_ == "max_iter"
    assert model.n_iter_ == 1
    assert_sound(model, corpus.counts)


def test_nothing_is_printed_unless_asked_for(corpus, capfd):
    ParsimoniousTopicModel(max_topics=6, random_state=0).fit(corpus)
    assert capfd.readouterr() == ("", "")


def test_verbose_prints_a_line_for_each_order_or_iteration(corpus, capsys):
    settings = dict(max_topics=6, step=1, random_state=0)
    model = ParsimoniousTopicModel(**settings, verbose=1).fit(corpus)
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) in (5, 6)
    assert err.startswith("6 topics, iteration 1: BIC ")
    model = ParsimoniousTopicModel(**settings, verbose=2).fit(corpus)
    _, err = capsys.readouterr()
    assert len(err.splitlines()) == len(model.history_)


@pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn has no callbacks")
class TestScikitLearnCallbacks:
    class Recorder:
        """A fit callback that remembers its tasks, and may stop at one."""

        def __init__(self, stop_at=None):
            self.stop_at = stop_at
            self.events = []

        def setup(self, estimator, context):
            self.events.append(("setup", context.task_name))

        def teardown(self, estimator, context):
            self.events.append(("teardown", context.task_name))

        def on_fit_task_begin(self, estimator, context, **given):
            self.events.append(("begin", context.task_name))

        def on_fit_task_end(self, estimator, context, **given):
            self.events.append(("end", context.task_name))
            return self.count("end") == self.stop_at

        def count(self, event):
            return self.events.count((event, "iteration"))

    def test_they_are_told_of_every_iteration(self, corpus):
        recorder = self.Recorder()
        model = ParsimoniousTopicModel(5, random_state=0)
        model.set_callbacks(recorder).fit(corpus)
        assert recorder.count("begin") == recorder.count("end")
        assert recorder.count("end") == len(model.history_)
        first, last = recorder.events[0], recorder.events[-1]
        assert first[0] == "setup"
        assert last[0] == "teardown"
        assert recorder.events[1][0] == "begin"
        assert recorder.events[-2][0] == "end"
        assert recorder.events[1][1] == recorder.events[-2][1] != "iteration"
        plain = ParsimoniousTopicModel(5, random_state=0).fit(corpus)
        assert_same_fit(plain, model)
        assert np.array_equal(model.transform(corpus), plain.transform(corpus))

    def test_they_are_told_of_every_order(self, corpus):
        recorder = self.Recorder()
        model = ParsimoniousTopicModel(max_topics=6, step=1, random_state=0)
        model.set_callbacks(recorder).fit(corpus)
        assert recorder.count("end") == len(model.history_)

    def test_they_can_stop_the_fit(self, corpus):
        recorder = self.Recorder(stop_at=2)
        model = ParsimoniousTopicModel(6, random_state=0)
        model.set_callbacks(recorder).fit(corpus)
        assert (model.n_topics_, model.n_iter_) == (6, 1)
        assert model.stop_reason_ == "callback"

    def test_they_are_taken_down_after_an_error(self, corpus):
        def fail(step):
            raise RuntimeError("enough")

        recorder = self.Recorder()
        model = ParsimoniousTopicModel(2, callback=fail).set_callbacks(recorder)
        with pytest.raises(RuntimeError, match="enough"):
            model.fit(corpus)
        assert recorder.events[0][0] == "setup"
        assert recorder.events[-1][0] == "teardown"
