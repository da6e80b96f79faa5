"""Latent Dirichlet allocation, as an estimator."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.baselines import lda_em
from leantopics.baselines.checks import check_number, check_whole
from leantopics.baselines.lda_search import LDASearch, Priors, words_of
from leantopics.baselines.model import Baseline
from leantopics.baselines.order import Iteration, Order
from leantopics.engine.threads import Engine


class LDA(Baseline):
    """Latent Dirichlet allocation, fitted by variational EM.

    Every document has its own proportions of all topics, drawn from a Dirichlet
    distribution whose parameter eta is learned. Every topic has a probability for every
    word, either a maximum-likelihood estimate or smoothed [1]_.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    max_topics : int, optional
        Start with this many topics, then remove the least massive ones repeatedly until
        ``n_topics`` are left; each fit starts from the previous one. `at` returns the
        model with any of these numbers of topics. All of them stay in memory, with
        (K, n_words) and (n_docs, K) numbers each. Never more topics than documents.
    step : int, optional
        Number of topics removed at a time; by default a fiftieth of ``max_topics``. The
        last step may be smaller.
    background : bool
        Whether to add a topic whose word probabilities stay at the frequencies in the
        corpus. It is never removed and not counted in ``n_topics_``, but it is the
        last row of ``components_`` and the last column of all proportions.
    smoothing : float, optional
        Parameter of a symmetric Dirichlet prior on the words of a topic, whose
        posterior is then variational too. By default the words of a topic have their
        maximum-likelihood probabilities.
    proportion_prior : float, optional
        Fixed value of every eta; by default eta is learned.
    init_docs : int
        Number of random documents whose words a topic starts from, mixed half and half
        with those of the corpus.
    max_iter : int
        Maximum number of iterations at one number of topics.
    tol : float
        A fit ends when an iteration raises the bound by less than this share of it.
    doc_max_iter : int
        Maximum number of updates of the topics of a document in one iteration.
    doc_tol : float
        Updates end when gamma changes by less than this, on average over topics.
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
        Number of topics M, without the background. Topics are numbered in order of
        decreasing mass.
    components_ : ndarray of shape (K, n_words)
        Word probabilities, where K is M, or M + 1 with a background; rows sum to one.
        Without smoothing, a millionth of each topic is the corpus frequencies with one
        added to each count, so that no word has probability zero.
    topic_proportions_ : ndarray of shape (n_docs, K)
        Gamma of the training documents, normalised. A document without words has the
        corpus-wide shares.
    topics_present_ : ndarray of bool, shape (n_docs, K)
        Topics that have the largest phi of at least one word of a document.
    proportion_prior_ : ndarray of shape (K,)
        Eta.
    bound_, log_likelihood_ : float
        Of the training documents: the variational bound, and the plug-in likelihood
        ``sum c log(topic_proportions_ @ components_)``.
    topic_mass_ : ndarray of shape (K,)
        Share of all words.
    vocabulary_ : list of str
        Names of the words.
    history_ : list of Iteration
        Every iteration of the fit; ``objective`` is the bound.
    path_ : list of dict
        Every number of topics fitted, with its bound, likelihood, topics per document
        (including the background, if there is one) and seconds.
    n_iter_ : int
        Number of iterations of this fit.
    converged_, stop_reason_ : bool, str
        Whether the last iteration gained less than ``tol``, and why the fit ended:
        "converged", "max_iter" or "callback".

    References
    ----------
    .. [1] D. M. Blei, A. Y. Ng and M. I. Jordan, "Latent Dirichlet allocation", Journal
       of Machine Learning Research 3 (2003).

    Examples
    --------
    >>> from leantopics import make_corpus
    >>> corpus, _ = make_corpus(200, 100, 4, doc_length=100)
    >>> model = LDA(3, max_topics=6, step=1, random_state=0).fit(corpus)
    >>> [row["n_topics"] for row in model.path_], model.at(5).components_.shape
    ([3, 4, 5, 6], (5, 100))
    >>> model.bound_ < model.log_likelihood_
    True
    """

    def __init__(
        self,
        n_topics: int = 20,
        *,
        max_topics: int | None = None,
        step: int | None = None,
        background: bool = False,
        smoothing: float | None = None,
        proportion_prior: float | None = None,
        init_docs: int = 5,
        max_iter: int = 100,
        tol: float = 1e-4,
        doc_max_iter: int = 20,
        doc_tol: float = 1e-3,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Iteration], object] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.max_topics = max_topics
        self.step = step
        self.background = background
        self.smoothing = smoothing
        self.proportion_prior = proportion_prior
        self.init_docs = init_docs
        self.max_iter = max_iter
        self.tol = tol
        self.doc_max_iter = doc_max_iter
        self.doc_tol = doc_tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def _check(self) -> None:
        if not isinstance(self.background, bool | np.bool_):
            raise ValueError(
                f"background must be True or False. Got {self.background!r} instead."
            )
        for name in ("init_docs", "doc_max_iter"):
            check_whole(name, getattr(self, name))
        check_number("doc_tol", self.doc_tol)
        for name in ("smoothing", "proportion_prior"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), positive=True)

    def _search(
        self,
        counts: sparse.csr_array,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[Iteration], object],
    ) -> LDASearch:
        settings = self._settings()
        priors = Priors(self.proportion_prior, self.smoothing, self.background)
        return LDASearch(
            counts, settings, priors, self.init_docs, random, workers, report
        )

    def _settings(self) -> lda_em.Settings:
        """How documents are updated, and when fits end."""
        return lda_em.Settings(
            self.max_iter,
            self.tol,
            self.doc_max_iter,
            self.doc_tol,
            self.proportion_prior is None,
        )

    def _infer(self, counts: sparse.csr_array, workers: Engine) -> Floats:
        weights = self._once(
            "weights",
            lambda: lda_em.word_weights(words_of(self._order, self.n_topics_))[0],
        )
        eta, shards = self.proportion_prior_, lda_em.cut(counts)
        return lda_em.normalised(
            lda_em.infer(shards, weights, eta, self._settings(), workers)
        )

    def _set_own_results(self, order: Order) -> None:
        self.bound_ = order.summary["bound"]
        self.log_likelihood_ = order.summary["log_likelihood"]
        self.proportion_prior_ = order.extra["eta"]
