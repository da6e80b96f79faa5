"""Fits of the parsimonious model at one order after another."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics.engine import Engine
from leantopics.ptm import em, initialise, moves, shared
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.initialise import TRACE
from leantopics.ptm.kernels import removal
from leantopics.ptm.kernels.arrays import Floats, Mixes, Salient
from leantopics.ptm.objective import TWO_PI, WordPrior, log_choose, total
from leantopics.ptm.state import (
    Data,
    Parameters,
    prepare,
    prices,
    renumber,
    topic_mass,
    topic_words,
    turned,
    word_major,
)
from leantopics.ptm.switches import (
    Look,
    Memory,
    Pinned,
    expected_counts,
    topic_pass,
    word_pass,
)

LOG_2 = float(np.log(2.0))
_ROUNDS = 10
"""Most rounds with one topic a document before a fit from scratch."""


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
        self._memory = Memory()
        self._report = report
        self._checkpoint = checkpoint
        self._published = options.procedure == "published"
        self.stopped = False
        self.pinned: Pinned = {}
        """Words that stay salient in the fits of one order."""

    def fit(
        self,
        data: Data,
        parameters: Parameters,
        certify: bool = True,
        quiet: list[Floats] | None = None,
        earlier: Sequence[em.Iteration] = (),
    ) -> em.Fit:
        """Lower BIC from the given parameters, to a certificate if asked for.

        If the shared model is to be learned, it and all else take turns, until BIC
        falls by less than ``tol`` of itself.
        """
        options = self._options
        fitted = self._descend(data, parameters, certify, quiet, earlier)
        learned, before = options.shared == "learned", np.inf
        while learned and not self.stopped and len(fitted.history) < options.max_iter:
            now = fitted.history[-1].objective
            if before - now <= options.tol * abs(now):
                break
            before = now
            data, parameters = shared.learn(
                fitted.data, fitted.parameters, self._workers, self._memory
            )
            fitted = self._descend(data, parameters, certify, earlier=fitted.history)
        return fitted

    def _descend(
        self,
        data: Data,
        parameters: Parameters,
        certify: bool,
        quiet: list[Floats] | None = None,
        earlier: Sequence[em.Iteration] = (),
    ) -> em.Fit:
        options = self._options
        work = partial(
            em.fit,
            data,
            parameters,
            self.prior(parameters.n_topics),
            self._workers,
            self._memory,
            tol=options.tol,
            max_iter=options.max_iter,
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
            fitted = self._checkpoint.fit(work, data, len(earlier), self._report)
        self.stopped = fitted.stop_reason == "callback"
        return fitted

    def finish(self, fitted: em.Fit) -> em.Fit:
        """Go on from a loose fit until it is certified, or has had its iterations."""
        if self.stopped:
            return fitted
        if len(fitted.history) >= self._options.max_iter:
            return fitted._replace(stop_reason="max_iter")
        return self.fit(fitted.data, fitted.parameters, earlier=fitted.history)

    def first(self, n_topics: int) -> Parameters:
        """First parameters: drawn at random, then settled with one topic a document.

        Rounds of the M-step with word switches, and every document to its best topic,
        until at most one document in a hundred moves; none where documents are mixed.
        """
        data, random, workers = self._data, self._random, self._workers
        if self._options.init == "random":
            drawn = initialise.random_topics(data, n_topics, random, workers)
        else:
            init_docs = self._options.init_docs
            drawn = initialise.seeded(data, n_topics, init_docs, random, workers)
        settled = drawn._replace(salient=self._estimate(data, drawn))
        if self._mixed(settled):
            return drawn
        del drawn
        for _ in range(_ROUNDS):
            mixes = settled.mixes
            settled = self._one_topic_each(data, settled)
            moved = sum(
                np.count_nonzero(old.topic != new.topic)
                for old, new in zip(mixes, settled.mixes, strict=True)
            )
            if 100 * moved <= data.n_docs:
                break
            settled = settled._replace(salient=self._estimate(data, settled))
        return settled

    def start(self, n_topics: int) -> em.Fit:
        """Fit from scratch."""
        return self.fit(self._data, self.first(n_topics), certify=False)

    def fewer(self, fitted: em.Fit, n_topics: int) -> em.Fit:
        """Fit without the topics that are missed least."""
        data, parameters = fitted.data, fitted.parameters
        n_removed = parameters.n_topics - n_topics
        if self._options.removal == "loss":
            removed = moves.spread_out(*self.losses(fitted), n_removed)
        else:
            mass = topic_mass(data, parameters)
            removed = np.argsort(-mass, kind="stable")[n_topics:]
        kept = np.delete(np.arange(parameters.n_topics), removed)
        smaller = renumber(parameters, kept)
        if self._published:
            start = self._one_topic_each(data, smaller)
        else:
            start = self._with_orphans(data, smaller)
        quiet = [
            np.where(moves.unchanged(*mixes), calm, -np.inf)
            for *mixes, calm in zip(
                parameters.mixes,
                smaller.mixes,
                start.mixes,
                fitted.look.quiet,
                strict=True,
            )
        ]
        return self.fit(data, start, certify=False, quiet=quiet)

    def losses(self, fitted: em.Fit) -> tuple[Floats, sparse.csr_array]:
        """Estimated rise of BIC without each topic (M,), and its heirs (M, M).

        Its documents make do with their other topics or another one (`removal.losses`);
        its salient words no longer cost anything. Heirs are the shares of its words
        that go to each other topic.
        """
        data, parameters = fitted.data, fitted.parameters
        n_topics, (salient, mixes) = parameters.n_topics, parameters
        table = turned(salient, data.n_words)
        table = table._replace(excess=(1.0 - TRACE) * table.excess)
        log_ratio, choose = np.log1p(table.excess), log_choose(n_topics)

        def lost(shard: int) -> tuple[Floats, np.ndarray]:
            mix, gain = mixes[shard], fitted.look.gain[shard]
            loss = np.empty(len(mix.topic))
            heir = np.empty(len(mix.topic), dtype=np.int32)
            removal.losses(
                data.shards[shard], mix, table, log_ratio, choose, gain, loss, heir
            )
            return loss, heir

        found = self._workers.map(lost, range(len(data.shards)))
        loss, heir = (np.concatenate(parts) for parts in zip(*found, strict=True))
        topic = np.concatenate([mix.topic for mix in mixes])
        size = np.diff(salient.indptr)
        n_switches = float(n_topics * data.n_words)
        slope = self.prior(n_topics).price(float(salient.indptr[-1]), n_switches)
        tokens = np.log(prices(data, parameters).tokens / TWO_PI)
        rise = np.bincount(topic, loss, minlength=n_topics)
        words, mass = topic_words(data, mixes), topic_mass(data, parameters)
        share = words / np.where(mass > 0.0, mass, 1.0)[topic]
        heirs = sparse.coo_array((share, (topic, heir)), shape=(n_topics, n_topics))
        saved = size * (0.5 * tokens + slope)
        return (rise - saved).astype(np.float64), heirs.tocsr()

    def changed(self, data: Data, parameters: Parameters, kept: np.ndarray) -> em.Fit:
        """Fit to the end with those topics only that are ``kept``."""
        smaller = renumber(parameters, kept)
        return self.fit(data, self._with_orphans(data, smaller))

    def more(self, fitted: em.Fit, n_topics: int) -> em.Fit | None:
        """Fit with the topics split that gain least per word over the shared model."""
        parameters = fitted.parameters
        worst = self._worst_first(fitted)
        before = 0
        while before < parameters.n_topics < n_topics:
            before = parameters.n_topics
            for topic in worst:
                if parameters.n_topics < n_topics:
                    parameters = self._split(parameters, topic)
            worst = np.concatenate((worst, np.arange(before, parameters.n_topics)))
        if parameters.n_topics < n_topics:
            return None
        return self.fit(fitted.data, parameters, certify=False)

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
        salient, mixes = parameters
        n_topics = parameters.n_topics
        whole = [shard.data for shard in data.shards]
        counts = expected_counts(data, mixes, whole, n_topics, workers, self._memory)
        tokens = prices(data, parameters).tokens
        prior = self.prior(n_topics)
        return word_pass(data, counts, tokens, salient, prior, 1, workers)[0]

    def _mixed(self, parameters: Parameters) -> bool:
        """Whether, of each tenth document, one in ten takes three topics or more."""
        data = self._data
        salient, mixes = parameters
        quiet = [np.full(len(lengths), np.inf) for lengths in data.doc_length]
        for values in quiet:
            values[::10] = -np.inf
        found, *_ = topic_pass(
            data,
            mixes,
            salient,
            word_major(salient, data.n_words),
            prices(data, parameters),
            Look([np.zeros(len(lengths)) for lengths in data.doc_length], quiet),
            self._workers,
        )
        sizes = np.concatenate([np.diff(mix.indptr)[::10] for mix in found])
        return bool((sizes > 2).mean() > 0.1)

    def _one_topic_each(self, data: Data, parameters: Parameters) -> Parameters:
        """Put every document into its most likely topic."""
        table = word_major(parameters.salient, data.n_words)
        unknown = initialise.unknown_topics(data)
        best = initialise.best_topics(data, table, unknown, self._workers)
        return Parameters(parameters.salient, moves.hard(parameters, best))

    def _with_orphans(self, data: Data, parameters: Parameters) -> Parameters:
        """Give documents that lost all their topics their most likely one."""
        table = word_major(parameters.salient, data.n_words)
        known = [np.diff(mixes.indptr) - 1 for mixes in parameters.mixes]
        best = initialise.best_topics(data, table, known, self._workers)
        mixes = list(map(moves.adopt, parameters.mixes, best))
        return Parameters(parameters.salient, mixes)

    def _worst_first(self, fitted: em.Fit) -> np.ndarray:
        parameters = fitted.parameters
        mass = topic_mass(self._data, parameters)
        gain = np.zeros(len(mass))
        for mixes, values in zip(parameters.mixes, fitted.look.gain, strict=True):
            weights = np.repeat(values, np.diff(mixes.indptr)) * mixes.alpha
            gain += np.bincount(mixes.topic, weights, minlength=len(mass))
        per_word = np.divide(gain, mass, out=np.full(len(mass), np.inf), where=mass > 0)
        return np.argsort(per_word, kind="stable")

    def _split(self, parameters: Parameters, topic: int) -> Parameters:
        """Give some documents of a topic a new one with the same word model."""
        where = [mixes.topic == topic for mixes in parameters.mixes]
        rows = [
            np.repeat(np.arange(len(mixes.indptr) - 1), np.diff(mixes.indptr))[here]
            for mixes, here in zip(parameters.mixes, where, strict=True)
        ]
        if sum(map(len, rows)) < 2:
            return parameters
        documents = prepare(moves.stack(self._data, rows))
        init_docs = self._options.init_docs
        halves = initialise.seeded(documents, 2, init_docs, self._random, self._workers)
        second = np.concatenate([mixes.topic for mixes in halves.mixes]) == 1
        new, mixes_out, first = parameters.n_topics, [], 0
        for mixes, here in zip(parameters.mixes, where, strict=True):
            n_here = int(here.sum())
            labels = mixes.topic.copy()
            labels[here] = np.where(second[first : first + n_here], new, topic)
            first += n_here
            mixes_out.append(Mixes(mixes.indptr, labels, mixes.alpha))
        salient = parameters.salient
        row = slice(salient.indptr[topic], salient.indptr[topic + 1])
        grown = Salient(
            np.append(salient.indptr, salient.indptr[-1] + row.stop - row.start),
            np.concatenate((salient.word, salient.word[row])),
            np.concatenate((salient.excess, salient.excess[row])),
        )
        return Parameters(grown, mixes_out)
