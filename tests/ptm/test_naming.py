"""Names of topics: words against the parent, forms of a word, phrases, no two alike."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.ptm.instances import quick

from leantopics import ParsimoniousTopicModel, TextVectorizer, count_texts, make_corpus
from leantopics.ptm.attached_texts import keep_texts
from leantopics.ptm.naming import (
    MOST_WORDS,
    NO_WORDS,
    deviating_words,
    language_of,
    name_topics,
    phrases_of,
)


def named(counts, written, shared=None, **options):
    matrix = sparse.csr_array(np.array(counts, dtype=float))
    parents = matrix.sum(axis=0) if shared is None else np.array(shared)
    return name_topics(matrix, sparse.csr_array(parents[None]), written, **options)


def one(words, **options):
    """The name of a topic with these words, the first the most frequent."""
    n = len(words)
    counts = [[*(100.0 - i for i in range(n)), 0.0], [0.0] * n + [1000.0]]
    return named(counts, [*words, "rest"], **options)[0]


def slow_value(x, p, level):
    e = level * p
    return (x * math.log(x / e) - (x - e)) * (x - e) / x


@quick
@given(st.integers(0, 10**6))
def test_words_are_ranked_by_deviance_from_the_parent(seed):
    random = np.random.default_rng(seed)
    x = random.poisson(2.0, 12) * random.random(12)
    parent = random.random(12) + 0.01
    level = float(random.random() * 20)
    found = deviating_words(
        sparse.csr_array(x[None]), sparse.csr_array(parent[None]), level
    )
    share = parent / parent.sum()
    more = [n for n in range(12) if x[n] > level * share[n]]
    assert sorted(word for word, _ in found) == more
    for word, value in found:
        assert value == pytest.approx(slow_value(x[word], share[word], level))
    clearly = [x[word] >= 2.0 * level * share[word] for word, _ in found]
    assert clearly == sorted(clearly, reverse=True)
    for group in (True, False):
        values = [v for (_, v), c in zip(found, clearly, strict=True) if c is group]
        assert values == sorted(values, reverse=True)


def test_the_parent_decides_which_words_tell():
    written = ["sea", "ship", "harbour", "tree"]
    counts = sparse.csr_array([[30.0, 9, 0, 0], [30, 0, 9, 0], [0, 0, 0, 60]])
    theme = sparse.csr_array([[60.0, 9, 9, 0], [60.0, 9, 9, 600]])
    among_all = name_topics(counts, theme[[1]], written)
    assert among_all == ["sea ship", "sea harbour", "tree"]
    among_siblings = name_topics(counts[:2], theme[[0]], written)
    assert among_siblings == ["ship", "harbour"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["ship", "ships", "sea"], "ship sea"),
        (["Ship", "ship", "sea"], "Ship sea"),
        (["transform", "transformed", "fft"], "transform fft"),
        (["interpolation", "interpolated", "knots"], "interpolation knots"),
        (["net", "network", "graph"], "net network graph"),
        (["be", "bed", "night"], "be bed night"),
        (["car", "care", "doctor"], "car doctor"),
        (["7", "1999", "x", "sea", "ship"], "sea ship"),
        (["7", "x"], "7 x"),
        (["海", "船", "7"], "海 船"),
        (["2nd", "b", "sea"], "2nd sea"),
        (["covid19", "covid20", "cat"], "covid19 cat"),
        (["word01", "word02", "word03"], "word01 word02 word03"),
        (["n_samples", "n_samples_x", "metrics"], "metrics n_samples"),
        (["use_metadata_routing", "metadata", "routing"], "metadata routing"),
        (["y_true", "y_pred", "x_", "truth"], "truth y_true y_pred"),
        (["n_jobs", "cpus", "rare"], "cpus rare n_jobs"),
    ],
)
def test_one_form_of_a_word_and_words_that_say_something(words, name):
    assert one(words) == name


def test_a_joined_word_that_tells_more_than_twice_as_much_comes_first():
    shared = [0.1, 0.1, 0.8]
    assert named([[90, 30, 0]], ["n_jobs", "cpus", "rest"], shared) == ["n_jobs cpus"]
    assert named([[50, 40, 0]], ["n_jobs", "cpus", "rest"], shared) == ["cpus n_jobs"]


def test_words_that_the_parent_explains_in_part_come_later():
    """The deviance of "he" is 35, of "team" 21, but half of "he" is expected."""
    written, shared = ["he", "team", "rest"], [0.3, 0.01, 0.69]
    assert named([[180, 20, 100]], written, shared) == ["team he"]


def test_words_that_are_usual_anywhere_come_after_those_of_the_theme():
    """The theme has half of "sea" and of "ship"; nothing is twice as frequent here."""
    written = ["the", "sea", "ship", "rest"]
    counts = sparse.csr_array([[300.0, 60.0, 40.0, 0.0]])
    theme = sparse.csr_array([[200.0, 45.0, 30.0, 125.0]])
    usual = sparse.csr_array([[200.0, 3.0, 2.0, 195.0]])
    assert name_topics(counts, theme, written) == ["the sea"]
    assert name_topics(counts, theme, written, usual=usual) == ["sea ship the"]


def test_forms_of_a_word_in_a_known_language():
    words = ["mice", "flies", "fly", "flying"]
    assert one(words) == "mice flies fly"
    assert one(words, language="english") == "mice flies"
    assert one(words, language="klingon") == one(words)


def test_a_third_word_is_left_out_if_it_is_far_behind():
    shared = [0.1, 0.1, 0.1, 0.7]
    words = ["sea", "ship", "gull", "rest"]
    assert named([[90, 80, 70, 0]], words, shared) == ["sea ship gull"]
    assert named([[90, 80, 20, 0]], words, [0.1, 0.1, 0.05, 0.75]) == ["sea ship"]


def test_no_two_topics_share_a_name_if_they_have_other_words():
    words = ["sea", "ship", "gull", "sand", "rest"]
    counts = [[50, 40, 30, 0, 0], [50, 40, 30, 20, 0], [0, 0, 0, 0, 400]]
    names = named(counts, words)
    assert len(set(names)) == 3
    twins = named([[9, 9, 0], [9, 9, 0], [0, 0, 50]], ["sea", "ship", "rest"])
    assert twins == ["sea ship", "sea ship", "rest"]  # nothing tells them apart


def test_a_topic_without_words_of_its_own():
    assert named([[2, 2], [1, 1]], ["sea", "ship"]) == [NO_WORDS] * 2
    assert named([[0, 0], [1, 1]], ["sea", "ship"]) == [NO_WORDS] * 2


def slow_phrases(words, documents):
    def occurrences(word):
        return sum(document.count(word) for document in documents)

    found = {}
    for a in words:
        for b in words:
            beside = sum(
                document[i] == a and document[i + 1] == b
                for document in documents
                for i in range(len(document) - 1)
            )
            most = 2 * beside / (occurrences(a) + occurrences(b) or 1) > 0.5
            if a != b and beside >= 3 and most:
                found[a, b] = beside
    return found


@quick
@given(st.integers(0, 10**6))
def test_phrases_are_words_that_mostly_stand_side_by_side(seed):
    random = np.random.default_rng(seed)
    documents = [random.integers(0, 4, 12).tolist() + [0, 1] * 3 for _ in range(3)]
    documents.append([2, 3] * int(random.integers(0, 8)))
    found = phrases_of([0, 1, 2, 3], documents)
    expected = slow_phrases([0, 1, 2, 3], documents)
    assert set(found) <= set(expected)
    used = [word for pair in found for word in pair]
    assert len(used) == len(set(used))
    for pair in set(expected) - set(found):
        rivals = [other for other in found if set(other) & set(pair)]
        assert any(expected[other] >= expected[pair] for other in rivals)


def test_a_phrase_takes_the_place_of_its_words():
    words = ["york", "police", "new", "street"]
    documents = [[2, 0, 1, 2, 0], [1, 2, 0, 3]]
    assert one(words) == "york police new"
    assert one(words, tokens=lambda j: documents) == "new york police street"


def test_the_language_of_an_analyser():
    assert language_of(None) is None
    assert language_of({"settings": {"stem": "german", "stop_words": "english"}}) == (
        "german"
    )
    assert language_of({"settings": {"stem": None, "stop_words": ["a"]}}) is None


def test_words_that_documents_repeat_come_before_those_of_a_passage():
    written = ["freshly", "allocated", "ufunc", "the", "rest"]
    counts = sparse.csr_array([[40.0, 39.0, 30.0, 50.0, 0.0]])
    usual = sparse.csr_array([[2.0, 2.0, 2.0, 40.0, 0.0]])
    often = sparse.csr_array([[40.0, 39.0, 90.0, 60.0, 0.0], [0, 0, 0, 60.0, 9.0]])
    options = {"level": usual.sum(axis=1), "usual": usual}
    assert name_topics(counts, usual, written, **options)[0].startswith("freshly")
    name = name_topics(counts, usual, written, repeated=often, **options)[0]
    assert name.startswith("ufunc freshly")


def test_how_much_more_a_repeated_word_tells_has_a_limit():
    written = ["once", "often", "rest"]
    counts = sparse.csr_array([[90.0, 10.0, 0.0]])
    usual = sparse.csr_array([[1.0, 1.0, 0.0]])
    often = sparse.csr_array([[9.0, 10000.0, 0.0]])
    options = {"level": [2.0], "usual": usual}
    assert name_topics(counts, usual, written, repeated=often, **options) == [
        "once often"
    ]


def test_a_topic_without_clearly_frequent_words_is_named_by_all_occurrences():
    written = ["the", "is", "file", "turtle"]
    counts = sparse.csr_array([[110.0, 55.0, 0.0, 0.0], [0.0, 0.0, 0.0, 20.0]])
    usual = sparse.csr_array([[100.0, 50.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]])
    often = sparse.csr_array([[200.0, 90.0, 60.0, 0.0], [50.0, 30.0, 0.0, 60.0]])
    options = {"level": usual.sum(axis=1), "usual": usual}
    assert name_topics(counts, usual, written, **options)[0] == "the is"
    names = name_topics(counts, usual, written, repeated=often, **options)
    assert names[0].split()[0] == "file"
    assert names[1] == "turtle"


def test_themes_know_every_occurrence_of_their_words():
    corpus, _ = make_corpus(300, 300, 8, boost=4, random_state=0)
    model = ParsimoniousTopicModel(random_state=0).fit(corpus)
    often = model._repeated()
    assert often.shape == (model.n_topics_, corpus.n_words)
    assert often.sum() == pytest.approx(corpus.counts.sum())
    assert model.finer_._repeated() is None


@pytest.fixture(scope="module")
def texts():
    about = (
        "flew to Los Angeles and saw Los Angeles harbour",
        "a tree in the dark wood",
    )
    return [f"{about[d % 2]} number {d}" for d in range(60)]


def test_names_of_a_model_have_phrases_where_its_texts_are(texts, tmp_path):
    corpus = count_texts(texts)
    model = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    town = next(j for j in range(2) if "angeles" in dict(model.top_words(j)))
    assert "los angeles" not in model.topic_names[town]
    keep_texts(model, corpus)
    assert "los angeles" in model.topic_names[town]
    model.save(tmp_path / "m")
    loaded = ParsimoniousTopicModel.load(tmp_path / "m")
    assert loaded.topic_names == model.topic_names


def test_names_are_written_as_the_texts_write_them(texts):
    vectorizer = TextVectorizer(stem="english")
    model = ParsimoniousTopicModel(2, random_state=0)
    model.fit(count_texts(texts, vectorizer=vectorizer))
    forms = set(model.analyser_["surface_forms"])
    assert all(set(name.split()) <= forms for name in model.topic_names)


def test_every_topic_of_a_model_has_a_name_of_its_own():
    corpus, _ = make_corpus(200, 300, 6, boost=4, random_state=0)
    model = ParsimoniousTopicModel(6, random_state=0).fit(corpus)
    names = model.topic_names
    assert len(set(names)) == 6
    for j, name in enumerate(names):
        words = name.split()
        assert 2 <= len(words) <= MOST_WORDS
        assert set(words) <= {word for word, _ in model.top_words(j, 300)}
    names.clear()
    assert len(model.topic_names) == 6
