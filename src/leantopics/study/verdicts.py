"""Checks of what the paper says about curves and numbers, against our results."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

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


class Verdict(NamedTuple):
    """What we measured, and whether the claim holds."""

    number: str
    holds: bool


class Results:
    """Rows of one corpus, with means over seeds.

    Examples
    --------
    >>> rows = [{"method": "lda", "seed": s, "n_topics": 4, "nmi": v}
    ...         for s, v in enumerate([0.25, 0.75])]
    >>> Results(rows).curve("lda", "nmi")
    {4: 0.5}
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows

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

    def at(self, method: str, column: str, n_topics: float) -> float:
        """Return the mean of a column at the nearest number of topics."""
        curve = self.curve(method, column)
        return curve[nearest([{"n_topics": m} for m in curve], n_topics)]


Check = Callable[[Results, str], Verdict]


def above(
    column: str,
    rivals: Sequence[str],
    *,
    least: float = 0,
    most: float = np.inf,
    share: float = 1.0,
    below: bool = False,
) -> Check:
    """Check that our curve is above those of the rivals at each number of topics.

    Examples
    --------
    >>> rows = [{"method": m, "seed": 0, "n_topics": n, "nmi": v}
    ...         for m, v in (("ptm", 0.5), ("lda", 0.4)) for n in (2, 4)]
    >>> above("nmi", ["lda"])(Results(rows), "ptm")
    Verdict(number='for 2 of 2 numbers of topics', holds=True)
    """

    def check(results: Results, ours: str) -> Verdict:
        own = results.curve(ours, column)
        others = [results.curve(rival, column) for rival in rivals]
        common = [m for m in own if least <= m <= most and all(m in o for o in others)]
        if not common:
            raise LookupError("no common number of topics")
        wins = sum(
            all((own[m] < o[m]) if below else (own[m] > o[m]) for o in others)
            for m in common
        )
        text = f"for {wins} of {len(common)} numbers of topics"
        return Verdict(text, wins >= share * len(common))

    return check


def chosen_above(column: str, rivals: Sequence[str], share: float = 1.0) -> Check:
    """Check that the chosen model is above the rivals at all numbers of topics."""

    def check(results: Results, ours: str) -> Verdict:
        own = results.chosen(ours, column)
        others = [v for r in rivals for v in results.curve(r, column).values()]
        wins = sum(own > value for value in others)
        text = f"{own:.4g} against {min(others):.4g} to {max(others):.4g}: "
        text += f"above {wins} of {len(others)}"
        return Verdict(text, wins >= share * len(others))

    return check


def best_above(column: str, rivals: Sequence[str]) -> Check:
    """Check that our best value is above the best of the rivals."""

    def check(results: Results, ours: str) -> Verdict:
        own = max(results.curve(ours, column).values())
        best = {r: max(results.curve(r, column).values()) for r in rivals}
        rival = max(best, key=lambda r: best[r])
        text = f"{own:.4g} against {best[rival]:.4g} ({METHODS[rival].title})"
        return Verdict(text, own > best[rival])

    return check


def peak_near(column: str) -> Check:
    """Check that a measure is best near the chosen number of topics."""

    def check(results: Results, ours: str) -> Verdict:
        curve, n_topics = results.curve(ours, column), results.chosen(ours, "n_topics")
        peak = max(curve, key=lambda m: curve[m])
        text = f"best at {peak}, {curve[peak]:.4g}; chosen {n_topics:.4g}, "
        text += f"{results.chosen(ours, column):.4g}"
        return Verdict(text, abs(peak - n_topics) <= NEAR * n_topics)

    return check


def alike(column: str, rivals: Sequence[str]) -> Check:
    """Check that the curves differ little."""

    def check(results: Results, ours: str) -> Verdict:
        own = results.curve(ours, column)
        apart = [
            abs(own[m] - value) / max(abs(own[m]), abs(value))
            for rival in rivals
            for m, value in results.curve(rival, column).items()
            if m in own
        ]
        text = f"{np.mean(apart):.0%} apart on average"
        return Verdict(text, float(np.mean(apart)) <= ALIKE)

    return check


def rises(method: str, column: str) -> Check:
    """Check that a measure of a method grows with the number of topics."""

    def check(results: Results, ours: str) -> Verdict:
        curve = results.curve(method, column)
        first, last = min(curve), max(curve)
        steps = np.diff(list(curve.values()))
        text = f"{curve[first]:.4g} at {first} to {curve[last]:.4g} at {last}, "
        text += f"rising in {(steps > 0).sum()} of {len(steps)} steps"
        return Verdict(text, float((steps > 0).mean()) >= NEARLY)

    return check


def fewest_topics(name: str, rivals: Sequence[str]) -> Check:
    """Check that documents have fewer topics in our model than in the others."""

    def check(results: Results, ours: str) -> Verdict:
        n_topics = target(name, results.rows)
        own = results.at(ours, "topics_per_document", n_topics)
        others = [results.at(r, "topics_by_assignment", n_topics) for r in rivals]
        rest = ", ".join(
            f"{value:.3g} ({METHODS[rival].title})"
            for rival, value in zip(rivals, others, strict=True)
        )
        return Verdict(f"{own:.3g} against {rest}", own < min(others))

    return check


def nearer_to_labels(name: str, rivals: Sequence[str]) -> Check:
    """Check that our topics per document are nearest to the labels per document."""

    def check(results: Results, ours: str) -> Verdict:
        n_topics = target(name, results.rows)
        labels = results.at(ours, "labels_per_document", n_topics)
        own = results.at(ours, "topics_per_document", n_topics)
        others = [results.at(r, "topics_by_assignment", n_topics) for r in rivals]
        text = f"{own:.3g} topics, {labels:.3g} labels"
        return Verdict(text, all(abs(own - labels) < abs(o - labels) for o in others))

    return check


def topics_of_a_word(name: str, published: float) -> Check:
    """Check that a salient word is salient in as few topics as published."""

    def check(results: Results, ours: str) -> Verdict:
        n_topics = target(name, results.rows)
        own = results.at(ours, "topics_per_salient_word", n_topics)
        return Verdict(f"{own:.3g}", abs(own / published - 1.0) <= ALIKE)

    return check


def spread_out(name: str) -> Check:
    """Check that the salient words of topics overlap little."""

    def check(results: Results, ours: str) -> Verdict:
        n_topics = target(name, results.rows)
        per_topic = results.at(ours, "salient_per_topic", n_topics)
        distinct = results.at(ours, "distinct_salient", n_topics)
        text = f"{distinct:.0f} distinct, {per_topic:.0f} per topic"
        return Verdict(text, distinct > 5.0 * per_topic)

    return check


def time_ratio(rival: str, low: float, high: float) -> Check:
    """Check the ratio of our time per fit to the rival's."""

    def check(results: Results, ours: str) -> Verdict:
        own, other = (
            float(np.mean(list(results.curve(m, "seconds").values())))
            for m in (ours, rival)
        )
        text = f"{own / other:.2g} times the time per fit"
        return Verdict(text, low <= own / other <= high)

    return check


def down_beats_up(results: Results, ours: str) -> Verdict:
    """Check that a sweep down finds a lower BIC, by the equations, than one up."""
    down, up = (results.chosen(m, "bic") for m in ("ptm", "ptm-up"))
    return Verdict(f"BIC {down:.7g} against {up:.7g}", down < up)
