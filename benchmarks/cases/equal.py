"""Seconds until a model predicts as well as another one does at its defaults."""

from typing import Any

from benchmarks import corpora, peers
from benchmarks.cases.held_out import AUTO, Contest, Entry
from benchmarks.predictors import CONTENDERS, MALLET, OURS
from benchmarks.timing import Run, Settings, against_goal

CORPORA = ("reuters", "20newsgroups")
COLUMNS = ["contender", "iterations", "topics", "CPU seconds", "held-out per word"]
QUESTION = (
    "CPU seconds of one thread until a fit predicts words of new documents as well as "
    "the other contender does at its defaults. Ours chooses its number of topics by "
    "default, and has other fits with given ones. pyrmallet (SparseLDA) does 1000 "
    "iterations by default, and 125 more for its last samples; its number of topics is "
    "the best of several, which is not timed, and with that one it has fewer "
    "iterations, too. Held-out log-likelihood per word, in nats, by document "
    "completion, with the same inference for all."
)
SCORE = "same_inference"


def equal(name: str, settings: Settings) -> dict[str, Any]:
    """Fits of both from the fastest on, and the fastest that is good enough."""
    contest = Contest(name, *corpora.halves(name, settings), settings)
    orders = settings.size((25, 50, 100, 200), (2, 4))
    *fewer, usual = settings.size((50, 100, 200, 400, 1000), (2, 5))
    ours = _fits(contest, OURS, {AUTO: {"refine": 5}})
    ours += _fits(contest, OURS, {order: {"refine": 5} for order in orders})
    not_run = peers.missing_of(settings, {MALLET: CONTENDERS[MALLET].package})
    theirs: list[Run] = []
    if not not_run:
        theirs = _fits(contest, MALLET, {n: {"max_iter": usual} for n in orders})
        theirs.sort(key=lambda fit: -fit[SCORE])
    if theirs:
        best = theirs[0]["order"]
        for n in fewer:
            theirs += _fits(contest, MALLET, {best: {"max_iter": n}})
    figures = {}
    if ours and theirs:
        figures = {
            "ours at its default": ours[0]["cpu_seconds"],
            "pyrmallet at its default": theirs[0]["cpu_seconds"],
            "ours, as good as pyrmallet at its default": _until(ours, theirs[0]),
            "pyrmallet, as good as ours at its default": _until(theirs, ours[0]),
        }
    else:
        not_run.setdefault(MALLET, "fits are missing")
    fits = sorted(ours + theirs, key=lambda fit: fit["cpu_seconds"])
    return {
        "question": QUESTION,
        "corpus": corpora.describe(contest.train)
        | {"test documents": contest.test.shape[0]},
        "figures": {
            f"CPU seconds of {label}": against_goal(value, "")
            for label, value in figures.items()
            if value is not None
        },
        "table": {"columns": COLUMNS, "rows": [_row(fit) for fit in fits]},
        "fits": fits,
        "not run": not_run
        | {
            f"CPU seconds of {label}": "no fit is as good"
            for label, value in figures.items()
            if value is None
        },
    }


def _fits(
    contest: Contest, contender: str, tried: dict[int | str, dict[str, Any]]
) -> list[Run]:
    """Fits of a contender, by the topics asked for; our refined ones follow ours."""
    entries = [Entry(contender, order, 0, options) for order, options in tried.items()]
    return [
        row | {"iterations": entry.options.get("max_iter")}
        for entry, rows in zip(entries, contest.enter(entries), strict=True)
        for row in rows
    ]


def _until(fits: list[Run], other: Run) -> float | None:
    """CPU seconds of the fastest fit that predicts as well as the other one."""
    enough = [fit["cpu_seconds"] for fit in fits if fit[SCORE] >= other[SCORE]]
    return min(enough, default=None)


def _row(fit: Run) -> list[Any]:
    label, topics = fit["contender"], str(fit["topics"])
    named = f"{label}, its own order" if fit["order"] == AUTO else label
    return [named, fit["iterations"], topics, fit["cpu_seconds"], f"{fit[SCORE]:.3f}"]
