"""The exhaustive referee: does any single switch of a fitted model still pay?

Plain NumPy on the counts and the public attributes of a model, written from the
paper's equations; nothing of the package is used. Every flip is tried at its exact
price. A gain is an upper bound, within `EXACT` of the truth if it may be the largest,
so what cannot be ruled out counts.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import xlogy

TOLERANCE = 1e-5
"""A flip that gains more nats pays; a fit solves its proportions to 1e-6."""
EXACT = 1e-8
STEPS = 20_000
Floats = NDArray[np.float64]


def referee(counts: sparse.csr_array, model: Any) -> dict[str, dict[str, float]]:
    """Flips tried, flips that pay, and the largest gain, of both kinds of switches."""
    return {
        "topic switches": _verdict(topic_gains(counts, model)),
        "word switches": _verdict(word_gains(counts, model)),
    }


def topic_gains(counts: sparse.csr_array, model: Any) -> Floats:
    """Fall of BIC by each flip of v: (dqv) at optimal proportions less (dcostv).

    A document keeps a topic and a topic keeps a document; other flips are all tried.
    """
    v, alpha = _pattern(model.topic_proportions_), model.topic_proportions_.toarray()
    ratio = _ratios(model)
    half_salient = 0.5 * np.diff(model.salient_word_prob_.indptr)
    length = np.asarray(counts.sum(axis=1)).ravel()
    tokens, documents = length @ v, v.sum(axis=0)
    n_topics = len(ratio)
    choose = [math.log(math.comb(n_topics, m)) for m in range(n_topics + 1)]
    gains, best = [], -np.inf
    for d in range(len(v)):
        row = slice(counts.indptr[d], counts.indptr[d + 1])
        c, rows = counts.data[row], ratio[:, counts.indices[row]]
        here = np.flatnonzero(v[d])
        now = c @ np.log(alpha[d, here] @ rows[here])
        free = here[documents[here] > 1] if len(here) > 1 else here[:0]
        for sign, flips in ((1, np.flatnonzero(~v[d])), (-1, free)):
            if len(flips) == 0:
                continue
            price = half_salient[flips] * np.log1p(sign * length[d] / tokens[flips])
            price += 0.5 * sign * math.log(length[d] / (2 * math.pi))
            price += choose[len(here) + sign] - choose[len(here)]
            topics = np.array([np.setxor1d(here, [j]) for j in flips])
            hopeless = now + price + min(TOLERANCE, best)
            value = _values(c, rows[topics], alpha[d, topics] + 0.1, hopeless)
            gains.append(value - now - price)
            best = max(best, float(gains[-1].max()))
    return np.concatenate(gains)


def word_gains(counts: sparse.csr_array, model: Any) -> Floats:
    """Fall of the expected complete-data BIC by each flip of u: (dqu) less (dcostu).

    A topic keeps a salient word; words that the corpus lacks are left out.
    """
    u, beta0 = _pattern(model.salient_word_prob_), model.shared_word_prob_
    x = _expected(counts, model)
    length = np.asarray(counts.sum(axis=1)).ravel()
    common = 0.5 * np.log(length @ _pattern(model.topic_proportions_) / (2 * np.pi))
    exact = model.word_prior_ == "exact"
    cost = [_word_cost(int(u.sum()) + k, u.size, exact) for k in (-1, 0, 1)]
    own = xlogy(x, np.divide(x, beta0, out=np.ones_like(x), where=beta0 > 0))
    gains = []
    for j in range(len(u)):
        sign = np.where(u[j], -1.0, 1.0)
        mass, share = x[j, u[j]].sum(), beta0[u[j]].sum()
        new_mass = np.maximum(mass + sign * x[j], 0.0)
        new_share = np.maximum(share + sign * beta0, 1e-300)
        gain = sign * own[j] + xlogy(mass, mass / share)
        gain -= xlogy(new_mass, new_mass / new_share)
        price = sign * common[j] + np.where(u[j], cost[0], cost[2]) - cost[1]
        gains.append((gain - price)[(beta0 > 0) & (~u[j] | (u[j].sum() > 1))])
    return np.concatenate(gains)


def _values(c: Floats, rows: Floats, alpha: Floats, hopeless: Floats) -> Floats:
    """Upper bounds on max f(alpha), f = sum c log(alpha @ rows), of K problems at once.

    By EM (alphaupdate), with the bound L log(max_k g_k / L) on what is left to gain.
    c (n,), rows (K, m, n), alpha (K, m) a start. A problem is left when its bound is
    tight or below ``hopeless`` (K,).
    """
    length = c.sum()
    alpha = alpha / alpha.sum(axis=1, keepdims=True)
    bound = np.full(len(rows), -np.inf)
    left = np.flatnonzero((rows.max(axis=1) > 0).all(axis=1))
    for _ in range(STEPS):
        if len(left) == 0:
            break
        q = np.einsum("km,kmn->kn", alpha[left], rows[left])
        grad = np.einsum("kmn,kn->km", rows[left], c / q)
        gap = length * np.log(np.maximum(grad.max(axis=1) / length, 1.0))
        alpha[left] *= grad / length
        bound[left] = np.log(q) @ c + gap
        left = left[(gap > EXACT) & (bound[left] > hopeless[left])]
    return bound


def _expected(counts: sparse.csr_array, model: Any) -> Floats:
    """The x of (pj), (M, N): expected counts at the posteriors (pz)."""
    proportions, ratio = model.topic_proportions_, _ratios(model)
    x = np.zeros(ratio.shape)
    for d in range(counts.shape[0]):
        row = slice(counts.indptr[d], counts.indptr[d + 1])
        here = slice(proportions.indptr[d], proportions.indptr[d + 1])
        topics, words = np.ix_(proportions.indices[here], counts.indices[row])
        joint = proportions.data[here, None] * ratio[topics, words]
        x[topics, words] += counts.data[row] * joint / joint.sum(axis=0)
    return x


def _ratios(model: Any) -> Floats:
    """Word probabilities of the topics over those of the shared model, (M, N)."""
    beta0 = model.shared_word_prob_
    beta = model.salient_word_prob_.toarray()
    ratio = np.divide(beta, beta0, out=np.ones_like(beta), where=beta0 > 0)
    return np.where(_pattern(model.salient_word_prob_), ratio, 1.0)


def _pattern(matrix: sparse.csr_array) -> NDArray[np.bool_]:
    """Which entries are stored, zeros among them."""
    ones = np.ones(matrix.nnz, dtype=bool)
    shape = matrix.shape
    return sparse.csr_array((ones, matrix.indices, matrix.indptr), shape).toarray()


def _word_cost(n_salient: int, n_switches: int, exact: bool) -> float:
    """(ucost) in nats without its constant; the entropy form holds below a half."""
    p = n_salient / n_switches
    if exact or p >= 0.5:
        return n_switches * math.log(2)
    return -n_switches * float(xlogy(p, p) + xlogy(1 - p, 1 - p))


def _verdict(gains: Floats) -> dict[str, float]:
    return {
        "tried": len(gains),
        "paying": int((gains > TOLERANCE).sum()),
        "largest gain": float(gains.max()),
    }
