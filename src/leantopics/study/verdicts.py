"""Checks of what the paper says about curves and numbers, against our results."""

import functools
from collections.abc import Callable, Sequence
from typing import Concatenate, NamedTuple, ParamSpec

import numpy as np

from leantopics.study.methods import METHODS
from leantopics.study.results import Row
from leantopics.study.tables import nearest, target

NEARLY = 0.8
"""Share of the numbers of topics that "nearly all" and "a wide range" mean here."""
NEAR = 0.2
"""Distance within which a peak is near the chosen number, as a share of it."""
ALIKE = 0.1
"""Largest relative difference of curves that count as similar."""
FEW = 4
"""Most numbers of topics that are listed."""


class Verdict(NamedTuple):
    """What we measured, and whether the claim holds."""

    number: str
    holds: bool
    comparable: bool = True
    """Whether the numbers mean what they do in the paper."""

    @property
    def word(self) -> str:
        """The verdict in words.

        Examples
        --------
        >>> Verdict("0.1 times", False, comparable=False).word
        'not comparable'
        """
        if not self.comparable:
            return "not comparable"
        return "holds" if self.holds else "does not hold"


class Results:
    """Rows of one corpus, with means over seeds.

    Examples
    --------
    >>> rows = [{"method": "lda", "seed": s, "n_topics": 4, "nmi": v}
    ...         for s, v in enumerate([0.25, 0.75])]
    >>> Results(rows).curve("lda", "nmi")
    {4: 0.5}
    """

    def __init__(self, rows: Sequence[Row], lda: str = "lda") -> None:
        self.rows, self._lda = rows, lda

    def rivals(self, names: Sequence[str]) -> list[str]:
        """Return methods to compare with, where another LDA may stand for ours.

        That one has no form with a background.

        Examples
        --------
        >>> Results([], "lda-c-like").rivals(["lda", "lda-background", "stc"])
        ['lda-c-like', 'stc']
        """
        if self._lda == "lda":
            return list(names)
        found = [self._lda if n.startswith("lda") else n for n in names]
        return list(dict.fromkeys(found))

    def common(self, column: str, methods: Sequence[str]) -> list[int]:
        """Return the orders that all methods have a column for.

        Coherence is compared only where all have it for the same number of words.
        """
        curves = [self.curve(method, column) for method in methods]
        orders = [m for m in curves[0] if all(m in curve for curve in curves)]
        if column == "coh":
            sizes = [self.curve(method, "coh_words") for method in methods]
            orders = [m for m in orders if len({curve[m] for curve in sizes}) == 1]
        if not orders:
            raise LookupError("no common number of topics")
        return orders

    def curve(self, method: str, column: str) -> dict[int, float]:
        """Return means by number of topics; LookupError if the column has none."""
        found: dict[int, list[float]] = {}
        for row in self.rows:
            if row["method"] == method and row.get(column) is not None:
                found.setdefault(row["n_topics"], []).append(row[column])
        if not found:
            raise LookupError(f"no {column} of {METHODS[method].title}")
        return {m: float(np.mean(values)) for m, values in sorted(found.items())}

    def chosen(self, method: str, column: str) -> float:
        """Return the mean of a column at the numbers of topics that BIC chooses."""
        values = [
            row[column]
            for row in self.rows
            if row["method"] == method and row.get("is_chosen")
        ]
        if not values or None in values:
            raise LookupError(f"no chosen {column} of {METHODS[method].title}")
        return float(np.mean(values))

    def time(self, method: str) -> float:
        """Return the mean seconds of a fit: of a processor, where that is known."""
        fits = self.curve(method, "n_topics")
        own = [row for row in self.rows if row["method"] == method]
        if values := [s for row in own if (s := row.get("processor_seconds"))]:
            return float(np.mean(values)) / len(fits)
        return float(np.mean(list(self.curve(method, "seconds").values())))

    def at_target(self, method: str, column: str) -> float:
        """Return the mean of a column at the number of topics of the tables."""
        curve = self.curve(method, column)
        wanted = target(self.rows[0]["dataset"], self.rows)
        return curve[nearest(curve, wanted)]


P = ParamSpec("P")
Check = Callable[[Results, str], Verdict]
"""Takes results and the name of our method; LookupError if something is missing."""


def _check(
    verdict: Callable[Concatenate[Results, str, P], Verdict],
) -> Callable[P, Check]:
    """Make a function of its further arguments that returns a check."""

    @functools.wraps(verdict)
    def given(*args: P.args, **settings: P.kwargs) -> Check:
        return lambda results, ours: verdict(results, ours, *args, **settings)

    return given


@_check
def above(
    results: Results,
    ours: str,
    column: str,
    rivals: Sequence[str],
    *,
    least: float = 0,
    most: float = np.inf,
    share: float = 1.0,
    below: bool = False,
) -> Verdict:
    """Check that our curve is above those of the rivals at each number of topics.

    Examples
    --------
    >>> rows = [{"method": m, "seed": 0, "n_topics": n, "nmi": v}
    ...         for m, v in (("ptm", 0.5), ("lda", 0.4)) for n in (2, 4)]
    >>> above("nmi", ["lda"])(Results(rows), "ptm")[:2]
    ('for 2 of 2 numbers of topics', True)
    """
    methods = [ours, *results.rivals(rivals)]
    orders = [m for m in results.common(column, methods) if least <= m <= most]
    if not orders:
        raise LookupError("no common number of topics")
    own, *others = (results.curve(method, column) for method in methods)
    ahead = {
        m: [
            METHODS[rival].title
            for rival, other in zip(methods[1:], others, strict=True)
            if not (own[m] < other[m] if below else own[m] > other[m])
        ]
        for m in orders
    }
    lost = [m for m in orders if ahead[m]]
    wins = len(orders) - len(lost)
    text = f"for {wins} of {len(orders)} numbers of topics"
    if 0 < len(lost) <= FEW:
        text += f", not {', '.join(map(str, lost))}"
    if lost:
        who = dict.fromkeys(title for m in lost for title in ahead[m])
        text += f" ({', '.join(who)})"
    return Verdict(text, wins >= share * len(orders))


@_check
def chosen_above(
    results: Results, ours: str, column: str, rivals: Sequence[str], share: float = 1.0
) -> Verdict:
    """Check that the chosen model is above the rivals at all numbers of topics."""
    own = results.chosen(ours, column)
    others = [
        value
        for rival in results.rivals(rivals)
        for value in results.curve(rival, column).values()
    ]
    wins = sum(own > value for value in others)
    text = f"{own:.4g} against {min(others):.4g} to {max(others):.4g}: "
    text += f"above {wins} of {len(others)}"
    return Verdict(text, wins >= share * len(others))


@_check
def best_above(
    results: Results, ours: str, column: str, rivals: Sequence[str]
) -> Verdict:
    """Check that our best value is above the best of the rivals."""
    own = max(results.curve(ours, column).values())
    names = results.rivals(rivals)
    best = {name: max(results.curve(name, column).values()) for name in names}
    rival = max(best, key=lambda name: best[name])
    text = f"{own:.4g} against {best[rival]:.4g} ({METHODS[rival].title})"
    return Verdict(text, own > best[rival])


@_check
def peak_near(results: Results, ours: str, column: str) -> Verdict:
    """Check that a measure is best near the chosen number of topics."""
    curve, n_topics = results.curve(ours, column), results.chosen(ours, "n_topics")
    peak = max(curve, key=lambda m: curve[m])
    text = f"best at {peak}, {curve[peak]:.4g}; chosen {n_topics:.4g}, "
    text += f"{results.chosen(ours, column):.4g}"
    return Verdict(text, abs(peak - n_topics) <= NEAR * n_topics)


@_check
def alike(results: Results, ours: str, column: str, rivals: Sequence[str]) -> Verdict:
    """Check that the curves differ little."""
    methods = [ours, *results.rivals(rivals)]
    orders = results.common(column, methods)
    own, *others = (results.curve(method, column) for method in methods)
    apart = [
        abs(own[m] - other[m]) / max(abs(own[m]), abs(other[m]))
        for other in others
        for m in orders
    ]
    text = f"{np.mean(apart):.0%} apart on average"
    return Verdict(text, float(np.mean(apart)) <= ALIKE)


@_check
def rises(results: Results, ours: str, method: str, column: str) -> Verdict:
    """Check that a measure of a method grows with the number of topics."""
    (rival,) = results.rivals([method])
    curve = results.curve(rival, column)
    first, last = min(curve), max(curve)
    steps = np.diff(list(curve.values()))
    text = f"{curve[first]:.4g} at {first} to {curve[last]:.4g} at {last}, "
    text += f"rising in {(steps > 0).sum()} of {len(steps)} steps"
    return Verdict(text, float((steps > 0).mean()) >= NEARLY)


@_check
def fewest_topics(results: Results, ours: str, rivals: Sequence[str]) -> Verdict:
    """Check that documents have fewer topics in our model than in the others."""
    own = results.at_target(ours, "topics_per_document")
    names = results.rivals(rivals)
    others = {name: results.at_target(name, "topics_by_assignment") for name in names}
    rest = ", ".join(f"{n:.3g} ({METHODS[name].title})" for name, n in others.items())
    return Verdict(f"{own:.3g} against {rest}", own < min(others.values()))


@_check
def nearer_to_labels(results: Results, ours: str, rivals: Sequence[str]) -> Verdict:
    """Check that our topics per document are nearest to the labels per document."""
    labels = results.at_target(ours, "labels_per_document")
    own = results.at_target(ours, "topics_per_document")
    names = results.rivals(rivals)
    others = [results.at_target(name, "topics_by_assignment") for name in names]
    text = f"{own:.3g} topics, {labels:.3g} labels"
    return Verdict(text, all(abs(own - labels) < abs(o - labels) for o in others))


@_check
def topics_of_a_word(results: Results, ours: str, published: float) -> Verdict:
    """Check that a salient word is salient in as few topics as published."""
    own = results.at_target(ours, "topics_per_salient_word")
    return Verdict(f"{own:.3g}", abs(own / published - 1.0) <= ALIKE)


@_check
def time_ratio(
    results: Results, ours: str, rival: str, low: float, high: float
) -> Verdict:
    """Check the ratio of our time per fit to the rival's.

    The paper's ratio is that of two C programs. Where ours is less, we are faster by
    other algorithms, which says nothing about the claim.

    Examples
    --------
    >>> rows = [{"method": m, "n_topics": 2, "seconds": v}
    ...         for m, v in (("ptm", 1.0), ("lda", 4.0))]
    >>> time_ratio("lda", 2.0, 4.0)(Results(rows), "ptm").word
    'not comparable'
    """
    own, other = (results.time(m) for m in (ours, *results.rivals([rival])))
    ratio = own / other
    text = f"{ratio:.2g} times the time per fit"
    return Verdict(text, low <= ratio <= high, comparable=ratio >= low)


def spread_out(results: Results, ours: str) -> Verdict:
    """Check that the salient words of topics overlap little."""
    per_topic = results.at_target(ours, "salient_per_topic")
    distinct = results.at_target(ours, "distinct_salient")
    text = f"{distinct:.0f} distinct, {per_topic:.0f} per topic"
    return Verdict(text, distinct > 5.0 * per_topic)


def down_beats_up(results: Results, ours: str) -> Verdict:
    """Check that a sweep down finds a lower BIC, by the equations, than one up."""
    down, up = (results.chosen(m, "bic") for m in ("ptm", "ptm-up"))
    return Verdict(f"BIC {down:.7g} against {up:.7g}", down < up)
