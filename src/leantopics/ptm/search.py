"""Fits of the parsimonious model at one order after another."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.engine.threads import Engine
from leantopics.ptm import background, em, group_tasks, initialise
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.group_tasks import prices
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.moves import merge, rearrange, remove, split
from leantopics.ptm.objective import TWO_PI, WordPrior, log_choose, total
from leantopics.ptm.state import Data, Parameters, word_major
from leantopics.ptm.updates import Pinned, accepted, word_pass
from leantopics.sweep import coarse

LOG_2 = float(np.log(2.0))
_ROUNDS = 10
"""Most rounds with one topic a document before a fit from scratch."""
_SAMPLE = 10
"""One of so many documents tells whether they are mixed."""
_KEPT = 4
"""One of so many topics of a rough fit is kept."""
_ROUGH, _ROUGH_ROUNDS = 1, 3
"""Iterations of a rough fit, one more if from scratch, and most rounds before it."""
_BLENDED = 0.2
"""Documents are blended if more than this share has three topics or more in a start."""
_CAREFUL = 0.6
"""Share of the kept topics that a start goes on to, not roughly, if documents are."""
_ROUGH_MIXED = 12
"""Iterations of a rough fit where documents are mixed."""


class Options(NamedTuple):
    """Settings of a search, as the estimator has them."""

    procedure: str
    removal: str
    """Which topics go first: those of the least "loss" of BIC, or of the least "mass".
    """
    exact_word_prior: bool
    shared: str
    """The shared model: "frequency", or "learned"."""
    init: str
    init_docs: int
    max_iter: int
    max_cycles: int
    tol: float


def word_weight(procedure: str, n_topics: int) -> float:
    """Weight of the entropy in the price of a salient word."""
    return LOG_2 / n_topics if procedure == "published" else 1.0


class Search:
    """The sweep's view of the model: a corpus, settings and a source of randomness.

    ``procedure="published"`` does as the authors' program: a salient word costs log(2)
    / M of its entropy price, every order starts with each document in its best single
    topic, and the order is chosen by BIC with the entropy in nats times log(2).
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
        self._data = data
        self._options = options
        self._random = random
        self._workers = workers
        self._report = report
        self._checkpoint = checkpoint
        self._published = options.procedure == "published"
        self.mixed = False
        """Whether the documents of a start had several topics each."""
        self.blended = False
        """Whether a rough start has left them with several topics each."""
        self.hurried = False
        """Whether fits of a search from above may be rough; see `begin`."""
        self.stopped = False
        self.pinned: Pinned = {}
        """Words that stay salient in the fits of one order."""

    def fit(
        self,
        data: Data,
        parameters: Parameters,
        certify: bool = True,
        quiet: bool = False,
        earlier: Sequence[em.Iteration] = (),
        most: int | None = None,
    ) -> em.Fit:
        """Lower BIC from the given parameters, to a certificate if asked for.

        If the shared model is to be learned, it and all else take turns, until BIC
        falls by less than ``tol`` of itself. A rough fit has ``most`` so many
        iterations.
        """
        options = self._options
        fitted = self._descend(data, parameters, certify, quiet, earlier, most)
        learned, before = options.shared == "learned", np.inf
        while learned and not self.stopped and len(fitted.history) < options.max_iter:
            now = fitted.history[-1].objective
            if before - now <= options.tol * abs(now):
                break
            before = now
            data, parameters = background.learn(
                fitted.data, fitted.parameters, self._workers
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
        most: int | None = None,
    ) -> em.Fit:
        options = self._options
        work = partial(
            em.fit,
            data,
            parameters,
            self.prior(parameters.n_topics),
            self._workers,
            tol=options.tol,
            max_iter=min(options.max_iter, most or options.max_iter),
            max_cycles=options.max_cycles,
            certify=certify,
            quiet=quiet,
            earlier=earlier,
            pinned=self.pinned,
            report=self._report,
        )
        if self._checkpoint is None:
            fitted = work()
        else:
            fitted = self._checkpoint.fit(
                work, data, len(earlier), self._report, self._workers
            )
        self.stopped = fitted.stop_reason == "callback"
        if most is not None and fitted.stop_reason == "max_iter":
            return fitted._replace(stop_reason="rough")
        return fitted

    def finish(self, fitted: em.Fit) -> em.Fit:
        """Go on from a loose fit until it is certified, or has had its iterations."""
        if self.stopped:
            return fitted._replace(stop_reason="callback")
        if len(fitted.history) >= self._options.max_iter:
            return fitted._replace(stop_reason="max_iter")
        return self.fit(fitted.data, fitted.parameters, earlier=fitted.history)

    def first(self, n_topics: int, rounds: int = _ROUNDS) -> Parameters:
        """First parameters: drawn at random, then settled with one topic a document.

        Rounds of the M-step with word switches, and every document to its best topic,
        until at most one document in a hundred moves, at most ``rounds`` times; none
        where documents are mixed.
        """
        data, random, workers = self._data, self._random, self._workers
        if self._options.init == "random":
            drawn = initialise.random_topics(data, n_topics, random, workers)
        else:
            init_docs = self._options.init_docs
            drawn = initialise.seeded(data, n_topics, init_docs, random, workers)
        settled = drawn._replace(salient=self._estimate(data, drawn))
        self.mixed = self.mixed or self._mixed(settled)
        if self.mixed:
            return drawn
        del drawn
        topic = self._topic_of(settled)
        for _ in range(rounds):
            before = topic
            settled = self._one_topic_each(data, settled)
            topic = self._topic_of(settled)
            if 100 * np.count_nonzero(topic != before) <= data.n_docs:
                break
            settled = settled._replace(salient=self._estimate(data, settled))
        return settled

    def start(self, n_topics: int) -> em.Fit:
        """Fit from scratch."""
        return self.fit(self._data, self.first(n_topics), certify=False)

    def begin(self, n_topics: int, least: int) -> tuple[int, em.Fit]:
        """A fit to remove topics from, and its number of them, ``least`` or more.

        Two rough fits from scratch lose three of four topics each, and two fifths of
        the others, no longer roughly, where documents are blended; the topics that are
        left begin together, and each document chooses among them. Where the shared
        model is learned, or there are no more than three documents for each topic, it
        is one fit from scratch; where documents are mixed, one of ``least`` topics.
        """
        data, shared = self._data, self._options.shared
        may_hurry = shared == "frequency" and n_topics < data.n_docs // 3
        rounds = _ROUGH_ROUNDS if may_hurry else _ROUNDS
        first = self.first(n_topics, rounds)
        self.hurried, self.blended = may_hurry and not self.mixed, False
        if self.mixed:
            n_topics, first = least, self.first(least)
        if not self.hurried:
            return n_topics, self.fit(data, first, certify=False)
        n_kept = max(n_topics // _KEPT, least)
        fits: list[em.Fit] = []
        while len(fits) < 2 and not self.stopped:
            start = self.first(n_topics, rounds) if fits else first
            fitted = self.fit(data, start, certify=False, most=_ROUGH + 1)
            fitted = self._pruned(fitted, n_kept, rough=True)
            if not fits:
                self.blended = self._several(fitted) > _BLENDED
            if self.blended:
                fitted = self._pruned(fitted, max(int(_CAREFUL * n_kept), least))
            fits.append(fitted)
        fitted = fits[0]
        if not self.stopped:
            one, two = (each.parameters for each in fits)
            pooled = self._pool(one, two)
            if pooled.n_topics >= least:
                fitted = self.fit(data, pooled, certify=False, most=_ROUGH + 1)
        return fitted.parameters.n_topics, fitted

    def _pruned(self, fitted: em.Fit, n_topics: int, rough: bool = False) -> em.Fit:
        """Remove topics by coarse steps until so many are left."""
        while fitted.parameters.n_topics > n_topics and not self.stopped:
            fewer = coarse(fitted.parameters.n_topics, n_topics)
            fitted = self.fewer(fitted, fewer, rough)
        return fitted

    def _pool(self, one: Parameters, two: Parameters) -> Parameters:
        """The topics of two fits; each document has the one most likely for it.

        Where documents are blended, it has all that it had in the likelier fit.
        """
        data, workers = self._data, self._workers
        if self.blended:
            pooled = rearrange.together(data, one, two, workers)
        else:
            both = rearrange.stacked(one.salient, two.salient)
            nothing = [None] * len(data.groups)
            best = rearrange.best_topics(data, nothing, both, workers)
            pooled = Parameters(both, rearrange.single(data, nothing, best, workers))
        used = np.flatnonzero(group_tasks.count(data, pooled, workers).documents)
        return rearrange.renumber(data, pooled, used, workers)

    def fewer(self, fitted: em.Fit, n_topics: int, rough: bool = False) -> em.Fit:
        """Fit without the topics that are missed least; roughly, if that will do.

        Of a search that may be rough, the steps that are not merge topics first where
        BIC falls.
        """
        data, parameters, workers = fitted.data, fitted.parameters, self._workers
        n_removed = parameters.n_topics - n_topics
        into = np.arange(parameters.n_topics)
        if self._options.removal == "loss":
            loss, heirs = self.losses(fitted)
            if self.hurried and not rough:
                into = self._merged(fitted, heirs, min(n_removed, n_topics))
            gone = into != np.arange(len(into))
            if gone.any():
                parameters = rearrange.merge(data, parameters, into, workers)
                loss[gone] = loss[into[gone]] = np.inf
            removed = remove.spread_out(loss, heirs, n_removed - int(gone.sum()))
            removed = np.union1d(removed, np.flatnonzero(gone))
        else:
            mass = rearrange.topic_mass(data, parameters, workers)
            removed = np.argsort(-mass, kind="stable")[n_topics:]
        kept = np.delete(np.arange(len(into)), removed)
        smaller = rearrange.renumber(data, parameters, kept, workers)
        if self._published:
            start = self._one_topic_each(data, smaller)
        else:
            start = rearrange.with_orphans(data, smaller, workers)
        most = self._most(rough)
        return self.fit(data, start, certify=False, quiet=True, most=most)

    def merge(self, fitted: em.Fit, least: int) -> tuple[int, em.Fit] | None:
        """Fit with topics merged, ``least`` or more left, if that lowers BIC."""
        data, parameters, workers = fitted.data, fitted.parameters, self._workers
        n_topics = parameters.n_topics
        if n_topics <= least or self.stopped:
            return None
        into = self._merged(fitted, self.losses(fitted)[1], n_topics - least)
        kept = np.unique(into)
        if len(kept) == n_topics:
            return None
        merged = rearrange.merge(data, parameters, into, workers)
        start = rearrange.renumber(data, merged, kept, workers)
        found = self.fit(data, start, certify=False, quiet=True)
        lower = self.criterion(found) < self.criterion(fitted)
        return (len(kept), found) if lower else None

    def _merged(self, fitted: em.Fit, heirs: sparse.csr_array, most: int) -> np.ndarray:
        """Topics that topics go into, ``most`` so many, where BIC falls by it."""
        parameters, n_topics = fitted.parameters, fitted.parameters.n_topics
        one, two = merge.pairs(heirs)
        prior = self.prior(n_topics)
        loss = merge.losses(fitted.data, parameters, one, two, prior, self._workers)
        return merge.chosen(loss, one, two, n_topics, most)

    def losses(self, fitted: em.Fit) -> tuple[Floats, sparse.csr_array]:
        """Estimated rise of BIC without each topic (M,), and its heirs (M, M).

        Its documents make do with their other topics or another one (`removal.losses`);
        its salient words no longer cost anything. Heirs are the shares of its words
        that go to each other topic.
        """
        data, parameters = fitted.data, fitted.parameters
        n_topics, salient = parameters.n_topics, parameters.salient
        rise, heirs = remove.losses(
            data, parameters, log_choose(n_topics), self._workers
        )
        size = np.diff(salient.indptr)
        n_switches = float(n_topics * data.n_words)
        slope = self.prior(n_topics).price(float(salient.indptr[-1]), n_switches)
        tokens = np.log(
            group_tasks.count(data, parameters, self._workers).tokens / TWO_PI
        )
        mass = rearrange.topic_mass(data, parameters, self._workers)
        heirs.data /= np.repeat(np.where(mass > 0.0, mass, 1.0), np.diff(heirs.indptr))
        saved = size * (0.5 * tokens + slope)
        return (rise - saved).astype(np.float64), heirs

    def changed(self, data: Data, parameters: Parameters, kept: np.ndarray) -> em.Fit:
        """Fit to the end with those topics only that are ``kept``."""
        smaller = rearrange.renumber(data, parameters, kept, self._workers)
        return self.fit(data, rearrange.with_orphans(data, smaller, self._workers))

    def more(self, fitted: em.Fit, n_topics: int, rough: bool = False) -> em.Fit | None:
        """Fit with those topics split whose halves differ most; None if none can be."""
        data, parameters = fitted.data, fitted.parameters
        while (n_now := parameters.n_topics) < n_topics:
            parameters = split.split(
                data, parameters, n_topics - n_now, self._random, self._workers
            )
            if parameters.n_topics == n_now:
                return None
        return self.fit(data, parameters, certify=False, most=self._most(rough))

    def _most(self, rough: bool) -> int | None:
        """Most iterations of a fit that may be rough, if the search is."""
        if self._options.shared == "learned":
            return None
        allowed = _ROUGH_MIXED if self.mixed else _ROUGH if self.hurried else None
        return allowed if rough else None

    def criterion(self, fitted: em.Fit) -> float:
        """BIC, or what the authors' program prints for it."""
        return total(fitted.terms, LOG_2 if self._published else 1.0)

    def prior(self, n_topics: int) -> WordPrior:
        """Form of the word-switch cost at an order."""
        options = self._options
        weight = word_weight(options.procedure, n_topics)
        return WordPrior(options.exact_word_prior, weight)

    def _estimate(self, data: Data, parameters: Parameters) -> Salient:
        """M-step with word switches where every document has one topic."""
        workers = self._workers
        salient, topics = parameters
        n_topics = parameters.n_topics
        _, census, counts = group_tasks.expected(
            group_tasks.whole, data, topics, workers, n_topics, data.n_words
        )
        prior = self.prior(n_topics)
        return word_pass(data, counts, census.tokens, salient, prior, 1, workers)[0]

    def _mixed(self, parameters: Parameters) -> bool:
        """Whether, of each tenth document, one in ten takes three topics or more."""
        data = self._data
        salient, topics = parameters
        cost = prices(salient, group_tasks.count(data, parameters, self._workers))
        shared = (salient, word_major(salient, data.n_words), cost, _SAMPLE)
        seen = self._workers.each(group_tasks.visit, data.groups, topics, *shared)
        proposals = [found for found, _ in seen.results]
        many = 0
        for group, flags in zip(proposals, accepted(proposals, cost), strict=True):
            for shard, yes in zip(group, flags, strict=True):
                many += int((np.diff(shard[4])[yes] > 2).sum())
        sampled = sum(-(-size // _SAMPLE) for sizes in data.sizes for size in sizes)
        return many / sampled > 0.1

    def _several(self, fitted: em.Fit) -> float:
        """Share of documents with three topics or more."""
        census = group_tasks.count(fitted.data, fitted.parameters, self._workers)
        return float(census.with_topics[3:].sum()) / self._data.n_docs

    def _topic_of(self, parameters: Parameters) -> np.ndarray:
        """Topics of documents that have one each."""
        known = group_tasks.fetched(self._data, parameters.topics, self._workers)
        return np.concatenate([mix.topic for part in known for mix in part.mixes])

    def _one_topic_each(self, data: Data, parameters: Parameters) -> Parameters:
        """Put every document into its most likely topic."""
        salient, topics = parameters
        best = rearrange.best_topics(data, topics, salient, self._workers)
        return Parameters(
            salient, rearrange.hard(data, parameters, best, self._workers)
        )
