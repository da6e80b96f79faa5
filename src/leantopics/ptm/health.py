"""Whether a fit is what it says: its invariants, and its BIC computed from scratch."""

from collections.abc import Iterator

import numpy as np

from leantopics.ptm import em
from leantopics.ptm.kernels.arrays import Floats, Longs
from leantopics.ptm.objective import BicTerms, WordPrior, total

SUMS, BIC = 1e-9, 1e-6
"""Tolerances: of sums to one, and of BIC relative to the recomputed one."""


def check(fitted: em.Fit, prior: WordPrior) -> None:
    """Refuse a fit that breaks an invariant; costs less than an iteration.

    Every number is finite, the topics of every document and the words of every topic
    sum to one, every document has a topic, every topic a document and a salient word,
    and BIC recomputed from the documents and the parameters alone is that of the fit.

    Parameters
    ----------
    fitted : Fit
        What `em.fit` or `em.given` returned.
    prior : WordPrior
        Form of the word-switch cost that it was fitted with.

    Raises
    ------
    RuntimeError
        That names the first fault: a bug, never a matter of the input.
    """
    for fault in _faults(fitted, prior):
        raise RuntimeError(
            f"The fit of {fitted.parameters.n_topics} topics is not sound: {fault}; "
            "please report this with the data."
        )


def _faults(fitted: em.Fit, prior: WordPrior) -> Iterator[str]:
    salient, mixes = fitted.parameters
    n_topics, beta0 = salient.n_topics, fitted.data.shared.beta0
    size = np.diff(salient.indptr)
    if not (size >= 1).all():
        yield f"topic {int(np.argmin(size))} has no salient word"
    n_docs, first = np.zeros(n_topics, dtype=np.int64), 0
    for mix in mixes:
        here = np.diff(mix.indptr)
        if not (here >= 1).all():
            yield f"document {first + int(np.argmin(here))} has no topic"
        if not (np.isfinite(mix.alpha).all() and (mix.alpha >= 0).all()):
            yield "a proportion is negative or no number"
        sums = _sums(mix.indptr, mix.alpha)
        if not np.allclose(sums, 1.0, rtol=0, atol=SUMS):
            worst = int(np.argmax(np.abs(sums - 1.0)))
            yield f"the topics of document {first + worst} sum to {sums[worst]}"
        n_docs += np.bincount(mix.topic, minlength=n_topics)
        first += len(here)
    if not (n_docs >= 1).all():
        yield f"topic {int(np.argmin(n_docs))} has no document"
    excess = salient.excess
    if not (np.isfinite(excess).all() and (excess >= -1.0 - SUMS).all()):
        yield "a word probability is negative or no number"
    # sum_n beta[j, n] = 1 + sum over salient words of beta0 * excess
    surplus = _sums(salient.indptr, beta0[salient.word] * excess)
    scale = 1.0 + _sums(salient.indptr, beta0[salient.word] * np.abs(excess))
    if not (np.abs(surplus) <= SUMS * scale).all():
        worst = int(np.argmax(np.abs(surplus)))
        yield f"the words of topic {worst} sum to {1.0 + surplus[worst]}"
    said, true = total(fitted.terms), total(_from_scratch(fitted, prior))
    if not (np.isfinite(said) and abs(said - true) <= BIC * max(1.0, abs(true))):
        yield f"its BIC is {said}, but recomputed {true}"


def _from_scratch(fitted: em.Fit, prior: WordPrior) -> BicTerms:
    """Terms of BIC by nothing but documents and parameters."""
    return em.given(fitted.data, fitted.parameters, prior).terms


def _sums(indptr: Longs, values: Floats) -> Floats:
    """Sums of the rows of a ragged array, 0 for empty ones."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    sums = np.bincount(row, values, minlength=len(indptr) - 1)
    return sums.astype(np.float64)
