"""Latent Dirichlet allocation as the paper's rival did it, for the study alone."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from leantopics.baselines.lda import LDA
from leantopics.baselines.lda_em import Settings, Words
from leantopics.baselines.lda_search import LDASearch, Priors
from leantopics.baselines.order import Iteration, Order
from leantopics.engine.threads import Engine


class LDAByWord(LDA):
    """Variational EM that updates documents one word after the other.

    The paper compares with a program of the authors of [1]_. This is written from their
    description of variational EM, with what is known of that program: a topic starts
    from the words of one document and one count of every word of the dictionary; all
    eta have one value, which Newton's method learns, from 1 / M; a document ends when a
    pass over its words changes its bound by less than ``doc_tol`` of it, and starts
    from scratch in every iteration. `LDA` finds better bounds.

    Parameters
    ----------
    n_topics, max_topics, step, max_iter, tol, doc_max_iter
        As in `LDA`.
    doc_tol : float
        Updates of a document end when its bound changes by less than this share.
    random_state, n_jobs, callback, verbose
        As in `LDA`.

    References
    ----------
    .. [1] D. M. Blei, A. Y. Ng and M. I. Jordan, "Latent Dirichlet allocation", Journal
       of Machine Learning Research 3 (2003).

    Examples
    --------
    >>> from leantopics import make_corpus
    >>> corpus, _ = make_corpus(200, 100, 4, doc_length=100)
    >>> model = LDAByWord(4, random_state=0).fit(corpus)
    >>> len(set(model.proportion_prior_)), model.bound_ < model.log_likelihood_
    (1, True)
    """

    background = False
    smoothing = None
    proportion_prior = None
    init_docs = 1

    def __init__(
        self,
        n_topics: int = 20,
        *,
        max_topics: int | None = None,
        step: int | None = None,
        max_iter: int = 100,
        tol: float = 1e-4,
        doc_max_iter: int = 20,
        doc_tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Iteration], object] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.max_topics = max_topics
        self.step = step
        self.max_iter = max_iter
        self.tol = tol
        self.doc_max_iter = doc_max_iter
        self.doc_tol = doc_tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def _settings(self) -> Settings:
        return super()._settings()._replace(by_word=True)

    def _search(
        self,
        counts: sparse.csr_array,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[Iteration], object],
    ) -> LDASearch:
        priors = Priors(None, None, False)
        return _Search(
            counts, self._settings(), priors, self.init_docs, random, workers, report
        )


class _Search(LDASearch):
    """Fits that start from single documents; see `Search`."""

    def start(self, n_topics: int) -> Order:
        """Fit from one document a topic and one count of every word."""
        n_docs = self._counts.shape[0]
        drawn = self._random.permutation(n_docs)[:n_topics]
        table = self._counts[drawn].toarray() + 1.0
        table = table / table.sum(axis=1, keepdims=True)
        words = Words(np.ascontiguousarray(table.T), None, None)
        return self._fit(words, np.full(n_topics, 1.0 / n_topics))
