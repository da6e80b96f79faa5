"""The words of a new topic, and what they cost."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from leantopics._arrays import Floats, Longs
from leantopics.ptm.moves.rearrange import TRACE
from leantopics.ptm.objective import TWO_PI

_HALVINGS, _CYCLES, _GUESS = 40, 8, 30
TOLERANCE = 1e-6
"""Nats by which something must be better to replace what there is."""


class Topic(NamedTuple):
    """A topic by its salient words."""

    log_ratio: Floats
    """(N,): log(beta / beta0), zero for words that are not salient."""
    n_salient: int
    worth: Floats
    """(N,): nats by which the gain of a salient word exceeds its price, else zero."""


def log_binomial(n: float, k: Floats | float) -> Floats:
    """``log C(n, k)``.

    Examples
    --------
    >>> np.exp(log_binomial(4, np.array([0.0, 2.0]))).round(6)
    array([1., 6.])
    """
    found = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.asarray(found, dtype=np.float64)


def price_of_words(k: Longs | int, n_words: int, tokens: float) -> Floats:
    """What k salient words cost: which ones they are, and how probable.

    ``log C(N, k) + log N + k / 2 log(Lbar / 2 pi)`` nats, with Lbar the words of the
    documents of the topic.

    Examples
    --------
    >>> price_of_words(np.array([1, 2]), 100, 628.3).round(2)
    array([11.51, 17.72])
    """
    number = np.asarray(k, np.float64)
    which: Floats = log_binomial(n_words, number) + np.log(n_words)
    return which + number * _price_of_probability(tokens)


def _price_of_probability(tokens: float) -> float:
    return 0.5 * max(float(np.log(tokens / TWO_PI)), 0.0)


def best_words(x: Floats, beta0: Floats, tokens: float) -> Topic:
    """Choose the salient words of a topic with expected counts x.

    As in a fit, words are ranked by their Poisson deviance from the shared model, at
    the scale where those above their price keep their mass. The best number of them is
    taken. The price is the tangent of `price_of_words`, so this is repeated while the
    topic gains. Words that the documents do not have stay with the shared model.

    Parameters
    ----------
    x, beta0 : arrays of shape (N,)
        Expected counts, not all zero, and the shared model, positive where they are.
    tokens : float
        Words of the documents of the topic, Lbar.
    """
    n_words, best = len(x), -np.inf
    k = min(_GUESS, n_words)
    seen = np.flatnonzero((x > 0.0) | (beta0 * x.sum() > 1.0))
    x, base = x[seen], beta0[seen]
    fixed = xlogy(x, x / base) - x
    prices = price_of_words(np.arange(1, len(seen) + 1), n_words, tokens)
    for _ in range(_CYCLES):
        price = max(float(np.log((n_words - k + 1.0) / (k + 1.0))), 0.0)
        price += _price_of_probability(tokens)
        deviance = _deviance(fixed, x, base, price)
        ranked = np.argsort(-deviance, kind="stable")
        own, mass = np.cumsum(x[ranked]), np.cumsum(base[ranked])
        gain = np.cumsum((fixed + x)[ranked]) - xlogy(own, own / mass)
        values = np.where(own > 0.0, gain - prices, -np.inf)
        k = int(values.argmax()) + 1
        if values[k - 1] <= best + TOLERANCE:
            break
        log_ratio, worth = np.zeros(n_words), np.zeros(n_words)
        inside = ranked[:k]
        ratio = x[inside] / base[inside] * (mass[k - 1] / own[k - 1])
        log_ratio[seen[inside]] = np.log(np.maximum(ratio, TRACE))
        worth[seen[inside]] = np.maximum(deviance[inside] - price, 0.0)
        best, found = values[k - 1], Topic(log_ratio, k, worth)
    return found


def _deviance(fixed: Floats, x: Floats, base: Floats, price: float) -> Floats:
    """Deviances at the scale nu where the words above the price keep their mass.

    The slope ``nu S - X`` over these words grows with nu: see `docs/method.md`, "Word
    switches".
    """
    low, high = float(np.log(x.sum() * 1e-3)), float(np.log((x / base).max())) + 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        deviant = fixed - x * middle + np.exp(middle) * base > price
        slope = np.exp(middle) * base[deviant].sum() - x[deviant].sum()
        low, high = (middle, high) if slope < 0.0 else (low, middle)
    found: Floats = fixed - x * low + np.exp(low) * base
    return found
