"""How often `find_effects` finds a planted difference, and one where there is none.

python benchmarks/effects.py

200 corpora each, of 300 documents in three groups with 6 topics; in one group, topic 0
is drawn more often by the factor of the row. Prints the table of docs/effects.md.
"""

import time

import numpy as np

from leantopics.analysis.effects import find_effects

DRAWS, DOCUMENTS, TOPICS, PERMUTATIONS = 200, 300, 6, 39


def drawn(rng: np.random.Generator, factor: float) -> tuple[np.ndarray, list[str]]:
    """Proportions of one or two topics a document, and groups."""
    groups, alpha = rng.choice(list("abc"), DOCUMENTS), np.zeros((DOCUMENTS, TOPICS))
    for d, group in enumerate(groups):
        chance = np.where((np.arange(TOPICS) == 0) & (group == "a"), factor, 1.0)
        chance /= chance.sum()
        own = rng.choice(TOPICS, rng.integers(1, 3), replace=False, p=chance)
        alpha[d, own] = rng.dirichlet(np.ones(len(own)))
    return alpha, groups.tolist()


def main() -> None:
    """Print the rates."""
    begun = time.process_time()
    print("| factor | topic 0, BIC | p <= 0.05 | others, BIC | others, p <= 0.05 |")
    print("| --- | --- | --- | --- | --- |")
    for factor in (1.0, 2.0, 3.0, 4.0, 6.0):
        rng, rows = np.random.default_rng(2), []
        for _ in range(DRAWS):
            found = find_effects(*drawn(rng, factor), draws=PERMUTATIONS)
            by_bic = {effect.topic for effect in found.found}
            by_p = {effect.topic for effect in found.effects if effect.p <= 0.05}
            hits = [0 in by_bic, 0 in by_p, bool(by_bic - {0}), bool(by_p - {0})]
            rows.append(hits)
        print(
            f"| {factor:g} | " + " | ".join(f"{x:.1%}" for x in np.mean(rows, 0)) + " |"
        )
    print(f"CPU seconds: {time.process_time() - begun:.0f}")


if __name__ == "__main__":
    main()
