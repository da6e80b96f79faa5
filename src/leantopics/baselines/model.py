"""What the baselines share as estimators: check, sweep and name the results."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from leantopics._arrays import Floats
from leantopics._progress import Progress
from leantopics._validation import check_choice
from leantopics._warnings import warn
from leantopics._words import counted
from leantopics.baselines import store
from leantopics.baselines.checks import check_parameters
from leantopics.baselines.order import (
    Iteration,
    Order,
    log_likelihood,
    ranked_words,
)
from leantopics.baselines.search import Search
from leantopics.corpus.rows import row_parts
from leantopics.engine.threads import Engine
from leantopics.models.base import TopicModel, all_or_nothing, with_callbacks
from leantopics.models.checks import check_documents
from leantopics.models.shards import drop_unseen
from leantopics.models.sweep import sweep


class Trace(Progress):
    """Progress of a model whose objective is not BIC."""

    def _objective(self, step: Iteration, form: str) -> str:
        return f"objective {step.objective:{form}}"

    def _values(self, step: Iteration) -> str:
        return self._objective(step, ".1f")


class Baseline(TopicModel):
    """Base of the models to compare with, which share the contract of all models.

    A subclass stores its parameters and implements four methods: `_check` checks its
    own parameters, `_search` prepares the sweep, `_infer` finds the proportions of new
    documents, and `_set_own_results` sets its own attributes. A background comes last
    in arrays over topics: K is then M + 1, where ``n_topics_`` is M.

    Attributes
    ----------
    n_topics_ : int
        Number of topics M. Topics are numbered in order of decreasing mass.
    components_ : ndarray of shape (K, n_words)
        Word probabilities; rows sum to one.
    topic_proportions_ : ndarray of shape (n_docs, K)
        Topic proportions of the training documents; rows sum to one. A document without
        words has the corpus-wide shares.
    topics_present_ : ndarray of bool, shape (n_docs, K)
        Topics that account for the largest part of at least one word of a training
        document.
    topic_mass_ : ndarray of shape (K,)
        Share of all words.
    vocabulary_ : list of str
        Names of the words.
    history_ : list of Iteration
        Every iteration of the fit.
    path_ : list of dict
        Every number of topics fitted; `at` returns its model.
    n_iter_ : int
        Number of iterations of this fit.
    converged_, stop_reason_ : bool, str
        Whether the last iteration gained less than ``tol``, and why the fit ended:
        "converged", "max_iter" or "callback".
    """

    n_topics: int
    max_topics: int | None
    step: int | None
    max_iter: int
    tol: float
    random_state: int | np.random.RandomState | None
    callback: Callable[[Iteration], object] | None
    verbose: int

    @abstractmethod
    def _check(self) -> None:
        """Refuse invalid values of the subclass's own parameters."""

    @abstractmethod
    def _search(
        self,
        counts: sparse.csr_array,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[Iteration], object],
    ) -> Search:
        """Return the model as the sweep sees it; no row of the counts is empty.

        ``report`` is called after each iteration; if it returns True, the fit stops
        with stop_reason "callback", and the search is ``stopped``.
        """

    @abstractmethod
    def _infer(self, counts: sparse.csr_array, workers: Engine) -> Floats:
        """Proportions (D, K) of documents without empty ones or unseen words."""

    @all_or_nothing
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: object = None) -> Self:
        """Fit the model to counts.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words, finite and not negative, whole or not.
        y : ignored

        Returns
        -------
        self
        """
        check_parameters(self)
        self._check()
        counts, _ = self._counts(X, reset=True)
        filled = np.diff(counts.indptr) > 0
        check_documents(self.n_topics, int(filled.sum()))
        counts = counts[filled]
        random = check_random_state(self.random_state)
        with self._workers() as workers, Trace(self) as progress:
            search = self._search(counts, random, workers, progress.report)
            path = self._sweep(search, counts.shape[0], progress)
            self.history_ = progress.history
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        self._set_results(path, min(path), totals / totals.sum(), filled)
        if self.stop_reason_ == "max_iter":
            warn(
                f"max_iter={self.max_iter} iterations were not enough for a fit of "
                f"{counted(self.n_topics_, 'topic')} to reach tol={self.tol}; the "
                "model is usable, but a larger max_iter or tol would let it converge.",
                ConvergenceWarning,
            )
        return self

    def _sweep(
        self, search: Search, n_docs: int, progress: Progress
    ) -> dict[int, Order]:
        """Fit all numbers of topics from the largest down to exactly ``n_topics``."""
        floor = int(self.n_topics)
        ceiling = min(self.max_topics or floor, n_docs)
        step = max(1, ceiling // 50) if self.step is None else int(self.step)
        progress.expect(-((floor - ceiling) // step) + 1)
        path = sweep(search, ceiling=ceiling, floor=floor, step=step, limit=ceiling)
        if floor not in path and not search.stopped:
            path[floor] = search.fewer(path[min(path)], floor)
        return dict(sorted(path.items()))

    def transform(self, X: Any) -> Floats:
        """Topic proportions of documents.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words. Words that the fit never saw are left out; a document
            without a known word has the corpus-wide shares.

        Returns
        -------
        ndarray of shape (n_docs, K)
            Rows sum to one; the last column is the background, if there is one.
        """
        check_is_fitted(self)
        counts, dtype = self._counts(X, reset=False)
        return self._proportions(drop_unseen(counts, self.word_frequency_)).astype(
            dtype
        )

    def score(self, X: Any, y: object = None) -> float:
        """Mean log-likelihood of a word, in nats, given the topics from `transform`.

        Words that the fit never saw are left out; without any known word, it is 0.
        """
        check_is_fitted(self)
        words = value = 0.0
        for _, part in row_parts(self._counts(X, reset=False)[0]):
            counts = drop_unseen(part, self.word_frequency_)
            if counts.nnz:
                words += float(counts.data.sum())
                value += self._value(counts)
        return value / words if words else 0.0

    def _value(self, counts: sparse.csr_array) -> float:
        """The value of `score` for all words of the documents, not per word."""
        return log_likelihood(counts, self._proportions(counts), self.components_)

    def top_words(
        self, topic: int, n: int = 10, *, by: str | None = None
    ) -> list[tuple[str, float]]:
        """Top words of a topic, with the values that they are ranked by.

        Parameters
        ----------
        topic : int
            Number of the topic.
        n : int
            Number of words.
        by : {"probability", "salience"}, optional
            Rank by probability in the topic, the default; or by the word's part of the
            divergence of the topic from the corpus, ``beta log(beta / frequency)``.
        """
        self.check_topic(topic)
        by = self.ranking if by is None else by
        check_choice("by", by, ("probability", "salience"))
        ranked = ranked_words(self.components_[topic], self.word_frequency_, by)
        return [(self.vocabulary_[word], value) for word, value in ranked[:n]]

    def at(self, n_topics: int) -> Self:
        """Return the model with another number of topics of the path."""
        check_is_fitted(self)
        if n_topics not in self._path:
            raise ValueError(
                f"n_topics must be one of the numbers fitted, {sorted(self._path)}. "
                f"Got {n_topics!r} instead."
            )
        other: Self = clone(self)
        for name in ("vocabulary_", "history_", "n_features_in_", "analyser_"):
            setattr(other, name, getattr(self, name))
        if hasattr(self, "feature_names_in_"):
            other.feature_names_in_ = self.feature_names_in_
        other._set_results(self._path, n_topics, self.word_frequency_, self._filled)
        if n_topics == self.n_topics_:
            other._topic_names = self._topic_names
        return other

    def save(self, path: Any) -> None:
        """Save the model as a JSON manifest and arrays, never code.

        The path becomes a folder, or one zip file if it ends in ``.zip``.
        """
        check_is_fitted(self)
        store.save(self, path)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Load a model that `save` wrote."""
        return store.load(cls, path)

    def _set_results(
        self,
        path: dict[int, Order],
        n_topics: int,
        frequency: Floats,
        filled: NDArray[np.bool_],
    ) -> None:
        """Set the public attributes from one number of topics of the path."""
        self._path, self.word_frequency_, self._filled = path, frequency, filled
        self._order = order = path[n_topics]
        self._topic_names, self._made = None, {}
        self.path_ = [dict(entry.summary) for entry in path.values()]
        self.n_topics_ = n_topics
        self.components_ = order.components
        self.topic_mass_ = order.mass
        self.topic_proportions_ = np.tile(order.mass, (len(filled), 1))
        self.topic_proportions_[filled] = order.proportions
        self.topics_present_ = np.zeros(self.topic_proportions_.shape, dtype=np.bool_)
        self.topics_present_[filled] = order.present
        self.n_iter_ = order.summary["n_iter"]
        self.converged_ = order.summary["converged"]
        self.stop_reason_ = order.summary["stop_reason"]
        self._set_own_results(order)

    @abstractmethod
    def _set_own_results(self, order: Order) -> None:
        """Set the attributes that only this class has."""

    def _proportions(self, counts: sparse.csr_array) -> Floats:
        filled = np.diff(counts.indptr) > 0
        out = np.tile(self.topic_mass_, (len(filled), 1))
        if filled.any():
            with self._workers() as workers:
                out[filled] = self._infer(counts[filled], workers)
        return out

    def _default_names(self) -> list[str]:
        shown = dict(zip(self.vocabulary_, self.surface_forms, strict=True))
        first = [self.top_words(j, 3, by="salience") for j in range(self.n_topics_)]
        return [" ".join(shown[word] for word, _ in words) for words in first]

    @property
    def _n_features_out(self) -> int:
        return len(self.topic_mass_)

    @property
    def _n_words(self) -> int:
        return len(self.word_frequency_)
