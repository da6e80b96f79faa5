"""Generalised EM at one number of topics: the loop, on one screen."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from leantopics.engine import Engine, Inline
from leantopics.ptm.kernels.arrays import Floats, Longs, Mixes, Salient
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


class State(NamedTuple):
    """All that the next iteration goes on from, to the bit."""

    salient: Salient
    mixes: list[Mixes]
    split: list[Floats]
    """Counts of the documents split among their topics, by shard."""
    look: Look
    tokens: Floats
    """Lbar_j."""
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
    tokens: Floats,
    gain: list[Floats],
    prior: WordPrior,
) -> BicTerms:
    return bic_terms(
        doc_length=np.concatenate(data.doc_length),
        topics_in_doc=topics_in_doc(mixes),
        salient_in_topic=np.diff(salient.indptr),
        tokens_in_topic=tokens,
        n_words=data.n_words,
        log_likelihood=data.base_log_likelihood + sum(float(g.sum()) for g in gain),
        word_prior=prior,
    )


def _begin(
    data: Data,
    parameters: Parameters,
    workers: Engine,
    quiet: list[Floats] | None,
    earlier: Sequence[Iteration],
) -> State:
    """The state before the first iteration."""
    salient = parameters.salient
    mixes = [mix._replace(alpha=mix.alpha.copy()) for mix in parameters.mixes]
    split, gain = e_step(data, mixes, salient, workers)
    return State(
        salient,
        mixes,
        split,
        first_look(gain) if quiet is None else Look(gain, quiet),
        prices(data, parameters).tokens,
        list(earlier),
        np.zeros(4, dtype=np.int64),
        fell=False,
        topic_flips=0,
        thorough=False,
    )


def given(data: Data, parameters: Parameters, prior: WordPrior) -> Fit:
    """A state made elsewhere, as it is: its statistics and terms."""
    salient, mixes = parameters
    split, gain = e_step(data, mixes, salient, Inline())
    n_topics = salient.n_topics
    counts = expected_counts(data, mixes, split, n_topics, Inline(), Memory())
    tokens = prices(data, parameters).tokens
    terms = _terms(data, salient, mixes, tokens, gain, prior)
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
    Documents that are ``quiet`` from a fit before are left alone; see `visit`. Words
    that are ``pinned`` stay salient. ``keep`` is given the state after each iteration,
    to look at before it returns; a fit that begins with such a ``state`` ends as the
    one that it is of.
    """
    if state is None:
        state = _begin(data, parameters, workers, quiet, earlier)
    salient, mixes, split, look, tokens = state[:5]
    history, tallies, objective = state.history, state.tallies, np.inf
    fell, topic_flips, thorough = state.fell, state.topic_flips, state.thorough
    n_topics = salient.n_topics
    counts = expected_counts(data, mixes, split, n_topics, workers, memory)
    if len(history) > len(earlier):
        terms = _terms(data, salient, mixes, tokens, look.gain, prior)
        objective = total(terms, prior.weight)
    few = 0 if certify else max(1, data.n_docs // 150)
    stop_reason = "max_iter"
    start = time.perf_counter() - (history[-1].seconds if history else 0.0)
    while len(history) < max_iter:
        new, word_flips = word_pass(
            data, counts, tokens, salient, prior, max_cycles, workers, pinned
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
        tokens = cost.tokens
        tallies = tallies + trials
        counts = expected_counts(data, mixes, split, n_topics, workers, memory)
        terms = _terms(data, salient, mixes, tokens, look.gain, prior)
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
        documents = salient, mixes, split, look, tokens
        keep(State(*documents, history, tallies, fell, topic_flips, thorough))
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
