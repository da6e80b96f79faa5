"""Generalised EM at one number of topics: the loop, on one screen."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from leantopics.engine import Engine, Inline
from leantopics.ptm.kernels.arrays import Floats, Longs, Mixes, Prices, Salient
from leantopics.ptm.objective import BicTerms, WordPrior, bic_terms, total
from leantopics.ptm.state import (
    Data,
    Parameters,
    prices,
    salient_scale,
    topics_in_doc,
    word_major,
)
from leantopics.ptm.switches import (
    Look,
    Memory,
    Pinned,
    e_step,
    expected_counts,
    first_look,
    topic_pass,
    word_pass,
)


class Iteration(NamedTuple):
    """What one iteration did; ``objective`` is what it descends."""

    n_topics: int
    iteration: int
    bic: float
    objective: float
    log_likelihood: float
    word_flips: int
    topic_flips: int
    seconds: float


class Fit(NamedTuple):
    """A fitted order."""

    data: Data
    """The documents, with the shared model of this order."""
    parameters: Parameters
    mu: Floats
    """X_j / S_j of (muj) at these parameters."""
    look: Look
    terms: BicTerms
    history: list[Iteration]
    converged: bool
    stop_reason: str
    tallies: Longs


def _terms(
    data: Data,
    salient: Salient,
    mixes: list[Mixes],
    cost: Prices,
    gain: list[Floats],
    prior: WordPrior,
) -> BicTerms:
    return bic_terms(
        doc_length=np.concatenate(data.doc_length),
        topics_in_doc=topics_in_doc(mixes),
        salient_in_topic=np.diff(salient.indptr),
        tokens_in_topic=cost.tokens,
        n_words=data.n_words,
        log_likelihood=data.base_log_likelihood + sum(float(g.sum()) for g in gain),
        word_prior=prior,
    )


def given(data: Data, parameters: Parameters, prior: WordPrior) -> Fit:
    """A state made elsewhere, as it is: its statistics and terms."""
    salient, mixes = parameters
    split, gain = e_step(data, mixes, salient, Inline())
    n_topics = salient.n_topics
    counts = expected_counts(data, mixes, split, n_topics, Inline(), Memory())
    terms = _terms(data, salient, mixes, prices(data, parameters), gain, prior)
    bic = total(terms)
    record = Iteration(n_topics, 0, bic, bic, -terms.neg_log_likelihood, 0, 0, 0.0)
    mu = salient_scale(salient, counts, data.shared.beta0)
    tallies = np.zeros(4, dtype=np.int64)
    look = first_look(gain)
    return Fit(data, parameters, mu, look, terms, [record], False, "given", tallies)


def fit(
    data: Data,
    parameters: Parameters,
    prior: WordPrior,
    workers: Engine,
    memory: Memory,
    *,
    tol: float,
    max_iter: int,
    max_cycles: int,
    certify: bool = True,
    quiet: list[Floats] | None = None,
    earlier: Sequence[Iteration] = (),
    pinned: Pinned | None = None,
    report: Callable[[Iteration], object] = lambda iteration: None,
) -> Fit:
    """Lower BIC from ``parameters`` until nothing can be gained.

    E-step (pz); M-step (pj, muj) with word switches; proportions (alphaupdate) with
    topic switches; back to the E-step. Ends when BIC fell by less than ``tol`` times
    itself and the topics of at most one document in 150 changed; if it has to
    ``certify``, when every document has been looked at and no switch of words or topics
    pays at its exact price; when ``report``, which is told of each iteration, answers
    True; or after ``max_iter`` iterations, the ``earlier`` ones at this order included.
    Documents that are ``quiet`` from a fit before are left alone; see `visit`. Words
    that are ``pinned`` stay salient.
    """
    salient = parameters.salient
    mixes = [mix._replace(alpha=mix.alpha.copy()) for mix in parameters.mixes]
    n_topics = salient.n_topics
    split, gain = e_step(data, mixes, salient, workers)
    counts = expected_counts(data, mixes, split, n_topics, workers, memory)
    look = first_look(gain) if quiet is None else Look(gain, quiet)
    cost = prices(data, parameters)
    history = list(earlier)
    tallies = np.zeros(4, dtype=np.int64)
    objective, fell, topic_flips, thorough = np.inf, False, 0, False
    spent = earlier[-1].seconds if earlier else 0.0
    few = 0 if certify else max(1, data.n_docs // 150)
    stop_reason = "max_iter"
    start = time.perf_counter() - spent
    while len(history) < max_iter:
        new, word_flips = word_pass(
            data, counts, cost.tokens, salient, prior, max_cycles, workers, pinned
        )
        settled = fell and topic_flips <= few
        if settled and (not certify or (thorough and word_flips == 0)):
            stop_reason = "converged" if certify else "tol"
            break
        salient = new
        table = word_major(salient, data.n_words)
        cost = prices(data, Parameters(salient, mixes))
        thorough = certify and fell
        if thorough:
            look = first_look(look.gain)
        mixes, split, topic_flips, trials = topic_pass(
            data, mixes, salient, table, cost, look, workers
        )
        tallies += trials
        counts = expected_counts(data, mixes, split, n_topics, workers, memory)
        terms = _terms(data, salient, mixes, cost, look.gain, prior)
        before, objective = objective, total(terms, prior.weight)
        fell = before - objective <= tol * abs(objective)
        history.append(
            Iteration(
                n_topics,
                len(history) + 1,
                total(terms),
                objective,
                -terms.neg_log_likelihood,
                word_flips,
                topic_flips,
                time.perf_counter() - start,
            )
        )
        if report(history[-1]) is True:
            stop_reason = "callback"
            break
    return Fit(
        data,
        Parameters(salient, mixes),
        salient_scale(salient, counts, data.shared.beta0),
        look,
        terms,
        history,
        stop_reason == "converged",
        stop_reason,
        tallies,
    )
