"""Fits at one number of topics after another, which every search strategy uses."""

import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import background, em, initialise
from leantopics.ptm.census import count
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.moves import merge, rearrange, remove, split
from leantopics.ptm.objective import TWO_PI, WordPrior, log_choose, total
from leantopics.ptm.search import starts
from leantopics.ptm.state import Data, Parameters
from leantopics.ptm.updates import Pinned, WordRules

LOG_2 = float(np.log(2.0))
_ROUNDS = 10
"""Maximum number of rounds with one topic per document before a fit from scratch."""
_HOME = 0.5
"""Share of the words of a held topic that would go to one that is merged into it."""


class Options(NamedTuple):
    """Settings of a search, as in the estimator."""

    procedure: str
    removal: str
    """Which topics are removed first: those with the least "loss" of BIC or "mass"."""
    exact_word_prior: bool
    shared: str
    """The shared model: "frequency" or "learned"."""
    init: str
    init_docs: int
    max_iter: int
    max_cycles: int
    tol: float


class _Rises(NamedTuple):
    """Estimated rises of BIC, negative if it would fall."""

    loss: Floats
    """(M,): without each topic."""
    heirs: sparse.csr_array
    """(M, M): shares of the words of each topic that the others would get."""
    merged: tuple[Floats, Longs, Longs]
    """If pairs of topics became one, and their numbers."""


def word_weight(procedure: str, n_topics: int) -> float:
    """Weight of the entropy in the price of a salient word."""
    return LOG_2 / n_topics if procedure == "published" else 1.0


class Fitter:
    """A corpus, settings and a random generator, and the fits that they make.

    ``procedure="published"`` does what the authors' program does: a salient word costs
    log(2) / M of its entropy price, every fit starts with each document in its best
    single topic, and the number of topics is chosen by BIC with the entropy in nats
    times log(2).
    """

    def __init__(
        self,
        data: Data,
        options: Options,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[em.Iteration], object],
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.data = data
        self._options = options
        self._random = random
        self.workers = workers
        self._report = report
        self._checkpoint = checkpoint
        self.is_published = options.procedure == "published"
        self.mixed = False
        """Whether documents had several topics each in any of the first parameters."""
        self.stopped = False
        """Whether a callback ended a fit."""
        self.pinned: Pinned = {}
        """Words that stay salient; for fits with one number of topics, or for topics
        that are ``held``."""
        self.barred: Pinned = {}
        """Words that stay out of the salient ones; as ``pinned``."""
        self.held = 0
        """How many of the first topics are neither removed nor merged together. Another
        is merged into one of them only if most words of that one would go there without
        it, and the words of both lose nothing."""

    @property
    def learns_shared(self) -> bool:
        """Whether the shared model is learned, too."""
        return self._options.shared == "learned"

    def fit(
        self,
        data: Data,
        parameters: Parameters,
        certify: bool = True,
        quiet: bool = False,
        earlier: Sequence[em.Iteration] = (),
        max_iter: int | None = None,
    ) -> em.Fit:
        """Lower BIC from the given parameters, to a certificate if requested.

        If the shared model is learned, its updates alternate with all others until BIC
        falls by less than its ``tol`` share. A rough fit has at most ``max_iter``
        iterations.
        """
        options = self._options
        fitted = self._descend(data, parameters, certify, quiet, earlier, max_iter)
        before = np.inf
        while (
            self.learns_shared
            and not self.stopped
            and len(fitted.history) < options.max_iter
        ):
            now = fitted.history[-1].objective
            if before - now <= options.tol * abs(now):
                break
            before = now
            data, parameters = background.learn(
                fitted.data, fitted.parameters, self.workers
            )
            fitted = self._descend(data, parameters, certify, earlier=fitted.history)
        return fitted

    def _descend(
        self,
        data: Data,
        parameters: Parameters,
        certify: bool,
        quiet: bool = False,
        earlier: Sequence[em.Iteration] = (),
        max_iter: int | None = None,
    ) -> em.Fit:
        options = self._options
        prior = self.prior(parameters.n_topics)
        rules = WordRules(prior, options.max_cycles, self.pinned, self.barred)
        allowed = min(options.max_iter, max_iter or options.max_iter)
        stopping = em.Stopping(options.tol, allowed, certify)
        hooks = em.Hooks(self._report)

        def work(start: em.Start, hooks: em.Hooks = hooks) -> em.Fit:
            return em.fit(data, start, rules, self.workers, stopping, hooks)

        start = em.Start(parameters, earlier, quiet)
        if self._checkpoint is None:
            fitted = work(start)
        else:
            fitted = self._checkpoint.fit(work, data, start, hooks, self.workers)
        self.stopped = self.stopped or fitted.stop_reason == "callback"
        if max_iter is not None and fitted.stop_reason == "max_iter":
            return fitted._replace(stop_reason="rough")
        return fitted

    def with_frequencies(self) -> "Fitter":
        """Return a fitter of the same documents that leaves the shared model as it is.

        It draws from the same random generator.
        """
        other = copy.copy(self)
        other._options = self._options._replace(shared="frequency")
        return other

    def finish(self, fitted: em.Fit) -> em.Fit:
        """Continue a loose fit until it is certified or runs out of iterations."""
        if self.stopped:
            return fitted._replace(stop_reason="callback")
        if len(fitted.history) >= self._options.max_iter:
            return fitted._replace(stop_reason="max_iter")
        return self.fit(fitted.data, fitted.parameters, earlier=fitted.history)

    def first(self, n_topics: int, rounds: int = _ROUNDS) -> Parameters:
        """Draw first parameters, then settle them with one topic per document.

        There are at most ``rounds`` rounds, and none if documents are mixed, which is
        kept in ``mixed``.
        """
        data, workers, prior = self.data, self.workers, self.prior(n_topics)
        if self._options.init == "random":
            drawn = initialise.random_topics(data, n_topics, self._random, workers)
        else:
            init_docs = self._options.init_docs
            drawn = initialise.seeded(data, n_topics, init_docs, self._random, workers)
        if self.mixed:
            return drawn
        estimated = starts.estimated(data, drawn, prior, workers)
        self.mixed = starts.are_mixed(data, estimated, workers)
        if self.mixed:
            return drawn
        del drawn
        return starts.settled(data, estimated, prior, rounds, workers)

    def start(self, n_topics: int) -> em.Fit:
        """Fit from scratch."""
        return self.fit(self.data, self.first(n_topics), certify=False)

    def fewer(
        self,
        fitted: em.Fit,
        n_topics: int,
        *,
        merging: bool = False,
        max_iter: int | None = None,
    ) -> em.Fit:
        """Fit without the topics that matter least, in at most ``max_iter`` iterations.

        If ``merging``, topics are first merged where this lowers BIC.
        """
        rises = None
        if merging or self._options.removal == "loss":
            rises = self._rises(fitted, merging)
        return self._without(fitted, n_topics, rises, max_iter)

    def without_idle(
        self, fitted: em.Fit, least: int, more: int = 0, max_iter: int | None = None
    ) -> em.Fit | None:
        """Fit without the topics that do not pay, by estimate; None if all do.

        At least ``more`` topics go, whether they pay or not, and ``least`` are left.
        """
        n_topics = fitted.parameters.n_topics
        rises = self._rises(fitted, merging=True)
        idle = int((rises.loss[self.held :] < 0.0).sum())
        into = merge.chosen(*rises.merged, n_topics, n_topics)
        joined = int((into != np.arange(n_topics)).sum())
        fewer = max(n_topics - max(idle, joined, more), least)
        if fewer >= n_topics:
            return None
        return self._without(fitted, fewer, rises, max_iter)

    def _without(
        self,
        fitted: em.Fit,
        n_topics: int,
        rises: _Rises | None,
        max_iter: int | None,
    ) -> em.Fit:
        """Fit without the topics of least loss, or of least mass if it is unknown."""
        data, parameters, workers = fitted.data, fitted.parameters, self.workers
        n_removed = parameters.n_topics - n_topics
        into = np.arange(parameters.n_topics)
        if rises is not None:
            loss = rises.loss.copy()
            loss[: self.held] = np.inf
            n_merges = min(n_removed, n_topics)
            into = merge.chosen(*rises.merged, parameters.n_topics, n_merges)
            gone = into != np.arange(len(into))
            if gone.any():
                parameters = rearrange.merge(data, parameters, into, workers)
                loss[gone] = loss[into[gone]] = np.inf
            n_left = n_removed - int(gone.sum())
            removed = remove.spread_out(loss, rises.heirs, n_left)
            removed = np.union1d(removed, np.flatnonzero(gone))
        else:
            mass = rearrange.topic_mass(data, parameters, workers)
            removed = np.argsort(-mass, kind="stable")[n_topics:]
        kept = np.delete(np.arange(len(into)), removed)
        smaller = rearrange.renumber(data, parameters, kept, workers)
        if self.is_published:
            start = starts.one_topic_each(data, smaller, workers)
        else:
            start = rearrange.with_orphans(data, smaller, workers)
        return self.fit(data, start, certify=False, quiet=True, max_iter=max_iter)

    def merge(self, fitted: em.Fit, least: int) -> tuple[int, em.Fit] | None:
        """Fit with topics merged, keeping at least ``least``, if that lowers BIC."""
        data, parameters, workers = fitted.data, fitted.parameters, self.workers
        n_topics = parameters.n_topics
        if n_topics <= least or self.stopped:
            return None
        pairs = self._rises(fitted, merging=True).merged
        into = merge.chosen(*pairs, n_topics, n_topics - least)
        kept = np.unique(into)
        if len(kept) == n_topics:
            return None
        merged = rearrange.merge(data, parameters, into, workers)
        start = rearrange.renumber(data, merged, kept, workers)
        found = self.fit(data, start, certify=False, quiet=True)
        lower = self.criterion(found) < self.criterion(fitted)
        return (len(kept), found) if lower else None

    def _rises(self, fitted: em.Fit, merging: bool) -> _Rises:
        """Estimate what removing topics costs and, if ``merging``, merging them."""
        loss, heirs = self.losses(fitted)
        if not merging:
            nothing = np.empty(0, dtype=np.int64)
            return _Rises(loss, heirs, (np.empty(0), nothing, nothing))
        one, two = merge.pairs(heirs)
        prior = self.prior(fitted.parameters.n_topics)
        rise, by_words = merge.prices(
            fitted.data, fitted.parameters, one, two, prior, self.workers
        )
        alike = (by_words <= 0.0) & (np.asarray(heirs[one, two]).ravel() >= _HOME)
        rise[(two < self.held) | ((one < self.held) & ~alike)] = np.inf
        return _Rises(loss, heirs, (rise, one, two))

    def losses(self, fitted: em.Fit) -> tuple[Floats, sparse.csr_array]:
        """Estimated rise of BIC without each topic (M,), and its heirs (M, M).

        Its documents are left with their other topics or one other (`removal.losses`);
        its salient words no longer cost anything. Heirs are the shares of its words
        that go to each of the other topics.
        """
        data, parameters = fitted.data, fitted.parameters
        n_topics, salient = parameters.n_topics, parameters.salient
        rise, heirs = remove.losses(
            data, parameters, log_choose(n_topics), self.workers
        )
        size = np.diff(salient.indptr)
        n_switches = float(n_topics * data.n_words)
        slope = self.prior(n_topics).price(float(salient.indptr[-1]), n_switches)
        tokens = np.log(count(data, parameters, self.workers).tokens / TWO_PI)
        mass = rearrange.topic_mass(data, parameters, self.workers)
        heirs.data /= np.repeat(np.where(mass > 0.0, mass, 1.0), np.diff(heirs.indptr))
        saved = size * (0.5 * tokens + slope)
        return (rise - saved).astype(np.float64), heirs

    def changed(self, data: Data, parameters: Parameters, kept: np.ndarray) -> em.Fit:
        """Fit to the end with only the topics that are ``kept``."""
        smaller = rearrange.renumber(data, parameters, kept, self.workers)
        return self.fit(data, rearrange.with_orphans(data, smaller, self.workers))

    def more(
        self, fitted: em.Fit, n_topics: int, *, max_iter: int | None = None
    ) -> em.Fit | None:
        """Fit with the topics split whose halves differ most; None if none can be."""
        data, parameters = fitted.data, fitted.parameters
        while (n_now := parameters.n_topics) < n_topics:
            parameters = split.split(
                data, parameters, n_topics - n_now, self._random, self.workers
            )
            if parameters.n_topics == n_now:
                return None
        return self.fit(data, parameters, certify=False, max_iter=max_iter)

    def split(self, fitted: em.Fit) -> em.Fit | None:
        """Fit with those topics split whose halves are worth two; None if none is."""
        data, n_topics = fitted.data, fitted.parameters.n_topics
        prior = self.prior(2 * n_topics)
        larger = split.paying(
            data, fitted.parameters, self._random, prior, self.workers
        )
        return None if larger is None else self.fit(data, larger, certify=False)

    def criterion(self, fitted: em.Fit) -> float:
        """BIC, or the number that the authors' program prints for it."""
        return total(fitted.terms, LOG_2 if self.is_published else 1.0)

    def prior(self, n_topics: int) -> WordPrior:
        """Form of the word-switch cost at a number of topics."""
        options = self._options
        weight = word_weight(options.procedure, n_topics)
        return WordPrior(options.exact_word_prior, weight)
