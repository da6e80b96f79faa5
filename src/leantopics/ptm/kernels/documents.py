"""One pass over documents: proportions and topic switches.

A flip of a topic switch is tried only if a bound on its gain beats its price.
"""

from math import inf

import cython
import numpy as np

from leantopics._arrays import Bools, Counts, Floats, Ints, Longs, longest
from leantopics.ptm.kernels.arrays import (
    Changes,
    DocTopics,
    Prices,
    Salient,
    Table,
    Workspace,
    workspace,
)
from leantopics.ptm.kernels.bounds import presence_cost, screen
from leantopics.ptm.kernels.constants import (
    ACCEPTED,
    GAP,
    MIN_GAIN,
    REJECTED,
    SCREENED,
    SOLVED,
)
from leantopics.ptm.kernels.mixture import (
    best_share,
    expand,
    log_likelihood,
    quadratic_without,
    solve,
)
from leantopics.ptm.kernels.ratios import (
    Document,
    invert,
    load_row,
    load_rows,
    mark,
    mix,
    read,
)
from leantopics.ptm.kernels.views import (
    CountsView,
    MixesView,
    Pairs,
    PricesView,
    SalientView,
    ScreenView,
    SolverView,
    TableView,
    TrialView,
    copy,
    copy_ints,
    copy_square,
    largest,
    reserve,
)

_MOVED, _RESTLESS = 0.5, 0.1
"""In each visit, the quiet of a document decreases by the first share of the change of
f, and by the second number of nats."""


def _best_addition(
    doc: Document,
    m: int,
    alpha: Floats,
    f: float,
    n_candidates: int,
    salient: SalientView,
    solver: SolverView,
    found: ScreenView,
    trial: TrialView,
    tallies: Longs,
) -> tuple[int, float, float, float]:
    """Try the candidates, the most promising first, and keep the best.

    A trial begins with the best share of the new topic, and with the curvature at the
    present proportions: most are rejected after one step.
    Writes: trial.best_alpha, best_row of the winner, found.short, tallies. Returns
    (topic or -1, gain, f, gap).
    """
    best, best_gain, best_f, best_gap = -1, MIN_GAIN, f, 0.0
    n = doc.words.shape[0]
    hope, short, row = found.hope, found.short, solver.ratio[m]
    rows, mixed = trial.columns[: m + 1], trial.alpha[: m + 1]
    if n_candidates > 0:
        mark(doc.words, trial.place, True)
    for tried in range(n_candidates):
        top = largest(hope, n_candidates)
        if hope[top] <= best_gain:
            tallies[SCREENED] += n_candidates - tried
            break
        price, t = found.price[top], found.start[top]
        hope[top] = -inf
        load_row(salient, found.candidate[top], n, trial.place, row)
        known, target = 0, f + price + best_gain
        if f > -inf:
            t = best_share(doc.counts, row, found.inverse, t, solver)
            copy_square(trial.hess, solver.hess, m)
            known = m
        for k in range(m):
            mixed[k] = (1.0 - t) * alpha[k]
        mixed[m] = t
        value, gap = solve(rows, doc.counts, doc.length, mixed, target, known, solver)
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


def _best_removal(
    doc: Document,
    m: int,
    topics: Ints,
    alpha: Floats,
    f: float,
    counted: Bools,
    best_gain: float,
    prices: PricesView,
    solver: SolverView,
    found: ScreenView,
    trial: TrialView,
    tallies: Longs,
) -> tuple[int, float, float]:
    """Try to remove each present topic that another document has, too.

    A trial begins where the quadratic model at the present proportions has its maximum.
    Writes: trial.best_alpha, found.short, tallies. Returns (place or -1, f, gap).
    """
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
            known = 0
            if f > -inf:
                quadratic_without(j, rows, alpha, mixed, trial, solver)
                known = m - 1
            value, gap = solve(
                rows, doc.counts, doc.length, mixed, target, known, solver
            )
            if value == -inf:
                for i in range(m - 1):
                    mixed[i] = 1.0 / (m - 1)
                value, gap = solve(
                    rows, doc.counts, doc.length, mixed, target, 0, solver
                )
        if value <= target:
            tallies[REJECTED if gap > GAP else SOLVED] += 1
            short[0] = min(short[0], target - value - gap)
            continue
        best, best_gain = j, value - f + refund
        best_f, best_gap = value, gap
        copy(mixed, trial.best_alpha, m - 1)
    return best, best_f, best_gap


class _State:
    """The document that is visited: which topics it has, and its proportions."""

    def __init__(self, n_topics: int, most: int) -> None:
        self.present = np.zeros(n_topics, np.bool_)
        self.counted = np.zeros(n_topics, np.bool_)
        self.topics, self.alpha = np.zeros(most, np.int32), np.zeros(most)
        self.m = self.flips = 0
        self.f = self.slack = 0.0


class _Proposed(Pairs):
    """Documents that change, with their new topics, proportions and f."""

    def __init__(self, n_docs: int, size: int) -> None:
        Pairs.__init__(self, size)
        self.document = np.empty(n_docs, np.int64)
        self.ends, self.f = np.zeros(n_docs + 1, np.int64), np.empty(n_docs)

    def first_changes(self, n: int) -> Changes:
        """The first n changes."""
        ends, f = np.asarray(self.ends)[: n + 1], np.asarray(self.f)[:n]
        return np.asarray(self.document)[:n], ends, *self.first(ends[n]), f


def scratch(counts: Counts, mixes: DocTopics, n_topics: int, n_words: int) -> Workspace:
    """Scratch that `visit` needs for the documents of a shard."""
    most = min(n_topics, 2 * longest(mixes.indptr) + 6)
    return workspace(most + 1, longest(counts.indptr), n_topics, n_words)


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
    n_docs, most = len(counts.indptr) - 1, len(work.trial.kept) - 1
    start, rows = load_rows(counts, mixes, salient, len(table.indptr) - 1, 1)
    documents, proposed = CountsView(counts), _Proposed(n_docs, n_docs + most)
    n_changed = _visit(
        documents,
        MixesView(mixes),
        mixes.alpha,
        start,
        rows,
        SalientView(salient),
        TableView(table),
        PricesView(prices),
        fresh,
        values,
        quiet,
        tallies,
        SolverView(work.solver),
        ScreenView(work.screen),
        TrialView(work.trial),
        Document(),
        _State(len(prices.tokens), most),
        proposed,
    )
    return proposed.first_changes(n_changed)


def _visit(
    counts: CountsView,
    mixes: MixesView,
    new_alpha: Floats,
    start: Longs,
    rows: Floats,
    salient: SalientView,
    table: TableView,
    prices: PricesView,
    fresh: bool,
    values: Floats,
    quiet: Floats,
    tallies: Longs,
    solver: SolverView,
    found: ScreenView,
    trial: TrialView,
    doc: Document,
    state: _State,
    proposed: _Proposed,
) -> int:
    """Visit all documents: how many change."""
    n_changed = 0
    with cython.nogil:
        ratio, topics, alpha = solver.ratio, state.topics, state.alpha
        for d in range(values.shape[0]):
            read(counts, d, doc)
            n, row, end = doc.words.shape[0], mixes.indptr[d], mixes.indptr[d + 1]
            m = end - row
            copy_ints(mixes.topic[row:end], topics, m)
            copy(mixes.alpha[row:end], alpha, m)
            for k in range(m):
                state.present[topics[k]] = True
                state.counted[topics[k]] = not fresh
                copy(rows[start[row + k] :], ratio[k], n)
            state.m, state.slack = m, 0.0
            if m == 1:
                copy(ratio[0], solver.q, n)
                state.f = log_likelihood(doc.counts, solver.q, solver.scratch)
            else:
                state.f, state.slack = solve(
                    trial.columns[:m], doc.counts, doc.length, alpha, -inf, 0, solver
                )
                copy(alpha, new_alpha[row:end], m)
            quiet[d] -= _MOVED * abs(state.f - values[d]) + _RESTLESS
            values[d] = state.f
            state.flips = 0
            if quiet[d] <= 0.0:
                quiet[d] = _flip(
                    doc, salient, table, prices, solver, found, trial, state, tallies
                )
            for k in range(state.m):
                state.present[topics[k]] = False
            for e in range(row, end):
                state.counted[mixes.topic[e]] = False
            if state.flips > 0:
                tallies[ACCEPTED] += state.flips
                low = proposed.ends[n_changed]
                high = low + state.m
                reserve(proposed, low, high)
                copy_ints(topics, proposed.number[low:high], state.m)
                copy(alpha, proposed.value[low:high], state.m)
                proposed.document[n_changed] = d
                proposed.f[n_changed] = state.f
                n_changed += 1
                proposed.ends[n_changed] = high
    return n_changed


def _flip(
    doc: Document,
    salient: SalientView,
    table: TableView,
    prices: PricesView,
    solver: SolverView,
    found: ScreenView,
    trial: TrialView,
    state: _State,
    tallies: Longs,
) -> float:
    """Flip switches of a document until none pays.

    Writes: state, tallies. Returns the nats by which the nearest flip falls short.
    """
    ratio, q, n = solver.ratio, solver.q, doc.words.shape[0]
    topics, alpha, present = state.topics, state.alpha, state.present
    while True:
        m, found.short[0], n_candidates = state.m, inf, 0
        invert(q, n, found.inverse)
        if m < topics.shape[0]:
            n_candidates = screen(
                doc,
                m,
                present,
                state.counted,
                state.slack,
                table,
                prices,
                solver,
                found,
            )
            tallies[SCREENED] += present.shape[0] - m - n_candidates
        if state.f > -inf and (n_candidates > 0 or m > 2):
            expand(trial.columns[:m], doc.counts, solver)
            copy(solver.grad, trial.slope, m)
            copy_square(solver.hess, trial.hess, m)
        added, gain, new_f, new_slack = _best_addition(
            doc,
            m,
            alpha,
            state.f,
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
                m,
                topics,
                alpha,
                state.f,
                state.counted,
                gain,
                prices,
                solver,
                found,
                trial,
                tallies,
            )
            if dropped >= 0:
                new_f, new_slack = drop_f, drop_slack
        if dropped >= 0:
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
            return found.short[0]
        state.flips += 1
        state.m, state.f, state.slack = m, new_f, new_slack
        copy(trial.best_alpha, alpha, m)
        mix(ratio, alpha[:m], n, q)
