"""The shrunk model as the estimator offers it."""

import copy

import numpy as np
import pytest
from tests.model.recount import pattern

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.evaluation import held_out_log_likelihood


@pytest.fixture(scope="module")
def halves():
    """Documents of topics whose words are not all found to be salient."""
    settings = dict(topics_per_doc=1.5, salient_per_topic=40, doc_length=60)
    corpus, _ = make_corpus(800, 400, 6, boost=4, dip=0.3, overlap=0.8, **settings)
    return corpus.select(np.arange(400)), corpus.select(np.arange(400, 800))


@pytest.fixture(scope="module")
def fitted(halves):
    return ParsimoniousTopicModel(evidence="words", max_topics=12, random_state=0).fit(
        halves[0]
    )


def held_out(model, corpus):
    found = held_out_log_likelihood(
        corpus.counts,
        model.transform,
        model.predictive_components_,
        seen=model.shared_word_prob_ > 0,
    )
    return found.per_word


def with_(model, **settings):
    return copy.deepcopy(model).set_params(**settings)


def test_the_shrunk_model_predicts_better(fitted, halves):
    for inference in ("sparse", "all"):
        switched = with_(fitted, prediction="switched", inference=inference)
        shrunk = with_(fitted, inference=inference)
        assert held_out(shrunk, halves[1]) > held_out(switched, halves[1]) + 0.005


def test_few_topics_are_those_of_the_switches(fitted, halves):
    few = with_(fitted, sparse_output=True)
    found = few.transform(halves[1])
    read = few.set_params(prediction="switched").transform(halves[1])
    assert np.array_equal(pattern(found), read.toarray() > 1e-6)
    assert not np.allclose(found.toarray(), read.toarray())


def test_rows_of_the_predictive_components_sum_to_one(fitted):
    for prediction in ("shrunk", "switched"):
        words = with_(fitted, prediction=prediction).predictive_components_
        assert words.shape == fitted.components_.shape
        assert words.sum(axis=1) == pytest.approx(1.0)
    assert words == pytest.approx(fitted.components_, abs=1e-5)


def test_another_order_predicts_with_the_documents_of_the_fit(fitted, halves):
    other = fitted.at(3, halves[0])
    assert other.prediction == "shrunk"
    alone = ParsimoniousTopicModel.from_arrays(
        halves[0],
        other.topic_proportions_,
        other.components_,
        pattern(other.salient_word_prob_),
        pattern(other.topic_proportions_),
        other.shared_word_prob_,
    )
    words = alone.predictive_components_
    assert other.predictive_components_ == pytest.approx(words, rel=1e-6, abs=1e-12)
    assert fitted.at(3).prediction == "switched"
    assert fitted.at(fitted.n_topics_).prediction == "shrunk"


def test_what_cannot_be_predicted_is_said(fitted, halves):
    with pytest.raises(ValueError) as caught:
        fitted.at(3).set_params(prediction="shrunk").transform(halves[1])
    assert str(caught.value) == (
        "The counts to predict with at 3 topics are not kept: give the documents of "
        'the fit, at(3, X), or set prediction="switched".'
    )
    with pytest.raises(ValueError, match="X must be the documents of the fit"):
        fitted.at(3, halves[1])


def test_refinement_changes_the_predictor_alone(fitted, halves):
    settings = fitted.get_params() | {"refine": 2}
    refined = ParsimoniousTopicModel(**settings).fit(halves[0])
    assert refined.bic_ == fitted.bic_
    assert np.array_equal(refined.components_, fitted.components_)
    words = fitted.predictive_components_
    assert not np.allclose(refined.predictive_components_, words)


@pytest.mark.parametrize("inference", ["sparse", "all"])
def test_the_same_bits_for_any_number_of_threads(inference, halves):
    found = []
    for n_jobs in (1, 2, 3):
        model = ParsimoniousTopicModel(
            5, refine=1, inference=inference, random_state=0, n_jobs=n_jobs
        ).fit(halves[0])
        parts = (model.transform(halves[1]), model.predictive_components_)
        found.append([part.tobytes() for part in parts])
    assert found[0] == found[1] == found[2]


def test_it_is_saved(fitted, halves, tmp_path):
    fitted.save(tmp_path / "m")
    again = ParsimoniousTopicModel.load(tmp_path / "m")
    assert np.array_equal(again.transform(halves[1]), fitted.transform(halves[1]))
    fitted.at(3).save(tmp_path / "m3")
    assert ParsimoniousTopicModel.load(tmp_path / "m3").prediction == "switched"
