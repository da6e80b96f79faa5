"""Which orders and seeds a study takes, quick or in full."""

from typing import NamedTuple

from leantopics.study.methods import METHODS, Sweep

FULL = {
    "20newsgroups": Sweep(100, 4, 2),
    "labelme": Sweep(80, 4, 1),
    "ohsumed": Sweep(150, 5, 5),
    "reuters": Sweep(100, 4, 2),
}
"""The sweeps of the paper."""
OTHERS = Sweep(100, 4, 2)
"""The sweep of other named corpora."""
SEEDS = 10
QUICK_STEPS = {
    "20newsgroups": (4, 32),
    "labelme": (2, 17),
    "ohsumed": (15, 45),
    "reuters": (4, 12),
}
"""Topics removed at a time, of our model and of the others, so that the order which the
paper's tables are at is one of them."""


class Plan(NamedTuple):
    """What a study does."""

    ours: Sweep
    others: Sweep
    our_seeds: int
    other_seeds: int
    search_penalties: bool
    """Whether sparse topical coding chooses its penalties."""

    def sweep(self, method: str) -> Sweep:
        """The orders of a method."""
        return self.ours if METHODS[method].is_ours else self.others

    def seeds(self, method: str) -> range:
        """The seeds of a method."""
        return range(self.our_seeds if METHODS[method].is_ours else self.other_seeds)

    def fitting(self, n_docs: int) -> "Plan":
        """The same with no more topics than documents."""
        ours, others = (
            Sweep(min(s.ceiling, n_docs), min(s.floor, n_docs), s.step)
            for s in (self.ours, self.others)
        )
        return self._replace(ours=ours, others=others)


def named_plan(
    name: str, profile: str, seeds: int | None = None, step: int | None = None
) -> Plan:
    """Plan for a named corpus.

    Parameters
    ----------
    name : str
        Name of the corpus.
    profile : {"quick", "full"}
        "full" has the paper's orders, 10 seeds for all methods, and sparse topical
        coding chooses its penalties; "quick" has fewer orders, 2 seeds for our model
        and 1 for the others.
    seeds, step : int, optional
        Take these for all methods instead.

    Examples
    --------
    >>> plan = named_plan("reuters", "quick")
    >>> plan.sweep("lda"), list(plan.seeds("ptm"))
    (Sweep(ceiling=100, floor=4, step=12), [0, 1])
    """
    if profile not in ("quick", "full"):
        raise ValueError(f"profile must be 'quick' or 'full', got {profile!r}.")
    whole, quick = FULL.get(name, OTHERS), profile == "quick"
    steps = QUICK_STEPS.get(name, (4, 16)) if quick else (whole.step, whole.step)
    ours, others = (whole._replace(step=step or own) for own in steps)
    our_seeds, other_seeds = (2, 1) if quick else (SEEDS, SEEDS)
    return Plan(ours, others, seeds or our_seeds, seeds or other_seeds, not quick)


def own_plan(
    max_topics: int, min_topics: int, seeds: int, step: int | None = None
) -> Plan:
    """Plan for a corpus of the user's: if not told, six orders for the other methods.

    Examples
    --------
    >>> own_plan(50, 2, seeds=1).others
    Sweep(ceiling=50, floor=2, step=8)
    """
    if not 1 <= min_topics <= max_topics:
        raise ValueError(
            f"min_topics must be from 1 to max_topics={max_topics}, got {min_topics}."
        )
    steps = (
        step or max(1, max_topics // 25),
        step or max(1, (max_topics - min_topics) // 6),
    )
    ours, others = (Sweep(max_topics, min_topics, own) for own in steps)
    return Plan(ours, others, seeds, seeds, False)
