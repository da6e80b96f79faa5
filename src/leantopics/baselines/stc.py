"""Sparse topical coding, as an estimator."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.baselines.checks import check_number, check_whole
from leantopics.baselines.kernels.stc_words import Weights
from leantopics.baselines.model import Baseline
from leantopics.baselines.order import Iteration, Order
from leantopics.baselines.stc_fit import Codes, Settings, code_new
from leantopics.baselines.stc_search import STCSearch, document_codes
from leantopics.baselines.stc_start import normalised
from leantopics.engine.threads import Engine

_WEIGHTS = ("document_penalty", "coupling", "word_penalty")
"""Public names of lambda, gamma and rho."""


class SparseTopicalCoding(Baseline):
    """Sparse topical coding: sparse codes without a probability model.

    Every word n of a document has a code s_n >= 0 over topics, near the code theta >= 0
    of the document. It occurs w_n times, with mean ``m_n = sum_k s_nk b_kn``, where the
    topics b_k are word probabilities. Codes and topics minimise [1]_, over the words
    that occur, ::

        sum_dn (m_dn - w_dn log m_dn) + lambda sum_dk theta_dk
            + sum_dnk (gamma (s_dnk - theta_dk)^2 + rho s_dnk)

    Parameters
    ----------
    n_topics : int
        Number of topics.
    max_topics : int, optional
        Start with this many topics, then remove the least massive ones repeatedly until
        ``n_topics`` are left; each fit starts from the previous one. `at` returns the
        model with any of these numbers of topics; all of them are kept. Never more
        topics than documents.
    step : int, optional
        Number of topics removed at a time; by default a fiftieth of ``max_topics``. The
        last step may be smaller.
    document_penalty, coupling, word_penalty : float or list of float
        Lambda, gamma and rho of the objective; gamma must be above 0. If lists are
        given, all combinations are tried at the largest number of topics: each is
        fitted to four fifths of the documents. For every other document, half of its
        distinct words are coded, and the likelihood of the other half is compared. The
        best combination is used for all numbers of topics.
        ``SparseTopicalCoding(**GRID)``, with GRID from `leantopics.baselines.stc_grid`,
        tries 27.
    widen : bool
        Whether lists are continued, each value a tenth or ten times the last, while the
        best value of a list is its smallest or largest; between 1e-6 and 1e4.
    init_docs : int
        Number of random documents whose words a topic starts from, mixed with those of
        the corpus.
    max_iter : int
        Maximum number of iterations at one number of topics.
    tol : float
        A fit ends when an iteration lowers the objective by less than this, in nats per
        word.
    random_state : int, RandomState or None
        The same seed gives the same bits, for any ``n_jobs``.
    n_jobs : int, optional
        Number of threads; None means one, -1 all processors.
    callback : callable, optional
        Called with an `Iteration` after each one; if it returns True, the fit stops.
        Fits that only choose penalties are not reported.
    verbose : int
        1 shows progress, 2 every iteration.

    Attributes
    ----------
    n_topics_ : int
        Number of topics M. Topics are numbered in order of decreasing mass.
    components_ : ndarray of shape (M, n_words)
        Word probabilities of the topics, many of them zero; rows sum to one.
    document_codes_ : ndarray of shape (n_docs, M)
        Codes theta of the training documents.
    topic_proportions_ : ndarray of shape (n_docs, M)
        These codes, normalised to sum to one. A document whose code is zero has equal
        shares of all topics; one without words has the corpus-wide shares.
    topics_present_ : ndarray of bool, shape (n_docs, M)
        Topics that contribute most to the mean of at least one word of a document.
    topic_mass_ : ndarray of shape (M,)
        Share of all words, by contribution to their means.
    objective_ : float
        The objective on the training documents.
    weights_ : dict
        The penalties and coupling that were used.
    tried_ : list of dict
        The combinations that were compared, each with its ``score``, the held-out
        log-likelihood per word. Empty if there was nothing to choose.
    vocabulary_ : list of str
        Names of the words.
    history_ : list of Iteration
        Every iteration of the fit.
    path_ : list of dict
        Every number of topics fitted, with its objective, weights, topics per document
        and seconds.
    n_iter_ : int
        Number of iterations of this fit.
    converged_, stop_reason_ : bool, str
        Whether the last iteration gained less than ``tol``, and why the fit ended:
        "converged", "max_iter" or "callback".

    References
    ----------
    .. [1] J. Zhu and E. P. Xing, "Sparse topical coding", Proceedings of the 27th
       Conference on Uncertainty in Artificial Intelligence (2011).

    Examples
    --------
    >>> from leantopics import make_corpus
    >>> corpus, _ = make_corpus(200, 100, 4, doc_length=100)
    >>> model = SparseTopicalCoding(3, max_topics=6, step=1, random_state=0).fit(corpus)
    >>> [row["n_topics"] for row in model.path_], model.at(5).components_.shape
    ([3, 4, 5, 6], (5, 100))

    Penalties can be chosen from lists:

    >>> model = SparseTopicalCoding(4, word_penalty=[0.01, 10.0], random_state=0)
    >>> model.fit(corpus).weights_["word_penalty"], len(model.tried_)
    (0.01, 2)
    """

    def __init__(
        self,
        n_topics: int = 20,
        *,
        max_topics: int | None = None,
        step: int | None = None,
        document_penalty: float | Sequence[float] = 0.3,
        coupling: float | Sequence[float] = 1.0,
        word_penalty: float | Sequence[float] = 0.01,
        widen: bool = False,
        init_docs: int = 5,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Iteration], object] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.max_topics = max_topics
        self.step = step
        self.document_penalty = document_penalty
        self.coupling = coupling
        self.word_penalty = word_penalty
        self.widen = widen
        self.init_docs = init_docs
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def _check(self) -> None:
        check_whole("init_docs", self.init_docs)
        if not isinstance(self.widen, bool | np.bool_):
            raise ValueError(
                f"widen must be True or False. Got {self.widen!r} instead."
            )
        for name, values in self._choices().items():
            if len(values) == 0:
                raise ValueError(
                    f"{name} must be a number or a list of numbers. Got [] instead."
                )
            for value in values:
                check_number(name, value, positive=name == "coupling")

    def _choices(self) -> dict[str, list[float]]:
        given = {name: getattr(self, name) for name in _WEIGHTS}
        return {
            name: list(value) if isinstance(value, list | tuple) else [value]
            for name, value in given.items()
        }

    def _search(
        self,
        counts: sparse.csr_array,
        random: np.random.RandomState,
        workers: Engine,
        report: Callable[[Iteration], object],
    ) -> STCSearch:
        return STCSearch(
            counts,
            list(self._choices().values()),
            self.widen,
            Settings(self.max_iter, self.tol),
            self.init_docs,
            random,
            workers,
            report,
        )

    def score(self, X: Any, y: object = None) -> float:
        """Minus the objective per word, at the best codes.

        It is not a likelihood, and cannot be compared with other models, nor with this
        one under other penalties. Words that the fit never saw are left out; without
        any known word, it is 0.
        """
        return super().score(X)

    def _value(self, counts: sparse.csr_array) -> float:
        with self._workers() as workers:
            return -float(self._code(counts, workers).objective.sum())

    def _infer(self, counts: sparse.csr_array, workers: Engine) -> Floats:
        return normalised(self._code(counts, workers).theta)

    def _code(self, counts: sparse.csr_array, workers: Engine) -> Codes:
        dictionary = self._once(
            "dictionary", lambda: np.ascontiguousarray(self.components_.T)
        )
        return code_new(counts, dictionary, Weights(*self.weights_.values()), workers)

    def _set_own_results(self, order: Order) -> None:
        self.objective_ = order.summary["objective"]
        self.document_codes_ = np.zeros(self.topic_proportions_.shape)
        self.document_codes_[self._filled] = document_codes(order)
        self.weights_ = dict(
            zip(_WEIGHTS, order.extra["weights"].tolist(), strict=True)
        )
        names = (*_WEIGHTS, "score")
        self.tried_ = [
            dict(zip(names, row, strict=True)) for row in order.extra["tried"].tolist()
        ]
