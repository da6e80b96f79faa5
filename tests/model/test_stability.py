"""What comes again from other starts and other documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.ptm.instances import quick

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.ptm.stability import agreement


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(250, 150, 5, salient_per_topic=25, boost=5, doc_length=80)[0]


def topics(rng, n_docs, n_topics):
    alpha = rng.dirichlet(np.full(n_topics, 0.3), n_docs)
    alpha[alpha < 0.1] = 0.0
    return alpha


@quick
@given(st.integers(0, 10**6))
def test_agreement_is_its_definition(seed):
    rng = np.random.default_rng(seed)
    first, second = topics(rng, 30, 4), topics(rng, 30, 6)
    length = rng.integers(1, 50, 30).astype(float)
    found = agreement(sparse.csr_array(first), sparse.csr_array(second), length)
    for j in range(4):
        for k in range(6):
            both = length @ np.minimum(first[:, j], second[:, k])
            either = length @ np.maximum(first[:, j], second[:, k])
            assert found[j, k] == pytest.approx(both / either if either else 0.0)


@pytest.mark.parametrize("how", ["starts", "bootstrap"])
def test_planted_topics_come_again(corpus, how):
    model = ParsimoniousTopicModel(max_topics=10, random_state=0).fit(corpus)
    found = model.measure_stability(corpus, repeats=4, how=how)
    assert model.stability_ is found
    assert (np.abs(found.orders - 5) <= 1).all()
    assert found.agreement.shape == (4, model.n_topics_)
    assert np.median(found.agreement) > 0.7
    assert found.words.shape == (model.salient_word_prob_.nnz,)
    assert 0.5 < found.words.mean() <= 1.0


def test_a_topic_too_many_is_not_found_again(corpus):
    """Of eight topics where five were planted, some are there by chance."""
    model = ParsimoniousTopicModel(8, random_state=0).fit(corpus)
    found = model.measure_stability(corpus, repeats=4)
    assert found.agreement.mean(axis=0).min() < 0.6
    assert found.found.min() < 4


def test_the_same_fit_agrees_entirely(corpus):
    model = ParsimoniousTopicModel(5, random_state=7).fit(corpus)

    class Sevens(np.random.RandomState):
        def randint(self, *arguments, **options):
            return 7

    found = model.measure_stability(corpus, repeats=2, random_state=Sevens())
    np.testing.assert_allclose(found.agreement, 1.0)
    np.testing.assert_array_equal(found.words, 1.0)
    np.testing.assert_allclose(found.stays(model.salient_word_prob_.indptr), 1.0)


def test_it_stays_with_the_model(corpus, tmp_path):
    model = ParsimoniousTopicModel(5, random_state=0).fit(corpus)
    found = model.measure_stability(corpus, repeats=2, how="bootstrap")
    model.save(tmp_path / "model")
    again = ParsimoniousTopicModel.load(tmp_path / "model").stability_
    assert again.how == "bootstrap"
    np.testing.assert_array_equal(again.agreement, found.agreement)
    np.testing.assert_array_equal(again.words, found.words)
    assert model.fit(corpus).stability_ is None


@pytest.mark.parametrize(
    ("wrong", "message"), [({"repeats": 0}, "repeats"), ({"how": "luck"}, "how must")]
)
def test_wrong_use(corpus, wrong, message):
    model = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    with pytest.raises(ValueError, match=message):
        model.measure_stability(corpus, **wrong)
