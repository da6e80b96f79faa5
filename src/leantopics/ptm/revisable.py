"""The part of `ParsimoniousTopicModel` that makes other models of a fitted one."""

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from leantopics._validation import check_choice
from leantopics._warnings import warn
from leantopics._words import counted
from leantopics.ptm import editing, levels, stability
from leantopics.ptm.checks import check_parameters
from leantopics.ptm.fitted import FittedModel
from leantopics.ptm.stability import Stability


class RevisableModel(FittedModel):
    """A fitted model that can be edited, made coarser or finer, and fitted again."""

    max_iter: int

    def edit(
        self,
        X: Any,
        *,
        merge: Iterable[Sequence[int]] = (),
        drop: Iterable[int] = (),
        pin: Mapping[int, str | Iterable[str]] | None = None,
    ) -> Self:
        """Change the topics by hand and let BIC settle the rest.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            The documents of the fit.
        merge : groups of topics
            The documents of each group start in one topic, named after its first.
        drop : topics
            Their documents start in other topics.
        pin : mapping of topic to words
            Words that stay salient in a topic, whatever they cost; words pinned before
            stay pinned. A word that the topic never uses is salient by its absence.

        Returns
        -------
        ParsimoniousTopicModel
            A new model; the last of its ``edits_`` has the change of BIC. Its topics
            are renumbered in order of decreasing mass; ``pinned_words_`` has their
            pinned words. BIC settles all documents and words, so a topic may come back
            in place of a smaller one; a warning then names both. Its path has only this
            number of topics.

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, _ = make_corpus(200, 100, 4)
        >>> model = ParsimoniousTopicModel(6, random_state=0).fit(corpus)
        >>> edited = model.edit(corpus, merge=[(0, 4)], drop=[5])
        >>> edited.n_topics_, edited.bic_ < model.bic_
        (4, True)
        """
        check_is_fitted(self)
        check_parameters(self)
        edited = editing.edit(self, X, merge, drop, pin or {})
        edited._warn_if_cut()
        return edited

    def coarsen(
        self, X: Any, n: int | str = "auto", *, evidence: str | None = None
    ) -> Self:
        """Fit a model of fewer, broader topics that begin as groups of these.

        The tree of the topics is cut, and the fit goes on from there until no switch
        pays. This model stays as it is.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            The documents of the fit.
        n : int or "auto"
            Number of topics; "auto" chooses the lowest BIC.
        evidence : {"words", "bursts"}, optional
            The evidence that the new model is fitted to; by default bursts, which bear
            out fewer topics, if ``n`` is "auto", and that of this model otherwise.

        Returns
        -------
        ParsimoniousTopicModel
            Its ``finer_`` is this model, and its ``parents_`` are the new topics of
            the topics of this one.

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, _ = make_corpus(200, 100, 4)
        >>> model = ParsimoniousTopicModel(6, random_state=0).fit(corpus)
        >>> coarser = model.coarsen(corpus, 3)
        >>> coarser.n_topics_, len(coarser.parents_), coarser.finer_.n_topics_
        (3, 6, 6)
        """
        check_is_fitted(self)
        check_parameters(self)
        coarser = levels.coarsen(self, X, n, evidence)
        coarser._warn_if_cut()
        return coarser

    def finer(self, X: Any) -> Self:
        """Fit the finer topics that every word, not only every burst, bears out.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            The documents of the fit. A model that was fitted with ``n_topics="auto"``
            has its finer topics already.

        Returns
        -------
        ParsimoniousTopicModel
            It is kept as ``finer_``; ``parents_`` has the topic of this model that
            takes most of the words of each finer topic.
        """
        check_is_fitted(self)
        counts = self._documents(X)
        if self.finer_ is not None:
            return self.finer_
        if np.isinf(self.burstiness_):
            raise ValueError(
                'The topics of a model with evidence="words" are the finest that the '
                "documents bear out; coarsen finds broader ones."
            )
        finer: Self = clone(self).set_params(evidence="words", n_topics="auto").fit(X)
        return levels.relate(self, finer, counts)

    def measure_stability(
        self,
        X: Any,
        *,
        repeats: int = 10,
        how: str = "starts",
        random_state: int | np.random.RandomState | None = 0,
    ) -> Stability:
        """Fit repeatedly to see which topics and salient words recur.

        Each topic is compared with the topic of each repeat that shares most words with
        it: the agreement is the words that both have, divided by those that either has.
        The result is kept as ``stability_``; `save` and reports include it.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            The documents of the fit.
        repeats : int
            Number of fits with the settings of this one; each takes as long as it did.
        how : {"starts", "bootstrap"}
            Other random starts on the same documents; or on as many documents drawn
            with replacement, which also shows how much the documents matter.
        random_state : int, RandomState or None
            Seed of the repeats.

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, _ = make_corpus(200, 100, 3, boost=5)
        >>> model = ParsimoniousTopicModel(3, random_state=0).fit(corpus)
        >>> model.measure_stability(corpus, repeats=3).found
        array([3, 3, 3])
        """
        check_is_fitted(self)
        check_scalar(repeats, "repeats", numbers.Integral, min_val=1)
        check_choice("how", how, ("starts", "bootstrap"))
        self.stability_ = stability.measure(self, X, repeats, how, random_state)
        return self.stability_

    def _warn_if_cut(self) -> None:
        if self.stop_reason_ == "max_iter":
            warn(
                f"max_iter={self.max_iter} iterations were not enough for a fit of "
                f"{counted(self.n_topics_, 'topic')} in which no switch pays; the "
                "model is usable, but a larger max_iter or tol would let it converge.",
                ConvergenceWarning,
            )
