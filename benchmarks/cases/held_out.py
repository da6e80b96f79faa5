"""How well words of new documents are predicted, ours against the peers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, NamedTuple

from scipy import sparse

from benchmarks import cells, corpora, machine, peers
from benchmarks.predictors import (
    CONTENDERS,
    GENSIM,
    HDP,
    MALLET,
    OURS,
    SKLEARN,
    TOMOTOPY,
    measure,
)
from benchmarks.timing import Run, Settings, against_goal
from leantopics.models.base import fingerprint
from leantopics.study.grid import Task

CORPORA = ("reuters", "20newsgroups", "ohsumed", "acl", "imdb")
AUTO = "auto"
MEASURES = (
    ("held_out", "", "above 0 nats per word"),
    ("same_inference", ", the same inference,", ""),
)
"""Keys of rows, how they are named, and goals."""
PRIORS = (None, 1.0, 0.3, 0.1, 0.03, 0.01)
"""What both priors of scikit-learn are chosen from; None is one over the topics."""
COLUMNS = [
    *("contender", "topics", "seeds", "held-out per word", "spread"),
    *("with the same inference", "CPU seconds"),
]
QUESTION = (
    "Held-out log-likelihood per word, in nats, by document completion: half of the "
    "distinct words of each test document are observed, the others scored; the halves "
    "are the same for all, words that training never saw are left out. Ours has "
    'inference="all"; scikit-learn learning_method="batch" and priors chosen on '
    'training documents; gensim alpha="auto" and eta="auto"; tomotopy learns its prior '
    "of topics. Settings: {}. Proportions are found by each library's own inference, "
    "and in one more column by an inference that is the same for all: the mode under "
    "Dirichlet(1 + a), where a is the prior that each model was given or learned. A "
    "fit has one thread; its time is without inference, for pyrmallet with the reading "
    "of texts."
)
Order = int | str
"""Topics asked for, or AUTO."""
Groups = dict[tuple[str, Order], list[Run]]
"""Fits by contender and order."""


class Entry(NamedTuple):
    """A fit that shall be there."""

    contender: str
    order: Order
    seed: int
    options: dict[str, Any]


@dataclass(frozen=True)
class Contest:
    """Documents to fit and documents to predict."""

    name: str
    train: sparse.csr_array
    test: sparse.csr_array
    settings: Settings

    def enter(self, entries: Sequence[Entry]) -> list[list[Run]]:
        """Rows of each fit, none where it is missing and nothing is to be fitted."""
        return cells.runs([self._task(entry) for entry in entries], self.settings)

    def _task(self, entry: Entry) -> Task:
        contender, order, seed, options = entry
        package, cost, _ = CONTENDERS[contender]
        model = cells.MODEL if contender == OURS else ()
        code = cells.code(*cells.LIKELIHOOD, *model)
        return Task(
            f"held out {self.name} {contender} {order} {seed}",
            [*entry, *self._documents, machine.version(package), code],
            -cost * (order if isinstance(order, int) else 1000),
            measure,
            (contender, self.train, self.test, order, seed, options),
        )

    @cached_property
    def _documents(self) -> list[str]:
        return [fingerprint(self.train), fingerprint(self.test)]


def held_out(name: str, settings: Settings) -> dict[str, Any]:
    """Held-out likelihood of words at our order and at others."""
    contest = Contest(name, *corpora.halves(name, settings), settings)
    options = _options(settings)
    not_run = peers.missing_of(settings, {p: c.package for p, c in CONTENDERS.items()})
    orders, repeats = settings.size((25, 50, 100, 200), (2, 4)), settings.repeats
    entries = [Entry(OURS, AUTO, seed, options[OURS]) for seed in range(repeats)]
    entries += [Entry(OURS, order, 0, options[OURS]) for order in orders]
    found = contest.enter(entries)
    chosen = found[0][0]["topics"] if found[0] else None
    priors = None if SKLEARN in not_run else _tuned(contest, options[SKLEARN])
    if priors:
        options[SKLEARN] |= priors
    else:
        not_run.setdefault(SKLEARN, "its priors are not chosen yet")
    for peer in (p for p in CONTENDERS if p not in (OURS, *not_run)):
        for order in [AUTO] if peer == HDP else sorted({chosen or orders[0], *orders}):
            seeds = range(repeats if order in (AUTO, chosen) else 1)
            entries += [Entry(peer, order, seed, options[peer]) for seed in seeds]
    groups: Groups = {}
    for entry, rows in zip(entries, contest.enter(entries), strict=True):
        groups.setdefault(entry[:2], [])
        for row in rows:
            groups.setdefault((row["contender"], entry.order), []).append(row)
        if not rows:
            not_run[entry.contender] = "fits are missing"
    return {
        "question": QUESTION.format("; ".join(_told(*one) for one in options.items())),
        "corpus": corpora.describe(contest.train)
        | {"test documents": contest.test.shape[0]},
        "figures": _figures(groups, chosen),
        "table": {
            "columns": COLUMNS,
            "rows": [_row(*key, groups[key]) for key in groups],
        },
        "fits": [row for rows in groups.values() for row in rows],
        "not run": not_run,
    }


def _options(settings: Settings) -> dict[str, dict[str, Any]]:
    sampling = {"sweeps": settings.size(1000, 5)}
    return {
        OURS: {"refine": 5},
        SKLEARN: {"max_iter": settings.size(30, 2)},
        GENSIM: {"passes": settings.size(10, 1), "iterations": settings.size(100, 10)},
        TOMOTOPY: sampling,
        HDP: sampling,
        MALLET: {"max_iter": settings.size(1000, 5)},
    }


def _told(contender: str, options: dict[str, Any]) -> str:
    each = [f"{k}={'1/topics' if v is None else v}" for k, v in options.items()]
    return f"{contender} {', '.join(each)}"


def _tuned(contest: Contest, options: dict[str, Any]) -> dict[str, Any] | None:
    """Priors, of words, then of topics, that predict other training documents best."""
    n_docs = contest.train.shape[0]
    n_scored = min(1000, n_docs // 4)
    part, scored = corpora.dealt(contest.train, min(3000, n_docs - n_scored), n_scored)
    tuning = Contest(f"{contest.name} tuning", part, scored, contest.settings)
    n_topics = contest.settings.size(50, 3)
    best: dict[str, Any] = {"topic_word_prior": None, "doc_topic_prior": None}
    priors = contest.settings.size(PRIORS, (None, 0.1))
    for name in tuple(best):
        tried = [options | best | {name: prior} for prior in priors]
        found = tuning.enter([Entry(SKLEARN, n_topics, 0, each) for each in tried])
        if not all(found):
            return None
        scores = [rows[0]["held_out"] for rows in found]
        best[name] = priors[scores.index(max(scores))]
    return best


def _row(contender: str, order: Order, rows: list[Run]) -> list[Any]:
    values = [row["held_out"] for row in rows]
    topics = sorted({row["topics"] for row in rows}) or [order]
    named = f"{contender}, its own order" if order == AUTO else contender
    head = [named, ", ".join(map(str, topics)), len(rows)]
    if not rows:
        return head + [None] * (len(COLUMNS) - len(head))
    return [
        *head,
        f"{fmean(values):.3f}",
        f"{min(values):.3f} to {max(values):.3f}" if len(rows) > 1 else "",
        f"{fmean(row['same_inference'] for row in rows):.3f}",
        fmean(row["cpu_seconds"] for row in rows),
    ]


def _figures(groups: Groups, chosen: int | None) -> dict[str, Any]:
    """Our advantage in nats per word over each peer, at our order and at its best."""
    out: dict[str, Any] = {}
    for peer in (p for p in CONTENDERS if p != OURS):
        for key, inference, goal in MEASURES:
            ours, theirs = (_values(groups, who, key) for who in (OURS, peer))
            if AUTO not in ours or not theirs:
                continue
            best = max(theirs, key=lambda at: fmean(theirs[at]))
            for what, at in (("our order", chosen), (f"its best order, {best}", best)):
                if at in theirs:
                    label = f"ours minus {peer}{inference} at {what}"
                    out[label] = _advantage(ours[AUTO], theirs[at], goal)
    return out


def _values(groups: Groups, contender: str, key: str) -> dict[Order, list[float]]:
    """A measure of the fits of a contender, by order."""
    return {
        order: [row[key] for row in rows]
        for (label, order), rows in groups.items()
        if label == contender and rows
    }


def _advantage(ours: list[float], theirs: list[float], goal: str) -> dict[str, Any]:
    """Difference of the means, and its extremes over all pairs of seeds."""
    value = fmean(ours) - fmean(theirs)
    return against_goal(value, goal, least=0.0 if goal else None) | {
        "min": min(ours) - max(theirs),
        "max": max(ours) - min(theirs),
    }
