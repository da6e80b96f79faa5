"""Sparse topical coding as a whole: the objective, topics found, chosen penalties."""

import numpy as np
import pytest
from scipy import sparse
from tests.baselines import stc_twin as twin
from tests.baselines.conftest import planted

from leantopics.baselines import stc_fit, stc_grid, stc_start
from leantopics.baselines.kernels.stc_words import Weights
from leantopics.baselines.stc import SparseTopicalCoding
from leantopics.engine.threads import Inline

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
WEIGHTS = [(0.3, 1.0, 0.01), (0.01, 0.01, 0.1), (1.0, 10.0, 0.001), (0.0, 0.1, 0.0)]


def quick(n_topics=4, **settings):
    return SparseTopicalCoding(n_topics, **{"random_state": 0, **settings})


def given(weights):
    names = ("document_penalty", "coupling", "word_penalty")
    return dict(zip(names, weights, strict=True))


@pytest.fixture(scope="module")
def model(corpus):
    return quick(max_topics=6, step=1).fit(corpus)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_objective_never_rises(weights, corpus):
    """Not at any half of any iteration, as recounted from scratch."""
    weights = Weights(*weights)
    dense, data = corpus.counts.toarray(), stc_fit.prepare(corpus.counts)
    seen = np.asarray(corpus.counts.sum(axis=0)).ravel() > 0
    dictionary = stc_start.seeded(corpus.counts, 4, 5, np.random.RandomState(0))
    codes = stc_fit.no_codes(data.shards, 4)
    stc_fit.code(data.shards, dictionary, weights, codes, Inline())
    values = []
    for _ in range(15):
        args = (corpus.counts, codes.theta, codes.ratio, dictionary, weights)
        s = twin.word_codes(*args)
        values.append(twin.objective(dense, codes.theta, s, dictionary, weights))
        assert values[-1] == pytest.approx(codes.objective.sum())
        dictionary = stc_fit.improve(data, dictionary, weights, codes, Inline())
        assert np.all(dictionary[seen].max(axis=1) > 0.0)
        values.append(twin.objective(dense, codes.theta, s, dictionary, weights))
        stc_fit.code(data.shards, dictionary, weights, codes, Inline(), steps=1)
    assert np.diff(values).max() <= 1e-10 * np.abs(values).max()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_history_goes_down_to_the_objective(weights, corpus):
    model = quick(**given(weights)).fit(corpus)
    values = [step.objective for step in model.history_] + [model.objective_]
    assert np.diff(values).max() <= 1e-10 * np.abs(values).max()
    words = corpus.counts.sum()
    assert model.converged_
    assert values[-3] - values[-2] <= model.tol * words
    assert model.path_[0]["objective"] == model.objective_
    assert model.weights_ == given(weights)


def test_new_documents_are_coded_as_the_old_ones(model, corpus):
    """From no code at all to the same optimum."""
    found = model.score(corpus)
    assert found == pytest.approx(-model.objective_ / corpus.n_tokens, abs=1e-6)
    np.testing.assert_allclose(
        model.transform(corpus), model.topic_proportions_, atol=0.02
    )
    each = [model.score(corpus.counts[[d]]) for d in range(5)]
    lengths = np.asarray(corpus.counts[:5].sum(axis=1)).ravel()
    assert model.score(corpus.counts[:5]) == pytest.approx(
        np.average(each, weights=lengths)
    )


def test_proportions_are_codes_scaled(model):
    total = model.document_codes_.sum(axis=1, keepdims=True)
    assert total.min() > 0.0
    np.testing.assert_allclose(model.topic_proportions_, model.document_codes_ / total)
    assert model.at(6).document_codes_.shape == (len(total), 6)


def test_a_code_of_zero_has_all_topics_alike(corpus):
    model = quick(document_penalty=1000.0).fit(corpus)
    assert not model.document_codes_.any()
    assert np.all(model.topic_proportions_ == 0.25)
    assert np.all(model.transform(corpus) == 0.25)
    assert model.topics_present_.any(axis=1).all()


def test_planted_topics_are_found():
    corpus, main = planted(300, 5, 10, 80, seed=3, share=0.0)
    model = quick(5, max_topics=8, step=1).fit(corpus)
    truth = np.kron(np.eye(5), np.full(10, 0.1))
    truth = np.hstack((truth, np.zeros((5, corpus.n_words - 50))))
    overlap = np.minimum(truth[:, None], model.components_).sum(axis=2)
    assert np.all(overlap.max(axis=1) > 0.85)
    assert len(set(overlap.argmax(axis=1))) == 5
    best = overlap.argmax(axis=1)[main]
    assert np.mean(model.topic_proportions_.argmax(axis=1) == best) > 0.97
    assert (model.components_ == 0.0).mean() > 0.5
    assert model.path_[0]["topics_per_document"] < 3.0


def test_fewer_topics_go_on_from_more(corpus):
    """The most massive topics stay; an order costs less than one from scratch."""
    model = quick(5, max_topics=6, step=1).fit(corpus)
    warm, scratch = model.at(5), quick(5).fit(corpus)
    assert warm.n_iter_ < scratch.n_iter_
    kept = np.minimum(model.at(6).components_[:5, None], warm.components_)
    assert np.all(kept.sum(axis=2).max(axis=1) > 0.5)
    assert warm.objective_ > model.at(6).objective_


def test_words_that_lose_all_their_topics_find_others():
    """Each topic alone has a word; whatever goes, no word is left without a topic."""
    counts = np.kron(np.eye(6), np.full((5, 2), 4.0))
    counts[:5] *= 5.0
    model = quick(1, max_topics=6, step=1).fit(counts)
    for row in model.path_:
        other = model.at(row["n_topics"])
        assert np.all(other.components_.max(axis=0) > 0.0)
        assert np.isfinite(other.objective_)


def test_the_choice_of_penalties(corpus):
    lists = {"document_penalty": [0.1, 50.0], "word_penalty": [0.01, 5.0]}
    model = quick(4, max_topics=6, step=2, **lists).fit(corpus)
    points = [(p["document_penalty"], p["word_penalty"]) for p in model.tried_]
    assert points == [(0.1, 0.01), (0.1, 5.0), (50.0, 0.01), (50.0, 5.0)]
    best = max(model.tried_, key=lambda point: point["score"])
    assert model.weights_ == {name: best[name] for name in model.weights_}
    assert model.weights_ == given((0.1, 1.0, 0.01))
    assert all(point["score"] < 0.0 for point in model.tried_)
    assert model.at(6).weights_ == model.weights_
    assert model.at(6).tried_ == model.tried_
    assert {step.n_topics for step in model.history_} == {6, 4}


def test_the_choice_survives_saving_and_threads(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("leantopics.models.shards.SHARD_ENTRIES", 300)
    one, two = (quick(3, coupling=[0.1, 1.0], n_jobs=n).fit(corpus) for n in (1, 2))
    assert one.tried_ == two.tried_
    assert np.array_equal(one.document_codes_, two.document_codes_)
    one.save(tmp_path / "m")
    loaded = SparseTopicalCoding.load(tmp_path / "m")
    assert loaded.tried_ == one.tried_
    assert loaded.weights_ == one.weights_
    assert np.array_equal(loaded.document_codes_, one.document_codes_)
    assert loaded.coupling == [0.1, 1.0]


def test_nothing_to_choose_tries_nothing(model):
    assert model.tried_ == []
    assert model.weights_ == given((0.3, 1.0, 0.01))


def test_the_grid_has_27_points(corpus):
    model = quick(3, max_iter=3, **stc_grid.GRID).fit(corpus)
    assert len(model.tried_) == 27
    assert len({tuple(point.values())[:3] for point in model.tried_}) == 27


def test_a_widened_grid_has_the_best_inside(corpus):
    lists = {"document_penalty": [5.0, 50.0], "word_penalty": [0.5, 5.0]}
    model = quick(4, max_iter=5, widen=True, **lists).fit(corpus)
    for name, start in lists.items():
        values = sorted({point[name] for point in model.tried_})
        assert set(start) <= set(values)
        least, most = stc_grid.LIMITS
        best = model.weights_[name]
        assert best > values[0] or best / 10.0 < least
        assert best < values[-1] or best * 10.0 > most
    assert {point["coupling"] for point in model.tried_} == {1.0}
    scores = [point["score"] for point in model.tried_]
    chosen = next(
        point["score"]
        for point in model.tried_
        if all(point[name] == value for name, value in model.weights_.items())
    )
    assert chosen == max(scores)


def test_widen_is_yes_or_no(corpus):
    with pytest.raises(ValueError, match="widen must be True or False"):
        SparseTopicalCoding(2, widen="yes").fit(corpus)


def test_validation_scores_hidden_halves_of_other_documents(corpus, monkeypatch):
    """A fifth validates; the halves share no word; the score is that of a twin."""
    seen = {}
    plain = stc_grid.log_likelihood

    def spied(hidden, proportions, table):
        seen.update(hidden=hidden, proportions=proportions, table=table)
        return plain(hidden, proportions, table)

    monkeypatch.setattr(stc_grid, "log_likelihood", spied)
    tried = stc_grid.try_grid(
        corpus.counts,
        4,
        [[0.3], [1.0], [0.01]],
        False,
        stc_fit.Settings(20, 1e-4),
        5,
        np.random.RandomState(0),
        Inline(),
    )
    hidden = seen["hidden"].toarray()
    assert len(hidden) == 24
    rows = corpus.counts.toarray()
    rest = rows[[next(d for d, r in enumerate(rows) if _holds(r, h)) for h in hidden]]
    occurs, kept = (rest > 0).sum(axis=1), (hidden > 0).sum(axis=1)
    assert np.array_equal(kept, occurs // 2)
    np.testing.assert_allclose(seen["table"].sum(axis=1), 1.0)
    chance = np.log(seen["proportions"] @ seen["table"])
    assert tried[0, -1] == pytest.approx((hidden * chance).sum() / hidden.sum())


def _holds(row, half):
    """Whether a document may be the one that a half is of."""
    return np.all((half == 0) | (half == row)) and half.any()


def test_too_little_to_choose_from():
    counts = sparse.csr_array(np.eye(6))
    with pytest.raises(
        ValueError, match=r"two words or more.* Got too few.*set document_penalty"
    ):
        quick(2, coupling=[0.1, 1.0]).fit(counts)
    assert quick(2).fit(counts).n_topics_ == 2


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("document_penalty", [-1.0, "grid", None, np.inf, []]),
        ("coupling", [0.0, -1.0, [1.0, 0.0], []]),
        ("word_penalty", [-0.1, [0.1, "x"], np.nan]),
        ("init_docs", [0, 1.5]),
    ],
)
def test_parameters_that_make_no_sense(name, values, corpus):
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name} must .*Got .* instead"):
            quick(**{name: value}).fit(corpus)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6, 1e96])
def test_counts_of_any_size(scale, corpus):
    counts = scale * corpus.counts.toarray()
    model = quick(3, max_iter=20).fit(counts)
    assert np.isfinite(model.objective_)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    assert np.isfinite(model.transform(counts)).all()
