"""What a fitted model shows: its topics, words and documents."""

import copy
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from leantopics._arrays import Floats, Longs
from leantopics._validation import check_choice
from leantopics.models.base import fingerprint
from leantopics.ptm import cuts, levels, naming, snapshot, tree
from leantopics.ptm import prediction as predicting
from leantopics.ptm.attached_texts import Kept, kept_tokens
from leantopics.ptm.checks import check_prediction
from leantopics.ptm.em import Iteration
from leantopics.ptm.hierarchy import Hierarchy, members, summed
from leantopics.ptm.inferring import InferringModel
from leantopics.ptm.moves.rearrange import TRACE
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.search.fitter import word_weight
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.ptm.stability import Stability
from leantopics.ptm.state import Data, prepare, rebase
from leantopics.ptm.tree import TopicWords, topic_counts


class FittedModel(InferringModel):
    """The part of `ParsimoniousTopicModel` that needs no fitting."""

    has_switches = True
    ranking = "salience"
    evidence: str
    refine: int
    procedure: str
    word_prior_: str
    fingerprint_: str
    versions_: dict[str, str]
    history_: list[Iteration]

    def is_fitted_to(self, X: Any) -> bool:
        """Whether these are exactly the documents of the fit, in the same order."""
        check_is_fitted(self)
        return self.fingerprint_ == fingerprint(self._counts(X, reset=False)[0])

    def document_topics(self, corpus: Any) -> sparse.csr_array:
        """Topics of documents: from the fit for its own documents, else inferred."""
        if self.is_fitted_to(corpus):
            return self.topic_proportions_
        return super().document_topics(corpus)

    def top_words(
        self,
        topic: int,
        n: int = 10,
        *,
        by: str | None = None,
        which: str = "salient",
    ) -> list[tuple[str, float]]:
        """Top words of a topic, with the values that they are ranked by.

        Parameters
        ----------
        topic : int
            Number of the topic.
        n : int
            Number of words.
        by : {"salience", "probability"}, optional
            Rank by the nats by which the gain of a word exceeds its price, the default;
            or by probability in the topic.
        which : {"salient", "avoided", "shared"}
            Salient words that the topic uses more than the shared model does; those
            that it uses less (always ranked by salience); or words that it leaves to
            the shared model (always ranked by probability).
        """
        self.check_topic(topic)
        by = self.ranking if by is None else by
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
        self.check_topic(topic)
        filled = np.flatnonzero(self._filled)
        rows, alpha = snapshot.typical_documents(self._snapshot, topic, n)
        return [(int(filled[d]), float(a)) for d, a in zip(rows, alpha, strict=True)]

    def at(self, n_topics: int, X: Any = None) -> Self:
        """Return the model with another number of topics.

        It is a fit of the path, if that has the number. Otherwise it is a fit that
        begins from the tree (see `coarsen`) if the documents are given, and a cut of
        the tree if not: then ``stop_reason_`` is "tree", and ``bic_`` an upper bound.
        A model that knows its finer topics is cut at these.

        Parameters
        ----------
        n_topics : int
            Number of topics, from 2 to that of the model, or of its finer one.
        X : array, sparse matrix, data frame or Corpus, optional
            The documents of the fit. The shrunk model of another number of topics needs
            their counts; without them the model has ``prediction="switched"``.
        """
        check_is_fitted(self)
        if n_topics not in self._path:
            return self._at_cut(n_topics, X)
        if n_topics == self.n_topics_:
            return copy.copy(self)
        other = self._with_path(self._path, n_topics)
        if X is None:
            other.prediction = "switched"
        else:
            other._fit_predictor(prepare(self._documents(X)))
        return other

    def _at_cut(self, n_topics: int, X: Any) -> Self:
        fine = self if self.finer_ is None else self.finer_
        whole = isinstance(n_topics, int | np.integer) and not isinstance(
            n_topics, bool
        )
        if not (whole and 2 <= n_topics <= fine.n_topics_):
            some = sorted({*range(2, fine.n_topics_ + 1), *self._path})
            more = whole and n_topics > some[-1]
            raise ValueError(
                f"n_topics must be {_in_words(some)}, the numbers that this model can "
                f"show. Got {n_topics!r} instead"
                f"{': fit again with that n_topics' if more else ''}."
            )
        if X is not None:
            return levels.coarsen(fine, X, int(n_topics), self.evidence)
        group = self.hierarchy().cut(n_topics)
        assert fine._counted is not None  # the hierarchy needs it
        prior = WordPrior(fine.word_prior_ == "exact")
        path = cuts.cut(*fine._path[fine.n_topics_], fine._counted, group, prior)
        other = fine._with_path({int(n_topics): path}, int(n_topics))
        other.prediction = "switched"
        return other

    def _with_path(
        self, path: dict[int, tuple[Snapshot, Summary]], n_topics: int
    ) -> Self:
        """A model of the same documents with other results."""
        other: Self = clone(self)
        self._copy_to(other)
        other._set_results(path, n_topics, self.word_frequency_, self._filled)
        other._kept = self._kept
        return other

    def hierarchy(self, X: Any = None) -> Hierarchy:
        """The tree of topics: which of them join into which groups, at which price.

        Each time those two groups are joined that raise BIC least; all pairs are
        considered. A model that knows its finer topics shows their tree, in which the
        topics of this model are the themes.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, optional
            The documents of the fit; needed once by models that an earlier version
            saved.
        """
        check_is_fitted(self)
        fine = self if self.finer_ is None else self.finer_
        if fine._counted is None and X is None:
            raise ValueError(
                "The model must know the counts of its topics for a hierarchy, but was "
                "saved by an earlier version: give the documents of the fit, "
                "hierarchy(X)."
            )
        return self._once("hierarchy", lambda: self._hierarchy(fine, X))

    def _hierarchy(self, fine: Self, X: Any) -> Hierarchy:
        with self._workers() as workers:
            if fine._counted is None:
                counts = fine._effective(fine._documents(X))
                data = rebase(prepare(counts), fine.shared_word_prob_)
                fine._counted = tree.topic_words(fine._snapshot, data, workers)
            themes = None if fine is self else self.parents_
            known, prior = fine._counted, WordPrior(fine.word_prior_ == "exact")
            joins = tree.agglomerate(known, fine._snapshot, prior, workers, themes)
        names = [*fine.topic_names, *self._group_names(fine, joins.children)]
        return Hierarchy(*joins, fine.topic_mass_, names, themes)

    def _group_names(self, fine: Self, children: Longs) -> list[str]:
        """Names of the groups of finer topics; a whole theme has the name it has."""
        nodes, here = members(children)[fine.n_topics_ :], fine._snapshot
        assert fine._counted is not None  # the tree was made of it
        counts = sparse.csr_array(nodes @ topic_counts(fine._counted, len(here.beta0)))
        names = naming.name_topics(
            counts,
            sparse.csr_array(here.beta0[None]),
            level=nodes @ here.mu,
            **self._written(),
        )
        if fine is not self and self.parents_ is not None:
            whole = {
                tuple(np.flatnonzero(self.parents_ == k)): name
                for k, name in enumerate(self.topic_names)
            }
            topics = np.split(nodes.indices, nodes.indptr[1:-1])
            names = [
                whole.get(tuple(np.sort(own)), name)
                for own, name in zip(topics, names, strict=True)
            ]
        shares = members(children) @ fine.topic_mass_
        known = [*fine.topic_names, *names]
        for node, pair in enumerate(children.tolist(), fine.n_topics_):
            if known[node] == naming.NO_WORDS:
                largest = known[max(pair, key=lambda k: shares[k])]
                known[node] = f"{largest.removesuffix(' and more')} and more"
        return [*known[fine.n_topics_ : -1], "all topics"] if names else []

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
        kept = ("vocabulary_", "history_", "word_prior_", "burstiness_", "analyser_")
        more = ("n_features_in_", "fingerprint_", "versions_", "word_frequency_")
        for name in (*kept, *more):
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
        self.changes_: list[dict[str, Any]] = []
        self.guide_costs_: list[dict[str, Any]] = []
        self._known: dict[int, str] = {}
        self.stability_: Stability | None = None
        self._shrunk: predicting.Shrunk | None = None
        self._counted: TopicWords | None = None
        self.finer_: Self | None = None
        self.parents_: Longs | None = None
        self._themes: Longs | None = None
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
        """Name each topic by the words that set it apart from its siblings.

        These are the other topics of its theme, if it has one, or else all topics.
        """
        tokens = kept_tokens(self)

        def found() -> list[str]:
            usual = snapshot.shared_counts(self._snapshot)
            expected = self._expected_by_others(usual)
            return naming.name_topics(
                snapshot.salient_counts(self._snapshot),
                expected,
                level=expected.sum(axis=1),
                usual=usual,
                repeated=self._repeated(),
                tokens=tokens,
                **self._written(),
            )

        kind = "names" if tokens is None else "names with phrases"
        return list(self._once(kind, found))

    def _repeated(self) -> sparse.csr_array | None:
        """Counts of every occurrence in the finer topics of each theme."""
        fine, parents = self.finer_, self.parents_
        if fine is None or fine._counted is None or parents is None:
            return None
        counted = topic_counts(fine._counted, len(self._snapshot.beta0))
        return summed(counted, parents, self.n_topics_)

    def _expected_by_others(self, usual: sparse.csr_array) -> sparse.csr_array:
        """Counts by the shared model, or by the theme if it has more.

        A theme with one topic says nothing about it.
        """
        here, themes, counted = self._snapshot, self._themes, self._counted
        if themes is None or counted is None:
            return usual
        topic = np.repeat(np.arange(self.n_topics_), np.diff(usual.indptr))
        by_theme = summed(topic_counts(counted, len(here.beta0)), themes)
        words = np.asarray(by_theme[themes[topic], usual.indices]).ravel()
        share = words / by_theme.sum(axis=1)[themes[topic]]
        alone = (np.bincount(themes) == 1)[themes[topic]]
        theirs = np.where(alone, 0.0, here.mass[topic] * share)
        expected = np.maximum(usual.data, theirs)
        return sparse.csr_array((expected, usual.indices, usual.indptr), usual.shape)

    def _written(self) -> dict[str, Any]:
        """How words are written, and in which language."""
        analyser = self.analyser_ or {}
        written = analyser.get("surface_forms", self.vocabulary_)
        return {"written": written, "language": naming.language_of(analyser)}

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


def _in_words(some: list[int]) -> str:
    """Return numbers in words.

    Examples
    --------
    >>> _in_words([2]), _in_words([2, 3, 4]), _in_words([2, 3, 6])
    ('2', 'from 2 to 4', '2, 3 or 6')
    """
    if len(some) == 1:
        return str(some[0])
    if len(some) == some[-1] - some[0] + 1:
        return f"from {some[0]} to {some[-1]}"
    return f"{', '.join(map(str, some[:-1]))} or {some[-1]}"
