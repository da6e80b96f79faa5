"""What a fitted model shows: its topics, words and documents, at any order."""

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from leantopics.base import TopicModel, fingerprint
from leantopics.ptm import inference as inferring
from leantopics.ptm import snapshot
from leantopics.ptm.checks import check_choice
from leantopics.ptm.em import Iteration
from leantopics.ptm.kept import Kept
from leantopics.ptm.kernels.arrays import Floats
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.search import word_weight
from leantopics.ptm.snapshot import Snapshot, Summary


class FittedModel(TopicModel):
    """The part of `ParsimoniousTopicModel` that needs no fitting."""

    inference: str
    procedure: str
    word_prior_: str
    fingerprint_: str
    versions_: dict[str, str]
    history_: list[Iteration]

    def explain(
        self, X: Any, proportions: sparse.csr_array | None = None
    ) -> list[inferring.Explanation]:
        """For each word of each document, the topic or the shared model behind it.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words.
        proportions : csr_array of shape (n_docs, M), optional
            Topics of the documents, such as rows of ``topic_proportions_``; those that
            `transform` finds if not given.
        """
        check_is_fitted(self)
        counts = self._counts(X, reset=False)[0]
        if proportions is None:
            counts, found = self._infer(counts)
        else:
            counts = inferring.known(counts, self.shared_word_prob_)
            found = inferring.Inferred(
                proportions.indptr,
                proportions.indices,
                proportions.data,
                np.zeros(counts.shape[0]),
            )
        return inferring.explain(counts, found, self._snapshot, counts.shape[1])

    def is_fitted_to(self, X: Any) -> bool:
        """Whether these are the very documents of the fit, in their order."""
        check_is_fitted(self)
        return self.fingerprint_ == fingerprint(self._counts(X, reset=False)[0])

    def shared_share(self, X: Any) -> Floats:
        """Share of each document's words that the shared model accounts for."""
        return np.array(
            [
                float(e.counts @ e.shared / e.counts.sum()) if len(e.shared) else 1.0
                for e in self.explain(X)
            ]
        )

    def top_words(
        self,
        topic: int,
        n: int = 10,
        *,
        by: str = "probability",
        which: str = "salient",
    ) -> list[tuple[str, float]]:
        """First words of a topic, with what they are ranked by.

        Parameters
        ----------
        topic : int
            Number of the topic.
        n : int
            How many words.
        by : {"probability", "salience"}
            Probability in the topic; or nats by which a word beats its price, of words
            that the topic uses more than the shared model does.
        which : {"salient", "avoided", "shared"}
            Words with a probability of their own; those of them that the topic uses
            less than the shared model does (always ranked by salience); or words that
            it leaves to the shared model (always by probability).
        """
        self._check_topic(topic)
        check_choice("by", by, ("probability", "salience"))
        check_choice("which", which, ("salient", "avoided", "shared"))
        ranked = snapshot.ranked_words(
            self._snapshot, self.shared_word_prob_, self._prior(), topic, by, which
        )
        return [(self.vocabulary_[word], value) for word, value in ranked[:n]]

    def shared_words(self, n: int = 10) -> list[tuple[str, float]]:
        """First words of the shared vocabulary, with the share of all words they are.

        A word counts with its shared probability in the topics that leave it to the
        shared model.
        """
        check_is_fitted(self)
        values = snapshot.shared_mass(self._snapshot, self.shared_word_prob_)
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

    def at(self, n_topics: int) -> Self:
        """The model at another order of the path."""
        check_is_fitted(self)
        if n_topics not in self._path:
            raise ValueError(
                f"n_topics must be an order of the path, one of {sorted(self._path)}. "
                f"Got {n_topics!r} instead."
            )
        other: Self = clone(self)
        kept = ("vocabulary_", "history_", "word_prior_", "n_features_in_")
        for name in (*kept, "fingerprint_", "versions_"):
            setattr(other, name, getattr(self, name))
        if hasattr(self, "feature_names_in_"):
            other.feature_names_in_ = self.feature_names_in_
        other.analyser_ = self.analyser_
        other._show(self._path, n_topics, self.shared_word_prob_, self._filled)
        if n_topics == self.n_topics_:
            other._topic_names = self._topic_names
        return other

    @property
    def components_(self) -> Floats:
        """Word distributions (M, n_words) with the shared words, made on demand."""
        check_is_fitted(self)
        return snapshot.components(self._snapshot, self.shared_word_prob_)

    def _show(
        self,
        path: dict[int, tuple[Snapshot, Summary]],
        order: int,
        beta0: Floats,
        filled: np.ndarray,
    ) -> None:
        """Set the public attributes from an order of the path."""
        self._path, self._filled = path, filled
        self._snapshot, summary = path[order]
        self._topic_names = None
        self._kept: Kept | None = None
        self.path_ = [entry.record() for _, entry in path.values()]
        self.n_topics_ = order
        self.shared_word_prob_ = beta0
        self.bic_, self.bic_terms_ = summary.bic, summary.terms._asdict()
        self.log_likelihood_ = summary.log_likelihood
        self.n_iter_, self.converged_ = summary.n_iter, summary.converged
        self.stop_reason_ = summary.stop_reason
        self.topic_mass_ = self._snapshot.mass / self._snapshot.mass.sum()
        self.n_salient_words_ = np.diff(self._snapshot.salient_indptr)
        self.n_documents_ = self._snapshot.documents
        self.topic_proportions_ = snapshot.proportions(self._snapshot, filled)
        self.salient_word_prob_ = snapshot.salient_probabilities(self._snapshot, beta0)
        self.salience_ = snapshot.salience(self._snapshot, beta0, self._prior())

    def _default_names(self) -> list[str]:
        first = [self.top_words(j, 3, by="salience") for j in range(self.n_topics_)]
        return [" ".join(word for word, _ in words) for words in first]

    def _prior(self) -> WordPrior:
        weight = word_weight(self.procedure, self.n_topics_)
        return WordPrior(self.word_prior_ == "exact", weight)

    def _infer(
        self, counts: sparse.csr_array
    ) -> tuple[sparse.csr_array, inferring.Inferred]:
        counts = inferring.known(counts, self.shared_word_prob_)
        with self._workers() as workers:
            found = inferring.infer(
                counts,
                self._snapshot,
                counts.shape[1],
                sparse_topics=self.inference == "sparse",
                workers=workers,
            )
        return counts, found
