"""One pass over documents: proportions and topic switches.

A flip of a topic switch is tried only if a bound on its gain beats its price. Let
``g_k = sum_i c_i (1 + r[k, i]) / q_i``. For proportions on the present topics and k,

    f(alpha') - f(alpha) <= L log(max g / L)                              (one bin)
    f(alpha') - f(alpha) <= max_a sum_b C_b log(sum_l a_l g_l^b / C_b)  (more bins)

where words are put into bins by how much more likely topic k makes them than they are
now, and g_l^b, C_b are sums over bin b. All hold for every alpha, so no paying flip is
lost; docs/method.md has the proofs.
"""

import math

import numpy as np
from numba import njit

from leantopics.ptm.kernels.arrays import (
    N_BINS,
    Bools,
    Changes,
    Counts,
    Floats,
    Ints,
    Longs,
    Mixes,
    Prices,
    Salient,
    Table,
    Workspace,
    copy,
    largest,
    longest,
    room,
    workspace,
)
from leantopics.ptm.kernels.mixture import GAP, log_likelihood, solve
from leantopics.ptm.kernels.ratios import (
    Document,
    document,
    invert,
    load_row,
    load_rows,
    mark,
    mix,
    split_counts,
)

MIN_GAIN = 1e-6
"""A switch is flipped if that lowers BIC by more than this many nats."""

SCREENED, REJECTED, SOLVED, ACCEPTED = range(4)
"""Places of the tallies: trials screened out, given up early, solved, flips made."""

_NEAR = 3.0
_CUTS = (0.1, 0.3, 0.7, 1.5, 3.0, 6.0, 12.0)
_FEW = 4
"""Topics up to which eight bins are worth their while."""
_MOVED, _RESTLESS = 0.25, 0.1
"""The quiet of a document wears off by this share of the change of f, and by so many
nats, in each visit."""


@njit(cache=True, nogil=True)
def presence_cost(prices: Prices, topic: int, length: float, counted: bool) -> float:
    """Word-probability cost of having a topic in a document, as in (dcostv).

    ``N_j / 2 log((Lbar + L_d) / Lbar)`` with Lbar the length of the other documents.
    """
    others = prices.tokens[topic] - (length if counted else 0.0)
    if others <= 0.0:
        return np.inf
    cost: float = prices.half_salient[topic] * math.log((others + length) / others)
    return cost


@njit(cache=True, nogil=True)
def _collapsed(
    c1: float, c2: float, own1: float, own2: float, new1: float, new2: float
) -> tuple[float, float]:
    """Maximum over t in [0, 1] of the two-bin document, and the t that reaches it.

    ``c1 log(y1 / c1) + c2 log(y2 / c2)`` with ``y = (1 - t) own + t new``.
    """
    d1, d2 = new1 - own1, new2 - own2
    if d1 * d2 >= 0.0:
        t = 1.0 if d1 + d2 > 0.0 else 0.0
    else:
        t = -(c1 * d1 * own2 + c2 * d2 * own1) / ((c1 + c2) * d1 * d2)
        t = min(max(t, 0.0), 1.0)
    y1, y2 = max(own1 + t * d1, 1e-300), max(own2 + t * d2, 1e-300)
    return c1 * math.log(y1 / c1) + c2 * math.log(y2 / c2), t


@njit(cache=True, nogil=True)
def accumulate(doc: Document, m: int, table: Table, work: Workspace) -> float:
    """Gradients g of all topics at work.q, and the part of them in bin 1.

    A word that is not salient in topic k has ``rho = 1 / q`` there, as in every other
    such topic; only salient entries are visited, to put them right. The entries of a
    word fall in excess, so those of bin 1 come first.
    Reads: work.q, inverse. Writes: work.total (M,) so that ``g_k = base + total[k]``;
    near_count, near (M,) the count and gradient of bin 1 of topic k; near_own (m, M)
    the gradient of the present topics in it. Returns base = sum c / q. Cost: the
    salient entries of the words.
    """
    own = m if m > 1 else 0
    base = near_count = near = 0.0
    for j in range(own):
        work.move[j] = 0.0
    for i in range(doc.words.shape[0]):
        scaled = doc.counts[i] * work.inverse[i]
        base += scaled
        if work.q[i] * _NEAR < 1.0:
            near_count += doc.counts[i]
            near += scaled
            for j in range(own):
                work.move[j] += scaled * work.ratio[j, i]
    for k in range(work.total.shape[0]):
        work.total[k] = 0.0
        work.near_count[k] = near_count
        work.near[k] = near
        for j in range(own):
            work.near_own[j, k] = work.move[j]
    for i in range(doc.words.shape[0]):
        count = doc.counts[i]
        scaled = count * work.inverse[i]
        cut = work.q[i] * _NEAR
        first, end = table.indptr[doc.words[i]], table.indptr[doc.words[i] + 1]
        if cut < 1.0:
            for e in range(first, end):
                k, excess = table.topic[e], table.excess[e]
                work.total[k] += scaled * excess
                if 1.0 + excess > cut:
                    work.near[k] += scaled * excess
                else:
                    work.near[k] -= scaled
                    work.near_count[k] -= count
                    for j in range(own):
                        work.near_own[j, k] -= scaled * work.ratio[j, i]
            continue
        while first < end and 1.0 + table.excess[first] > cut:
            k, excess = table.topic[first], table.excess[first]
            work.total[k] += scaled * excess
            work.near[k] += scaled * (1.0 + excess)
            work.near_count[k] += count
            for j in range(own):
                work.near_own[j, k] += scaled * work.ratio[j, i]
            first += 1
        for e in range(first, end):
            work.total[table.topic[e]] += scaled * table.excess[e]
    return base


@njit(cache=True, nogil=True)
def _screen(
    doc: Document,
    m: int,
    present: Bools,
    counted: Bools,
    slack: float,
    table: Table,
    prices: Prices,
    work: Workspace,
) -> int:
    """Topics whose addition may pay: a bound on the gain exceeds the price (dcostv).

    Writes: work.candidate, hope (bound - price), price, start (a good proportion to
    begin with), short. Returns how many there are. ``slack`` is the gap of the present
    proportions: g of a present topic is taken as L, so the bounds grow by it.
    """
    base = accumulate(doc, m, table, work)
    length = doc.length
    common = prices.log_choose[m + 1] - prices.log_choose[m] + doc.own_price
    n_candidates, nearest = 0, work.short[0]
    for k in range(present.shape[0]):
        if present[k]:
            continue
        g = base + work.total[k]
        least = prices.half_salient[k] * length / (prices.tokens[k] + length)
        short = common + least - max(g - length, slack)
        if short >= 0.0:
            nearest = min(nearest, short)
            continue
        cost = common + presence_cost(prices, k, length, counted[k])
        bound = length * math.log(g / length) if g > length else 0.0
        short = cost + MIN_GAIN - max(bound, slack)
        if short >= 0.0:
            nearest = min(nearest, short)
            continue
        c1, g1, t = work.near_count[k], work.near[k], 0.5
        c2, g2 = length - c1, g - work.near[k]
        if min(c1, c2, g2) > 1e-9 * length:
            bound, t = _collapsed(c1, c2, c1, c2, g1, g2)
            for j in range(m if m > 1 else 0):
                own1 = work.near_own[j, k]
                value, _ = _collapsed(c1, c2, own1, length - own1, g1, g2)
                bound = max(bound, value)
        bound = max(bound, 0.0) + slack
        if bound <= cost + MIN_GAIN:
            nearest = min(nearest, cost + MIN_GAIN - bound)
            continue
        work.candidate[n_candidates] = k
        work.hope[n_candidates] = bound - cost
        work.price[n_candidates] = cost
        work.start[n_candidates] = min(max(t, 0.01), 0.99)
        n_candidates += 1
    work.short[0] = nearest
    return n_candidates


@njit(cache=True, nogil=True)
def _collapsed_gain(
    doc: Document, key: int, rows: Longs, alpha: Floats, work: Workspace
) -> float:
    """Bound on f(alpha') - f for proportions on the topics ``rows`` (eight bins).

    Words are put into bins by ``rho = ratio[key] / q``; the bins are the words of a
    small document, whose optimal proportions give the bound and a good start.
    Reads: work.inverse. Writes: alpha (m,), which goes most of the way to them: at the
    end of it a word may have become impossible.
    """
    m, first = rows.shape[0], work.ratio.shape[0] // 2
    small = work.columns[first : first + m]
    for b in range(N_BINS):
        work.bins[b] = 0.0
        for k in range(m):
            work.ratio[first + k, b] = 0.0
    for i in range(doc.words.shape[0]):
        rho = work.ratio[key, i] * work.inverse[i]
        b = 0
        for cut in _CUTS:
            b += rho > cut
        scaled = doc.counts[i] * work.inverse[i]
        work.bins[b] += doc.counts[i]
        for k in range(m):
            work.ratio[first + k, b] += scaled * work.ratio[rows[k], i]
    for b in range(N_BINS):
        for k in range(m):
            if work.bins[b] > 0.0:
                work.ratio[first + k, b] /= work.bins[b]
            else:
                work.ratio[first + k, b] = 1.0
    optimal = work.collapsed[:m]
    copy(alpha, optimal, m)
    value, gap = solve(small, work.bins, doc.length, optimal, -np.inf, work)
    for k in range(m):
        alpha[k] += 0.9 * (optimal[k] - alpha[k])
    return value + gap


@njit(cache=True, nogil=True)
def _best_addition(
    doc: Document,
    m: int,
    alpha: Floats,
    f: float,
    slack: float,
    n_candidates: int,
    salient: Salient,
    work: Workspace,
    tallies: Longs,
) -> tuple[int, float, float, float]:
    """Try the candidates, the most hopeful first, and keep the best.

    Writes: work.best_alpha, best_row of the winner, tallies. Returns (topic or -1,
    gain, f, gap).
    """
    best, best_gain, best_f, best_gap = -1, MIN_GAIN, f, 0.0
    n = doc.words.shape[0]
    if n_candidates > 0:
        mark(doc.words, work.place, True)
    for _ in range(n_candidates):
        top = largest(work.hope, n_candidates)
        if work.hope[top] <= best_gain:
            tallies[SCREENED] += 1
            continue
        work.hope[top], t = -np.inf, work.start[top]
        load_row(salient, work.candidate[top], n, work.place, work.ratio[m])
        trial = work.trial[: m + 1]
        for k in range(m):
            trial[k] = (1.0 - t) * alpha[k]
        trial[m] = t
        target = f + work.price[top] + best_gain
        bound = np.inf
        if m < _FEW:
            bound = _collapsed_gain(doc, m, work.columns[: m + 1], trial, work) + slack
        if -np.inf < f + bound <= target:
            tallies[SCREENED] += 1
            work.short[0] = min(work.short[0], target - f - bound)
            continue
        value, gap = solve(
            work.columns[: m + 1], doc.counts, doc.length, trial, target, work
        )
        if value <= target:
            tallies[REJECTED if gap > GAP else SOLVED] += 1
            work.short[0] = min(work.short[0], target - value - gap)
            continue
        best, best_gain = work.candidate[top], value - f - work.price[top]
        best_f, best_gap = value, gap
        copy(trial, work.best_alpha, m + 1)
        copy(work.ratio[m], work.best_row, n)
    if n_candidates > 0:
        mark(doc.words, work.place, False)
    return best, best_gain, best_f, best_gap


@njit(cache=True, nogil=True)
def _best_removal(
    doc: Document,
    topics: Ints,
    alpha: Floats,
    f: float,
    slack: float,
    counted: Bools,
    best_gain: float,
    prices: Prices,
    work: Workspace,
    tallies: Longs,
) -> tuple[int, float, float]:
    """Try to do without each present topic that another document keeps alive.

    Writes: work.best_alpha, tallies. Returns (place or -1, f, gap).
    """
    m = topics.shape[0]
    best, best_f, best_gap = -1, f, 0.0
    common = prices.log_choose[m] - prices.log_choose[m - 1] + doc.own_price
    for j in range(m):
        k = topics[j]
        if counted[k] and prices.documents[k] == 1:
            continue
        refund = common + presence_cost(prices, k, doc.length, counted[k])
        target = f - refund + best_gain
        trial = work.trial[: m - 1]
        if m == 2:
            trial[0], gap = 1.0, 0.0
            value = log_likelihood(doc.counts, work.ratio[1 - j], work.scratch)
        else:
            rest = 0.0
            for i in range(m - 1):
                work.kept[i] = i if i < j else i + 1
                trial[i] = alpha[work.kept[i]]
                rest += trial[i]
            for i in range(m - 1):
                trial[i] = trial[i] / rest if rest > 0.0 else 1.0 / (m - 1)
            bound = np.inf
            if m <= _FEW:
                others = work.kept[: m - 1]
                bound = _collapsed_gain(doc, j, others, trial, work) + slack
            if -np.inf < f + bound <= target:
                tallies[SCREENED] += 1
                work.short[0] = min(work.short[0], target - f - bound)
                continue
            value, gap = solve(
                work.kept[: m - 1], doc.counts, doc.length, trial, target, work
            )
            if value == -np.inf:
                for i in range(m - 1):
                    trial[i] = 1.0 / (m - 1)
                value, gap = solve(
                    work.kept[: m - 1], doc.counts, doc.length, trial, target, work
                )
        if value <= target:
            tallies[REJECTED if gap > GAP else SOLVED] += 1
            work.short[0] = min(work.short[0], target - value - gap)
            continue
        best, best_gain = j, value - f + refund
        best_f, best_gap = value, gap
        copy(trial, work.best_alpha, m - 1)
    return best, best_f, best_gap


@njit(cache=True, nogil=True)
def visit(
    counts: Counts,
    mixes: Mixes,
    salient: Salient,
    table: Table,
    prices: Prices,
    fresh: bool,
    values: Floats,
    quiet: Floats,
    tallies: Longs,
) -> tuple[Floats, Changes]:
    """Solve proportions and find the flips of v that lower BIC, document by document.

    In each document the flip with the largest fall of BIC, (dcostv) minus (dqv) at the
    optimal proportions before and after, is made until none pays; Lbar and the other
    documents stay as they are. ``fresh`` documents are not yet counted in the prices.
    A document that has more than doubled its topics waits for the next visit.

    ``quiet`` (D,) is how many nats the nearest flip of a document fell short when it
    was last looked for; until f has moved by four times that, the document keeps its
    topics without a look. With -inf all documents are looked at.

    Writes: mixes.alpha (optimal for the present topics), values (D,) the f of these,
    quiet, tallies (4,). Returns the split counts of all documents at their present
    topics, and the proposed changes: documents, and their new indptr, topic, alpha,
    log-likelihood and split counts. Cost: a few passes over the salient entries.
    """
    n_docs, n_topics = counts.indptr.shape[0] - 1, prices.tokens.shape[0]
    most = min(n_topics, 2 * longest(mixes.indptr) + 6)
    n_words = table.indptr.shape[0] - 1
    work = workspace(most + 1, longest(counts.indptr), n_topics, n_words)
    present, counted = np.zeros(n_topics, np.bool_), np.zeros(n_topics, np.bool_)
    topics, alpha = np.zeros(most, np.int32), np.zeros(most)
    changed, ends = np.empty(n_docs, np.int64), np.zeros(n_docs + 1, np.int64)
    new_values = np.empty(n_docs)
    new_topic, new_alpha = np.empty(n_docs + most, np.int32), np.empty(n_docs + most)
    new_split = np.empty(counts.data.shape[0])
    n_changed = split_end = 0
    start, split = load_rows(counts, mixes, salient, n_words)

    for d in range(n_docs):
        doc = document(counts, d)
        n = doc.words.shape[0]
        row, end = mixes.indptr[d], mixes.indptr[d + 1]
        m = end - row
        copy(mixes.topic[row:end], topics, m)
        copy(mixes.alpha[row:end], alpha, m)
        for k in range(m):
            present[topics[k]] = True
            counted[topics[k]] = not fresh
            copy(split[start[row + k] :], work.ratio[k], n)
        slack = 0.0
        if m == 1:
            copy(work.ratio[0], work.q, n)
            f = log_likelihood(doc.counts, work.q, work.scratch)
        else:
            f, slack = solve(
                work.columns[:m], doc.counts, doc.length, alpha[:m], -np.inf, work
            )
            copy(alpha, mixes.alpha[row:end], m)
        split_counts(doc.counts, work.ratio, alpha[:m], work.q, split[start[row] :])
        quiet[d] -= _MOVED * abs(f - values[d]) + _RESTLESS
        values[d] = f

        flips = 0
        while quiet[d] <= 0.0:
            work.short[0] = np.inf
            n_candidates = 0
            invert(work.q, n, work.inverse)
            if m < most:
                n_candidates = _screen(
                    doc, m, present, counted, slack, table, prices, work
                )
                tallies[SCREENED] += n_topics - m - n_candidates
            added, gain, new_f, new_slack = _best_addition(
                doc, m, alpha[:m], f, slack, n_candidates, salient, work, tallies
            )
            dropped = -1
            if m > 1:
                dropped, drop_f, drop_slack = _best_removal(
                    doc,
                    topics[:m],
                    alpha[:m],
                    f,
                    slack,
                    counted,
                    gain,
                    prices,
                    work,
                    tallies,
                )
            if dropped >= 0:
                new_f, new_slack = drop_f, drop_slack
                present[topics[dropped]] = False
                m -= 1
                for i in range(dropped, m):
                    topics[i] = topics[i + 1]
                    copy(work.ratio[i + 1], work.ratio[i], n)
            elif added >= 0:
                present[added] = True
                topics[m] = added
                copy(work.best_row, work.ratio[m], n)
                m += 1
            else:
                quiet[d] = work.short[0]
                break
            flips += 1
            f, slack = new_f, new_slack
            copy(work.best_alpha, alpha, m)
            mix(work.ratio, alpha[:m], n, work.q)

        for k in range(m):
            present[topics[k]] = False
        for k in range(row, end):
            counted[mixes.topic[k]] = False
        if flips > 0:
            tallies[ACCEPTED] += flips
            low = ends[n_changed]
            new_topic = room(new_topic, low, low + m)
            new_alpha = room(new_alpha, low, low + m)
            copy(topics, new_topic[low:], m)
            copy(alpha, new_alpha[low:], m)
            new_split = room(new_split, split_end, split_end + m * n)
            mix(work.ratio, alpha[:m], n, work.q)
            split_counts(
                doc.counts, work.ratio, alpha[:m], work.q, new_split[split_end:]
            )
            split_end += m * n
            changed[n_changed] = d
            new_values[n_changed] = f
            n_changed += 1
            ends[n_changed] = low + m

    size = ends[n_changed]
    changes = (
        changed[:n_changed],
        ends[: n_changed + 1],
        new_topic[:size],
        new_alpha[:size],
        new_values[:n_changed],
        new_split[:split_end],
    )
    return split, changes
