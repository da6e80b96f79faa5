"""What a document's part of BIC is made of: topics with their prices, and words."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.ptm.kernels.arrays import Prices
from leantopics.ptm.objective import TWO_PI

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


class _Document(NamedTuple):
    counts: Floats
    length: float
    ratio: Floats
    """(M, n): ``1 + r`` of each topic and word."""
    prices: Prices


def receipts(
    evidence: sparse.csr_array,
    shares: sparse.csr_array,
    excess: sparse.csr_array,
    beta0: Floats,
    prices: Prices,
) -> list[Receipt | None]:
    """Account for documents; None for those without words.

    Parameters
    ----------
    evidence : csr_array of shape (D, N)
        Counts as evidence, of words that the fit saw.
    shares : csr_array of shape (D, M)
        Topics, with the proportions that are most likely.
    excess : csr_array of shape (M, N)
        The word model, r.
    beta0 : array of shape (N,)
        The shared model.
    prices : Prices
        Prices of topics in a document that is not part of the fit.
    """
    out: list[Receipt | None] = []
    for d in range(evidence.shape[0]):
        entries = slice(evidence.indptr[d], evidence.indptr[d + 1])
        row = slice(shares.indptr[d], shares.indptr[d + 1])
        word, counts = evidence.indices[entries], evidence.data[entries]
        if not len(word):
            out.append(None)
            continue
        ratio = 1.0 + excess[:, word].toarray()
        document = _Document(counts, float(counts.sum()), ratio, prices)
        kept = np.flatnonzero(shares.data[row] > 0.0)
        topics = shares.indices[row][kept].astype(np.int64)
        alpha = shares.data[row][kept]
        shared = -float(counts @ np.log(beta0[word]))
        out.append(_receipt(document, word.astype(np.int64), topics, alpha, shared))
    return out


def _receipt(
    document: _Document, word: Longs, topics: Longs, alpha: Floats, shared: float
) -> Receipt:
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
    return Receipt(
        lines, word, earned, earned * part / q, shared, choice, together, bic
    )


def _own(document: _Document, topics: Longs) -> Floats:
    """``N_j / 2 log(1 + L_d / Lbar_j)`` of each topic."""
    half, tokens = document.prices.half_salient, document.prices.tokens
    own: Floats = half[topics] * np.log1p(document.length / tokens[topics])
    return own


def _cost(document: _Document, topics: Longs) -> float:
    """What a document pays for having these topics."""
    m = len(topics)
    common = float(document.prices.log_choose[m])
    common += 0.5 * (m - 1) * float(np.log(document.length / TWO_PI))
    return common + float(_own(document, topics).sum())


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
    size, q = len(rest) + 1, np.zeros(document.ratio.shape[1])
    if len(rest):
        q = alpha @ document.ratio[rest] / max(float(alpha.sum()), 1e-12)
    each = _own(document, others) - _gains(document, others, q)
    other = int(others[int(np.argmin(each))])
    start = np.append(0.9 * alpha, max(0.1, 1.0 - float(alpha.sum())))
    new = np.append(rest, other)
    swapped = _cost(document, new) - _most_likely(document, new, start[:size])
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
