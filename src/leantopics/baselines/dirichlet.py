"""Maximum likelihood of a Dirichlet distribution."""

import numpy as np
from scipy.special import digamma, gammaln, zeta

from leantopics._arrays import Floats

_MAX_STEPS = 20
_MAX_HALVINGS = 40
_TOL = 1e-8
"""The last Newton step is one that promises less than this, in nats per document."""


def likelihood(eta: Floats, mean_log: Floats) -> float:
    """``log Gamma(sum eta) - sum log Gamma(eta) + sum eta mean_log``.

    Examples
    --------
    >>> import numpy as np
    >>> likelihood(np.array([1.0, 1.0]), np.array([-1.0, -2.0]))
    -3.0
    """
    return float(gammaln(eta.sum()) - gammaln(eta).sum() + eta @ mean_log)


def newton(eta: Floats, mean_log: Floats) -> Floats:
    """Raise the likelihood of a Dirichlet distribution, by Newton-Raphson from eta.

    The Hessian is ``z 1 1' - diag(h)``, with ``h = trigamma(eta)`` and ``z =
    trigamma(sum eta)``, so a step takes linear time. It is halved until eta stays
    positive and the likelihood does not fall. A single topic has all words of every
    document, whatever its eta, so eta is kept.

    Parameters
    ----------
    eta : ndarray of shape (K,)
        Positive start.
    mean_log : ndarray of shape (K,)
        Mean of the logarithms of the proportions, or of their expectations.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    The means of log alpha under Dir(0.5, 2) lead back to these parameters.

    >>> import numpy as np
    >>> truth = np.array([0.5, 2.0])
    >>> newton(np.ones(2), digamma(truth) - digamma(truth.sum())).round(6)
    array([0.5, 2. ])
    """
    if len(eta) == 1:
        return eta
    value = likelihood(eta, mean_log)
    for _ in range(_MAX_STEPS):
        gradient = digamma(eta.sum()) - digamma(eta) + mean_log
        h, z = zeta(2, eta), float(zeta(2, eta.sum()))
        shared = float((gradient / h).sum() / (1.0 / z - (1.0 / h).sum()))
        step = (gradient + shared) / h
        promise = gradient @ step
        for _ in range(_MAX_HALVINGS):
            trial = eta + step
            if trial.min() > 0.0:
                reached = likelihood(trial, mean_log)
                if reached >= value:
                    break
            step = step / 2.0
        else:
            break
        eta, value = trial, reached
        if promise < _TOL:
            break
    return eta


def newton_equal(eta: Floats, mean_log: Floats) -> Floats:
    """Raise the likelihood over one value that all parameters have, from ``eta[0]``.

    The likelihood is concave in that value. A step is halved until the value stays
    positive and the likelihood does not fall.

    Parameters
    ----------
    eta : ndarray of shape (K,)
        Positive start, all the same.
    mean_log : ndarray of shape (K,)
        Mean of the logarithms of the proportions, or of their expectations.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    >>> mean_log = digamma(0.3) - digamma(np.array([1.5, 1.5, 1.5, 1.5, 1.5]))
    >>> newton_equal(np.ones(5), mean_log).round(6)
    array([0.3, 0.3, 0.3, 0.3, 0.3])
    """
    n = len(eta)
    if n == 1:
        return eta
    one, value = float(eta[0]), likelihood(eta, mean_log)
    for _ in range(_MAX_STEPS):
        slope = n * (digamma(n * one) - digamma(one)) + mean_log.sum()
        step = slope / (n * zeta(2, one) - n * n * zeta(2, n * one))
        promise = slope * step
        for _ in range(_MAX_HALVINGS):
            trial = one + step
            if trial > 0.0:
                reached = likelihood(np.full(n, trial), mean_log)
                if reached >= value:
                    break
            step = step / 2.0
        else:
            break
        one, value = trial, reached
        if promise < _TOL:
            break
    return np.full(n, one)
