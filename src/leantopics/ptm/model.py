"""The estimator: check, run, name the results."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from leantopics.base import TopicModel, with_callbacks
from leantopics.compiled import tell_first_use
from leantopics.progress import Progress
from leantopics.ptm import inference, snapshot, store
from leantopics.ptm.checks import check_choice, check_documents, check_parameters
from leantopics.ptm.em import Iteration
from leantopics.ptm.given import state_from_arrays
from leantopics.ptm.kernels.arrays import Floats
from leantopics.ptm.kernels.documents import visit
from leantopics.ptm.objective import WordPrior, total
from leantopics.ptm.search import Options, Search, word_weight
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.ptm.state import prepare
from leantopics.sweep import best_order, sweep

EXACT_BELOW = 1000
"""Dictionaries smaller than this have the exact word prior by default."""


class ParsimoniousTopicModel(TopicModel):
    """Topic model that chooses its topics, their number and their salient words by BIC.

    Every document has a few topics, every topic a few salient words with probabilities
    of their own; all other words have the probabilities of one shared model. Switches,
    parameters and the number of topics minimise one objective [1]_.

    Parameters
    ----------
    n_topics : int or "auto"
        Number of topics; "auto" fits a range of numbers and takes the least BIC.
    max_topics, min_topics : int
        Ends of that range. If the best lies within two steps of ``max_topics``, the
        range is doubled. Never more topics than documents.
    step : int, optional
        Topics removed from one order to the next; a fiftieth of ``max_topics`` if not
        given.
    sweep : {"down", "up"}
        Remove the least massive topics, or split the ones that fit worst.
    procedure : {"paper", "published"}
        The equations of the paper as written, or what its authors' program does, which
        made the published tables: salient words are nearly free, and the order is
        chosen by a smaller number. ``bic_`` is that of the paper in both.
    word_prior : {"auto", "entropy", "exact"}
        Cost of the word switches; "exact" is for small dictionaries, below 1000 words.
    init : {"seeded", "random"}
        Topics grown from ``init_docs`` random documents each, or from documents dealt
        out at random.
    init_docs : int
        Seed documents of a topic.
    inference : {"sparse", "all"}
        Topics of new documents: few, by the objective of the fit; or all, with
        proportions of maximum likelihood, as in the paper's experiments.
    sparse_output : bool
        Whether `transform` returns a sparse matrix.
    max_iter : int
        Most iterations at one order.
    max_cycles : int
        Most cycles over the word switches in an iteration. The topic switches of each
        document are cycled until none pays.
    tol : float
        An iteration that lowers BIC by less than this share of it is the last, once no
        switch pays any more.
    random_state : int, RandomState or None
        The same seed gives the same bits, for any ``n_jobs``.
    n_jobs : int, optional
        Threads; None is one, -1 all processors.
    callback : callable, optional
        Is given an `Iteration` after each one; if it returns True, the fit stops.
    verbose : int
        1 shows progress, 2 every iteration.

    Attributes
    ----------
    n_topics_ : int
        Number of topics M. Topics are numbered by falling mass.
    bic_, bic_terms_ : float, dict
        The objective in nats, and its terms, which sum to it.
    log_likelihood_ : float
        Of the training documents.
    topic_proportions_ : csr_array of shape (n_docs, M)
        Topics of the training documents; a document without words has the corpus-wide
        shares.
    salient_word_prob_ : csr_array of shape (M, n_words)
        Probabilities of salient words; a stored zero is a word salient by its absence.
    salience_ : csr_array of shape (M, n_words)
        Nats by which a salient word beats its price.
    shared_word_prob_ : ndarray of shape (n_words,)
        The shared model.
    n_salient_words_, n_documents_, topic_mass_ : ndarrays of shape (M,)
        Salient words, training documents, and share of all words, of each topic.
    vocabulary_ : list of str
        Names of the words.
    word_prior_ : str
        "entropy" or "exact".
    history_ : list of Iteration
        Every iteration of the fit.
    path_ : list of dict
        Every order fitted, with BIC, its terms, likelihood, sparsity and seconds.
    n_iter_ : int
        Iterations at the chosen order.
    converged_, stop_reason_ : bool, str
        Whether no switch of words or topics pays at its exact price, and why the fit
        ended: "converged", "max_iter" or "callback"; other orders of a sweep end at
        "tol".

    References
    ----------
    .. [1] H. Soleimani and D. J. Miller, "Parsimonious topic models with salient word
       discovery", IEEE Transactions on Knowledge and Data Engineering 27 (2015).

    Examples
    --------
    The two documents and three topics of the paper's Figure 1, as a state made
    elsewhere: topics 0 and 2 are present in the first document, 1 and 2 in the second.

    >>> import numpy as np
    >>> beta0 = np.array([0.1, 0.2, 0.2, 0.05, 0.3, 0.15])
    >>> beta = np.array([[0.10, 0.20, 0.20, 0.25, 0.10, 0.15],
    ...                  [0.10, 0.25, 0.20, 0.30, 0.05, 0.10],
    ...                  [0.10, 0.05, 0.30, 0.10, 0.30, 0.15]])
    >>> u = np.array([[0, 1, 0, 1, 1, 0], [0, 1, 0, 1, 1, 1], [0, 1, 1, 1, 0, 0]])
    >>> alpha = np.array([[0.2, 0.0, 0.8], [0.0, 0.4, 0.6]])
    >>> counts = np.array([[10, 8, 28, 13, 26, 15], [10, 13, 26, 18, 20, 13]])
    >>> model = ParsimoniousTopicModel.from_arrays(
    ...     counts, alpha, beta, u, alpha > 0, beta0)
    >>> model.n_topics_, round(model.bic_terms_["topic_switches"], 3)
    (3, 4.394)
    >>> model.topic_proportions_.toarray().round(2)
    array([[0.8, 0. , 0.2],
           [0.6, 0.4, 0. ]])

    Topics were numbered anew, by falling mass. A fit finds all of it:

    >>> from leantopics import make_corpus
    >>> corpus, truth = make_corpus(300, 300, 8, topics_per_doc=1.3, boost=4, dip=0.05,
    ...     salient_per_topic=32, doc_length=300, overlap=1.0)
    >>> model = ParsimoniousTopicModel(max_topics=16, random_state=0).fit(corpus)
    >>> model.n_topics_, model.converged_
    (8, True)
    """

    def __init__(
        self,
        n_topics: int | str = "auto",
        *,
        max_topics: int = 100,
        min_topics: int = 2,
        step: int | None = None,
        sweep: str = "down",
        procedure: str = "paper",
        word_prior: str = "auto",
        init: str = "seeded",
        init_docs: int = 5,
        inference: str = "sparse",
        sparse_output: bool = False,
        max_iter: int = 100,
        max_cycles: int = 20,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Iteration], object] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.max_topics = max_topics
        self.min_topics = min_topics
        self.step = step
        self.sweep = sweep
        self.procedure = procedure
        self.word_prior = word_prior
        self.init = init
        self.init_docs = init_docs
        self.inference = inference
        self.sparse_output = sparse_output
        self.max_iter = max_iter
        self.max_cycles = max_cycles
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

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
        counts, _ = self._counts(X, reset=True)
        filled = np.diff(counts.indptr) > 0
        check_documents(self, int(filled.sum()))
        data = prepare(counts[filled])
        self.word_prior_ = "exact" if self._exact(data.n_words) else "entropy"
        self.analyser_ = None
        options = Options(
            self.procedure,
            self.word_prior_ == "exact",
            self.init,
            self.init_docs,
            self.max_iter,
            self.max_cycles,
            self.tol,
        )
        random = check_random_state(self.random_state)
        tell_first_use(visit)
        with self._workers() as workers, Progress(self) as progress:
            search = Search(data, options, random, workers, progress.report)
            if self.n_topics == "auto":
                ceiling = min(self.max_topics, data.n_docs)
                floor = min(self.min_topics, data.n_docs)
                step = self._step()
                progress.orders((ceiling - floor) // step + 1)
                path = sweep(
                    search,
                    ceiling=ceiling,
                    floor=floor,
                    step=step,
                    limit=data.n_docs,
                    direction=self.sweep,
                )
                best = best_order(search, path)
                path[best] = search.finish(path[best])
            else:
                best = int(self.n_topics)
                path = {best: search.fit(search.first(best))}
            self.history_ = progress.history
        taken = {
            m: snapshot.take(data, fitted, search.criterion(fitted))
            for m, fitted in path.items()
        }
        self._show(taken, best, data.shared.beta0, filled)
        if self.stop_reason_ == "max_iter":
            warnings.warn(
                f"max_iter={self.max_iter} iterations were not enough for a fit of "
                f"{best} topics in which no switch pays; the model is usable, a larger "
                "max_iter or tol makes it final.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    @classmethod
    def from_arrays(
        cls,
        counts: Any,
        alpha: Any,
        beta: Any,
        u: Any,
        v: Any,
        beta0: Any,
        **params: Any,
    ) -> Self:
        """Make a model of a state fitted elsewhere.

        Parameters
        ----------
        counts : array or sparse matrix of shape (D, N), or Corpus
            The documents, each with one word at least.
        alpha, v : arrays or sparse matrices of shape (D, M)
            Proportions and topic switches.
        beta, u : arrays or sparse matrices of shape (M, N)
            Word probabilities, of which those with u on count, and word switches.
        beta0 : array of shape (N,)
            The shared model.
        **params
            Parameters of the model.
        """
        model = cls(**{"n_topics": int(np.shape(u)[0]), **params})
        check_parameters(model)
        matrix, _ = model._counts(counts, reset=True)
        fitted, data = state_from_arrays(
            matrix, alpha, beta, u, v, beta0, model._exact(matrix.shape[1])
        )
        model.word_prior_ = "exact" if model._exact(data.n_words) else "entropy"
        model.analyser_ = None
        model.history_ = fitted.history
        taken = snapshot.take(data, fitted, total(fitted.terms))
        filled = np.ones(data.n_docs, dtype=np.bool_)
        model._show(
            {taken[1].n_topics: taken}, taken[1].n_topics, data.shared.beta0, filled
        )
        return model

    def transform(self, X: Any) -> Any:
        """Topic proportions of documents.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words. A document without a known word has the corpus-wide shares.

        Returns
        -------
        ndarray, or csr_array if ``sparse_output``, of shape (n_docs, M)
            Rows sum to one.
        """
        check_is_fitted(self)
        counts, dtype = self._counts(X, reset=False)
        counts, found = self._infer(counts)
        filled = np.diff(counts.indptr) > 0
        here = self._snapshot._replace(
            doc_indptr=np.concatenate(([0], np.cumsum(np.diff(found.indptr)[filled]))),
            doc_topic=found.topic,
            alpha=found.alpha,
        )
        out = snapshot.proportions(here, filled).astype(dtype)
        return out if self.sparse_output else out.toarray()

    def score(self, X: Any, y: object = None) -> float:
        """Mean log-likelihood of a word, in nats, at the topics that `transform` finds.

        Words that the fit never saw are left out; no known word at all gives 0.
        """
        check_is_fitted(self)
        counts, found = self._infer(self._counts(X, reset=False)[0])
        words = float(counts.data.sum())
        base = inference.base_log_likelihood(counts, self.shared_word_prob_)
        return (base + float(found.gain.sum())) / words if words else 0.0

    def explain(self, X: Any) -> list[inference.Explanation]:
        """For each word of each document, the topic or the shared model behind it."""
        check_is_fitted(self)
        counts, found = self._infer(self._counts(X, reset=False)[0])
        return inference.explain(counts, found, self._snapshot, counts.shape[1])

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
        for name in ("vocabulary_", "history_", "word_prior_", "n_features_in_"):
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

    def save(self, path: Any) -> None:
        """Save to a folder: a JSON manifest and arrays, never code."""
        check_is_fitted(self)
        store.save(self, path)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Load a model that `save` wrote."""
        return store.load(cls, path)

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

    def _exact(self, n_words: int) -> bool:
        automatic = self.word_prior == "auto" and n_words < EXACT_BELOW
        return self.word_prior == "exact" or automatic

    def _prior(self) -> WordPrior:
        weight = word_weight(self.procedure, self.n_topics_)
        return WordPrior(self.word_prior_ == "exact", weight)

    def _infer(
        self, counts: sparse.csr_array
    ) -> tuple[sparse.csr_array, inference.Inferred]:
        counts = inference.known(counts, self.shared_word_prob_)
        with self._workers() as workers:
            found = inference.infer(
                counts,
                self._snapshot,
                counts.shape[1],
                sparse_topics=self.inference == "sparse",
                workers=workers,
            )
        return counts, found

    def _step(self) -> int:
        return max(1, self.max_topics // 50) if self.step is None else self.step
