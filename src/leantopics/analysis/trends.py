"""Shares of topics that rise or fall with a number, by fractional logistic regression.

A document with proportion alpha of a topic counts as that part of one yes and the rest
of one no, ``sum_d alpha_d log pi_d + (1 - alpha_d) log(1 - pi_d)``, with
``logit pi_d = a + b x_d``.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, xlog1py, xlogy

from leantopics._arrays import Floats

_STEPS, _CELLS = 25, 4_000_000


class Trends(NamedTuple):
    """The trend of each topic."""

    level: Floats
    """(M,): a."""
    slope: Floats
    """(M,): b, per standard deviation."""
    gain: Floats
    """(M,): log-likelihood over that of one share."""


def fit_trends(alpha: sparse.csr_array, x: Floats) -> Trends:
    """Fit the trend of every topic (D, M) by Newton steps.

    The number x (D,) has mean 0 and standard deviation 1.

    Examples
    --------
    >>> x = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> alpha = sparse.csr_array([[0.2, 0.8], [0.2, 0.8], [0.6, 0.4], [0.6, 0.4]])
    >>> trends = fit_trends(alpha, x)
    >>> shares_at(trends, np.array([-1.0, 1.0])).round(3)
    array([[0.2, 0.8],
           [0.6, 0.4]])
    """
    n_docs, n_topics = alpha.shape
    columns, width = alpha.tocsc(), max(1, _CELLS // max(n_docs, 1))
    level, slope, gain = (np.zeros(n_topics) for _ in range(3))
    for first in range(0, n_topics, width):
        part = slice(first, min(first + width, n_topics))
        some = columns[:, part].toarray()
        level[part], slope[part], gain[part] = _fit(some, x)
    return Trends(level, slope, gain)


def _fit(alpha: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    mean = np.clip(alpha.mean(axis=0), 1e-12, 1.0 - 1e-12)
    a, b = np.log(mean / (1.0 - mean)), np.zeros(alpha.shape[1])
    for _ in range(_STEPS):
        pi = expit(a + x[:, None] * b)
        rest, weight = alpha - pi, pi * (1.0 - pi) + 1e-12
        up, across = rest.sum(axis=0), x @ rest
        bend = weight.sum(axis=0), x @ weight, (x * x) @ weight
        step_a, step_b = _newton(up, across, *bend)
        size = np.maximum(1.0, np.maximum(np.abs(step_a), np.abs(step_b)))
        a, b = a + step_a / size, np.clip(b + step_b / size, -20.0, 20.0)
        if max(np.abs(step_a).max(), np.abs(step_b).max()) < 1e-9:
            break
    logit = a + x[:, None] * b
    likely = (alpha * logit - np.logaddexp(0.0, logit)).sum(axis=0)
    same = len(x) * (xlogy(mean, mean) + xlog1py(1.0 - mean, -mean))
    return a, b, np.maximum(likely - same, 0.0)


def _newton(up: Any, across: Any, one: Any, two: Any, three: Any) -> tuple[Any, Any]:
    """Newton steps of a and b, from sums of the rest and of the weights."""
    room = one * three - two * two
    return (three * up - two * across) / room, (one * across - two * up) / room


def shares_at(trends: Trends, x: Floats) -> Floats:
    """(len(x), M): the share of each topic at some numbers."""
    found: Floats = expit(trends.level + x[:, None] * trends.slope)
    return found


def resampled_shares(
    trends: Trends,
    alpha: Floats,
    x: Floats,
    at: Floats,
    topic: int,
    draws: int,
    random: np.random.Generator,
) -> Floats:
    """(draws, len(at)): shares of a topic at some numbers, in samples of documents.

    Each is one Newton step from the fit to all documents. ``alpha`` and ``x`` (D,) are
    the proportion of the topic and the number of each document.
    """
    a, b = trends.level[topic], trends.slope[topic]
    pi = expit(a + b * x)
    rest, weight = alpha - pi, pi * (1.0 - pi) + 1e-12
    terms = np.stack([rest, x * rest, weight, x * weight, x * x * weight])
    out = np.empty((draws, len(at)))
    for draw in range(draws):
        times = np.bincount(random.integers(len(x), size=len(x)), minlength=len(x))
        step_a, step_b = _newton(*(terms @ times))
        out[draw] = expit(a + step_a + (b + step_b) * at)
    return out
