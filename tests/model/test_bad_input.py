"""One clear sentence for everything that cannot be fitted or answered."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from leantopics import Corpus, ParsimoniousTopicModel

FORMS = [np.asarray, sparse.csr_array, sparse.coo_array]
GOOD = np.arange(12.0).reshape(4, 3)


def spoiled(value):
    counts = GOOD.copy()
    counts[1, 2] = value
    return counts


def both(model, X, error, match):
    """A fit and a question to a fitted model give the same answer."""
    with pytest.raises(error, match=match):
        ParsimoniousTopicModel(2).fit(X)
    with pytest.raises(error, match=match):
        model.transform(X)
    with pytest.raises(error, match=match):
        model.score(X)


@pytest.fixture(scope="module")
def tiny():
    return ParsimoniousTopicModel(2, random_state=0).fit(GOOD)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("value", "match"),
    [
        (-1, "Negative values in data"),
        (np.nan, "contains NaN"),
        (np.inf, "contains infinity"),
        (-np.inf, "contains infinity|Negative values in data"),
    ],
)
def test_counts_that_are_none(form, value, match, tiny):
    both(tiny, form(spoiled(value)), ValueError, match)


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_an_empty_matrix(shape):
    for X in (np.zeros(shape), sparse.csr_array(shape)):
        with pytest.raises(ValueError, match=r"Found array with 0 (sample|feature)"):
            ParsimoniousTopicModel(2).fit(X)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_topics", [1, "auto"])
def test_only_empty_documents(form, n_topics):
    with pytest.raises(ValueError, match="at least one document with a word in it"):
        ParsimoniousTopicModel(n_topics).fit(form(np.zeros((4, 3))))


def test_what_is_no_matrix(tiny):
    both(tiny, np.ones(3), ValueError, "Expected 2D array, got 1D array")
    both(tiny, np.ones((2, 3, 2)), ValueError, "dim 3")
    both(tiny, [["one", "two", "three"]] * 2, ValueError, "could not convert string")


def test_more_topics_than_documents_with_words():
    counts = np.vstack([GOOD, np.zeros((9, 3))])
    match = r"must not exceed that of documents with words, 4\. Got 5"
    with pytest.raises(ValueError, match=match):
        ParsimoniousTopicModel(5).fit(counts)


def test_a_range_upside_down():
    match = "max_topics must not be smaller than min_topics. Got max_topics=3 and"
    with pytest.raises(ValueError, match=match):
        ParsimoniousTopicModel(max_topics=3, min_topics=4).fit(GOOD)


@pytest.mark.parametrize(
    "name", ["sweep", "procedure", "word_prior", "init", "inference"]
)
@pytest.mark.parametrize("value", ["sideways", None, 1])
def test_a_choice_that_is_not_offered(name, value):
    with pytest.raises(ValueError, match=f"{name} must be one of .*Got {value!r}"):
        ParsimoniousTopicModel(2, **{name: value}).fit(GOOD)


@pytest.mark.parametrize("value", [0, -1, 2.5, "many", None, np.nan])
def test_a_number_of_topics_that_is_none(value):
    match = f'n_topics must be "auto" or a whole number from 1 up. Got {value!r}'
    with pytest.raises(ValueError, match=match):
        ParsimoniousTopicModel(value).fit(GOOD)


@pytest.mark.parametrize(
    "name", ["max_topics", "min_topics", "step", "init_docs", "max_iter", "max_cycles"]
)
@pytest.mark.parametrize("value", [0, -3, 1.5, "all"])
def test_whole_numbers_from_one_up(name, value):
    with pytest.raises((ValueError, TypeError), match=rf"^{name} (==|must be)"):
        ParsimoniousTopicModel(2, **{name: value}).fit(GOOD)


@pytest.mark.parametrize("value", [-0.1, "small", None, np.nan])
def test_a_tolerance_is_a_number_from_zero_up(value):
    with pytest.raises((ValueError, TypeError), match=r"^tol (==|must be)"):
        ParsimoniousTopicModel(2, tol=value).fit(GOOD)


def test_parameters_are_checked_before_the_data():
    with pytest.raises(ValueError, match="sweep must be one of"):
        ParsimoniousTopicModel(sweep="none").fit(None)


def test_a_vocabulary_that_does_not_fit():
    match = "vocabulary must match the matrix of 3 words, got 2 entries"
    with pytest.raises(ValueError, match=match):
        ParsimoniousTopicModel(2).fit(Corpus(GOOD, ["a", "b"]))


def test_another_number_of_words(tiny):
    match = "X has 2 features, but ParsimoniousTopicModel is expecting 3"
    for method in ("transform", "score", "explain", "shared_share"):
        with pytest.raises(ValueError, match=match):
            getattr(tiny, method)(GOOD[:, :2])


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.transform(GOOD),
        lambda m: m.score(GOOD),
        lambda m: m.explain(GOOD),
        lambda m: m.shared_share(GOOD),
        lambda m: m.top_words(0),
        lambda m: m.documents(0),
        lambda m: m.at(2),
        lambda m: m.components_,
        lambda m: m.topic_names,
        lambda m: setattr(m, "topic_names", ["a"]),
        lambda m: m.get_feature_names_out(),
        lambda m: m.save("never written"),
    ],
)
def test_a_model_that_is_not_fitted(ask):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(ParsimoniousTopicModel())


@pytest.mark.parametrize("topic", [2, 99, -1])
@pytest.mark.parametrize("method", ["top_words", "documents"])
def test_a_topic_that_is_not_there(tiny, method, topic):
    with pytest.raises(ValueError, match=rf"topic must be .*{topic}"):
        getattr(tiny, method)(topic)


@pytest.mark.parametrize("name", ["inference", "prediction"])
def test_a_way_to_predict_that_there_is_none(tiny, name):
    model = tiny.at(tiny.n_topics_).set_params(**{name: "none"})
    for ask in (
        lambda: model.transform(GOOD),
        lambda: model.score(GOOD),
        lambda: model.predictive_components_,
        lambda: model.edit(GOOD, drop=[1]),
    ):
        with pytest.raises(ValueError, match=f"{name} must be one of .* Got 'none'"):
            ask()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"merge": (0, 1)}, r"merge must have groups of topics.* Got 0 instead"),
        ({"merge": 0}, r"merge must have groups of topics.* Got 0 instead"),
        ({"drop": 1}, r"drop must have topics.* Got 1 instead"),
        ({"pin": {0: 5}}, r"pin must have words for topics.* Got 5 instead"),
    ],
)
def test_changes_by_hand_of_the_wrong_type(tiny, change, match):
    with pytest.raises(TypeError, match=match):
        tiny.edit(GOOD, **change)


def test_a_ranking_that_is_not_offered(tiny):
    with pytest.raises(ValueError, match="by must be one of 'probability', 'salience'"):
        tiny.top_words(0, by="name")
    with pytest.raises(ValueError, match="which must be one of 'salient'"):
        tiny.top_words(0, which="all")


def state(**changes):
    """A sound state of 4 documents, 3 words and 2 topics, with changes."""
    parts = dict(
        counts=GOOD,
        alpha=np.full((4, 2), 0.5),
        beta=np.full((2, 3), 1 / 3),
        u=np.ones((2, 3)),
        v=np.ones((4, 2)),
        beta0=np.full(3, 1 / 3),
    )
    return {**parts, **changes}


def test_a_sound_state():
    assert ParsimoniousTopicModel.from_arrays(**state()).n_topics_ == 2


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("counts", (5, 3)),
        ("counts", (4, 2)),
        ("alpha", (4, 3)),
        ("alpha", (3, 2)),
        ("beta", (2, 4)),
        ("beta", (3, 3)),
        ("u", (2, 4)),
        ("u", (3, 3)),
        ("u", (3,)),
        ("v", (5, 2)),
        ("v", (4, 1)),
        ("v", (4,)),
        ("beta0", (4,)),
        ("beta0", (1, 3)),
    ],
)
def test_a_state_whose_parts_do_not_fit(name, shape):
    parts = state(**{name: np.full(shape, 0.25)})
    match = (
        r"\w+ must have (shape .* to match the other arrays|\d dim.*)\. Got .* instead"
    )
    with pytest.raises(ValueError, match=match):
        ParsimoniousTopicModel.from_arrays(**parts)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        (dict(alpha=np.full((4, 2), np.nan)), "alpha"),
        (dict(alpha=np.full((4, 2), -0.5)), "alpha"),
        (dict(beta=np.full((2, 3), np.inf)), "beta"),
        (dict(beta0=np.full(3, np.nan)), "beta0"),
        (dict(u=np.array([[1, 1, 1], [0, 0, 0]])), r"\bu\b|topic|salient"),
        (dict(v=np.array([[1, 0], [1, 0], [1, 0], [1, 0]])), r"\bv\b|topic"),
        (dict(v=np.array([[1, 1], [1, 1], [1, 1], [0, 0]])), r"\bv\b|topic"),
        (dict(counts=np.vstack([np.zeros(3), GOOD[1:]])), "counts|document"),
        (dict(beta0=np.array([0.0, 0.5, 0.5])), "beta0"),
        (dict(alpha=2 * state()["alpha"]), "alpha must sum to one .* sums to 2"),
        (dict(beta=2 * state()["beta"]), "beta, with beta0 .*, must sum to one"),
        (dict(beta0=2 * state()["beta0"]), r"beta0 must sum to one\. .* sums to 2"),
    ],
)
def test_a_state_that_is_none(changes, match):
    with pytest.raises(ValueError, match=match):
        ParsimoniousTopicModel.from_arrays(**state(**changes))
