"""One pass over documents: proportions and topic switches.

A flip of a topic switch is tried only if a bound on its gain beats its price.
"""

import numpy as np

from leantopics.compiled import kernel
from leantopics.ptm.kernels.arrays import (
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
    split_counts,
)

SCREENED, REJECTED, SOLVED, ACCEPTED = range(4)
"""Places of the tallies: trials screened out, given up early, solved, flips made."""

_FEW = 4
"""Topics up to which eight bins are worth their while."""
_MOVED, _RESTLESS = 0.5, 0.1
"""The quiet of a document wears off by this share of the change of f, and by so many
nats, in each visit."""


@kernel
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
            bound = collapsed_gain(doc, m, work.columns[: m + 1], trial, work) + slack
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
                bound = collapsed_gain(doc, j, others, trial, work) + slack
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


@kernel
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
    was last looked for; until f has moved by twice that, the document keeps its topics
    without a look. With -inf all documents are looked at.

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
                n_candidates = screen(
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
