"""Verifying a saved model: everything computed again from its arrays and documents.

This is plain NumPy on purpose, and shares no code with the fit: an audit that used the
kernels could repeat their faults.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import digamma

from leantopics._arrays import Floats
from leantopics.analysis.certificate import Fit, log_choose, topic_flips, word_flips
from leantopics.corpus import Corpus

RELATIVE, SUMS = 1e-6, 1e-9
"""Tolerances of BIC and its terms, and of sums to one."""
NATS = 1e-3
"""A switch pays, in the sense of the certificate, if it lowers BIC by more than that.

Fits stop at 1e-6 nats, but proportions have a gap of their own.
"""


class Check(NamedTuple):
    """One thing that a model states or promises."""

    check: str
    holds: bool
    stated: float | None
    """What the model says."""
    found: float | None
    """What it should be."""
    note: str


def verify(model: Any, corpus: Corpus) -> list[Check]:
    """Compute likelihood, BIC and certificate of a model from scratch.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model; of a model with finer topics, these are verified, too.
    corpus : Corpus
        The documents of the fit.

    Returns
    -------
    list of Check

    Raises
    ------
    ValueError
        If these are not the documents of the fit.

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus
    >>> corpus, _ = make_corpus(100, 80, 3, boost=5)
    >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
    >>> all(check.holds for check in verify(model, corpus))
    True
    """
    if not hasattr(model, "bic_terms_") or not hasattr(model, "salient_word_prob_"):
        raise ValueError(
            f"A model of class {type(model).__name__} states no BIC that could be "
            "verified: give a ParsimoniousTopicModel."
        )
    if not model.is_fitted_to(corpus):
        raise ValueError(
            "To verify a model, its documents must be those of the fit, in the same "
            "order, but the checksum of their counts differs."
        )
    counts = corpus.align(model.vocabulary_).counts
    checks = [Check("fingerprint", True, None, None, "the documents of the fit")]
    levels = [("", model)]
    if getattr(model, "finer_", None) is not None:
        levels.append(("finer ", model.finer_))
    for prefix, each in levels:
        found = _level(each, counts)
        checks += [check._replace(check=prefix + check.check) for check in found]
    return checks


def _level(model: Any, counts: sparse.csr_array) -> Iterator[Check]:
    filled = np.flatnonzero(np.diff(counts.indptr) > 0)
    if model.topic_proportions_.shape[0] != counts.shape[0]:
        raise ValueError("The model has topics for another number of documents.")
    counts = counts[filled].astype(np.float64)
    if np.isfinite(model.burstiness_):
        best, stated = best_concentration(counts), float(model.burstiness_)
        yield _near("burstiness", stated, best, 1e-4, "the most likely concentration")
    worth = effective_again(counts, model.burstiness_)
    fit = _fit(model, worth, model.topic_proportions_[filled])
    yield from _shared(model, worth)
    yield from _sums(fit)
    terms = _terms(model, fit)
    for name, value in terms.items():
        yield _near(name, model.bic_terms_[name], value, RELATIVE, "a term of BIC")
    likely, bic = fit.log_likelihood(), sum(terms.values())
    yield _near("log_likelihood", model.log_likelihood_, likely, RELATIVE, "")
    yield _near("bic", model.bic_, bic, RELATIVE, "the sum of its terms")
    if not model.converged_:
        note = f"not promised: the fit ended with {model.stop_reason_!r}"
        yield Check("certificate", True, None, None, note)
        return
    for name, found in (
        ("word switches", word_flips(fit, _held_words(model))),
        ("topic switches", topic_flips(fit, _held_documents(model))),
    ):
        note = f"{found.tried:,} tried; the best one lowers BIC by at most the found"
        holds = found.best <= NATS
        yield Check(f"certificate: {name}", holds, 0.0, max(found.best, 0.0), note)


def _near(name: str, stated: float, found: float, relative: float, note: str) -> Check:
    scale = max(1.0, abs(found))
    holds = bool(np.isfinite(stated)) and abs(stated - found) <= relative * scale
    return Check(name, holds, float(stated), float(found), note)


def _fit(model: Any, worth: sparse.csr_array, alpha: sparse.csr_array) -> Fit:
    """The arrays that a fit consists of, of documents that have words."""
    weight = 1.0
    if model.procedure == "published":
        weight = float(np.log(2.0)) / model.n_topics_
    return Fit(
        worth,
        sparse.csr_array(alpha),
        sparse.csr_array(model.salient_word_prob_),
        np.asarray(model.shared_word_prob_),
        model.word_prior_ == "exact",
        weight,
    )


def _shared(model: Any, worth: sparse.csr_array) -> Iterator[Check]:
    if model.shared == "learned":
        return
    gap = float(np.abs(frequencies(worth) - model.shared_word_prob_).max())
    yield Check("shared model", gap <= SUMS, 0.0, gap, "word frequencies")


def _sums(fit: Fit) -> Iterator[Check]:
    taken = sparse.csr_array(
        (fit.beta0[fit.beta.indices], fit.beta.indices, fit.beta.indptr), fit.beta.shape
    )
    of_words = fit.beta.sum(axis=1) + (1.0 - taken.sum(axis=1))
    for name, matrix, sums in (
        ("proportions sum to 1", fit.alpha, fit.alpha.sum(axis=1)),
        ("words of topics sum to 1", fit.beta, of_words),
    ):
        gap = float(np.abs(sums - 1.0).max())
        sound = (matrix.data >= 0.0).all() and (np.diff(matrix.indptr) > 0).all()
        yield Check(name, gap <= SUMS and bool(sound), 0.0, gap, "")


def _terms(model: Any, fit: Fit) -> dict[str, float]:
    """The terms of (bic), as the paper writes them."""
    n_docs, n_topics = fit.alpha.shape
    n_words = fit.beta.shape[1]
    m = np.diff(fit.alpha.indptr).astype(np.float64)
    choose = log_choose(n_topics)[np.diff(fit.alpha.indptr)]
    switches = n_topics * n_words
    constant = 0.0 if fit.exact else -0.5 * float(np.log(switches))
    salient = np.diff(fit.beta.indptr)
    return {
        "topic_switches": n_docs * float(np.log(n_topics)) + float(choose.sum()),
        "word_switches": fit.switch_cost(float(salient.sum())),
        "word_switches_constant": constant,
        "proportions": 0.5
        * float(((m - 1.0) * np.log(fit.length / (2 * np.pi))).sum()),
        "word_probabilities": 0.5
        * float((salient * np.log(fit.tokens() / (2 * np.pi))).sum()),
        "neg_log_likelihood": -fit.log_likelihood(),
    }


def _held_words(model: Any) -> dict[int, set[int]]:
    """Words whose switches are held, by hand or by a guide, whatever they cost."""
    place = {word: n for n, word in enumerate(model.vocabulary_)}
    held = {j: {place[w] for w in words} for j, words in model.pinned_words_.items()}
    number = {name: j for j, name in enumerate(model.topic_names)}
    for row in model.guide_costs_:
        if row["belief"] == "not word" and row["held"] and row["topic"] in number:
            held.setdefault(number[row["topic"]], set()).add(place[row["what"]])
    return held


def _held_documents(model: Any) -> set[int]:
    """Documents whose topics a guide holds, by number among those with words."""
    number = np.cumsum(model._filled) - 1
    rows: set[int] = set()
    for row in model.guide_costs_:
        if row["held"] and row["belief"] == "document":
            rows.add(row["what"])
        elif row["held"] and row["belief"] in ("together", "apart"):
            rows.update(row["what"])
    return {int(number[row]) for row in rows}


def frequencies(counts: sparse.csr_array) -> Floats:
    """(N,): share of each word among all words."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    shares: Floats = totals / totals.sum()
    return shares


def effective_again(counts: sparse.csr_array, s: float) -> sparse.csr_array:
    """``s p (psi(s p + c) - psi(s p))`` for each count c, at most c.

    Examples
    --------
    >>> counts = sparse.csr_array([[1.0, 4.0], [3.0, 2.0]])
    >>> effective_again(counts, 10.0).toarray().round(2)
    array([[1.  , 3.27],
           [2.47, 1.86]])
    """
    if np.isinf(s):
        return counts
    mean = s * frequencies(counts)[counts.indices]
    worth = mean * (digamma(mean + counts.data) - digamma(mean))
    arrays = (np.minimum(worth, counts.data), counts.indices, counts.indptr)
    return sparse.csr_array(arrays, shape=counts.shape)


def best_concentration(counts: sparse.csr_array) -> float:
    """The concentration of the Polya distribution that makes documents most likely."""
    p = frequencies(counts)[counts.indices]
    length = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()

    def slope(log_s: float) -> float:
        s = float(np.exp(log_s))
        documents = digamma(s) - digamma(s + length)
        words = p * (digamma(s * p + counts.data) - digamma(s * p))
        return s * float(documents.sum() + words.sum())

    low, high = float(np.log(1e-3)), float(np.log(1e6))
    if slope(high) >= 0.0:
        return float(np.inf)
    if slope(low) <= 0.0:
        return 1e-3
    return float(np.exp(brentq(slope, low, high, xtol=1e-9)))


def summary(checks: list[Check]) -> str:
    """Say in one sentence what holds.

    Examples
    --------
    >>> summary([Check("bic", True, 1.0, 1.0, ""), Check("sums", False, 0.0, 1.0, "")])
    '1 of 2 checks does not hold: sums.'
    """
    failed = [check.check for check in checks if not check.holds]
    if not failed:
        return f"All {len(checks)} checks hold."
    verb = "does" if len(failed) == 1 else "do"
    names = ", ".join(failed)
    return f"{len(failed)} of {len(checks)} checks {verb} not hold: {names}."
