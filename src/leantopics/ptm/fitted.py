"""What a fitted model shows: its topics, words and documents."""

import itertools
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from leantopics._arrays import Floats
from leantopics._validation import check_choice
from leantopics.corpus.validation import canonical
from leantopics.engine.threads import Engine
from leantopics.models.base import TopicModel, fingerprint
from leantopics.models.shards import drop_unseen
from leantopics.ptm import inference as inferring
from leantopics.ptm import prediction as predicting
from leantopics.ptm import snapshot
from leantopics.ptm.attached_texts import Kept
from leantopics.ptm.checks import check_prediction
from leantopics.ptm.em import Iteration
from leantopics.ptm.moves.rearrange import TRACE
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.search.fitter import word_weight
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.ptm.stability import Stability
from leantopics.ptm.state import Data, cut_groups, prepare, rebase, rows_of


class FittedModel(TopicModel):
    """The part of `ParsimoniousTopicModel` that needs no fitting."""

    has_switches = True
    inference: str
    prediction: str
    refine: int
    procedure: str
    word_prior_: str
    fingerprint_: str
    versions_: dict[str, str]
    history_: list[Iteration]

    def explain(
        self, X: Any, proportions: sparse.csr_array | None = None
    ) -> list[inferring.Explanation]:
        """Find the topic, or the shared model, behind each word of each document.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words.
        proportions : csr_array of shape (n_docs, M), optional
            Topics of the documents, such as rows of ``topic_proportions_``; by default
            those that `transform` finds.
        """
        check_is_fitted(self)
        counts = self._counts(X, reset=False)[0]
        if proportions is None:
            return [
                explained
                for part, found, _ in self._infer(counts)
                for explained in inferring.explain(part, found, self._snapshot)
            ]
        counts = drop_unseen(counts, self.word_frequency_)
        shares = self._check_proportions(proportions, counts.shape[0])
        found = inferring.Inferred(
            shares.indptr, shares.indices, shares.data, np.zeros(counts.shape[0])
        )
        return inferring.explain(counts, found, self._snapshot)

    def _check_proportions(self, given: Any, n_docs: int) -> sparse.csr_array:
        shares = canonical(given)
        if shares.shape != (n_docs, self.n_topics_):
            raise ValueError(
                f"proportions must have a row for each of {n_docs} documents and a "
                f"column for each of {self.n_topics_} topics. Got shape {shares.shape} "
                "instead."
            )
        return shares

    def is_fitted_to(self, X: Any) -> bool:
        """Whether these are exactly the documents of the fit, in the same order."""
        check_is_fitted(self)
        return self.fingerprint_ == fingerprint(self._counts(X, reset=False)[0])

    def document_topics(self, corpus: Any) -> sparse.csr_array:
        """Topics of documents: from the fit for its own documents, else inferred."""
        if self.is_fitted_to(corpus):
            return self.topic_proportions_
        return super().document_topics(corpus)

    def shared_share(self, X: Any) -> Floats:
        """Share of each document's words that the shared model accounts for."""
        shares = [
            float(e.counts @ e.shared / e.counts.sum()) if len(e.shared) else 1.0
            for e in self.explain(X)
        ]
        return np.minimum(shares, 1.0)  # sums of fractions may round up

    def top_words(
        self,
        topic: int,
        n: int = 10,
        *,
        by: str = "probability",
        which: str = "salient",
    ) -> list[tuple[str, float]]:
        """Top words of a topic, with the values that they are ranked by.

        Parameters
        ----------
        topic : int
            Number of the topic.
        n : int
            Number of words.
        by : {"probability", "salience"}
            Rank by probability in the topic; or by the nats by which the gain of a word
            exceeds its price, for words that the topic uses more than the shared model.
        which : {"salient", "avoided", "shared"}
            Words with their own probability; those of them that the topic uses less
            than the shared model does (always ranked by salience); or words that it
            leaves to the shared model (always ranked by probability).
        """
        self._check_topic(topic)
        check_choice("by", by, ("probability", "salience"))
        check_choice("which", which, ("salient", "avoided", "shared"))
        ranked = snapshot.ranked_words(self._snapshot, self._prior(), topic, by, which)
        return [(self.vocabulary_[word], value) for word, value in ranked[:n]]

    def shared_words(self, n: int = 10) -> list[tuple[str, float]]:
        """Top words of the shared vocabulary, with their share of all words.

        A word counts with its shared probability in the topics that leave it to the
        shared model.
        """
        check_is_fitted(self)
        values = snapshot.shared_mass(self._snapshot)
        order = np.argsort(-values, kind="stable")[:n]
        return [(self.vocabulary_[word], float(values[word])) for word in order]

    def documents(self, topic: int, n: int = 10) -> list[tuple[int, float]]:
        """Most typical training documents of a topic: (row, proportion).

        Ranked by the nats that the topic's share of the document gains over the shared
        model.
        """
        self._check_topic(topic)
        filled = np.flatnonzero(self._filled)
        rows, alpha = snapshot.typical_documents(self._snapshot, topic, n)
        return [(int(filled[d]), float(a)) for d, a in zip(rows, alpha, strict=True)]

    def at(self, n_topics: int, X: Any = None) -> Self:
        """Return the model with another number of topics of the path.

        Parameters
        ----------
        n_topics : int
            Number of topics.
        X : array, sparse matrix, data frame or Corpus, optional
            The documents of the fit. The shrunk model of another number of topics needs
            their counts; without them the model has ``prediction="switched"``.
        """
        check_is_fitted(self)
        if n_topics not in self._path:
            raise ValueError(
                f"n_topics must be one of the numbers fitted, {sorted(self._path)}. "
                f"Got {n_topics!r} instead."
            )
        other: Self = clone(self)
        self._copy_to(other)
        other._set_results(self._path, n_topics, self.word_frequency_, self._filled)
        other._kept = self._kept
        if n_topics == self.n_topics_:
            other._topic_names, other._shrunk = self._topic_names, self._shrunk
            other.pinned_words_, other.edits_ = self.pinned_words_, self.edits_
            other.stability_ = self.stability_
        elif X is None:
            other.prediction = "switched"
        else:
            other._fit_predictor(prepare(self._documents(X)))
        return other

    @property
    def components_(self) -> Floats:
        """Word distributions (M, n_words), shared words included; made on demand."""
        check_is_fitted(self)
        return snapshot.components(self._snapshot)

    @property
    def predictive_components_(self) -> Floats:
        """Word distributions (M, n_words) used to predict new documents."""
        check_is_fitted(self)
        check_prediction(self)
        if self.prediction == "shrunk":
            return predicting.components(self._predictor(), self.word_frequency_)
        return (1.0 - TRACE) * self.components_ + TRACE * self.shared_word_prob_

    @property
    def _n_words(self) -> int:
        return len(self._snapshot.beta0)

    def _copy_to(self, other: Self) -> None:
        """Copy what is the same for all numbers of topics to another model."""
        kept = ("vocabulary_", "history_", "word_prior_", "n_features_in_")
        for name in (*kept, "fingerprint_", "versions_", "analyser_"):
            setattr(other, name, getattr(self, name))
        if hasattr(self, "feature_names_in_"):
            other.feature_names_in_ = self.feature_names_in_

    def _documents(self, X: Any) -> sparse.csr_array:
        """Counts of the documents of the fit that have words."""
        counts = self._counts(X, reset=False)[0]
        if fingerprint(counts) != self.fingerprint_:
            raise ValueError(
                "X must be the documents of the fit, in the same order. Got other ones "
                "instead."
            )
        return counts[self._filled]

    def _set_results(
        self,
        path: dict[int, tuple[Snapshot, Summary]],
        order: int,
        frequency: Floats,
        filled: np.ndarray,
    ) -> None:
        """Set the public attributes from one number of topics of the path."""
        self._path, self._filled = path, filled
        self._snapshot, summary = path[order]
        self._topic_names, self._made = None, {}
        self._kept: Kept | None = None
        self.pinned_words_: dict[int, list[str]] = {}
        self.edits_: list[dict[str, Any]] = []
        self.stability_: Stability | None = None
        self._shrunk: predicting.Shrunk | None = None
        self.path_ = [entry.record() for _, entry in path.values()]
        self.n_topics_ = order
        self.word_frequency_ = frequency
        self.shared_word_prob_ = self._snapshot.beta0
        self.bic_, self.bic_terms_ = summary.bic, summary.terms._asdict()
        self.log_likelihood_ = summary.log_likelihood
        self.n_iter_, self.converged_ = summary.n_iter, summary.converged
        self.stop_reason_ = summary.stop_reason
        self.topic_mass_ = self._snapshot.mass / self._snapshot.mass.sum()
        self.n_salient_words_ = np.diff(self._snapshot.salient_indptr)
        self.n_documents_ = self._snapshot.documents
        self.topic_proportions_ = snapshot.proportions(self._snapshot, filled)
        self.salient_word_prob_ = snapshot.salient_probabilities(self._snapshot)
        self.salience_ = snapshot.salience(self._snapshot, self._prior())

    def _default_names(self) -> list[str]:
        first = [self.top_words(j, 3, by="salience") for j in range(self.n_topics_)]
        return [" ".join(word for word, _ in words) for words in first]

    def _prior(self) -> WordPrior:
        weight = word_weight(self.procedure, self.n_topics_)
        return WordPrior(self.word_prior_ == "exact", weight)

    def _fit_predictor(self, data: Data) -> None:
        """Make the predictor of this model from the documents of the fit."""
        data = rebase(data, self.shared_word_prob_)
        with self._workers() as workers:
            data = data._replace(groups=workers.hold(data.groups))
            parameters = snapshot.parameters(self._snapshot, data, workers)
            self._shrunk = predicting.learn(data, parameters, workers, self.refine)

    def _predictor(self) -> predicting.Shrunk:
        if self._shrunk is None:
            raise ValueError(
                f"The counts to predict with at {self.n_topics_} topics are not kept: "
                f"give the documents of the fit, at({self.n_topics_}, X), or set "
                'prediction="switched".'
            )
        return self._shrunk

    def _infer(
        self, counts: sparse.csr_array
    ) -> Iterator[tuple[sparse.csr_array, inferring.Inferred, Floats]]:
        """Yield known counts, their topics, and the model that gains are relative to.

        Documents are handled part by part, so that few of them are in memory.
        """
        check_prediction(self)
        with self._workers() as workers:
            for first, last in itertools.pairwise(cut_groups(counts.indptr)):
                yield self._infer_part(rows_of(counts, first, last), workers)

    def _infer_part(
        self, counts: sparse.csr_array, workers: Engine
    ) -> tuple[sparse.csr_array, inferring.Inferred, Floats]:
        base, few = self.shared_word_prob_, self.inference == "sparse"
        counts = drop_unseen(counts, self.word_frequency_)
        if few or self.prediction == "switched":
            switched = self._once("switched", lambda: inferring.tables(self._snapshot))
            found = inferring.infer(
                counts, switched, sparse_topics=few, workers=workers
            )
        if self.prediction == "shrunk":
            chosen, base = found if few else None, self.word_frequency_
            shrunk = self._once(
                "shrunk", lambda: predicting.tables(self._predictor(), base)
            )
            found = predicting.infer(counts, shrunk, chosen, workers)
        return counts, found, base
