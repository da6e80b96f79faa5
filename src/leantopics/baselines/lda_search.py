"""Fits of latent Dirichlet allocation at decreasing numbers of topics."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.baselines import lda_em
from leantopics.baselines.lda_em import Settings, Words
from leantopics.baselines.order import Iteration, Order, falling, log_likelihood
from leantopics.baselines.search import Search
from leantopics.engine.threads import Engine

TRACE = 1e-6
"""Share of ``(c_n + 1) / (c + N)``, for word counts c_n, in unsmoothed topics."""


def words_of(order: Order, n_topics: int) -> Words:
    """Word model of the first topics of a fit, and of its background if it has one.

    The lambda of smoothed topics is ``components * concentration``.
    """
    table, smoothing, background = order.components[:n_topics].T, None, None
    if "smoothing" in order.extra:
        table = table * order.extra["concentration"][:n_topics]
        smoothing = float(order.extra["smoothing"])
    if len(order.mass) > order.summary["n_topics"]:
        background = order.components[-1]
    return Words(np.ascontiguousarray(table), smoothing, background)


class Priors(NamedTuple):
    """Priors of topics and words, and whether there is a background."""

    eta: float | None
    """Dirichlet parameter of all topics; it is learned if None."""
    smoothing: float | None
    background: bool


class LDASearch(Search):
    """Fits of latent Dirichlet allocation to one corpus; see `Search`."""

    def __init__(
        self,
        counts: sparse.csr_array,
        settings: Settings,
        priors: Priors,
        init_docs: int,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[Iteration], object],
    ) -> None:
        super().__init__(init_docs, random, workers, report)
        self._counts = counts
        self._shards = lda_em.cut(counts)
        self._totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        self._settings = settings
        self._eta, self._smoothing, self._background = priors

    def start(self, n_topics: int) -> Order:
        """Fit from topics that mix random documents and the corpus, half and half."""
        n_docs = self._counts.shape[0]
        rounds = -(-self._init_docs * n_topics // n_docs)
        drawn = [self._random.permutation(n_docs) for _ in range(rounds)]
        seeds = np.concatenate(drawn)[: self._init_docs * n_topics]
        topic = np.tile(np.arange(n_topics), self._init_docs)
        chosen = sparse.csr_array(
            (np.ones(len(seeds)), (topic, seeds)), shape=(n_topics, n_docs)
        )
        x = (chosen @ self._counts).toarray()
        n_tokens = self._totals.sum()
        frequency = self._totals / n_tokens
        table = (0.5 * x / x.sum(axis=1, keepdims=True) + 0.5 * frequency).T
        if self._smoothing is not None:
            table = self._smoothing + n_tokens / n_topics * table
        background = frequency if self._background else None
        size = n_topics + int(self._background)
        eta = np.full(size, 1.0 / size if self._eta is None else self._eta)
        words = Words(np.ascontiguousarray(table), self._smoothing, background)
        return self._fit(words, eta)

    def fewer(self, fitted: Order, n_topics: int) -> Order:
        """Fit from the most massive topics, which come first."""
        eta = fitted.extra["eta"]
        kept = np.r_[:n_topics, fitted.summary["n_topics"] : len(eta)]
        return self._fit(words_of(fitted, n_topics), eta[kept])

    def criterion(self, fitted: Order) -> float:
        """Minus the bound."""
        return -float(fitted.summary["bound"])

    def _fit(self, words: Words, eta: Floats) -> Order:
        found = lda_em.fit(
            self._shards, words, eta, self._settings, self._workers, self._report
        )
        self.stopped = found.stop_reason == "callback"
        return self._lay_out(found)

    def _lay_out(self, found: lda_em.Fit) -> Order:
        """Number the topics in order of decreasing mass, the background last."""
        (table, smoothing, background), last = found.words, found.history[-1]
        n_topics = table.shape[1]
        ranked = falling(found.mass[:n_topics], n_topics)
        place = np.concatenate((ranked, np.arange(n_topics, len(found.mass))))
        concentration = table.sum(axis=0)
        components = (table / concentration).T[ranked]
        extra = {"eta": found.eta[place]}
        if smoothing is None:
            floor = (self._totals + 1.0) / (self._totals + 1.0).sum()
            components = (1.0 - TRACE) * components + TRACE * floor
        else:
            extra["smoothing"] = np.array(smoothing)
            extra["concentration"] = concentration[ranked]
        if background is not None:
            components = np.vstack((components, background))
        proportions = lda_em.normalised(np.concatenate(found.gamma)[:, place])
        weights, _ = lda_em.word_weights(found.words)
        present = lda_em.present(self._shards, weights, found.gamma, self._workers)
        present = present[:, place]
        summary = {
            "n_topics": n_topics,
            "bound": last.objective,
            "log_likelihood": log_likelihood(self._counts, proportions, components),
            "topics_per_document": float(present[:, :n_topics].sum(axis=1).mean()),
            "n_iter": last.iteration,
            "converged": found.stop_reason == "converged",
            "stop_reason": found.stop_reason,
            "seconds": last.seconds,
        }
        if background is not None:
            with_it = float(present.sum(axis=1).mean())
            summary["topics_per_document_with_background"] = with_it
        mass = found.mass[place] / found.mass.sum()
        return Order(components, proportions, present, mass, extra, summary)
