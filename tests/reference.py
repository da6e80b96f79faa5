"""Slow, obvious, dense twins of the model, written from the paper's equations.

Everything is a dense array: counts (D, N), alpha and v (D, M), beta and u (M, N), beta0
(N,). Labels in docstrings are those of the paper. Nothing here is fast, and the package
uses none of it.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import xlogy

from leantopics._arrays import Counts
from leantopics.ptm.kernels.arrays import (
    DocTopics,
    Prices,
    Salient,
    Shared,
    Statistics,
    Table,
)
from leantopics.ptm.state import Data, Parameters

TWO_PI = 2 * math.pi
MIN_GAIN = 1e-6
TERMS = (
    "topic_switches",
    "word_switches",
    "word_switches_constant",
    "proportions",
    "word_probabilities",
    "neg_log_likelihood",
)


class Model(NamedTuple):
    """A dense model: alpha, v (D, M); beta, u (M, N); beta0 (N,)."""

    alpha: np.ndarray
    v: np.ndarray
    beta: np.ndarray
    u: np.ndarray
    beta0: np.ndarray


# The model and its EM.


def shared_model(counts):
    """(p0)."""
    return counts.sum(axis=0) / counts.sum()


def topics(model):
    """Effective word distributions: beta where u, beta0 elsewhere. (M, N)."""
    return np.where(model.u, model.beta, model.beta0)


def ratios(model):
    """Effective word distributions over beta0, one where beta0 is zero. (M, N)."""
    safe = np.where(model.beta0 > 0, model.beta0, 1.0)
    return np.where(model.u & (model.beta0 > 0), model.beta / safe, 1.0)


def log_likelihood(counts, model):
    """Logarithm of (parsmdl)."""
    return float(document_log_likelihoods(counts, model).sum())


def document_log_likelihoods(counts, model):
    """Logarithm of (parsmdl), document by document."""
    p = np.where(model.v, model.alpha, 0.0) @ topics(model)
    seen = counts > 0
    with np.errstate(divide="ignore"):
        logs = np.log(np.where(seen, p, 1.0))
    return np.where(seen, np.where(seen, counts, 1.0) * logs, 0.0).sum(axis=1)


def posteriors(counts, model):
    """(pz): P(topic j | word n, document d), (D, M, N).

    Where no topic allows a word that occurs, the proportions take its place.
    """
    alpha = np.where(model.v, model.alpha, 0.0)
    joint = alpha[:, :, None] * topics(model)[None]
    total = joint.sum(axis=1, keepdims=True)
    shared_out = np.broadcast_to(alpha[:, :, None], joint.shape)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), shared_out)


def expected_counts(counts, model):
    """The x of (pj), (M, N)."""
    return np.einsum("dn,djn->jn", counts, posteriors(counts, model))


def mu(x, u, beta0):
    """(muj), one topic."""
    return x[u].sum() / (1.0 - beta0[~u].sum())


def word_probabilities(x, u, beta0):
    """M-step (pj) for all topics; one without counts stays at the shared model."""
    beta = np.zeros(x.shape)
    for j in range(len(x)):
        if x[j][u[j]].sum() > 0:
            beta[j] = np.where(u[j], x[j] / mu(x[j], u[j], beta0), 0.0)
        else:
            beta[j] = np.where(u[j], beta0, 0.0)
    return beta


def proportions(counts, model):
    """(alphaupdate)."""
    mass = np.einsum("dn,djn->dj", counts, posteriors(counts, model))
    return mass / mass.sum(axis=1, keepdims=True)


# The objective.


def entropy_bits(p):
    """Entropy of a coin in bits, one bit from p = 1/2 on."""
    if p >= 0.5:
        return 1.0
    return -sum(xlogy(a, a) for a in (p, 1.0 - p)) / math.log(2)


def word_switch_cost(n_salient, n_switches, exact):
    """(ucost) without its constant."""
    bits = 1.0 if exact else entropy_bits(n_salient / n_switches)
    return n_switches * bits * math.log(2)


def bic_terms(counts, model, *, exact=False):
    """(bic) term by term, by name."""
    n_docs, n_topics = model.v.shape
    n_words = len(model.beta0)
    n_switches = n_topics * n_words
    length = counts.sum(axis=1)
    present, salient = model.v.sum(axis=1), model.u.sum(axis=1)
    tokens = length @ model.v
    choose = sum(math.log(math.comb(n_topics, int(m))) for m in present)
    values = (
        n_docs * math.log(n_topics) + choose,
        word_switch_cost(int(salient.sum()), n_switches, exact),
        0.0 if exact else -0.5 * math.log(n_switches),
        0.5 * sum((present - 1) * np.log(length / TWO_PI)),
        0.5 * sum(salient * np.log(tokens / TWO_PI)),
        -log_likelihood(counts, model),
    )
    return dict(zip(TERMS, map(float, values), strict=True))


def bic(counts, model, *, exact=False, weight=1.0):
    """(bic), with the word-switch entropy scaled by ``weight``."""
    terms = bic_terms(counts, model, exact=exact)
    return sum(terms.values()) + (weight - 1.0) * terms["word_switches"]


def complete_log_likelihood(counts, posterior, model):
    """(q) without its constraints, at given posteriors (D, M, N)."""
    alpha = np.where(model.v, model.alpha, 1.0)
    weight = counts[:, None, :] * posterior * model.v[:, :, None]
    each = xlogy(weight, alpha[:, :, None]) + xlogy(weight, topics(model)[None])
    return float(each.sum())


def complete_bic(counts, posterior, model, *, exact=False):
    """Expected complete-data BIC: (bic) with (q) for the log-likelihood."""
    terms = bic_terms(counts, model, exact=exact)
    rest = sum(terms.values()) - terms["neg_log_likelihood"]
    return rest - complete_log_likelihood(counts, posterior, model)


# Word switches.


def new_mu(x, u, beta0, n):
    """(munew): mu of one topic after a flip of word n."""
    sign = (-1) ** int(u[n])
    below = 1.0 - beta0[~u].sum() + sign * beta0[n]
    return (x[u].sum() + sign * x[n]) / below


def word_flip_cost(u, j, n, tokens, *, exact=False):
    """(dcostu) of switch (j, n), u (M, N), tokens Lbar (M,)."""
    sign = (-1) ** int(u[j, n])
    before, after = int(u.sum()), int(u.sum()) + sign
    change = word_switch_cost(after, u.size, exact)
    change -= word_switch_cost(before, u.size, exact)
    return sign * 0.5 * math.log(tokens[j] / TWO_PI) + change


def word_flip_gain(x, u, beta0, n):
    """(dqu) of word n of one topic."""
    sign = (-1) ** int(u[n])
    after = new_mu(x, u, beta0, n)
    own = x[n] * math.log(x[n] / (after * beta0[n])) if x[n] > 0 else 0.0
    return sign * own - x[u].sum() * math.log(after / mu(x, u, beta0))


def words_value(x, u, beta0, price):
    """Gain of the salient set u of one topic over the shared model, less its price."""
    mass, share = x[u].sum(), beta0[u].sum()
    if mass == 0:
        return -price * int(u.sum())
    beta = x[u] * share / mass
    return float((xlogy(x[u], beta) - xlogy(x[u], beta0[u])).sum() - price * u.sum())


def best_words(x, beta0, price):
    """Best non-empty salient set of one topic by trying them all: (value, u)."""
    options = itertools.product((False, True), repeat=len(x))
    sets = [np.array(u) for u in options if any(u)]
    values = [words_value(x, u, beta0, price) for u in sets]
    best = int(np.argmax(values))
    return values[best], sets[best]


# Proportions and topic switches of one document: c (n,) counts, ratio (m, n).


def mixture_value(c, ratio, alpha):
    """``sum c log(alpha @ ratio)``."""
    with np.errstate(divide="ignore"):
        return float(c @ np.log(alpha @ ratio))


def duality_gap(c, ratio, alpha):
    """No proportions are better than alpha by more than this."""
    gradient = ratio @ (c / (alpha @ ratio))
    return float(c.sum() * math.log(max(1.0, gradient.max() / c.sum())))


def long_em(c, ratio, alpha=None, *, steps=20_000, gap=1e-9):
    """Best proportions by (alphaupdate), many times. Returns (value, alpha)."""
    if alpha is None:
        alpha = np.full(len(ratio), 1.0 / len(ratio))
    for step in range(steps):
        alpha = alpha * (ratio @ (c / (alpha @ ratio))) / c.sum()
        if step % 20 == 0 and duality_gap(c, ratio, alpha) < gap:
            break
    alpha = alpha / alpha.sum()
    return mixture_value(c, ratio, alpha), alpha


def best_proportions(c, ratio):
    """Best proportions on all rows of ratio: (value, alpha), certified by their gap."""
    used = c > 0
    c, ratio = c[used], ratio[:, used]
    if (ratio.max(axis=0) <= 0).any():
        return -math.inf, np.full(len(ratio), 1.0 / len(ratio))
    if len(ratio) == 1:
        return mixture_value(c, ratio, np.ones(1)), np.ones(1)
    if len(ratio) == 2:
        return _best_of_two(c, ratio)
    value, alpha = long_em(c, ratio, steps=100, gap=1e-8)
    found = minimize(
        lambda a: -c @ np.log(np.maximum(a @ ratio, 1e-300)),
        alpha,
        jac=lambda a: -ratio @ (c / np.maximum(a @ ratio, 1e-300)),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(ratio),
        constraints=[
            {
                "type": "eq",
                "fun": lambda a: a.sum() - 1.0,
                "jac": lambda a: np.ones(len(a)),
            }
        ],
        options={"ftol": 1e-13, "maxiter": 200},
    )
    polished = np.maximum(found.x, 0.0) / np.maximum(found.x, 0.0).sum()
    if (polished @ ratio > 0).all() and mixture_value(c, ratio, polished) > value:
        alpha = polished
    if duality_gap(c, ratio, alpha) > 1e-8:
        # A trace of every topic, or one that was cut away could not come back.
        alpha = (1 - 1e-9) * alpha + 1e-9 / len(alpha)
        _, alpha = long_em(c, ratio, alpha, gap=1e-8)
    return mixture_value(c, ratio, alpha), alpha


def _best_of_two(c, ratio):
    """Root of the slope along the edge between two topics."""
    difference = ratio[1] - ratio[0]

    def slope(t):
        q = ratio[0] + t * difference
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(difference == 0, 0.0, c * difference / q)
        return each.sum()

    if slope(0.0) <= 0:
        t = 0.0
    elif slope(1.0) >= 0:
        t = 1.0
    else:
        low = 0.0 if np.isfinite(slope(0.0)) else 1e-15
        high = 1.0 if np.isfinite(slope(1.0)) else 1.0 - 1e-15
        t = brentq(slope, low, high, xtol=1e-16, rtol=1e-15, maxiter=1000)
    alpha = np.array([1.0 - t, t])
    return mixture_value(c, ratio, alpha), alpha


def collapsed_bound(c, ratio, q, bins):
    """Bound on ``f(alpha') - f(alpha)`` for any alpha' on the rows of ratio.

    ``q = alpha @ ratio`` before; bins (n,) numbers the bin of each word. The maximum of
    ``sum_b C_b log(sum_k a_k g_k^b / C_b)`` is that of a document of the bins.
    """
    labels = np.unique(bins)
    size = np.array([c[bins == b].sum() for b in labels])
    g = [[(c * row / q)[bins == b].sum() for b in labels] for row in ratio]
    return best_proportions(size, np.array(g) / size)[0]


class TopicPrices(NamedTuple):
    """N_j, Lbar_j and the number of documents of each topic."""

    salient: np.ndarray
    tokens: np.ndarray
    documents: np.ndarray


def topic_prices(counts, model):
    """Prices of a dense model."""
    return TopicPrices(
        model.u.sum(axis=1), counts.sum(axis=1) @ model.v, model.v.sum(axis=0)
    )


def topic_flip_cost(present, j, length, prices):
    """(dcostv) of topic j; present (M,) bool; prices count this document in."""
    n_topics, n_present = len(present), int(present.sum())
    sign = (-1) ** int(present[j])
    after = prices.tokens[j] + sign * length
    cost = math.log(math.comb(n_topics, n_present + sign))
    cost -= math.log(math.comb(n_topics, n_present))
    cost += 0.5 * sign * math.log(length / TWO_PI)
    return cost + 0.5 * prices.salient[j] * math.log(after / prices.tokens[j])


class Steepest(NamedTuple):
    """Where an exhaustive pass over one document ends, and the falls on the way."""

    topics: tuple[int, ...]
    alpha: np.ndarray
    value: float
    start_value: float
    falls: list[float]


def flips(c, ratio, present, prices):
    """Fall of BIC by each flip of one document: {topic: fall}, and the value now.

    c (N,), ratio (M, N). A document keeps a topic; a topic keeps a document.
    """
    length = c.sum()
    value, _ = best_proportions(c, ratio[present])
    falls = {}
    for j in range(len(present)):
        if present[j] and (present.sum() == 1 or prices.documents[j] == 1):
            continue
        after = present.copy()
        after[j] = not after[j]
        gain = best_proportions(c, ratio[after])[0] - value
        falls[j] = gain - topic_flip_cost(present, j, length, prices)
    return falls, value


def steepest_pass(c, ratio, start, prices, *, fresh=False):
    """Make the flip of the largest fall of BIC until none pays, others frozen."""
    length, present = c.sum(), np.zeros(len(ratio), dtype=bool)
    present[list(start)] = True
    tokens, documents = prices.tokens.astype(float), prices.documents.copy()
    if fresh:
        tokens[present] += length
        documents[present] += 1
    start_value = best_proportions(c, ratio[present])[0]
    made = []
    while True:
        now = TopicPrices(prices.salient, tokens, documents)
        falls, _ = flips(c, ratio, present, now)
        if not falls or max(falls.values()) <= MIN_GAIN:
            break
        j = max(falls, key=falls.__getitem__)
        made.append(falls[j])
        sign = -1 if present[j] else 1
        tokens[j] += sign * length
        documents[j] += sign
        present[j] = not present[j]
    value, alpha = best_proportions(c, ratio[present])
    found = tuple(int(j) for j in np.flatnonzero(present))
    return Steepest(found, alpha, value, start_value, made)


def paying_words(c, topics, alpha, p, salient, beta0, tokens):
    """Pairs of present topic and word for which the word pays in a document.

    ``c`` (N,) counts as evidence, ``alpha`` those of the ``topics``; ``p`` and
    ``salient`` (M, N), ``tokens`` (M,) are the word model.
    """
    length, m = sum(c), len(topics)
    common = math.log(math.comb(len(p), m))
    common += (m - 1) / 2 * math.log(length / TWO_PI)
    pairs = set()
    for j, a in zip(topics, alpha, strict=True):
        price = sum(salient[j]) / 2 * math.log((tokens[j] + length) / tokens[j])
        price = max(0.0, price + common / m)
        for n in np.flatnonzero(c):
            mixed = sum(b * p[k, n] for k, b in zip(topics, alpha, strict=True))
            x = c[n] * a * p[j, n] / mixed
            gain = x * math.log(p[j, n] / beta0[n])
            gain -= a * length * (p[j, n] - beta0[n])
            more = salient[j, n] and p[j, n] > beta0[n]
            if more and gain > price * x / (a * length):
                pairs.add((int(j), int(n)))
    return pairs


# Between dense arrays and the package's bundles.


def counts_of(dense):
    """(D, N) to Counts; zeros are not stored."""
    rows, words = np.nonzero(dense)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(dense)))))
    return Counts(indptr.astype(np.int64), words.astype(np.int32), dense[rows, words])


def dense_counts(counts, n_words):
    """Counts to (D, N)."""
    out = np.zeros((len(counts.indptr) - 1, n_words))
    for d in range(len(out)):
        part = slice(counts.indptr[d], counts.indptr[d + 1])
        np.add.at(out[d], counts.indices[part], counts.data[part])
    return out


def mixes_of(v, alpha):
    """(D, M) twice to DocTopics."""
    rows, topic = np.nonzero(v)
    indptr = np.concatenate(([0], np.cumsum(v.sum(axis=1))))
    return DocTopics(
        indptr.astype(np.int64), topic.astype(np.int32), alpha[rows, topic]
    )


def dense_mixes(mixes, n_topics):
    """DocTopics to v and alpha (D, M)."""
    n_docs = len(mixes.indptr) - 1
    v, alpha = np.zeros((n_docs, n_topics), dtype=bool), np.zeros((n_docs, n_topics))
    for d in range(n_docs):
        for i in range(mixes.indptr[d], mixes.indptr[d + 1]):
            assert not v[d, mixes.topic[i]], "a topic listed twice"
            v[d, mixes.topic[i]] = True
            alpha[d, mixes.topic[i]] = mixes.alpha[i]
    return v, alpha


def excess(model):
    """``beta / beta0 - 1`` where u, zero elsewhere. (M, N)."""
    return ratios(model) - 1.0


def table_of(model):
    """Word switches and probabilities to Table, by falling excess."""
    words, topic = np.nonzero(model.u.T)
    by_excess = np.lexsort((topic, -excess(model)[topic, words], words))
    words, topic = words[by_excess], topic[by_excess]
    count = np.bincount(words, minlength=len(model.beta0))
    indptr = np.concatenate(([0], np.cumsum(count)))
    values = excess(model)[topic, words]
    return Table(indptr, topic.astype(np.int32), values)


def dense_table(table, n_topics):
    """Table to u and excess (M, N)."""
    n_words = len(table.indptr) - 1
    u, out = np.zeros((n_topics, n_words), dtype=bool), np.zeros((n_topics, n_words))
    for n in range(n_words):
        for i in range(table.indptr[n], table.indptr[n + 1]):
            assert not u[table.topic[i], n], "an entry listed twice"
            u[table.topic[i], n] = True
            out[table.topic[i], n] = table.excess[i]
    return u, out


def salient_of(model):
    """Word switches and probabilities to Salient."""
    topic, words = np.nonzero(model.u)
    indptr = np.concatenate(([0], np.cumsum(model.u.sum(axis=1))))
    values = excess(model)[topic, words]
    return Salient(indptr.astype(np.int64), words.astype(np.int32), values)


def dense_salient(salient, n_words):
    """Salient to u and excess (M, N)."""
    shape = (len(salient.indptr) - 1, n_words)
    u, out = np.zeros(shape, dtype=bool), np.zeros(shape)
    for j in range(len(u)):
        for i in range(salient.indptr[j], salient.indptr[j + 1]):
            assert not u[j, salient.word[i]], "a word listed twice"
            u[j, salient.word[i]] = True
            out[j, salient.word[i]] = salient.excess[i]
    return u, out


def shared_of(beta0):
    """(N,) to Shared: words by falling frequency, then by number."""
    order = sorted(range(len(beta0)), key=lambda n: (-beta0[n], n))
    ranked = beta0[order]
    cumulated = np.array([ranked[:k].sum() for k in range(len(ranked) + 1)])
    return Shared(beta0, np.array(order, dtype=np.int32), ranked, cumulated)


def statistics_of(x, beta0):
    """Expected counts (M, N) to Statistics; zeros are not stored."""
    topic, words = np.nonzero(x)
    size = np.bincount(topic, minlength=len(x))
    indptr = np.concatenate(([0], np.cumsum(size)))
    x, beta0 = x[topic, words], beta0[words]
    fixed = x * np.log(x / beta0) - x
    return Statistics(indptr, size, words.astype(np.int32), x, beta0, fixed)


def dense_statistics(statistics, n_words):
    """Statistics to (M, N)."""
    out = np.zeros((len(statistics.size), n_words))
    for j in range(len(out)):
        low = statistics.indptr[j]
        words = statistics.word[low : low + statistics.size[j]]
        assert len(np.unique(words)) == len(words), "a word listed twice"
        out[j, words] = statistics.x[low : low + statistics.size[j]]
    return out


def prices_of(prices):
    """TopicPrices to Prices."""
    n_topics = len(prices.salient)
    choose = [math.log(math.comb(n_topics, m)) for m in range(n_topics + 1)]
    return Prices(
        np.array(choose),
        0.5 * prices.salient,
        np.array(prices.tokens, dtype=float),
        np.array(prices.documents, dtype=np.int64),
    )


def dense_data(data: Data):
    """All counts of prepared data, (D, N)."""
    shards = [shard for group in data.groups for shard in group.open().shards]
    return np.vstack([dense_counts(shard, data.n_words) for shard in shards])


def all_mixes(topics):
    """Topics of all documents, by shard."""
    return [mixes for group in topics for mixes in group.mixes]


def dense_model(data: Data, parameters: Parameters):
    """Parameters of the package as a dense model."""
    n_topics = parameters.n_topics
    parts = [dense_mixes(mixes, n_topics) for mixes in all_mixes(parameters.topics)]
    v, alpha = (np.vstack(each) for each in zip(*parts, strict=True))
    u, over = dense_salient(parameters.salient, data.n_words)
    beta0 = data.shared.beta0
    return Model(alpha, v, np.where(u, (1.0 + over) * beta0, 0.0), u, beta0)
