"""Generalised EM at one number of topics: the loop, on one screen."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm.group_tasks import (
    TopicCounts,
    expect,
    expected,
    prices,
    recount,
    settle,
)
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.objective import BicTerms, WordPrior, bic_terms, total
from leantopics.ptm.state import Data, Parameters, salient_scale, word_major
from leantopics.ptm.updates import Pinned, topic_pass, word_pass


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


class State(NamedTuple):
    """All that the next iteration goes on from, to the bit."""

    salient: Salient
    topics: list[Any]
    """What is known of the documents, by group."""
    history: list[Iteration]
    tallies: Longs
    fell: bool
    """Whether BIC fell by less than the tolerance."""
    topic_flips: int
    thorough: bool
    """Whether every document was looked at."""


class Fit(NamedTuple):
    """A fitted order."""

    data: Data
    """The documents, with the shared model of this order."""
    parameters: Parameters
    mu: Floats
    """X_j / S_j of (muj) at these parameters."""
    terms: BicTerms
    history: list[Iteration]
    converged: bool
    stop_reason: str
    tallies: Longs


def _terms(
    data: Data, salient: Salient, census: TopicCounts, prior: WordPrior
) -> BicTerms:
    return bic_terms(
        with_topics=census.with_topics,
        proportions=sum(census.proportions),
        salient_in_topic=np.diff(salient.indptr),
        tokens_in_topic=census.tokens,
        n_words=data.n_words,
        log_likelihood=data.base_log_likelihood + sum(census.gain),
        word_prior=prior,
    )


def given(data: Data, parameters: Parameters, prior: WordPrior, workers: Engine) -> Fit:
    """A state made elsewhere, as it is: its statistics and terms."""
    salient, topics = parameters
    shared = (salient, data.n_words, False)
    topics, census, counts = expected(expect, data, topics, workers, *shared)
    n_topics = salient.n_topics
    terms = _terms(data, salient, census, prior)
    bic = total(terms)
    record = Iteration(n_topics, 0, bic, bic, -terms.neg_log_likelihood, 0, 0, 0.0)
    mu = salient_scale(salient, counts, data.shared.beta0)
    tallies = np.zeros(4, dtype=np.int64)
    known = Parameters(salient, topics)
    return Fit(data, known, mu, terms, [record], False, "given", tallies)


def fit(
    data: Data,
    parameters: Parameters,
    prior: WordPrior,
    workers: Engine,
    *,
    tol: float,
    max_iter: int,
    max_cycles: int,
    certify: bool = True,
    quiet: bool = False,
    earlier: Sequence[Iteration] = (),
    pinned: Pinned | None = None,
    report: Callable[[Iteration], object] = lambda iteration: None,
    keep: Callable[[State], object] = lambda state: None,
    state: State | None = None,
) -> Fit:
    """Lower BIC from ``parameters`` until nothing can be gained.

    E-step (pz); M-step (pj, muj) with word switches; proportions (alphaupdate) with
    topic switches; back to the E-step. Ends when BIC fell by less than ``tol`` times
    itself and the topics of at most one document in 150 changed; if it has to
    ``certify``, when every document has been looked at and no switch of words or topics
    pays at its exact price; when ``report``, which is told of each iteration, answers
    True; or after ``max_iter`` iterations, the ``earlier`` ones at this order included.
    If it is to be ``quiet``, documents that are so from a fit before are left alone,
    see `visit`. Words that are ``pinned`` stay salient. ``keep`` is given the state
    after each iteration but one that `report` ends the fit with, to look at before it
    returns; a fit that begins with such a ``state`` ends as the one that it is of.
    """
    salient, topics = parameters
    history, tallies = list(earlier), np.zeros(4, dtype=np.int64)
    fell, topic_flips, thorough, objective = False, 0, False, np.inf
    n_words = data.n_words
    if state is None:
        begun = expected(expect, data, topics, workers, salient, n_words, quiet)
    else:
        salient, topics, history, tallies, fell, topic_flips, thorough = state
        begun = expected(recount, data, topics, workers, salient, n_words)
    topics, census, counts = begun
    n_topics = salient.n_topics
    if len(history) > len(earlier):
        terms = _terms(data, salient, census, prior)
        objective = total(terms, prior.weight)
    few = 0 if certify else max(1, data.n_docs // 150)
    stop_reason = "max_iter"
    start = time.perf_counter() - (history[-1].seconds if history else 0.0)
    while len(history) < max_iter:
        new, word_flips = word_pass(
            data, counts, census.tokens, salient, prior, max_cycles, workers, pinned
        )
        settled = fell and topic_flips <= few
        if settled and (not certify or (thorough and word_flips == 0)):
            stop_reason = "converged" if certify else "tol"
            break
        salient = new
        table, cost = word_major(salient, n_words), prices(salient, census)
        thorough = certify and fell
        topics, yes, trials = topic_pass(
            data, topics, salient, table, cost, thorough, workers
        )
        topics, census, counts = expected(
            settle, data, topics, workers, salient, n_words, own=yes
        )
        topic_flips = sum(int(shard.sum()) for group in yes for shard in group)
        tallies = tallies + trials
        terms = _terms(data, salient, census, prior)
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
        keep(State(salient, topics, history, tallies, fell, topic_flips, thorough))
    return Fit(
        data,
        Parameters(salient, topics),
        salient_scale(salient, counts, data.shared.beta0),
        terms,
        history,
        stop_reason == "converged",
        stop_reason,
        tallies,
    )
