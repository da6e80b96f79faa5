"""The estimator: check, run and name the results."""

import numbers
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from leantopics._jit import warn_first_compile
from leantopics._progress import Progress
from leantopics._validation import check_choice
from leantopics.engine.threads import Engine, Inline
from leantopics.models.base import all_or_nothing, fingerprint, versions, with_callbacks
from leantopics.ptm import (
    editing,
    inference,
    invariants,
    serialize,
    snapshot,
    stability,
)
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.checks import check_documents, check_parameters, check_scale
from leantopics.ptm.em import Iteration
from leantopics.ptm.fitted import FittedModel
from leantopics.ptm.from_arrays import state_from_arrays
from leantopics.ptm.kernels.documents import visit
from leantopics.ptm.objective import total
from leantopics.ptm.search.choice import Numbers, find
from leantopics.ptm.search.fitter import Fitter, Options
from leantopics.ptm.stability import Stability
from leantopics.ptm.state import Data, prepare

EXACT_BELOW = 1000
"""Vocabularies smaller than this use the exact word prior by default."""


class ParsimoniousTopicModel(FittedModel):
    """Topic model that chooses the number of topics and their salient words by BIC.

    Every document has a few topics. Every topic has a few salient words with their own
    probabilities; all other words have the probabilities of one shared model. Switches,
    parameters and the number of topics minimise one objective, BIC [1]_.

    Parameters
    ----------
    n_topics : int or "auto"
        Number of topics; "auto" fits a range of numbers and chooses the lowest BIC.
    max_topics, min_topics : int
        Approximate ends of that range; see ``step``. Never more topics than documents.
    step : int, optional
        If given, use the paper's sweep: starting at ``max_topics``, the ``step`` least
        massive topics are removed at a time; if the best number lies within two steps
        of ``max_topics``, the range is doubled. By default, two fits start with twelve
        times ``max_topics`` topics (at most one for every three documents), remove
        those that matter least to BIC, and pool the rest. The search then removes a
        quarter of the topics beyond twenty at a time, and goes over the best numbers
        again in steps of a sixteenth, where topics are merged, too. If documents mix
        many topics, as pictures do, it starts with ``min_topics`` and splits them.
    sweep : {"down", "up"}
        Remove topics, or split those whose documents differ most; ``step`` at a time,
        or a fiftieth of ``max_topics``.
    procedure : {"paper", "published"}
        "paper" uses the equations as written; "published" does what the authors'
        program did to make the published tables: salient words are nearly free, and a
        different criterion chooses the number of topics. ``bic_`` is the paper's BIC in
        both.
    word_prior : {"auto", "entropy", "exact"}
        Cost of the word switches; "exact" is for small vocabularies, below 1000 words.
    shared : {"frequency", "learned"}
        The shared model: word frequencies in the corpus, as in the paper, or learned
        with everything else, for a lower BIC and fewer salient words.
    init : {"seeded", "random"}
        Start topics from ``init_docs`` random documents each, or assign all documents
        to topics at random.
    init_docs : int
        Number of seed documents of a topic.
    n_init : int
        Number of starts, each with a whole search; the one with the lowest BIC is kept.
    inference : {"sparse", "all"}
        Topics of new documents: few, by the objective of the fit; or all, which
        predicts better.
    prediction : {"shrunk", "switched"}
        Word model for new documents. "shrunk", the better predictor, shrinks the counts
        of the fit towards the shared model, and takes the posterior mode of the
        proportions. "switched" is the model of the paper with maximum-likelihood
        proportions.
    refine : int
        Number of EM passes at the end of the fit in which the shrunk model replaces the
        switched one.
    sparse_output : bool
        Whether `transform` returns a sparse matrix.
    max_iter : int
        Maximum number of iterations at one number of topics.
    max_cycles : int
        Maximum number of cycles over the word switches in an iteration, without the
        last one, which settles them. The topic switches of each document are cycled
        until none pays.
    tol : float
        A fit ends when an iteration lowers BIC by less than this share of it and no
        switch pays any more.
    random_state : int, RandomState or None
        The same seed gives the same bits, for any ``n_jobs``.
    n_jobs : int, optional
        Number of threads; None means one, -1 all processors.
    callback : callable, optional
        Called with an `Iteration` after each one; if it returns True, the fit stops.
    verbose : int
        1 shows progress, 2 every iteration.

    Attributes
    ----------
    n_topics_ : int
        Number of topics M. Topics are numbered in order of decreasing mass.
    bic_, bic_terms_ : float, dict
        The objective in nats, and its terms, which sum to it.
    log_likelihood_ : float
        Log-likelihood of the training documents.
    topic_proportions_ : csr_array of shape (n_docs, M)
        Topics of the training documents; a document without words has the corpus-wide
        shares.
    salient_word_prob_ : csr_array of shape (M, n_words)
        Probabilities of salient words; a stored zero is a word salient by its absence.
    salience_ : csr_array of shape (M, n_words)
        Nats by which the gain of a salient word exceeds its price.
    shared_word_prob_, word_frequency_ : ndarrays of shape (n_words,)
        The shared model, and the word frequencies in the corpus; both are the same
        unless the shared model is learned.
    components_, predictive_components_ : ndarrays of shape (M, n_words)
        Word distributions of the switched model, and of the model chosen by
        ``prediction``; computed on demand.
    n_salient_words_, n_documents_, topic_mass_ : ndarrays of shape (M,)
        Number of salient words, number of training documents and share of all words of
        each topic.
    vocabulary_ : list of str
        Names of the words.
    word_prior_ : str
        "entropy" or "exact".
    fingerprint_ : str
        Checksum of the counts of the fit; see `is_fitted_to`.
    versions_ : dict
        Versions of the packages used for the fit.
    stability_ : Stability or None
        The result of `measure_stability`.
    pinned_words_ : dict
        Words that `edit` pinned, by topic.
    edits_ : list of dict
        Changes made by `edit`, oldest first: topics to "merge" and "drop" and words to
        "pin", with the topic numbers of that time, the previous "n_topics", and the
        "bic_change".
    history_ : list of Iteration
        Every iteration of the fit.
    path_ : list of dict
        Every number of topics fitted, with BIC, its terms, likelihood, sparsity and
        seconds. They were compared by "criterion", before any was fitted to the end.
    n_iter_ : int
        Number of iterations at the chosen number of topics.
    converged_, stop_reason_ : bool, str
        Whether no switch of words or topics pays at its exact price, and why the fit
        ended: "converged", "max_iter" or "callback". Fits at other numbers of topics
        end at "tol" or are "rough"; a state made elsewhere is "given".

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

    Topics were renumbered in order of decreasing mass. A fit finds everything itself:

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
        shared: str = "frequency",
        init: str = "seeded",
        init_docs: int = 5,
        n_init: int = 1,
        inference: str = "sparse",
        prediction: str = "shrunk",
        refine: int = 0,
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
        self.shared = shared
        self.init = init
        self.init_docs = init_docs
        self.n_init = n_init
        self.inference = inference
        self.prediction = prediction
        self.refine = refine
        self.sparse_output = sparse_output
        self.max_iter = max_iter
        self.max_cycles = max_cycles
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    @all_or_nothing
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: object = None, *, checkpoint: Checkpoint | None = None
    ) -> Self:
        """Fit the model to counts.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Corpus, shape (n_docs, n_words)
            Counts of words, finite and not negative, whole or not.
        y : ignored
        checkpoint : Checkpoint, optional
            Where to keep finished work, and to go on from it after an interruption.
            The model is the same as without interruption, except for its times.

        Returns
        -------
        self
        """
        check_parameters(self)
        counts, _ = self._counts(X, reset=True)
        self.fingerprint_, self.versions_ = fingerprint(counts), versions()
        filled = np.diff(counts.indptr) > 0
        check_documents(self, int(filled.sum()))
        data = prepare(counts)
        check_scale(data, self.n_topics == "auto", stacklevel=5)
        self.word_prior_ = "exact" if self._exact(data.n_words) else "entropy"
        warn_first_compile(visit)
        kept: AbstractContextManager[None] = nullcontext()
        if checkpoint is not None:
            kept = checkpoint.opened(self, self.fingerprint_, self.versions_)
        with kept, self._workers() as workers, Progress(self) as progress:
            data = data._replace(groups=workers.hold(data.groups))
            fitter = self._fitter(
                data, self.word_prior_, workers, progress.report, checkpoint
            )
            path, best, criteria = find(fitter, self._numbers(), progress.orders)
            self.history_ = progress.history
            invariants.check(path[best], fitter.prior(best), workers)
            taken = {
                m: snapshot.take(fitted, criteria[m], workers)
                for m, fitted in path.items()
            }
        self._set_results(taken, best, data.frequency, filled)
        self._fit_predictor(data)
        self._warn_if_cut(5)
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
        """Make a model from a state fitted elsewhere.

        Parameters
        ----------
        counts : array or sparse matrix of shape (D, N), or Corpus
            The documents, each with at least one word.
        alpha, v : arrays or sparse matrices of shape (D, M)
            Proportions and topic switches.
        beta, u : arrays or sparse matrices of shape (M, N)
            Word probabilities, used only where u is on, and word switches.
        beta0 : array of shape (N,)
            The shared model.
        **params
            Parameters of the model.
        """
        model = cls(**{"n_topics": int(np.shape(u)[0]), **params})
        check_parameters(model)
        matrix, _ = model._counts(counts, reset=True)
        model.fingerprint_, model.versions_ = fingerprint(matrix), versions()
        fitted = state_from_arrays(
            matrix, alpha, beta, u, v, beta0, model._exact(matrix.shape[1])
        )
        model.word_prior_ = "exact" if model._exact(matrix.shape[1]) else "entropy"
        model.history_ = fitted.history
        taken = snapshot.take(fitted, total(fitted.terms), Inline())
        data = fitted.data
        filled = np.ones(data.n_docs, dtype=np.bool_)
        n_topics = taken[1].n_topics
        model._set_results({n_topics: taken}, n_topics, data.frequency, filled)
        model._fit_predictor(data)
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
            value += inference.base_log_likelihood(counts, base)
            value += float(found.gain.sum())
        return value / words if words else 0.0

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
        >>> from leantopics import make_corpus
        >>> corpus, _ = make_corpus(200, 100, 4)
        >>> model = ParsimoniousTopicModel(6, random_state=0).fit(corpus)
        >>> edited = model.edit(corpus, merge=[(0, 4)], drop=[5])
        >>> edited.n_topics_, edited.bic_ < model.bic_
        (4, True)
        """
        check_is_fitted(self)
        check_parameters(self)
        edited = editing.edit(self, X, merge, drop, pin or {})
        edited._warn_if_cut(3)
        return edited

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
        >>> from leantopics import make_corpus
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

    def save(self, path: Any) -> None:
        """Save the model as a JSON manifest and arrays, never code.

        The path becomes a folder, or one zip file if it ends in ``.zip``.
        """
        check_is_fitted(self)
        serialize.save(self, path)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Load a model that `save` wrote."""
        return serialize.load(cls, path)

    def _warn_if_cut(self, stacklevel: int) -> None:
        if self.stop_reason_ == "max_iter":
            warnings.warn(
                f"max_iter={self.max_iter} iterations were not enough for a fit of "
                f"{self.n_topics_} topics in which no switch pays; the model is "
                "usable, but a larger max_iter or tol would let it converge.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )

    def _fitter(
        self,
        data: Data,
        word_prior: str,
        workers: Engine,
        report: Callable[[Iteration], object],
        checkpoint: Checkpoint | None = None,
    ) -> Fitter:
        options = Options(
            procedure=self.procedure,
            removal="loss" if self._numbers().step is None else "mass",
            exact_word_prior=word_prior == "exact",
            shared=self.shared,
            init=self.init,
            init_docs=self.init_docs,
            max_iter=self.max_iter,
            max_cycles=self.max_cycles,
            tol=self.tol,
        )
        random = check_random_state(self.random_state)
        return Fitter(data, options, random, workers, report, checkpoint)

    def _exact(self, n_words: int) -> bool:
        automatic = self.word_prior == "auto" and n_words < EXACT_BELOW
        return self.word_prior == "exact" or automatic

    def _numbers(self) -> Numbers:
        step, sweeps = self.step, self.procedure == "published" or self.sweep == "up"
        if step is None and sweeps:
            step = max(1, self.max_topics // 50)
        return Numbers(
            n_topics=None if self.n_topics == "auto" else int(self.n_topics),
            most=self.max_topics,
            least=self.min_topics,
            step=step,
            direction=self.sweep,
            starts=self.n_init,
        )
