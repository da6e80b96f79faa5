"""Fits of sparse topical coding at decreasing numbers of topics."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.baselines import stc_fit
from leantopics.baselines.kernels.stc_words import Weights
from leantopics.baselines.order import Iteration, Order, falling
from leantopics.baselines.search import Search
from leantopics.baselines.stc_fit import Settings
from leantopics.baselines.stc_grid import try_grid
from leantopics.baselines.stc_start import normalised, seeded
from leantopics.engine.threads import Engine

TRACE = 1e-3
"""Share of the corpus mixed into topics when others are removed."""


def document_codes(order: Order) -> Floats:
    """Codes theta (D, M) of the training documents."""
    return order.proportions * order.extra["scale"][:, None]


class STCSearch(Search):
    """Fits of sparse topical coding to one corpus; see `Search`.

    The first fit chooses between several values on the ``axes``, which are those of the
    weights, on a validation split; all others use its choice.
    """

    def __init__(
        self,
        counts: sparse.csr_array,
        axes: Sequence[Sequence[float]],
        widen: bool,
        settings: Settings,
        init_docs: int,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[Iteration], object],
    ) -> None:
        super().__init__(init_docs, random, workers, report)
        self._n_words = counts.shape[1]
        self._seen = np.flatnonzero(counts.sum(axis=0))
        self._counts = counts[:, self._seen]
        self._data = stc_fit.prepare(self._counts)
        self._axes, self._widen = axes, widen
        self._weights = Weights(*(float(values[0]) for values in axes))
        self._tried: Floats = np.zeros((0, len(Weights._fields) + 1))
        self._settings = settings

    def start(self, n_topics: int) -> Order:
        """Fit from topics grown from random documents, with the best weights."""
        if max(map(len, self._axes)) > 1:
            self._tried = try_grid(
                self._counts,
                n_topics,
                self._axes,
                self._widen,
                self._settings,
                self._init_docs,
                self._random,
                self._workers,
            )
            best = self._tried[int(np.argmax(self._tried[:, -1])), :-1]
            self._weights = Weights(*best.tolist())
        first = seeded(self._counts, n_topics, self._init_docs, self._random)
        return self._fit(first, np.zeros((self._counts.shape[0], n_topics)))

    def fewer(self, fitted: Order, n_topics: int) -> Order:
        """Fit from the most massive topics, which come first."""
        kept = fitted.components[:n_topics, self._seen].T
        frequency = self._data.frequency[:, None]
        dictionary = np.ascontiguousarray((1.0 - TRACE) * kept + TRACE * frequency)
        return self._fit(dictionary, document_codes(fitted)[:, :n_topics])

    def criterion(self, fitted: Order) -> float:
        """The objective."""
        return float(fitted.summary["objective"])

    def _fit(self, dictionary: Floats, theta: Floats) -> Order:
        found = stc_fit.fit(
            self._data,
            dictionary,
            theta,
            self._weights,
            self._settings,
            self._workers,
            self._report,
        )
        self.stopped = found.stop_reason == "callback"
        return self._lay_out(found)

    def _lay_out(self, found: stc_fit.Fit) -> Order:
        """Number the topics in order of decreasing mass."""
        weights, last = self._weights, found.history[-1]
        present, by_code, mass = stc_fit.account(
            self._data.shards, found.dictionary, weights, found.codes, self._workers
        )
        n_topics = len(mass)
        place = falling(mass, n_topics)
        components = np.zeros((n_topics, self._n_words))
        components[:, self._seen] = found.dictionary.T[place]
        theta = found.codes.theta[:, place]
        summary = {
            "n_topics": n_topics,
            "objective": float(found.codes.objective.sum()),
            "topics_per_document": float(present.sum(axis=1).mean()),
            "topics_by_code": float(by_code.sum(axis=1).mean()),
            "n_iter": last.iteration,
            "converged": found.stop_reason == "converged",
            "stop_reason": found.stop_reason,
            "seconds": last.seconds,
        }
        return Order(
            components,
            normalised(theta),
            present[:, place],
            mass[place] / mass.sum(),
            {
                "scale": theta.sum(axis=1),
                "weights": np.array(weights),
                "tried": self._tried,
            },
            summary,
        )
