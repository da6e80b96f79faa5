"""The estimator: check, run and name the results."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from leantopics._progress import Progress
from leantopics.engine.threads import Engine, Inline
from leantopics.models.base import all_or_nothing, fingerprint, versions, with_callbacks
from leantopics.models.checks import check_documents
from leantopics.ptm import (
    evidence,
    invariants,
    levels,
    serialize,
    snapshot,
    tree,
)
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.checks import check_parameters, check_scale
from leantopics.ptm.em import Iteration
from leantopics.ptm.faces import Faces
from leantopics.ptm.from_arrays import state_from_arrays
from leantopics.ptm.guided import fit as guided
from leantopics.ptm.guided.beliefs import Beliefs, beliefs_of
from leantopics.ptm.guided.guide import Guide
from leantopics.ptm.objective import WordPrior, total
from leantopics.ptm.refreshable import RefreshableModel
from leantopics.ptm.revisable import RevisableModel
from leantopics.ptm.search.choice import Found, Numbers, find
from leantopics.ptm.search.fitter import Fitter, Options
from leantopics.ptm.state import Data, prepare
from leantopics.ptm.watching import WatchingModel

EXACT_BELOW = 1000
"""Vocabularies smaller than this use the exact word prior by default."""


class ParsimoniousTopicModel(Faces, RevisableModel, RefreshableModel, WatchingModel):
    """Topic model that chooses the number of topics and their salient words by BIC.

    Every document has a few topics. Every topic has a few salient words with their own
    probabilities; all other words have the probabilities of one shared model. Switches,
    parameters and the number of topics minimise one objective, BIC [1]_.

    Parameters
    ----------
    n_topics : int or "auto"
        Number of topics; "auto" fits a range of numbers and chooses the lowest BIC.
    evidence : {"bursts", "words"}
        "bursts", which is ours, allows for words that come in bursts: the further
        occurrences of a word in a document count for less, as much as the corpus says;
        see ``burstiness_``. It finds the themes of a corpus, nearly whatever the stop
        words; ``finer_`` has the topics below them. "words", as in the paper, takes
        every word of a document as evidence of its own, and finds these finer topics;
        ``procedure="published"`` always does.
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
        With bursts as evidence these are searches for the finer topics.
    inference : {"sparse", "all"}
        Topics of new documents: few, by the objective of the fit; or all, which
        predicts better. All, with ``procedure="published"`` and switched prediction,
        are those of the authors' program: EM for all documents of a call together, from
        equal proportions, ends early, when their likelihood rises by less than a
        ten-thousandth.
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
        unless the shared model is learned, or bursts are the evidence.
    components_, predictive_components_ : ndarrays of shape (M, n_words)
        Word distributions of the switched model, and of the model chosen by
        ``prediction``; computed on demand.
    n_salient_words_, n_documents_, topic_mass_ : ndarrays of shape (M,)
        Number of salient words, number of training documents and share of all words,
        as much as they are worth as evidence, of each topic.
    vocabulary_ : list of str
        Names of the words.
    corpus_ : Corpus or None
        The documents, if `leantopics.fit_texts` counted them; neither saved nor copied.
    word_prior_ : str
        "entropy" or "exact".
    burstiness_ : float
        The concentration s of the Polya distribution that counts bursts: the smaller,
        the less the further occurrences of a word in a document count. Infinite if
        every word is evidence.
    finer_, parents_ : ParsimoniousTopicModel, ndarray of shape (finer_.n_topics_,)
        The model of the finer topics below these, and the topic of this model that
        takes most of the words of each. Both are None unless the number of topics was
        searched for with bursts as evidence, or made by `coarsen` or `finer`.
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
    guide_costs_ : list of dict
        What a guide costs: for each belief its "topic", the kind ("word", "not word",
        "document", "together" or "apart"), "what" (the word, the row, or the rows; then
        the topic is None), "nats" by which BIC would fall without it and with
        everything else the same (negative if the data agree), and whether it was "held"
        to the end. The highest cost comes first.
    changes_ : list of dict
        What `refresh` changed: a row for each topic, and for each previous topic that
        no topic continues. "change" is "kept", "moved", "split into", "merged from",
        "born" or "died"; "before" has the previous numbers and "name_before" the names,
        "after" is the number now, or None; "share" is the share of their words that
        passed on, and "bic_change" the estimated change of BIC of what was born, split
        off, merged or died.
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
        evidence: str = "bursts",
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
        self.evidence = evidence
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
        self,
        X: Any,
        y: object = None,
        *,
        checkpoint: Checkpoint | None = None,
        guide: Guide | None = None,
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
        guide : Guide, optional
            What is known of topics. It is about the topics of this model, not about
            the finer ones below them.

        Returns
        -------
        self
        """
        check_parameters(self)
        counts = self._read(X)
        filled = np.diff(counts.indptr) > 0
        check_documents(self.n_topics, int(filled.sum()))
        words = prepare(counts)
        check_scale(words, self.n_topics == "auto")
        known = beliefs_of(self, guide, X, words.frequency, filled)
        kept: AbstractContextManager[None] = nullcontext()
        if checkpoint is not None:
            about = self.fingerprint_
            if known is not None:
                about = known.checksum(about)
            kept = checkpoint.opened(self, about, self.versions_)
        numbers = self._numbers()
        searches = numbers.n_topics is None and numbers.step is None
        finer: Self | None = None
        with kept, self._workers() as workers, Progress(self) as progress:
            self.history_, self.word_frequency_ = [], words.frequency
            self._weigh(counts, workers)
            if self.burstiness_ < np.inf and searches:
                finer = clone(self).set_params(evidence="words")
                self._copy_to(finer)
                finer._weigh(counts, workers)
                finer._search(counts, filled, workers, progress, checkpoint)
            self._search(counts, filled, workers, progress, checkpoint, finer, known)
        self._fit_predictor(words)
        if finer is not None:
            finer._fit_predictor(words)
            levels.relate(self, finer, counts)
        if known is not None:
            self._topic_names = self._default_names()
            for topic, name in self._known.items():
                self._topic_names[topic] = name
        self._warn_if_cut()
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
        given = {"n_topics": int(np.shape(u)[0]), "evidence": "words"}
        model = cls(**{**given, **params})
        check_parameters(model)
        if model.evidence != "words":
            raise ValueError(
                'evidence must be "words" for a state made elsewhere. Got '
                f"{model.evidence!r} instead."
            )
        matrix = model._read(counts)
        prior = WordPrior(model.word_prior_ == "exact")
        fitted = state_from_arrays(matrix, alpha, beta, u, v, beta0, prior)
        model.burstiness_ = np.inf
        model.history_ = fitted.history
        taken = snapshot.take(fitted, total(fitted.terms), Inline())
        data = fitted.data
        filled = np.ones(data.n_docs, dtype=np.bool_)
        n_topics = taken[1].n_topics
        model._set_results({n_topics: taken}, n_topics, data.frequency, filled)
        model._counted = tree.topic_words(taken[0], data, Inline())
        model._fit_predictor(data)
        return model

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

    def _read(self, X: Any) -> sparse.csr_array:
        """Check the documents of a fit, and note which they are."""
        counts, _ = self._counts(X, reset=True)
        self.fingerprint_, self.versions_ = fingerprint(counts), versions()
        self.word_prior_ = "exact" if self._exact(counts.shape[1]) else "entropy"
        return counts

    def _weigh(self, counts: sparse.csr_array, workers: Engine) -> None:
        """Find out how much the counts of words are worth as evidence."""
        bursty = self.evidence == "bursts" and self.procedure != "published"
        self.burstiness_ = evidence.burstiness(counts, workers) if bursty else np.inf

    def _search(
        self,
        counts: sparse.csr_array,
        filled: np.ndarray,
        workers: Engine,
        progress: Progress,
        checkpoint: Checkpoint | None = None,
        finer: Self | None = None,
        beliefs: Beliefs | None = None,
    ) -> None:
        """Fit to documents, from the topics of a finer model and beliefs if given."""
        begun = len(progress.history)
        weighed = self._effective(counts)
        data = prepare(weighed)
        data = data._replace(groups=workers.hold(data.groups))
        fitter = self._fitter(
            data, self.word_prior_, workers, progress.report, checkpoint
        )
        known = None if finer is None else finer._snapshot
        found = find(fitter, self._numbers(), progress.expect, known)
        imposed = None
        if beliefs is not None:
            free = found.path[found.best]
            imposed = guided.impose(self, fitter, free, beliefs, weighed[filled])
            found = imposed.found
        self.history_ = progress.history[begun:]
        self._take(fitter, found, filled)
        if imposed is not None:
            guided.take(self, fitter, imposed)

    def _take(self, fitter: Fitter, found: Found, filled: np.ndarray) -> None:
        """Set the results of a search; the frequencies of words are known."""
        path, best, criteria = found
        workers = fitter.workers
        invariants.check(path[best], fitter.prior(best), workers)
        taken = {
            m: snapshot.take(fitted, criteria[m], workers) for m, fitted in path.items()
        }
        self._set_results(taken, best, self.word_frequency_, filled)
        self._counted = tree.topic_words(self._snapshot, path[best].data, workers)

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
            ceiling=self.max_topics,
            floor=self.min_topics,
            step=step,
            direction=self.sweep,
            starts=self.n_init,
        )
