"""Numbers of topics and seeds of a study, from a quick one to the paper's."""

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


QUICK = {
    "20newsgroups": (4, 32),
    "labelme": (2, 17),
    "ohsumed": (15, 45),
    "reuters": (4, 30),
}
"""Topics removed at a time in a quick study, for our model and the others; the sweeps
include the number of the paper's tables."""


class Plan(NamedTuple):
    """What a study fits."""

    ours: Sweep
    others: Sweep
    our_seeds: int
    other_seeds: int
    search_penalties: bool
    """Whether sparse topical coding chooses its penalties from a grid."""

    def sweep(self, method: str) -> Sweep:
        """Return the numbers of topics of a method."""
        return self.ours if METHODS[method].is_ours else self.others

    def seeds(self, method: str) -> range:
        """Return the seeds of a method."""
        return range(self.our_seeds if METHODS[method].is_ours else self.other_seeds)

    def fitting(self, n_docs: int) -> "Plan":
        """Return the plan with no more topics than documents."""
        ours, others = (
            Sweep(min(s.ceiling, n_docs), min(s.floor, n_docs), s.step)
            for s in (self.ours, self.others)
        )
        return self._replace(ours=ours, others=others)


def named_plan(
    name: str, profile: str, seeds: int | None = None, step: int | None = None
) -> Plan:
    """Return the plan for a named corpus.

    "full" has the paper's numbers of topics and 10 seeds for all methods, "long" only
    3 seeds for those that are not ours. "quick" has fewer of both, and sparse topical
    coding uses its default penalties instead of choosing them. ``seeds`` and ``step``
    are for all methods instead.

    Examples
    --------
    >>> plan = named_plan("reuters", "quick")
    >>> plan.sweep("lda"), list(plan.seeds("ptm"))
    (Sweep(ceiling=100, floor=4, step=30), [0, 1])
    """
    whole = FULL.get(name, OTHERS)
    steps, n_seeds = (whole.step, whole.step), (SEEDS, SEEDS)
    if profile == "quick":
        steps, n_seeds = QUICK.get(name, (4, 16)), (2, 1)
    elif profile == "long":
        n_seeds = (SEEDS, 3)
        if name not in FULL:
            steps, n_seeds = (2, 16), (3, 1)
    elif profile != "full":
        raise ValueError(f"profile must be 'quick', 'long' or 'full', got {profile!r}.")
    ours, others = (whole._replace(step=step or own) for own in steps)
    our_seeds, other_seeds = (seeds or own for own in n_seeds)
    return Plan(ours, others, our_seeds, other_seeds, profile != "quick")


def own_plan(
    max_topics: int, min_topics: int, seeds: int, step: int | None = None
) -> Plan:
    """Return the plan for a user's corpus.

    Without ``step``, our model has about 25 numbers of topics, the others about six.

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
