"""Fits of the parsimonious model at one order after another."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics.engine import Engine
from leantopics.ptm import em, initialise
from leantopics.ptm.kernels.arrays import Floats, Mixes, Salient
from leantopics.ptm.objective import WordPrior, total
from leantopics.ptm.state import (
    Data,
    Parameters,
    prepare,
    renumber,
    single_topics,
    topic_mass,
    word_major,
)

LOG_2 = float(np.log(2.0))


class Options(NamedTuple):
    """Settings of a search, as the estimator has them."""

    procedure: str
    exact_word_prior: bool
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
    ) -> None:
        self._data = data
        self._options = options
        self._random = random
        self._workers = workers
        self._report = report
        self._published = options.procedure == "published"
        self.stopped = False

    def fit(
        self,
        parameters: Parameters,
        certify: bool = True,
        earlier: Sequence[em.Iteration] = (),
    ) -> em.Fit:
        """Lower BIC from the given parameters, to a certificate if asked for."""
        options = self._options
        weight = word_weight(options.procedure, parameters.n_topics)
        fitted = em.fit(
            self._data,
            parameters,
            WordPrior(options.exact_word_prior, weight),
            self._workers,
            tol=options.tol,
            max_iter=options.max_iter,
            max_cycles=options.max_cycles,
            certify=certify,
            earlier=earlier,
            report=self._report,
        )
        self.stopped = fitted.stop_reason == "callback"
        return fitted

    def finish(self, fitted: em.Fit) -> em.Fit:
        """Go on from a loose fit until it is certified, or has had its iterations."""
        if self.stopped or len(fitted.history) >= self._options.max_iter:
            return fitted
        return self.fit(fitted.parameters, earlier=fitted.history)

    def first(self, n_topics: int) -> Parameters:
        """First parameters, drawn at random."""
        data, random, workers = self._data, self._random, self._workers
        if self._options.init == "random":
            return initialise.random_topics(data, n_topics, random, workers)
        init_docs = self._options.init_docs
        return initialise.seeded(data, n_topics, init_docs, random, workers)

    def start(self, n_topics: int) -> em.Fit:
        """Fit from scratch."""
        return self.fit(self.first(n_topics), certify=False)

    def fewer(self, fitted: em.Fit, n_topics: int) -> em.Fit:
        """Fit without the least massive topics."""
        parameters = fitted.parameters
        mass = topic_mass(self._data, parameters)
        kept = np.sort(np.argsort(-mass, kind="stable")[:n_topics])
        smaller = renumber(parameters, kept)
        table = word_major(smaller.salient, self._data.n_words)
        if self._published:
            unknown = initialise.unknown_topics(self._data)
            best = initialise.best_topics(self._data, table, unknown, self._workers)
            mixes = _hard(smaller, best)
            return self.fit(Parameters(smaller.salient, mixes), certify=False)
        known = [np.diff(mixes.indptr) - 1 for mixes in smaller.mixes]
        best = initialise.best_topics(self._data, table, known, self._workers)
        mixes = [
            _with_orphans(mix, topic)
            for mix, topic in zip(smaller.mixes, best, strict=True)
        ]
        return self.fit(Parameters(smaller.salient, mixes), certify=False)

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
        return self.fit(parameters, certify=False)

    def criterion(self, fitted: em.Fit) -> float:
        """BIC, or what the authors' program prints for it."""
        return total(fitted.terms, LOG_2 if self._published else 1.0)

    def _worst_first(self, fitted: em.Fit) -> np.ndarray:
        parameters = fitted.parameters
        mass = topic_mass(self._data, parameters)
        gain = np.zeros(len(mass))
        for mixes, values in zip(parameters.mixes, fitted.gain, strict=True):
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
        documents = prepare(_stack(self._data, rows))
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


def _stack(data: Data, rows: list[np.ndarray]) -> sparse.csr_array:
    """Chosen rows of all shards as one matrix."""
    parts = []
    for shard, chosen in zip(data.shards, rows, strict=True):
        shape = (len(shard.indptr) - 1, data.n_words)
        matrix = sparse.csr_array(
            (shard.data, shard.indices, shard.indptr), shape=shape
        )
        parts.append(matrix[chosen])
    return sparse.csr_array(sparse.vstack(parts))


def _with_orphans(mixes: Mixes, best: np.ndarray) -> Mixes:
    """Documents that lost all their topics get their best single one."""
    size = np.diff(mixes.indptr)
    orphans = np.flatnonzero(size == 0)
    if len(orphans) == 0:
        return mixes
    places = mixes.indptr[orphans]
    size[orphans] = 1
    return Mixes(
        np.concatenate(([0], np.cumsum(size))),
        np.insert(mixes.topic, places, best[orphans]),
        np.insert(mixes.alpha, places, 1.0),
    )


def _hard(parameters: Parameters, best: list[np.ndarray]) -> list[Mixes]:
    """Every document in its best topic; a topic none chose takes its best document."""
    topic = np.concatenate(best)
    counts = np.bincount(topic, minlength=parameters.n_topics)
    alpha = _proportions(parameters.mixes, parameters.n_topics).tocsc()
    for j in np.flatnonzero(counts == 0):
        column = slice(alpha.indptr[j], alpha.indptr[j + 1])
        documents = alpha.indices[column][
            np.argsort(-alpha.data[column], kind="stable")
        ]
        spare = documents[counts[topic[documents]] > 1]
        others = np.flatnonzero(counts[topic] > 1)
        chosen = spare[0] if len(spare) else others[0]
        counts[topic[chosen]] -= 1
        counts[j] = 1
        topic[chosen] = j
    ends = np.cumsum([len(part) for part in best])[:-1]
    return [single_topics(part) for part in np.split(topic, ends)]


def _proportions(mixes: list[Mixes], n_topics: int) -> sparse.csr_array:
    sizes = np.concatenate([np.diff(m.indptr) for m in mixes])
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    alpha: Floats = np.concatenate([m.alpha for m in mixes])
    topic = np.concatenate([m.topic for m in mixes])
    return sparse.csr_array((alpha, topic, indptr), shape=(len(sizes), n_topics))
