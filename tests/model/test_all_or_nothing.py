"""A method that fails leaves the model as it was, bit for bit."""

import pickle
from contextlib import contextmanager

import numpy as np
import pytest

from leantopics import (
    LDA,
    Corpus,
    ParsimoniousTopicModel,
    SparseTopicalCoding,
    make_corpus,
)
from leantopics.ptm import em, snapshot
from leantopics.ptm.fitted import FittedModel

CORPUS, _ = make_corpus(80, 60, 3, salient_per_topic=12, boost=4, doc_length=40)
FEWER = Corpus(CORPUS.counts[:, :50], [f"other{n}" for n in range(50)])
MODELS = {
    "ptm": ParsimoniousTopicModel(max_topics=4, random_state=0),
    "given": ParsimoniousTopicModel(3, prediction="switched", random_state=0),
    "lda": LDA(3, random_state=0),
    "lda, background": LDA(3, background=True, smoothing=0.1, random_state=0),
    "stc": SparseTopicalCoding(3, random_state=0),
}
REFUSED = {
    "huge": FEWER.counts * 1e200,
    "nothing": FEWER.counts * 0.0,
    "negative": -FEWER.counts.toarray(),
    "no document": CORPUS.counts[:0],
    "same width": CORPUS.counts * 1e200,
    "same width, other words": Corpus(
        CORPUS.counts * 1e99 * 1e99, [f"other{n}" for n in range(60)]
    ),
}


class Ended(BaseException):
    """As a KeyboardInterrupt is, no Exception."""


@pytest.fixture(params=MODELS)
def model(request):
    made = pickle.loads(pickle.dumps(MODELS[request.param]))
    return made.fit(CORPUS)


@contextmanager
def unchanged(model):
    """Answers and every bit of the state are those of before."""
    before, answers = pickle.dumps(model), model.transform(CORPUS)
    yield
    assert pickle.dumps(model) == before
    assert np.array_equal(model.transform(CORPUS), answers)
    assert model.vocabulary_ == CORPUS.vocabulary


@pytest.mark.parametrize("documents", REFUSED.values(), ids=REFUSED)
def test_a_refused_fit_leaves_a_fitted_model_alone(model, documents, tmp_path):
    with unchanged(model), pytest.raises(ValueError):
        model.fit(documents)
    for counts in (FEWER.counts, FEWER.counts.toarray()):
        with pytest.raises(ValueError, match=r"50 features, but .* 60 features"):
            model.transform(counts)
    model.save(tmp_path / "m")
    again = type(model).load(tmp_path / "m")
    assert np.array_equal(again.transform(CORPUS), model.transform(CORPUS))


@pytest.mark.parametrize("after", [1, 2, 5])
def test_an_interrupted_fit_leaves_a_fitted_model_alone(model, after):
    steps = []

    def interrupt(step):
        steps.append(step)
        if len(steps) == after:
            raise Ended

    with unchanged(model):
        with pytest.raises(Ended):
            model.set_params(callback=interrupt).fit(FEWER)
        model.set_params(callback=None)
    if isinstance(model, ParsimoniousTopicModel):
        assert model.is_fitted_to(CORPUS)


@pytest.mark.parametrize(
    "step", [(em, "fit"), (snapshot, "take"), (FittedModel, "_fit_predictor")]
)
def test_a_fit_that_fails_leaves_nothing(step, monkeypatch):
    fresh = ParsimoniousTopicModel(3, random_state=0)
    fitted = ParsimoniousTopicModel(3, random_state=0).fit(CORPUS)
    state = vars(fresh).copy()

    def fail(*given, **named):
        raise MemoryError

    with unchanged(fitted), monkeypatch.context() as patched:
        patched.setattr(*step, fail)
        for model in (fresh, fitted):
            with pytest.raises(MemoryError):
                model.fit(FEWER)
    assert vars(fresh) == state
