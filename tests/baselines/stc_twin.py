"""Slow, obvious, dense twins of sparse topical coding, and tiny random problems.

Counts are (D, N), theta (D, M), word codes s (D, N, M), the dictionary b (N, M).
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from leantopics.baselines.kernels.stc_words import Weights


class Problem(NamedTuple):
    counts: sparse.csr_array
    dictionary: np.ndarray
    weights: Weights


def tiny(seed, n_docs=3, n_words=6, n_topics=4, zeros=0.3):
    """A few documents, topics with some zeros, weights over orders of magnitude."""
    random = np.random.default_rng(seed)
    counts = random.poisson(1.5, (n_docs, n_words)).astype(float)
    counts[:, 0] += 1.0
    counts[0] += 1.0
    topics = random.dirichlet(np.full(n_words, 0.7), n_topics)
    dictionary = np.ascontiguousarray(topics.T)
    dictionary[random.random(dictionary.shape) < zeros] = 0.0
    dictionary[:, 0] += 0.01
    dictionary[0] += 0.01
    dictionary /= dictionary.sum(axis=0)
    weights = Weights(*10.0 ** random.uniform([-2, -2, -3], [0.3, 1, 0]))
    return Problem(sparse.csr_array(counts), dictionary, weights)


def loss(counts, s, dictionary):
    """``sum m - w log m`` over the words that occur."""
    here = counts > 0
    mean = np.einsum("dnk,nk->dn", s, dictionary)[here]
    return (mean - counts[here] * np.log(mean)).sum()


def objective(counts, theta, s, dictionary, weights):
    """The objective of Zhu and Xing (2011), with a weight for each term."""
    here = (counts > 0)[:, :, None]
    return (
        loss(counts, s, dictionary)
        + weights.lambda_ * np.abs(theta).sum()
        + weights.gamma * ((s - theta[:, None, :]) ** 2 * here).sum()
        + weights.rho * np.abs(s * here).sum()
    )


def word_codes(counts, theta, ratio, dictionary, weights):
    """Dense codes (D, N, M) that theta and the ratios of a CSR matrix stand for.

    Words that do not occur have codes of zero.
    """
    here = counts.toarray() > 0
    dense = np.zeros(counts.shape)
    dense[here] = ratio
    moved = (dense[:, :, None] - 1.0) * dictionary - weights.rho
    s = np.maximum(0.0, theta[:, None, :] + moved / (2.0 * weights.gamma))
    return s * here[:, :, None]


def best_codes(counts, dictionary, weights):
    """Least objective over all codes of one document (N,), by L-BFGS-B."""
    words = counts > 0
    w, b, n_topics = counts[words], dictionary[words], dictionary.shape[1]

    def function(z):
        theta, s = z[:n_topics], z[n_topics:].reshape(-1, n_topics)
        mean = (s * b).sum(axis=1) + 1e-300
        apart = s - theta
        value = (
            (mean - w * np.log(mean)).sum()
            + weights.lambda_ * theta.sum()
            + weights.gamma * (apart**2).sum()
            + weights.rho * s.sum()
        )
        by_s = b * (1.0 - w / mean)[:, None] + 2.0 * weights.gamma * apart + weights.rho
        by_theta = weights.lambda_ - 2.0 * weights.gamma * apart.sum(axis=0)
        return value, np.concatenate((by_theta, by_s.ravel()))

    z = np.ones(n_topics * (len(w) + 1))
    for _ in range(3):  # a restart forgets a bad curvature
        z = minimize(
            function,
            z,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * len(z),
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 20000, "maxfun": 40000},
        ).x
    return function(z)[0]


def best_dictionary(counts, s, dictionary):
    """Least loss over dictionaries (N, M) given the codes, by SLSQP."""
    here = counts > 0
    codes = s[here]
    word = np.nonzero(here)[1]
    w, (n_words, n_topics) = counts[here], dictionary.shape

    def function(z):
        mean = (codes * z.reshape(n_words, n_topics)[word]).sum(axis=1)
        if mean.min() <= 0.0:
            return 1e10, np.zeros(len(z))
        slope = np.zeros((n_words, n_topics))
        np.add.at(slope, word, codes * (1.0 - w / mean)[:, None])
        return (mean - w * np.log(mean)).sum(), slope.ravel()

    sums = np.tile(np.eye(n_topics), n_words)
    found = minimize(
        function,
        0.5 * dictionary.ravel() + 0.5 / n_words,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * dictionary.size,
        constraints={
            "type": "eq",
            "fun": lambda z: sums @ z - 1,
            "jac": lambda z: sums,
        },
        options={"ftol": 1e-13, "maxiter": 2000},
    )
    return found.fun


def simplex_projection(v):
    """Projection of a vector onto the simplex by sorting (Duchi et al., 2008)."""
    ordered = np.sort(v)[::-1]
    excess = (np.cumsum(ordered) - 1.0) / np.arange(1, len(v) + 1)
    return np.maximum(0.0, v - excess[np.flatnonzero(ordered > excess)[-1]])
