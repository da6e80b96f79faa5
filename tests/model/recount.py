"""What a fitted model says about itself, as dense arrays."""

import numpy as np
from scipy.special import digamma
from tests import reference

TRACE = 1e-6
ARRAYS = ("shared_word_prob_", "topic_mass_", "n_salient_words_")
SPARSE = ("topic_proportions_", "salient_word_prob_", "salience_")
SCALARS = (
    "n_topics_",
    "bic_",
    "bic_terms_",
    "log_likelihood_",
    "word_prior_",
    "vocabulary_",
    "n_iter_",
    "converged_",
    "stop_reason_",
    "n_features_in_",
)


def pattern(matrix):
    """Which entries of a sparse matrix are stored, zeros among them."""
    out = np.zeros(matrix.shape, dtype=bool)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    out[rows, matrix.indices] = True
    return out


def dense(model, counts):
    """Counts without empty documents, and the model in the form of the reference."""
    counts = counts.toarray() if hasattr(counts, "toarray") else np.asarray(counts)
    counts = counts.astype(float)
    filled = counts.sum(axis=1) > 0
    return counts[filled], reference.Model(
        model.topic_proportions_.toarray()[filled],
        pattern(model.topic_proportions_)[filled],
        model.salient_word_prob_.toarray(),
        pattern(model.salient_word_prob_),
        model.shared_word_prob_,
    )


def evidence(model, counts):
    """What the counts of a dense matrix are worth under the Polya distribution."""
    if np.isinf(model.burstiness_):
        return counts
    mean = np.where(model.word_frequency_ > 0, model.word_frequency_, 1.0)
    mean = mean * model.burstiness_
    return np.minimum(counts, mean * (digamma(mean + counts) - digamma(mean)))


def assert_bic_is_right(model, counts):
    """Every term of BIC, recomputed from the public attributes alone."""
    counts, arrays = dense(model, counts)
    terms = reference.bic_terms(
        evidence(model, counts), arrays, exact=model.word_prior_ == "exact"
    )
    assert list(model.bic_terms_) == list(terms)
    for name, value in terms.items():
        assert np.isclose(model.bic_terms_[name], value, rtol=1e-6, atol=1e-6), name
    total = sum(model.bic_terms_.values())
    assert np.isclose(model.bic_, total, rtol=1e-12, atol=1e-9)
    assert np.isclose(model.bic_, sum(terms.values()), rtol=1e-6, atol=1e-5)
    assert model.log_likelihood_ == -model.bic_terms_["neg_log_likelihood"]


def assert_sound(model, counts):
    """No NaN, distributions sum to one, switches keep their least numbers."""
    for name in ARRAYS:
        assert np.all(np.isfinite(getattr(model, name))), name
    for name in SPARSE:
        assert np.all(np.isfinite(getattr(model, name).data)), name
    for rows in (model.components_, model.topic_proportions_.toarray()):
        assert np.all(rows >= 0)
        assert np.allclose(rows.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    found = model.transform(counts)
    assert np.all(found >= 0)
    assert np.allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    assert np.isfinite(model.score(counts))
    shares = model.shared_share(counts)
    assert np.all((shares >= 0) & (shares <= 1))
    assert model.n_salient_words_.min() >= 1
    assert np.all(np.diff(model.topic_proportions_.indptr) >= 1)
    assert np.all(pattern(model.topic_proportions_).any(axis=0))
    assert np.all(np.diff(model.topic_mass_) <= 0)
    assert np.isclose(model.topic_mass_.sum(), 1.0)
    assert_bic_is_right(model, counts)


def assert_same_fit(a, b):
    """Two models agree in every bit, whatever they were fitted to or loaded from."""
    for name in SCALARS:
        assert getattr(a, name) == getattr(b, name), name
    for name in ARRAYS:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in SPARSE:
        assert_same_sparse(getattr(a, name), getattr(b, name))
    assert [timeless(row) for row in a.path_] == [timeless(row) for row in b.path_]
    steps = [[timeless(step._asdict()) for step in m.history_] for m in (a, b)]
    assert steps[0] == steps[1]


def assert_same_sparse(a, b):
    assert a.shape == b.shape
    for part in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(a, part), getattr(b, part)), part


def timeless(row):
    return {key: value for key, value in row.items() if key != "seconds"}


def scored_topics(model):
    """Word distributions that new documents meet: with a trace of the shared model."""
    return (1 - TRACE) * model.components_ + TRACE * model.shared_word_prob_


def document_log_likelihoods(model, counts, proportions):
    """Log-likelihood of each document at given proportions, known words only."""
    known = model.shared_word_prob_ > 0
    p = proportions @ scored_topics(model)[:, known]
    c = counts[:, known]
    return np.where(c > 0, c * np.log(np.where(c > 0, p, 1.0)), 0.0).sum(axis=1)
