"""Hyper-parameters of sparse topical coding, chosen on a validation split."""

import itertools
import logging
from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.baselines import stc_fit
from leantopics.baselines.kernels.stc_words import Weights
from leantopics.baselines.order import log_likelihood
from leantopics.baselines.stc_fit import Settings
from leantopics.baselines.stc_start import normalised, seeded
from leantopics.engine.threads import Engine

GRID = {
    "document_penalty": [0.01, 0.1, 1.0],
    "coupling": [0.1, 1.0, 10.0],
    "word_penalty": [0.0001, 0.001, 0.01],
}
"""Values to choose from, 27 points: ``SparseTopicalCoding(**GRID)``."""
MOST_DOCUMENTS = 2500
"""A sample of this size is drawn from a larger corpus: penalties apply to single
documents, and 27 fits to all of them would take longer than everything else."""
VALIDATION = 0.2
"""Share of the documents used for validation."""
MOST_ITERATIONS = 20
"""Maximum number of iterations of a fit that is only compared with others."""
TRACE = 0.01
"""Share of the corpus mixed into the topics, so that no held-out word is impossible."""

_log = logging.getLogger("leantopics")


LIMITS = (1e-6, 1e4)
"""Smallest and largest penalty to continue a list to."""


def try_grid(
    counts: sparse.csr_array,
    n_topics: int,
    axes: Sequence[Sequence[float]],
    widen: bool,
    settings: Settings,
    init_docs: int,
    random: np.random.RandomState,
    workers: Engine,
) -> Floats:
    """Held-out log-likelihood per word at each point, on a fifth of some documents.

    The distinct words of each validation document are split in two halves: one is
    coded, and the other has the probabilities ``sum_k theta_k b_kn / sum_k theta_k``.
    (The objective cannot choose, because it changes with the weights.) All points have
    the same documents, halves and first topics. Documents of a single word have no
    halves and are used for validation only if there are too few others.

    Parameters
    ----------
    axes : values of lambda, gamma and rho
        All combinations are tried.
    widen : bool
        Whether points around the best one are tried, until it is none of the outer
        ones.

    Returns
    -------
    ndarray of shape (points, 4)
        lambda, gamma, rho and their score; higher is better.
    """
    drawn = random.permutation(counts.shape[0])
    single = np.diff(counts.indptr)[drawn] < 2
    drawn = drawn[np.argsort(single, kind="stable")][:MOST_DOCUMENTS]
    n_held_out = max(1, round(VALIDATION * len(drawn)))
    validating, training = counts[drawn[:n_held_out]], counts[drawn[n_held_out:]]
    seen = np.flatnonzero(training.sum(axis=0))
    training, validating = training[:, seen], validating[:, seen]
    coded, hidden = _halves(validating, random)
    if hidden.nnz == 0:
        raise ValueError(
            "X must have documents of two words or more, some to fit and some to "
            f"validate, to choose penalties. Got too few, over n_features="
            f"{counts.shape[1]} words, instead: set document_penalty, coupling and "
            "word_penalty to one number each."
        )
    data = stc_fit.prepare(training)
    first = seeded(training, n_topics, init_docs, random)
    theta = np.zeros((training.shape[0], n_topics))
    settings = settings._replace(max_iter=min(settings.max_iter, MOST_ITERATIONS))

    def score(point: Weights) -> float:
        fitted = stc_fit.fit(data, first, theta, point, settings, workers, _quiet)
        codes = stc_fit.code_new(coded, fitted.dictionary, point, workers)
        table = (1.0 - TRACE) * fitted.dictionary.T + TRACE * data.frequency
        value = log_likelihood(hidden, normalised(codes.theta), table)
        _log.info("%s: log-likelihood %.6g", point, value)
        return value / float(hidden.data.sum())

    given = [list(map(float, values)) for values in axes]
    return _explore([sorted(own) for own in given] if widen else given, widen, score)


def _explore(
    axes: list[list[float]], widen: bool, score: Callable[[Weights], float]
) -> Floats:
    """Scores of all combinations, and of more around the best.

    Examples
    --------
    >>> def score(point):
    ...     return -abs(np.log10(point.lambda_) - 2)
    >>> found = _explore([[0.1, 1.0], [1.0], [1.0]], True, score)
    >>> found[:, 0].round(6).tolist()
    [0.1, 1.0, 10.0, 100.0, 1000.0]
    """
    scores: dict[Weights, float] = {}
    points = [Weights(*point) for point in itertools.product(*axes)]
    while points:
        scores |= {point: score(point) for point in points}
        best = max(scores, key=lambda point: scores[point])
        if not widen:
            break
        axes = [_continued(own, at) for own, at in zip(axes, best, strict=True)]
        near = [
            own[max(0, own.index(at) - 1) : own.index(at) + 2]
            for own, at in zip(axes, best, strict=True)
        ]
        points = [Weights(*point) for point in itertools.product(*near)]
        points = [point for point in points if point not in scores]
    return np.array([[*point, value] for point, value in scores.items()])


def _continued(values: list[float], best: float) -> list[float]:
    """A sorted list of several values, with one more if the best is at an end."""
    low, high = LIMITS
    if len(values) > 1 and best == values[0] and best / 10.0 >= low:
        return [best / 10.0, *values]
    if len(values) > 1 and best == values[-1] and best * 10.0 <= high:
        return [*values, best * 10.0]
    return values


def _halves(
    counts: sparse.csr_array, random: np.random.RandomState
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Split the distinct words of each document; the first half may have one more."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    shuffled = np.lexsort((random.random_sample(counts.nnz), rows))
    place = np.empty(counts.nnz, dtype=np.int64)
    place[shuffled] = np.arange(counts.nnz) - counts.indptr[rows]
    coded = place % 2 == 0
    halves = []
    for chosen in (coded, ~coded):
        half = counts.copy()
        half.data = np.where(chosen, counts.data, 0.0)
        half.eliminate_zeros()
        halves.append(half)
    return halves[0], halves[1]


def _quiet(step: object) -> None:
    """Report nothing."""
