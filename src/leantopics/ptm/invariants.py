"""Verifying a fit: its invariants, and its BIC computed from scratch."""

from collections.abc import Iterator

import numpy as np

from leantopics._arrays import Longs
from leantopics._words import counted
from leantopics.engine.threads import Engine
from leantopics.ptm import em
from leantopics.ptm.objective import WordPrior, total
from leantopics.ptm.state import DocState, Documents, row_sums

SUMS, BIC = 1e-9, 1e-6
"""Tolerances of sums to one, and of BIC relative to the recomputed one."""


def check(fitted: em.Fit, prior: WordPrior, workers: Engine) -> None:
    """Refuse a fit that breaks an invariant; this costs less than an iteration.

    Every number is finite. The topics of every document and the words of every topic
    sum to one. Every document has a topic, every topic a document and a salient word.
    BIC recomputed from the documents and the parameters alone is that of the fit. A
    `RuntimeError` names the first fault, which is a bug and never due to the input.
    """
    for fault in _faults(fitted, prior, workers):
        raise RuntimeError(
            f"The fit of {counted(fitted.parameters.n_topics, 'topic')} is not sound: "
            f"{fault}; please report this with the data."
        )


def _faults(fitted: em.Fit, prior: WordPrior, workers: Engine) -> Iterator[str]:
    data, (salient, topics) = fitted.data, fitted.parameters
    n_topics, beta0 = salient.n_topics, data.shared.beta0
    size = np.diff(salient.indptr)
    if not (size >= 1).all():
        yield f"topic {int(np.argmin(size))} has no salient word"
    looked = workers.read(_look, data.groups, topics, n_topics)
    first = 0
    for (faults, _), sizes in zip(looked, data.sizes, strict=True):
        yield from (fault.format(first + d) for fault, d in faults)
        first += sum(sizes)
    n_docs = np.sum([present for _, present in looked], axis=0)
    if not (n_docs >= 1).all():
        yield f"topic {int(np.argmin(n_docs))} has no document"
    excess = salient.excess
    if not (np.isfinite(excess).all() and (excess >= -1.0 - SUMS).all()):
        yield "a word probability is negative or not a number"
    # sum_n beta[j, n] = 1 + sum over salient words of beta0 * excess
    surplus = row_sums(salient.indptr, beta0[salient.word] * excess)
    scale = 1.0 + row_sums(salient.indptr, beta0[salient.word] * np.abs(excess))
    if not (np.abs(surplus) <= SUMS * scale).all():
        worst = int(np.argmax(np.abs(surplus)))
        yield f"the words of topic {worst} sum to {1.0 + surplus[worst]}"
    again = em.given(data, fitted.parameters, prior, workers)
    stated, true = total(fitted.terms), total(again.terms)
    if not (np.isfinite(stated) and abs(stated - true) <= BIC * max(1.0, abs(true))):
        yield f"its BIC is {stated}, but {true} when recomputed"


def _look(
    group: Documents, topics: DocState, workers: Engine, n_topics: int
) -> tuple[list[tuple[str, int]], Longs]:
    """Faults of documents, as a sentence and a number, and the documents of topics."""
    faults, first = [], 0
    present = np.zeros(n_topics, dtype=np.int64)
    for mix in topics.mixes:
        here = np.diff(mix.indptr)
        if not (here >= 1).all():
            faults.append(("document {} has no topic", first + int(np.argmin(here))))
        if not (np.isfinite(mix.alpha).all() and (mix.alpha >= 0).all()):
            faults.append(("a proportion is negative or not a number", first))
        sums = row_sums(mix.indptr, mix.alpha)
        if not np.allclose(sums, 1.0, rtol=0, atol=SUMS):
            worst = int(np.argmax(np.abs(sums - 1.0)))
            fault = f"the topics of document {{}} sum to {sums[worst]}"
            faults.append((fault, first + worst))
        present += np.bincount(mix.topic, minlength=n_topics)
        first += len(here)
    return faults, present
