"""The part of `ParsimoniousTopicModel` that keeps up with documents that change."""

from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from leantopics.ptm import refresh
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.checks import check_parameters
from leantopics.ptm.fitted import FittedModel


class RefreshableModel(FittedModel):
    """A fitted model from whose topics another fit can begin."""

    def refresh(
        self, X: Any, *, renumber: bool = True, checkpoint: Checkpoint | None = None
    ) -> Self:
        """Fit the model to its documents and new ones, from the topics it has.

        The topics are inferred in all documents. From there merges, splits and removals
        go on while they pay, and topics are tried that begin in documents drawn at
        random. The fit ends with a certificate as any other. It takes a part of the
        time of a fit from scratch.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            All documents that the new model is about, old and new, in any order; those
            that are left out are forgotten. Words are matched by name if X is a Corpus
            or a data frame: there may be new ones. Other matrices need the columns of
            the fit.
        renumber : bool
            Whether topics are numbered in order of decreasing mass, as in a fit. If
            not, topics that continue others keep their numbers as far as there are as
            many topics.
        checkpoint : Checkpoint, optional
            Where to keep finished work, and to go on from it after an interruption.

        Returns
        -------
        ParsimoniousTopicModel
            A new model. Its ``changes_`` say what became of each topic; names given by
            hand and pinned words go with the topics. If this model has finer topics,
            both levels are refreshed.

        Examples
        --------
        >>> from leantopics import ParsimoniousTopicModel, make_corpus
        >>> corpus, truth = make_corpus(200, 100, 4, random_state=0)
        >>> X = corpus.counts
        >>> model = ParsimoniousTopicModel(random_state=0).fit(X[:150])
        >>> refreshed = model.refresh(X)
        >>> refreshed.converged_, len(refreshed.changes_) >= refreshed.n_topics_
        (True, True)
        """
        check_is_fitted(self)
        model: Any = self
        check_parameters(model)
        refreshed: Any = refresh.refresh(model, X, renumber, checkpoint)
        refreshed._warn_if_cut()
        newer: Self = refreshed
        return newer
