"""Sparse topical coding at one number of topics: codes and dictionary by turns."""

import itertools
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from leantopics._arrays import Bools, Counts, Floats
from leantopics.baselines.kernels import stc_codes, stc_dictionary, stc_words
from leantopics.baselines.kernels.stc_words import Weights
from leantopics.baselines.order import Iteration
from leantopics.engine.threads import Engine
from leantopics.models.shards import cut_shards

Part = tuple[Counts, slice, slice]
"""A shard, and the slices of its rows and entries among those of all shards."""
FINAL_STEPS, FINAL_TOL = 100, 1e-9
"""Maximum Newton steps, and nats per word to stop at, for codes at their optimum."""
DICTIONARY_STEPS = 2
"""Steps of the dictionary for each step of the codes in an iteration."""


class Data(NamedTuple):
    """A corpus without empty documents, by documents and by words."""

    shards: list[Counts]
    words: list[Counts]
    """The same counts, with words as rows and documents as indices."""
    by_word: NDArray[np.int64]
    """Positions of the entries of ``words`` among those of ``shards``."""
    frequency: Floats
    """(N,): share of each word in the corpus."""
    n_tokens: float


class Codes(NamedTuple):
    """Codes of documents, and the ratios that stand for the codes of their words.

    Code k of word n in document d is ``max(0, theta[d, k] - rho / (2 gamma) + (ratio -
    1) b[n, k] / (2 gamma))``, where b is the dictionary that they were made with.
    """

    theta: Floats
    """(D, M)."""
    ratio: Floats
    """(entries,): count divided by mean, w / m."""
    objective: Floats
    """(D,)."""


class Settings(NamedTuple):
    """When to stop."""

    max_iter: int
    tol: float


class Fit(NamedTuple):
    """A model with one number of topics."""

    dictionary: Floats
    """(N, M): word-major; columns sum to one."""
    codes: Codes
    history: list[Iteration]
    stop_reason: str


def prepare(counts: sparse.csr_array) -> Data:
    """Arrange a matrix without empty rows by documents and by words."""
    places = sparse.csr_array(
        (np.arange(counts.nnz), counts.indices, counts.indptr), shape=counts.shape
    )
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    n_tokens = float(totals.sum())
    return Data(
        cut_shards(counts),
        cut_shards(sparse.csr_array(counts.T)),
        sparse.csr_array(places.T).data,
        totals / n_tokens,
        n_tokens,
    )


def sparse_rows(dictionary: Floats) -> Counts:
    """The rows of a dictionary (N, M) without zeros.

    Examples
    --------
    >>> sparse_rows(np.array([[0.0, 0.5], [1.0, 0.0]]))
    Counts(indptr=array([0, 1, 2]), indices=array([1, 0], dtype=int32), \
data=array([0.5, 1. ]))
    """
    words, topics = np.nonzero(dictionary)
    ends = np.cumsum(np.bincount(words, minlength=len(dictionary)))
    indptr = np.concatenate(([0], ends))
    return Counts(indptr, topics.astype(np.int32), dictionary[words, topics])


def no_codes(shards: list[Counts], n_topics: int) -> Codes:
    """Codes of zero, a valid start for all documents."""
    n_docs = sum(len(shard.indptr) - 1 for shard in shards)
    entries = sum(len(shard.data) for shard in shards)
    return Codes(np.zeros((n_docs, n_topics)), np.zeros(entries), np.zeros(n_docs))


def code(
    shards: list[Counts],
    dictionary: Floats,
    weights: Weights,
    codes: Codes,
    workers: Engine,
    *,
    steps: int = FINAL_STEPS,
    tol: float = FINAL_TOL,
) -> float:
    """Lower the objective over the codes, in place; return its sum over documents.

    Parameters
    ----------
    shards : counts of the documents
    dictionary : (N, M)
    weights : hyper-parameters
    codes : where to start
    steps, tol : maximum Newton steps of a document, and the decrease in nats per word
        at which it is done
    """
    topics = sparse_rows(dictionary)

    def visit(part: Part) -> None:
        shard, rows, entries = part
        stc_codes.code_documents(
            shard,
            topics,
            weights,
            steps,
            tol,
            codes.theta[rows],
            codes.ratio[entries],
            codes.objective[rows],
        )

    workers.map(visit, _parts(shards))
    return float(codes.objective.sum())


def code_new(
    counts: sparse.csr_array, dictionary: Floats, weights: Weights, workers: Engine
) -> Codes:
    """Best codes of documents (D, N) given a dictionary (N, M)."""
    shards = cut_shards(counts)
    codes = no_codes(shards, dictionary.shape[1])
    code(shards, dictionary, weights, codes, workers)
    return codes


def account(
    shards: list[Counts],
    dictionary: Floats,
    weights: Weights,
    codes: Codes,
    workers: Engine,
) -> tuple[Bools, Bools, Floats]:
    """Topics that contribute most to a word of a document, and words of each topic.

    Returns
    -------
    present : ndarray of bool, shape (D, M)
    by_code : ndarray of bool, shape (D, M)
        Topics that have the largest code of a word instead.
    mass : ndarray of shape (M,)
    """
    present, by_code = np.zeros((2, *codes.theta.shape), dtype=np.bool_)
    dictionary = np.ascontiguousarray(dictionary)

    def of(part: Part) -> Floats:
        shard, rows, entries = part
        mass = np.zeros(dictionary.shape[1])
        stc_words.account(
            *shard[:2],
            dictionary,
            *stc_words.prices(weights),
            codes.theta[rows],
            codes.ratio[entries],
            present[rows],
            by_code[rows],
            mass,
        )
        return mass

    mass = np.sum(workers.map(of, _parts(shards)), axis=0)
    return present, by_code, mass


def improve(
    data: Data,
    dictionary: Floats,
    weights: Weights,
    codes: Codes,
    workers: Engine,
    *,
    steps: int = DICTIONARY_STEPS,
    tol: float = 0.0,
) -> Floats:
    """Lower the loss over the dictionary, with fixed codes, by projected gradients.

    Each step is scaled by the diagonal of the Hessian and halved until the loss falls
    enough (Armijo). The last step is one that promises at most ``tol`` per word.

    Returns
    -------
    ndarray of shape (N, M)
    """
    dictionary = np.ascontiguousarray(dictionary)
    loss = _Loss(data, dictionary, weights, codes, workers)
    move, tau = np.empty_like(dictionary), np.zeros(dictionary.shape[1])
    for _ in range(steps):
        gradient, curvature = loss.slopes(dictionary)
        promise = stc_dictionary.project(dictionary, gradient, curvature, tau, move)
        if not promise < -tol * data.n_tokens:
            break
        loss.look_along(move)
        length = 1.0
        while not loss.change(length) <= 1e-4 * length * promise:
            length *= 0.5
            if length < 1e-12:
                return dictionary
        dictionary = dictionary + length * move
    return dictionary


class _Loss:
    """The loss as a function of the dictionary, with fixed codes."""

    def __init__(
        self,
        data: Data,
        coded: Floats,
        weights: Weights,
        codes: Codes,
        workers: Engine,
    ) -> None:
        self._parts, self._workers = _parts(data.words), workers
        self._coded, self._theta, self._prices = (
            coded,
            codes.theta,
            stc_words.prices(weights),
        )
        self._ratio = codes.ratio[data.by_word]
        self._mean, self._mean_move = (np.empty_like(self._ratio) for _ in range(2))
        self._gradient, self._curvature = (np.empty_like(coded) for _ in range(2))

    def slopes(self, dictionary: Floats) -> tuple[Floats, Floats]:
        """Gradient and diagonal of the Hessian (N, M), valid until the next call."""

        def of(part: Part) -> None:
            words, rows, entries = part
            stc_dictionary.slopes(
                *words,
                self._theta,
                self._ratio[entries],
                self._coded[rows],
                dictionary[rows],
                *self._prices,
                self._mean[entries],
                self._gradient[rows],
                self._curvature[rows],
            )

        self._workers.map(of, self._parts)
        return self._gradient, self._curvature

    def look_along(self, move: Floats) -> None:
        """Prepare for `change` along a move of the dictionary."""

        def of(part: Part) -> None:
            words, rows, entries = part
            stc_dictionary.means(
                *words[:2],
                self._theta,
                self._ratio[entries],
                self._coded[rows],
                move[rows],
                *self._prices,
                self._mean_move[entries],
            )

        self._workers.map(of, self._parts)

    def change(self, length: float) -> float:
        """Change of the loss if the dictionary goes that far along the move."""

        def of(part: Part) -> float:
            words, _, entries = part
            return stc_dictionary.loss_change(
                words.data, self._mean[entries], self._mean_move[entries], length
            )

        return sum(self._workers.map(of, self._parts))


def fit(
    data: Data,
    dictionary: Floats,
    theta: Floats,
    weights: Weights,
    settings: Settings,
    workers: Engine,
    report: Callable[[Iteration], object],
) -> Fit:
    """Alternate between dictionary and codes; the objective never rises.

    The fit ends when an iteration lowers the objective by less than ``tol`` nats per
    word. The codes are then brought to their optimum.

    Parameters
    ----------
    data : the corpus
    dictionary : (N, M); no word of the corpus has a row of zeros
    theta : (D, M)
    weights : hyper-parameters
    settings : when to stop
    report : called after each iteration; if it returns True, the fit stops
    """
    codes = no_codes(data.shards, dictionary.shape[1])
    codes.theta[:] = theta
    history: list[Iteration] = []
    start = time.perf_counter()
    tol = 0.1 * settings.tol
    before = code(data.shards, dictionary, weights, codes, workers, tol=tol)
    stop_reason = "max_iter"
    while len(history) < settings.max_iter:
        dictionary = improve(data, dictionary, weights, codes, workers)
        now = code(data.shards, dictionary, weights, codes, workers, steps=1, tol=tol)
        seconds = time.perf_counter() - start
        history.append(Iteration(dictionary.shape[1], len(history) + 1, now, seconds))
        if report(history[-1]) is True:
            stop_reason = "callback"
            break
        if before - now <= settings.tol * data.n_tokens:
            stop_reason = "converged"
            break
        before = now
    code(data.shards, dictionary, weights, codes, workers)
    return Fit(dictionary, codes, history, stop_reason)


def _parts(shards: list[Counts]) -> list[Part]:
    """Each shard with the slices of its rows and entries."""
    rows = np.cumsum([0] + [len(shard.indptr) - 1 for shard in shards])
    entries = np.cumsum([0] + [len(shard.data) for shard in shards])
    return list(zip(shards, _slices(rows), _slices(entries), strict=True))


def _slices(ends: NDArray[np.int64]) -> Iterator[slice]:
    return (slice(first, last) for first, last in itertools.pairwise(ends))
