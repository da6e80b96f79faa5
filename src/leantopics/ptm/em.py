"""Generalised EM at one number of topics: the loop, on one screen."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm.census import TopicCounts, prices
from leantopics.ptm.group_tasks import expect, expected, recounted, settle
from leantopics.ptm.kernels.arrays import Salient, Statistics
from leantopics.ptm.objective import BicTerms, WordPrior, bic_terms, total
from leantopics.ptm.state import Data, Parameters, salient_scale, word_major
from leantopics.ptm.updates import WordRules, topic_pass, word_pass


class Iteration(NamedTuple):
    """The result of one iteration; ``objective`` is the number that it lowers."""

    n_topics: int
    iteration: int
    bic: float
    objective: float
    log_likelihood: float
    word_flips: int
    topic_flips: int
    seconds: float


class State(NamedTuple):
    """Everything that the next iteration needs, to the bit."""

    salient: Salient
    topics: list[Any]
    """The state of the documents, by group."""
    history: list[Iteration]
    tallies: Longs
    stalled: bool
    """Whether the last iteration lowered BIC by no more than the tolerance."""
    topic_flips: int
    thorough: bool
    """Whether every document was visited."""


class Fit(NamedTuple):
    """A fit at one number of topics."""

    data: Data
    """The documents, with the shared model of this fit."""
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
    """Return a state made elsewhere as a fit, with its statistics and BIC terms."""
    salient, topics = parameters
    shared = (salient, data.n_words, False)
    topics, census, counts = expected(expect, data, topics, workers, *shared)
    terms = _terms(data, salient, census, prior)
    record = _iteration(salient, 0, terms, total(terms), (0, 0), 0.0)
    mu = salient_scale(salient, counts, data.shared.beta0)
    tallies = np.zeros(4, dtype=np.int64)
    known = Parameters(salient, topics)
    return Fit(data, known, mu, terms, [record], False, "given", tallies)


class Start(NamedTuple):
    """Where a fit begins."""

    parameters: Parameters
    earlier: Sequence[Iteration] = ()
    """Previous iterations with this number of topics."""
    quiet: bool = False
    """Whether to skip documents that were quiet in a previous fit; see `visit`."""
    state: State | None = None
    """State to go on from; the fit then ends as the interrupted one would have."""


class Stopping(NamedTuple):
    """When a fit ends."""

    tol: float
    """The smallest share by which an iteration must lower BIC."""
    max_iter: int
    """Maximum number of iterations, including the earlier ones."""
    certify: bool = True
    """Whether to go on until no switch pays at its exact price."""


class Hooks(NamedTuple):
    """Functions called after each iteration."""

    report: Callable[[Iteration], object] = lambda iteration: None
    """Takes the iteration; the fit ends if it returns True."""
    keep: Callable[[State], object] = lambda state: None
    """Takes the state, which is valid only until it returns."""


NO_HOOKS = Hooks()


def fit(
    data: Data,
    start: Start,
    rules: WordRules,
    workers: Engine,
    stopping: Stopping,
    hooks: Hooks = NO_HOOKS,
) -> Fit:
    """Lower BIC from a start until nothing more can be gained.

    E-step (pz); M-step (pj, muj) with word switches; proportions (alphaupdate) with
    topic switches; back to the E-step. It ends when BIC falls by less than ``tol``
    times itself and the topics of at most one document in 150 change. To certify, it
    goes on until every document has been visited and no switch of words or topics pays
    at its exact price.
    """
    prior, certify, n_words = rules.prior, stopping.certify, data.n_words
    few = 0 if certify else max(1, data.n_docs // 150)
    state, census, counts = _begin(data, start, workers)
    salient, topics, history, tallies, stalled, topic_flips, thorough = state
    objective, stop_reason = np.inf, "max_iter"
    if len(history) > len(start.earlier):
        objective = total(_terms(data, salient, census, prior), prior.weight)
    begun = time.perf_counter() - (history[-1].seconds if history else 0.0)
    while len(history) < stopping.max_iter:
        new, word_flips = word_pass(
            data, counts, census.tokens, salient, rules, workers
        )
        settled = stalled and topic_flips <= few
        if settled and (not certify or (thorough and word_flips == 0)):
            stop_reason = "converged" if certify else "tol"
            break
        salient, thorough = new, certify and stalled
        table, cost = word_major(salient, n_words), prices(salient, census)
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
        stalled = before - objective <= stopping.tol * abs(objective)
        flips, seconds = (word_flips, topic_flips), time.perf_counter() - begun
        history.append(
            _iteration(salient, len(history) + 1, terms, objective, flips, seconds)
        )
        if hooks.report(history[-1]) is True:
            stop_reason = "callback"
            break
        hooks.keep(
            State(salient, topics, history, tallies, stalled, topic_flips, thorough)
        )
    known, terms = Parameters(salient, topics), _terms(data, salient, census, prior)
    mu = salient_scale(salient, counts, data.shared.beta0)
    certified = stop_reason == "converged"
    return Fit(data, known, mu, terms, history, certified, stop_reason, tallies)


def _begin(
    data: Data, start: Start, workers: Engine
) -> tuple[State, TopicCounts, Statistics]:
    """The state before the first iteration, with its E-step."""
    if start.state is not None:
        state = start.state
        known = Parameters(state.salient, state.topics)
        found = recounted(data, known, workers)
    else:
        salient, topics = start.parameters
        shared = (salient, data.n_words, start.quiet)
        found = expected(expect, data, topics, workers, *shared)
        tallies = np.zeros(4, dtype=np.int64)
        state = State(salient, topics, [*start.earlier], tallies, False, 0, False)
    topics, census, counts = found
    return state._replace(topics=topics), census, counts


def _iteration(
    salient: Salient,
    number: int,
    terms: BicTerms,
    objective: float,
    flips: tuple[int, int],
    seconds: float,
) -> Iteration:
    bic, log_likelihood = total(terms), -terms.neg_log_likelihood
    n_topics = salient.n_topics
    return Iteration(n_topics, number, bic, objective, log_likelihood, *flips, seconds)
