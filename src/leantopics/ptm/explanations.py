"""Why documents have their topics: what explains each word, and what topics cost."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Ints, Longs
from leantopics.ptm.inference import Inferred, fresh_prices, traced
from leantopics.ptm.kernels.arrays import Prices
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.snapshot import Snapshot, salient_matrix

_STEPS, _ROUNDS, _GAP = 20, 5000, 1e-7


class TopicReceipt(NamedTuple):
    """A topic of a document."""

    topic: int
    share: float
    """Its proportion."""
    earned: float
    """Log-likelihood that the document would lose without it."""
    price: float
    """What the document would save without it."""
    runner_up: int
    """The best topic to have in its place, or -1 if none at all would be better."""
    margin: float
    """By how many nats BIC would be higher with the runner-up; infinite if there is
    neither another topic nor another way."""

    @property
    def net(self) -> float:
        """Nats that it earned over its price."""
        return self.earned - self.price


class Receipt(NamedTuple):
    """A document's part of BIC; ``bic`` is the sum of its parts.

    ``bic = shared + choice + together - sum(topic.net for topic in topics)`` is the
    change of BIC if one more such document is added and the topics stay as they are.
    """

    topics: list[TopicReceipt]
    word: Longs
    """Columns of the words of the document."""
    earned: Floats
    """(n_words,): log-likelihood of each word over that of the shared model."""
    by_topic: Floats
    """(n_topics, n_words): the same, divided by the odds that it is from each topic."""
    shared: float
    """Negative log-likelihood under the shared model alone."""
    choice: float
    """``log M``, the cost to say how many topics there are."""
    together: float
    """What topics cost less what they earn beyond the sum over single ones: 0 for a
    document with one topic."""
    bic: float


class Explanation(NamedTuple):
    """What explains each distinct word of a document.

    ``topic`` is the topic with the largest share of the word among those for which the
    word pays, or -1 if the shared model has the largest; ``share`` is that share.
    """

    word: np.ndarray
    counts: Floats
    topic: np.ndarray
    share: Floats
    shared: Floats
    """Share of the shared model."""
    receipt: Receipt | None = None
    """What the document's part of BIC is made of, if asked for."""

    @property
    def shared_share(self) -> float:
        """Share of the document's words that the shared model explains."""
        if not len(self.shared):
            return 1.0
        share = float(self.counts @ self.shared / self.counts.sum())
        return min(share, 1.0)  # sums of fractions may round up


class _Document(NamedTuple):
    """The words of a document, as evidence."""

    word: Ints
    counts: Floats
    length: float
    ratio: Floats
    """(M, n): ``1 + r`` of each topic and word."""
    prices: Prices


def explain(
    counts: sparse.csr_array,
    evidence: sparse.csr_array,
    inferred: Inferred,
    snapshot: Snapshot,
    shares: sparse.csr_array | None = None,
) -> list[Explanation]:
    """Posteriors (pz) of each word; those that do not pay go to the shared model.

    What topic j gains in a document is ``sum_n g_n`` over its salient words, with
    ``g_n = x_n log(1 + r_n) - x beta0_n r_n``, where x_n is the number of times that
    word n is expected to come from the topic, and ``x = alpha_j L_d`` that of all
    words. A word pays if the topic uses it more than the shared model (r_n > 0) and
    ``g_n`` exceeds ``x_n / x`` of the topic's price in the document.

    The ``evidence`` (D, N) has what the counts are worth; see `ptm.evidence`. If
    ``shares`` (D, M) are given, the most likely proportions of some topics, documents
    with words get receipts for these.
    """
    excess = salient_matrix(snapshot, traced(snapshot).excess)
    prices = fresh_prices(snapshot)
    out = []
    for d in range(counts.shape[0]):
        words = slice(counts.indptr[d], counts.indptr[d + 1])
        row = slice(inferred.indptr[d], inferred.indptr[d + 1])
        word, worth = counts.indices[words], evidence.data[words]
        topics, none = inferred.topic[row].astype(np.int64), np.zeros(0)
        found = Explanation(word, counts.data[words], none, none, none)
        if len(topics) and len(word):
            alpha, r = inferred.alpha[row], excess[topics][:, word].toarray()
            part = alpha[:, None] * (1.0 + r)
            part /= part.sum(axis=0)
            length = float(worth.sum())
            expected = alpha[:, None] * length
            gain = worth * part * np.log1p(r)
            gain -= expected * snapshot.beta0[word] * r
            price = _price_of_each(topics, length, prices)[:, None] * worth * part
            pays = (r > 0.0) & (gain * expected > price)
            found = _explained(found, topics, part, pays)
        if shares is not None and len(word):
            ratio = 1.0 + excess[:, word].toarray()
            document = _Document(word, worth, float(worth.sum()), ratio, prices)
            shared = -float(worth @ np.log(snapshot.beta0[word]))
            row = slice(shares.indptr[d], shares.indptr[d + 1])
            topics, alpha = shares.indices[row].astype(np.int64), shares.data[row]
            there = alpha > 0.0
            receipt = _receipt(document, topics[there], alpha[there], shared)
            found = found._replace(receipt=receipt)
        out.append(found)
    return out


def _explained(
    words: Explanation, topics: Longs, part: Floats, pays: np.ndarray
) -> Explanation:
    """Explain words by posteriors ``part`` of topics, where these pay."""
    shared = np.where(pays, 0.0, part).sum(axis=0)
    own = np.where(pays, part, 0.0)
    best = own.argmax(axis=0)
    share = own[best, np.arange(part.shape[1])]
    from_topic = share > shared
    return words._replace(
        topic=np.where(from_topic, topics[best], -1),
        share=np.where(from_topic, share, shared),
        shared=shared,
    )


def _own(topics: Longs, length: float, prices: Prices) -> Floats:
    """Price of each topic in a document: ``N_j / 2 log(1 + L_d / Lbar_j)``."""
    ratio = length / prices.tokens[topics]
    own: Floats = prices.half_salient[topics] * np.log1p(ratio)
    return own


def _common(m: int, length: float, prices: Prices) -> float:
    """Price of m topics in a document: to say which, and in which shares.

    ``log C(M, m) + (m - 1) / 2 log(L_d / 2 pi)``.
    """
    shares = 0.5 * (m - 1) * float(np.log(length / TWO_PI))
    return float(prices.log_choose[m]) + shares


def _price_of_each(topics: Longs, length: float, prices: Prices) -> Floats:
    """Price of each topic of a document: its own, and an equal part of the common."""
    m = len(topics)
    each = _own(topics, length, prices) + _common(m, length, prices) / m
    out: Floats = np.maximum(each, 0.0)
    return out


def _receipt(
    document: _Document, topics: Longs, alpha: Floats, shared: float
) -> Receipt:
    """Account for a document: its topics one by one, and what is left."""
    part = alpha[:, None] * document.ratio[topics]
    q = part.sum(axis=0)
    earned = document.counts * np.log(q)
    total, cost = float(earned.sum()), _cost(document, topics)
    lines = []
    for place in range(len(topics)):
        rest, begin = np.delete(topics, place), np.delete(alpha, place)
        least = _most_likely(document, rest, begin) if len(rest) else 0.0
        saved = cost - (_cost(document, rest) if len(rest) else 0.0)
        runner_up, other = _runner_up(document, rest, begin, least, int(topics[place]))
        lines.append(
            TopicReceipt(
                int(topics[place]),
                float(alpha[place]),
                total - least,
                saved,
                runner_up,
                other - (cost - total),
            )
        )
    choice = float(np.log(len(document.ratio)))
    together = cost - total + sum(line.net for line in lines)
    bic = shared + choice + cost - total
    word, by_topic = document.word.astype(np.int64), earned * part / q
    return Receipt(lines, word, earned, by_topic, shared, choice, together, bic)


def _cost(document: _Document, topics: Longs) -> float:
    """What a document pays for having these topics."""
    _, _, length, _, prices = document
    own = _own(topics, length, prices)
    return _common(len(topics), length, prices) + float(own.sum())


def _runner_up(
    document: _Document, rest: Longs, alpha: Floats, gain: float, old: int
) -> tuple[int, float]:
    """The best topic in place of an old one, -1 for none, and the cost less the gain.

    Other topics are compared with the proportions of the rest kept to each other; the
    best is then given the best proportions.
    """
    best, value = -1, _cost(document, rest) - gain if len(rest) else np.inf
    others = np.setdiff1d(np.arange(len(document.ratio)), np.append(rest, old))
    if not len(others):
        return best, value
    q = np.zeros(document.ratio.shape[1])
    if len(rest):
        q = alpha @ document.ratio[rest] / max(float(alpha.sum()), 1e-12)
    own = _own(others, document.length, document.prices)
    each = own - _gains(document, others, q)
    other = int(others[int(np.argmin(each))])
    start = np.append(0.9 * alpha, max(0.1, 1.0 - float(alpha.sum())))
    new = np.append(rest, other)
    swapped = _cost(document, new) - _most_likely(document, new, start)
    return (other, swapped) if swapped < value else (best, value)


def _gains(document: _Document, others: Longs, q: Floats) -> Floats:
    """Gain over the shared model with each topic added to a mixture q, or alone."""
    counts, ratio = document.counts, document.ratio[others]
    if not q.any():
        return np.asarray(np.log(ratio) @ counts, dtype=np.float64)
    over = ratio / q - 1.0
    low, high = np.zeros(len(others)), np.ones(len(others))
    share = np.full(len(others), 0.2)
    for _ in range(_STEPS):
        term = over / (1.0 + share[:, None] * over)
        slope, bend = term @ counts, (term * term) @ counts
        rises = slope > 0.0
        low, high = np.where(rises, share, low), np.where(rises, high, share)
        step = share + slope / np.maximum(bend, 1e-300)
        inside = (step > low) & (step < high)
        share = np.where(inside, step, 0.5 * (low + high))
    value = np.log1p(share[:, None] * over) @ counts
    return np.asarray(value + counts @ np.log(q), dtype=np.float64)


def _most_likely(document: _Document, topics: Longs, start: Floats) -> float:
    """Largest gain of a mixture of topics over the shared model, by EM to its bound."""
    ratio, counts = document.ratio[topics], document.counts
    alpha = np.maximum(start, 1e-3)
    alpha /= alpha.sum()
    for _ in range(_ROUNDS):
        q = alpha @ ratio
        slope = ratio @ (counts / q)
        bound = document.length * float(np.log(slope.max() / document.length))
        if bound <= _GAP:
            break
        alpha = alpha * slope / document.length
    return float(counts @ np.log(q))
