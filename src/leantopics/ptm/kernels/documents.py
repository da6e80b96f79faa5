"""One pass over documents: proportions and topic switches.

A flip of a topic switch is tried only if a bound on its gain beats its price.
"""

import numpy as np

from leantopics._arrays import Bools, Counts, Floats, Ints, Longs, longest
from leantopics._jit import kernel
from leantopics.ptm.kernels.arrays import (
    Changes,
    DocTopics,
    Prices,
    Salient,
    Screen,
    Solver,
    Table,
    Trial,
    Workspace,
    copy,
    largest,
    room,
    workspace,
)
from leantopics.ptm.kernels.bounds import (
    MIN_GAIN,
    collapsed_gain,
    presence_cost,
    screen,
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
)

SCREENED, REJECTED, SOLVED, ACCEPTED = range(4)
"""Indices of the tallies: trials screened out, given up early, solved; flips made."""

_FEW = 4
"""Most topics for which the bound with eight bins is worth its cost."""
_MOVED, _RESTLESS = 0.5, 0.1
"""In each visit, the quiet of a document decreases by the first share of the change of
f, and by the second number of nats."""


@kernel
def _best_addition(
    doc: Document,
    m: int,
    alpha: Floats,
    f: float,
    slack: float,
    n_candidates: int,
    salient: Salient,
    solver: Solver,
    found: Screen,
    trial: Trial,
    tallies: Longs,
) -> tuple[int, float, float, float]:
    """Try the candidates, the most promising first, and keep the best.

    Writes: trial.best_alpha, best_row of the winner, found.short, tallies. Returns
    (topic or -1, gain, f, gap).
    """
    best, best_gain, best_f, best_gap = -1, MIN_GAIN, f, 0.0
    n = doc.words.shape[0]
    hope, short, row = found.hope, found.short, solver.ratio[m]
    rows, mixed = trial.columns[: m + 1], trial.alpha[: m + 1]
    if n_candidates > 0:
        mark(doc.words, trial.place, True)
    for _ in range(n_candidates):
        top = largest(hope, n_candidates)
        if hope[top] <= best_gain:
            tallies[SCREENED] += 1
            continue
        price, t = found.price[top], found.start[top]
        hope[top] = -np.inf
        load_row(salient, found.candidate[top], n, trial.place, row)
        for k in range(m):
            mixed[k] = (1.0 - t) * alpha[k]
        mixed[m] = t
        target = f + price + best_gain
        bound = np.inf
        if m < _FEW:
            bound = slack + collapsed_gain(
                doc, m, rows, mixed, found.inverse, solver, trial
            )
        if -np.inf < f + bound <= target:
            tallies[SCREENED] += 1
            short[0] = min(short[0], target - f - bound)
            continue
        value, gap = solve(rows, doc.counts, doc.length, mixed, target, solver)
        if value <= target:
            tallies[REJECTED if gap > GAP else SOLVED] += 1
            short[0] = min(short[0], target - value - gap)
            continue
        best, best_gain = found.candidate[top], value - f - price
        best_f, best_gap = value, gap
        copy(mixed, trial.best_alpha, m + 1)
        copy(row, trial.best_row, n)
    if n_candidates > 0:
        mark(doc.words, trial.place, False)
    return best, best_gain, best_f, best_gap


@kernel
def _best_removal(
    doc: Document,
    topics: Ints,
    alpha: Floats,
    f: float,
    slack: float,
    counted: Bools,
    best_gain: float,
    prices: Prices,
    solver: Solver,
    found: Screen,
    trial: Trial,
    tallies: Longs,
) -> tuple[int, float, float]:
    """Try to remove each present topic that another document has, too.

    Writes: trial.best_alpha, found.short, tallies. Returns (place or -1, f, gap).
    """
    m = topics.shape[0]
    best, best_f, best_gap = -1, f, 0.0
    short, rows, mixed = found.short, trial.kept[: m - 1], trial.alpha[: m - 1]
    common = prices.log_choose[m] - prices.log_choose[m - 1] + doc.own_price
    for j in range(m):
        k = topics[j]
        if counted[k] and prices.documents[k] == 1:
            continue
        refund = common + presence_cost(prices, k, doc.length, counted[k])
        target = f - refund + best_gain
        if m == 2:
            mixed[0], gap = 1.0, 0.0
            value = log_likelihood(doc.counts, solver.ratio[1 - j], solver.scratch)
        else:
            rest = 0.0
            for i in range(m - 1):
                rows[i] = i if i < j else i + 1
                mixed[i] = alpha[rows[i]]
                rest += mixed[i]
            for i in range(m - 1):
                mixed[i] = mixed[i] / rest if rest > 0.0 else 1.0 / (m - 1)
            bound = np.inf
            if m <= _FEW:
                bound = slack + collapsed_gain(
                    doc, j, rows, mixed, found.inverse, solver, trial
                )
            if -np.inf < f + bound <= target:
                tallies[SCREENED] += 1
                short[0] = min(short[0], target - f - bound)
                continue
            value, gap = solve(rows, doc.counts, doc.length, mixed, target, solver)
            if value == -np.inf:
                for i in range(m - 1):
                    mixed[i] = 1.0 / (m - 1)
                value, gap = solve(rows, doc.counts, doc.length, mixed, target, solver)
        if value <= target:
            tallies[REJECTED if gap > GAP else SOLVED] += 1
            short[0] = min(short[0], target - value - gap)
            continue
        best, best_gain = j, value - f + refund
        best_f, best_gap = value, gap
        copy(mixed, trial.best_alpha, m - 1)
    return best, best_f, best_gap


def scratch(counts: Counts, mixes: DocTopics, n_topics: int, n_words: int) -> Workspace:
    """Scratch that `visit` needs for the documents of a shard."""
    most = min(n_topics, 2 * longest(mixes.indptr) + 6)
    return workspace(most + 1, longest(counts.indptr), n_topics, n_words)


@kernel
def visit(
    counts: Counts,
    mixes: DocTopics,
    salient: Salient,
    table: Table,
    prices: Prices,
    fresh: bool,
    values: Floats,
    quiet: Floats,
    tallies: Longs,
    work: Workspace,
) -> Changes:
    """Solve proportions and find the flips of v that lower BIC, document by document.

    In each document, the flip that lowers BIC most, (dcostv) minus (dqv) at the optimal
    proportions before and after, is made; this is repeated until none pays. Lbar and
    the other documents stay as they are. ``fresh`` documents are not counted in the
    prices yet. A document that has more than doubled its topics gets no more in this
    visit.

    ``quiet`` (D,) is how many nats the nearest flip of a document fell short when it
    was last looked for; until f has moved by twice that, the document keeps its topics
    without a visit. With -inf all documents are visited.

    Writes: mixes.alpha (optimal for the present topics), values (D,) the f of these,
    quiet, tallies (4,). Returns the proposed changes: documents, and their new indptr,
    topic, alpha and log-likelihood. Cost: a few passes over the salient entries.
    """
    n_docs, n_topics = counts.indptr.shape[0] - 1, prices.tokens.shape[0]
    solver, found, trial = work
    ratio, q, columns = solver.ratio, solver.q, trial.columns
    n_words, most = trial.place.shape[0], trial.kept.shape[0] - 1
    present, counted = np.zeros(n_topics, np.bool_), np.zeros(n_topics, np.bool_)
    topics, alpha = np.zeros(most, np.int32), np.zeros(most)
    changed, ends = np.empty(n_docs, np.int64), np.zeros(n_docs + 1, np.int64)
    new_values = np.empty(n_docs)
    new_topic, new_alpha = np.empty(n_docs + most, np.int32), np.empty(n_docs + most)
    n_changed = 0
    start, rows = load_rows(counts, mixes, salient, n_words, 1)

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
            copy(rows[start[row + k] :], ratio[k], n)
        slack = 0.0
        if m == 1:
            copy(ratio[0], q, n)
            f = log_likelihood(doc.counts, q, solver.scratch)
        else:
            f, slack = solve(
                columns[:m], doc.counts, doc.length, alpha[:m], -np.inf, solver
            )
            copy(alpha, mixes.alpha[row:end], m)
        quiet[d] -= _MOVED * abs(f - values[d]) + _RESTLESS
        values[d] = f

        flips = 0
        while quiet[d] <= 0.0:
            found.short[0] = np.inf
            n_candidates = 0
            invert(q, n, found.inverse)
            if m < most:
                n_candidates = screen(
                    doc, m, present, counted, slack, table, prices, solver, found
                )
                tallies[SCREENED] += n_topics - m - n_candidates
            added, gain, new_f, new_slack = _best_addition(
                doc,
                m,
                alpha[:m],
                f,
                slack,
                n_candidates,
                salient,
                solver,
                found,
                trial,
                tallies,
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
                    solver,
                    found,
                    trial,
                    tallies,
                )
            if dropped >= 0:
                new_f, new_slack = drop_f, drop_slack
                present[topics[dropped]] = False
                m -= 1
                for i in range(dropped, m):
                    topics[i] = topics[i + 1]
                    copy(ratio[i + 1], ratio[i], n)
            elif added >= 0:
                present[added] = True
                topics[m] = added
                copy(trial.best_row, ratio[m], n)
                m += 1
            else:
                quiet[d] = found.short[0]
                break
            flips += 1
            f, slack = new_f, new_slack
            copy(trial.best_alpha, alpha, m)
            mix(ratio, alpha[:m], n, q)

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
            changed[n_changed] = d
            new_values[n_changed] = f
            n_changed += 1
            ends[n_changed] = low + m

    size = ends[n_changed]
    return (
        changed[:n_changed],
        ends[: n_changed + 1],
        new_topic[:size],
        new_alpha[:size],
        new_values[:n_changed],
    )
