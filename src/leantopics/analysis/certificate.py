"""The certificate of a fit, tried switch by switch in plain NumPy; see `verify`."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import gammaln, xlogy

from leantopics._arrays import Floats, Longs

TWO_PI = 2.0 * np.pi
_ROUNDS, _SLACK = 500, 1e-5


class Flips(NamedTuple):
    """Switches that were tried."""

    best: float
    """By how many nats the best one lowers BIC at most; negative if none does."""
    tried: int


@dataclass
class Fit:
    """A fit as plain arrays, of documents that have words."""

    counts: sparse.csr_array
    """(D, N): counts as evidence."""
    alpha: sparse.csr_array
    """(D, M): proportions of the topics present."""
    beta: sparse.csr_array
    """(M, N): probabilities of the salient words."""
    beta0: Floats
    """(N,): the shared model."""
    exact: bool
    """Whether the word switches cost ``M N log 2``."""
    weight: float
    """Weight of their cost when they are chosen."""

    @cached_property
    def length(self) -> Floats:
        """(D,): L_d."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def excess(self) -> sparse.csr_array:
        """(M, N): beta / beta0 - 1 of salient words."""
        values = self.beta.data / self.beta0[self.beta.indices] - 1.0
        arrays = (values, self.beta.indices, self.beta.indptr)
        return sparse.csr_array(arrays, shape=self.beta.shape)

    def document(self, d: int) -> tuple[Longs, Floats, Longs, Floats]:
        """Words, counts, topics and proportions of a document."""
        words = slice(self.counts.indptr[d], self.counts.indptr[d + 1])
        row = slice(self.alpha.indptr[d], self.alpha.indptr[d + 1])
        return (
            self.counts.indices[words].astype(np.int64),
            self.counts.data[words],
            self.alpha.indices[row].astype(np.int64),
            self.alpha.data[row],
        )

    @cached_property
    def _pass(self) -> tuple[float, sparse.csr_array]:
        """The log-likelihood, and expected counts (M, N) of each topic and word."""
        likely, topic, word, value = 0.0, [], [], []
        for d in range(self.counts.shape[0]):
            words, counts, topics, alpha = self.document(d)
            part = alpha[:, None] * (1.0 + self.excess[topics][:, words].toarray())
            q = part.sum(axis=0)
            likely += float(counts @ (np.log(self.beta0[words]) + np.log(q)))
            value.append((counts * part / q).ravel())
            topic.append(np.repeat(topics, len(words)))
            word.append(np.tile(words, len(topics)))
        places = (np.concatenate(topic), np.concatenate(word))
        x = sparse.coo_array((np.concatenate(value), places), shape=self.beta.shape)
        return likely, sparse.csr_array(x)

    def log_likelihood(self) -> float:
        """``sum_d sum_n c_dn log p(n|d)``."""
        return self._pass[0]

    def expected(self) -> sparse.csr_array:
        """(M, N): how often each word is expected to come from each topic."""
        return self._pass[1]

    def tokens(self) -> Floats:
        """(M,): Lbar_j, the words of the documents in which a topic is present."""
        row = np.repeat(np.arange(len(self.length)), np.diff(self.alpha.indptr))
        n_topics = self.alpha.shape[1]
        found = np.bincount(self.alpha.indices, self.length[row], minlength=n_topics)
        return found.astype(np.float64)

    def switch_cost(self, n_salient: float) -> float:
        """The cost of the word switches (ucost)."""
        switches = float(self.beta.shape[0] * self.beta.shape[1])
        p = n_salient / switches
        if self.exact or p >= 0.5:
            return switches * float(np.log(2.0))
        return -switches * float(xlogy(p, p) + (1.0 - p) * np.log1p(-p))


def log_choose(n: int) -> Floats:
    """Log C(n, m) for m = 0 .. n."""
    m = np.arange(n + 1.0)
    out: Floats = gammaln(n + 1.0) - gammaln(m + 1.0) - gammaln(n - m + 1.0)
    return out


def word_flips(fit: Fit, pinned: dict[int, set[int]]) -> Flips:
    """Try to flip each word switch at its exact price, given the expected counts.

    With x_n the expected counts of a topic, and X and S the sums of x and beta0 over
    its salient words, the log-likelihood gains ``x log(x / beta0) - X log(X / S)``
    summed over these.
    """
    n_topics, n_words = fit.beta.shape
    salient, x_all, tokens = np.diff(fit.beta.indptr), fit.expected(), fit.tokens()
    here = fit.switch_cost(float(salient.sum()))
    more = fit.weight * (fit.switch_cost(float(salient.sum()) + 1.0) - here)
    less = fit.weight * (here - fit.switch_cost(float(salient.sum()) - 1.0))
    best = -np.inf
    for j in range(n_topics):
        own = np.zeros(n_words, dtype=np.bool_)
        own[fit.beta.indices[fit.beta.indptr[j] : fit.beta.indptr[j + 1]]] = True
        x = x_all[[j]].toarray().ravel()
        seen = fit.beta0 > 0.0
        sign = np.where(own, -1.0, 1.0)
        ratio = np.divide(x, fit.beta0, out=np.ones(n_words), where=seen)
        term = xlogy(x, np.where(x > 0.0, ratio, 1.0))
        total, mass = float(x[own].sum()), float(fit.beta0[own].sum())
        after, room = total + sign * x, mass + sign * fit.beta0
        room = np.maximum(room, 1e-300)
        now = float(xlogy(total, total / mass))
        then = xlogy(np.maximum(after, 0.0), np.maximum(after, 1e-300) / room)
        each = 0.5 * float(np.log(tokens[j] / TWO_PI))
        gain = sign * term - then + now - sign * (each + np.where(own, less, more))
        fixed = own & (salient[j] == 1)
        fixed[list(pinned.get(j, ()))] = True
        gain = np.where(seen & ~fixed, gain, -np.inf)
        best = max(best, float(gain.max()))
    return Flips(best, n_topics * n_words)


def topic_flips(fit: Fit, held: Collection[int] = ()) -> Flips:
    """Try to give each document each topic, and to take each of its topics away.

    Documents that are ``held`` stay as they are.

    Proportions are those with the largest likelihood. That most additions cannot pay is
    proved without them: no proportions on topics T gain more than ``L log max_T g / L``
    with the slopes ``g_k = sum_n c_n (1 + r_kn) / q_n``.
    """
    choose, tokens = log_choose(fit.alpha.shape[1]), fit.tokens()
    best, tried = -np.inf, 0
    half = 0.5 * np.diff(fit.beta.indptr)
    n_docs_of = np.bincount(fit.alpha.indices, minlength=fit.alpha.shape[1])
    excess = fit.excess.tocsc()
    for d in (d for d in range(fit.counts.shape[0]) if d not in held):
        words, counts, topics, alpha = fit.document(d)
        length, m = float(fit.length[d]), len(topics)
        ratio = 1.0 + excess[:, words].toarray()
        f, _ = _solve(ratio[topics], counts, alpha, -np.inf)
        one = 0.5 * float(np.log(length / TWO_PI))
        slope = ratio @ (counts / (alpha @ ratio[topics]))
        top = float(slope[topics].max())
        present = np.isin(np.arange(len(slope)), topics)
        if m < len(slope):
            rise = choose[m + 1] - choose[m] + one
            price = half * np.log1p(length / tokens) + rise
            start = float(counts @ np.log(alpha @ ratio[topics]))
            bound = start - f + length * np.log(np.maximum(slope, top) / length)
            tried += len(slope) - m
            hopeless = (bound - price)[~present & (bound <= price)]
            best = max(best, float(hopeless.max(initial=-np.inf)))
            for j in np.flatnonzero(~present & (bound > price)):
                both = np.append(topics, j)
                begin = np.append(0.9 * alpha, 0.1)
                _, most = _solve(ratio[both], counts, begin, f + price[j])
                best = max(best, most - f - float(price[j]))
        for place in range(m if m > 1 else 0):
            j = topics[place]
            if n_docs_of[j] == 1:
                continue
            refund = choose[m] - choose[m - 1] + one
            refund += half[j] * float(np.log(tokens[j] / (tokens[j] - length)))
            rest = np.delete(topics, place)
            begin = np.delete(alpha, place)
            _, most = _solve(ratio[rest], counts, begin, f - refund)
            best = max(best, refund - f + most)
            tried += 1
    return Flips(best, tried)


def _solve(
    ratio: Floats, counts: Floats, start: Floats, enough: float
) -> tuple[float, float]:
    """Largest ``sum_n c_n log q_n``: what was reached, and what cannot be passed.

    Newton steps inside the simplex, or steps of EM where these do not climb. Ends when
    the two are close, or it is clear that ``enough`` is out of reach.
    """
    if not ratio.any(axis=0).all():
        return -np.inf, -np.inf  # a word that none of the topics can have
    length = float(counts.sum())
    alpha = np.maximum(start, 1e-6)
    alpha /= alpha.sum()
    q = alpha @ ratio
    reached = float(counts @ np.log(q))
    for _ in range(_ROUNDS):
        slope = ratio @ (counts / q)
        bound = reached + length * float(np.log(max(slope.max() / length, 1.0)))
        if bound - reached <= _SLACK or bound < enough:
            break
        step = _newton(ratio, counts, q, alpha, slope)
        for _ in range(10):
            new = (alpha + step) @ ratio
            value = float(counts @ np.log(np.maximum(new, 1e-300)))
            if value > reached:
                break
            step = 0.3 * step
        else:
            step = alpha * (slope / length - 1.0)
        alpha = alpha + step
        alpha /= alpha.sum()
        q = alpha @ ratio
        reached = float(counts @ np.log(q))
    return reached, bound


def _newton(
    ratio: Floats, counts: Floats, q: Floats, alpha: Floats, slope: Floats
) -> Floats:
    """A Newton step that stays inside the simplex, for topics that are not leaving."""
    active = np.flatnonzero((alpha > 1e-7) | (slope > counts.sum()))
    rows = ratio[active] * (np.sqrt(counts) / q)
    m, bend = len(active), rows @ rows.T
    system = np.ones((m + 1, m + 1))
    system[:m, :m] = bend + 1e-9 * np.trace(bend) * np.eye(m)
    system[m, m] = 0.0
    found = np.linalg.solve(system, np.append(slope[active], 0.0))[:m]
    step = np.zeros(len(alpha))
    down = found < 0.0
    room = float((-alpha[active][down] / found[down]).min(initial=np.inf))
    step[active] = found * min(1.0, 0.99 * room)
    return step
