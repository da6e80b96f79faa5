"""Topics of documents, those of the fit and new ones."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from leantopics._arrays import Floats
from leantopics._words import counted
from leantopics.corpus.validation import canonical
from leantopics.engine.threads import Engine
from leantopics.models.base import TopicModel
from leantopics.models.shards import drop_unseen
from leantopics.ptm import evidence as weighing
from leantopics.ptm import inference as inferring
from leantopics.ptm import prediction as predicting
from leantopics.ptm import snapshot
from leantopics.ptm.checks import check_prediction
from leantopics.ptm.explanations import Explanation, explain
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.state import cut_groups, rows_of


class InferringModel(TopicModel):
    """The part of `ParsimoniousTopicModel` that finds the topics of documents."""

    inference: str
    prediction: str
    procedure: str
    sparse_output: bool
    burstiness_: float
    shared_word_prob_: Floats
    _snapshot: Snapshot
    _shrunk: predicting.Shrunk | None

    def transform(self, X: Any) -> Any:
        """Topic proportions of documents.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words; or a list of texts, if the model was fitted to texts. A
            document without a known word has the corpus-wide shares.

        Returns
        -------
        ndarray, or csr_array if ``sparse_output``, of shape (n_docs, M)
            Rows sum to one.
        """
        check_is_fitted(self)
        counts, dtype = self._counts(X, reset=False)
        parts = []
        for known, found, _ in self._infer(counts):
            filled = np.diff(known.indptr) > 0
            size = np.diff(found.indptr)[filled]
            here = self._snapshot._replace(
                doc_indptr=np.concatenate(([0], np.cumsum(size))),
                doc_topic=found.topic,
                alpha=found.alpha,
            )
            parts.append(snapshot.proportions(here, filled).astype(dtype))
        out = parts[0] if len(parts) == 1 else sparse.csr_array(sparse.vstack(parts))
        return out if self.sparse_output else out.toarray()

    def score(self, X: Any, y: object = None) -> float:
        """Mean log-likelihood of a word, in nats, given the topics from `transform`.

        Words that the fit never saw are left out; without any known word, it is 0.
        """
        check_is_fitted(self)
        words = value = 0.0
        for counts, found, base in self._infer(self._counts(X, reset=False)[0]):
            words += float(counts.data.sum())
            value += inferring.base_log_likelihood(counts, base)
            value += float(found.gain.sum())
        return value / words if words else 0.0

    def explain(
        self,
        X: Any,
        proportions: sparse.csr_array | None = None,
        *,
        receipts: bool = False,
    ) -> list[Explanation]:
        """Find the topic, or the shared model, behind each word of each document.

        A topic explains a word if the word pays for itself there: it occurs so much
        more often than the shared model expects that the nats it gains are worth its
        share of what the topic costs in the document (see `docs/method.md`).

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words.
        proportions : csr_array of shape (n_docs, M), optional
            Topics of the documents, such as rows of ``topic_proportions_``; by default
            those that `transform` finds.
        receipts : bool
            Whether to account for each document: what its topics cost, what they and
            its words earned, and by how much a topic beats the next best one. The
            topics are those given, or else those with the lowest BIC.

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, _ = make_corpus(200, 100, 3, boost=5)
        >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
        >>> receipt = model.explain(corpus.counts[:1], receipts=True)[0].receipt
        >>> total = receipt.shared + receipt.choice + receipt.together
        >>> total -= sum(topic.net for topic in receipt.topics)
        >>> abs(total - receipt.bic) < 1e-9
        True
        """
        check_is_fitted(self)
        counts = self._counts(X, reset=False)[0]
        parts: Iterable[tuple[sparse.csr_array, inferring.Inferred, Any]]
        if proportions is None:
            parts = self._infer(counts)
        else:
            given = self._check_proportions(proportions, counts.shape[0])
            nothing = np.zeros(counts.shape[0])
            topics = inferring.Inferred(
                given.indptr, given.indices, given.data, nothing
            )
            parts = [(drop_unseen(counts, self.word_frequency_), topics, None)]
        explained = []
        for known, found, _ in parts:
            worth, shares = self._effective(known), None
            if receipts:
                shares = self._fewest(worth) if proportions is None else given
            explained += explain(known, worth, found, self._snapshot, shares)
        return explained

    def shared_share(self, X: Any) -> Floats:
        """Share of each document's words that the shared model accounts for."""
        return np.array([found.shared_share for found in self.explain(X)])

    def _switched(self) -> inferring.Tables:
        """The word model for new documents."""
        return self._once("switched", lambda: inferring.tables(self._snapshot))

    def _fewest(self, worth: sparse.csr_array) -> sparse.csr_array:
        """Topics of documents with the lowest BIC, whatever the settings."""
        with self._workers() as workers:
            found = inferring.infer(
                worth, self._switched(), sparse_topics=True, workers=workers
            )
        arrays = (found.alpha, found.topic.astype(np.int64), found.indptr)
        return sparse.csr_array(arrays, shape=(worth.shape[0], self.n_topics_))

    def _check_proportions(self, given: Any, n_docs: int) -> sparse.csr_array:
        shares = canonical(given)
        if shares.shape != (n_docs, self.n_topics_):
            raise ValueError(
                f"proportions must have a row for each of {n_docs} documents and a "
                f"column for each of {self.n_topics_} topics. Got shape {shares.shape} "
                "instead."
            )
        return shares

    def _effective(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Counts of words that the fit saw, as much as they are worth as evidence."""
        return weighing.effective(counts, self.burstiness_, self.word_frequency_)

    def _predictor(self) -> predicting.Shrunk:
        if self._shrunk is None:
            raise ValueError(
                f"The counts to predict with at {counted(self.n_topics_, 'topic')} are "
                f"not kept: give the documents of the fit, at({self.n_topics_}, X), or "
                'set prediction="switched".'
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
            switched = self._switched()
            known = self._effective(counts)
            if few or self.procedure == "paper":
                found = inferring.infer(
                    known, switched, sparse_topics=few, workers=workers
                )
            else:
                found = inferring.infer_together(known, switched, base, workers)
        if self.prediction == "switched":
            found = inferring.with_gains(counts, found, switched, workers)
        else:
            chosen, base = found if few else None, self.word_frequency_
            shrunk = self._once(
                "shrunk", lambda: predicting.tables(self._predictor(), base)
            )
            found = predicting.infer(counts, shrunk, chosen, workers)
        return counts, found, base
