"""Watching new documents with a fitted model."""

import numbers
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from leantopics._validation import check_choice
from leantopics.corpus import Corpus
from leantopics.engine.threads import Engine
from leantopics.models.shards import drop_unseen
from leantopics.ptm import evidence as weighing
from leantopics.ptm.fitted import FittedModel
from leantopics.ptm.inference import tables
from leantopics.ptm.watch import drift
from leantopics.ptm.watch.batch import prepare
from leantopics.ptm.watch.grow import Grown
from leantopics.ptm.watch.result import NewTopic, Watched
from leantopics.ptm.watch.watch import Known, Settings, new_topics


class WatchingModel(FittedModel):
    """The part of `ParsimoniousTopicModel` that compares new documents with the fit."""

    def watch(
        self,
        X: Any,
        *,
        evidence: str = "bursts",
        min_documents: int = 3,
        max_groups: int = 10,
        draws: int = 199,
        level: float = 0.05,
        random_state: int = 0,
    ) -> Watched:
        """Find groups of new documents that share a topic the model does not have.

        The model is frozen, with all its levels of topics. A topic is grown from single
        documents: documents and words join it while they pay their price. It is
        reported if it pays as a whole, together with how often batches drawn from the
        model have one worth as much. Its documents are put aside, and the next topic is
        grown.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of the words of new documents. Words that the fit never saw are left
            out.
        evidence : {"bursts", "words"}
            Whether the further occurrences of a word in a document count for less, so
            that a document that repeats itself makes no topic. If the model was fitted
            to words, how much less is estimated from the new documents.
        min_documents : int
            Least number of documents of a group, from 2 up.
        max_groups : int
            Most groups to look for.
        draws : int
            Number of batches drawn from the model; the least p-value is
            ``1 / (1 + draws)``. None is drawn if no group pays.
        level : float
            Groups with a p-value up to this are in ``found``. Topics grew or shrank if
            all would stay in their ranges with a probability of one less a fifth of it.
        random_state : int
            Seed of the draws.

        Returns
        -------
        Watched
            The groups, the topics that grew or shrank, and the share of the words that
            topics do not explain.

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, truth = make_corpus(400, 300, 5, boost=5)
        >>> new = truth.alpha.toarray()[:, 0] > 0
        >>> model = ParsimoniousTopicModel(4, random_state=0).fit(corpus.select(~new))
        >>> watched = model.watch(corpus, draws=19)
        >>> len(watched.found), watched.found[0].p
        (1, 0.05)
        """
        check_is_fitted(self)
        check_choice("evidence", evidence, ("bursts", "words"))
        settings = _checked(min_documents, max_groups, draws, random_state)
        bounds: Any = {"min_val": 0, "max_val": 1, "include_boundaries": "neither"}
        check_scalar(level, "level", numbers.Real, **bounds)
        counts, rows = self._known_documents(X, settings.min_documents)
        finest = self if self.finer_ is None else self.finer_
        with self._workers() as workers:
            s = self._burstiness_of(counts, evidence, workers)
            known = Known(finest._snapshot, self.word_frequency_, s)
            found, p = new_topics(known, counts, settings, workers)
            switched = self._once("switched", lambda: tables(self._snapshot))
            batch = prepare(
                self._effective(counts), switched, self.shared_word_prob_, workers
            )
        random = np.random.default_rng(settings.seed)
        return Watched(
            [self._new_topic(*each, rows) for each in zip(found, p, strict=True)],
            drift.topic_changes(batch, self._snapshot, 0.2 * level, random),
            drift.unexplained(batch, self._snapshot, level, random),
            len(rows),
            settings.draws if found else 0,
            level,
            self.topic_names,
        )

    def _burstiness_of(
        self, counts: sparse.csr_array, evidence: str, workers: Engine
    ) -> float:
        """The burstiness of the fit, or of the documents if the fit has none."""
        if evidence == "words":
            return np.inf
        if np.isfinite(self.burstiness_):
            return self.burstiness_
        return weighing.burstiness(counts, workers)

    def _known_documents(
        self, X: Any, least: int
    ) -> tuple[sparse.csr_array, np.ndarray]:
        """Counts of the documents that have words the model knows, and their rows."""
        if isinstance(X, Corpus) and not set(X.vocabulary) & set(self.vocabulary_):
            raise ValueError(
                "The documents must have words that the model knows, but share none "
                f"with it: their words are like {X.vocabulary[:1]}, those of the model "
                f"like {self.vocabulary_[:1]}. Prepare them like those of the fit."
            )
        counts = drop_unseen(self._counts(X, reset=False)[0], self.word_frequency_)
        rows = np.flatnonzero(np.diff(counts.indptr) > 0)
        if len(rows) < least:
            raise ValueError(
                f"To watch, at least min_documents={least} documents must have words "
                f"that the model knows. Got {len(rows)} of {counts.shape[0]} instead."
            )
        return counts[rows], rows

    def _new_topic(self, grown: Grown, p: float, rows: np.ndarray) -> NewTopic:
        written, topic = self.surface_forms, grown.topic
        preferred = np.where(topic.log_ratio > 0.0, topic.worth, 0.0)
        order = np.argsort(-preferred, kind="stable")[: topic.n_salient]
        order = order[preferred[order] > 0.0]
        words = [(written[n], float(preferred[n])) for n in order]
        return NewTopic(grown.nats, p, rows[grown.docs], grown.gain, grown.share, words)


def _checked(
    min_documents: int, max_groups: int, draws: int, random_state: int
) -> Settings:
    check_scalar(min_documents, "min_documents", numbers.Integral, min_val=2)
    check_scalar(max_groups, "max_groups", numbers.Integral, min_val=1)
    check_scalar(draws, "draws", numbers.Integral, min_val=1)
    return Settings(int(min_documents), int(max_groups), int(draws), int(random_state))
