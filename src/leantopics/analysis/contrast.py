"""Words of groups of topics, and words that set a topic apart from its siblings."""

from typing import TypeAlias

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Ints, Longs

Ranked: TypeAlias = list[tuple[int, float, float]]
"""Words, the most characteristic first: (word, probability here, probability there)."""

_CLEARLY = 2.0
"""Words that are so many times as probable come before all others."""


def group_words(
    salient: sparse.csr_array,
    shared: Floats,
    mass: Floats,
    members: sparse.csr_array,
    n: int,
) -> list[Ranked]:
    """Words, at most n, that groups of topics use more than the shared model does.

    ``salient`` (M, N) and ``shared`` (N,) are probabilities, ``mass`` (M,) the shares
    of the topics, ``members`` (G, M) which topics each group has.

    Examples
    --------
    >>> salient = sparse.csr_array([[0.0, 0.6, 0.0], [0.0, 0.0, 0.8]])
    >>> shared, both = np.array([0.6, 0.2, 0.2]), sparse.csr_array([[1.0, 1.0]])
    >>> [found] = group_words(salient, shared, np.array([0.5, 0.5]), both, 2)
    >>> [(word, round(p, 3), q) for word, p, q in found]
    [(2, 0.5, 0.2), (1, 0.4, 0.2)]
    """
    above = salient.copy()
    above.data = above.data - shared[above.indices]
    weight = members.astype(np.float64)
    weight.data = weight.data * mass[weight.indices]
    total = np.maximum(weight.sum(axis=1), 1e-300)
    weight.data = weight.data / np.repeat(total, np.diff(weight.indptr))
    excess = sparse.csr_array(weight @ above)
    out = []
    for g in range(members.shape[0]):
        row = slice(*excess.indptr[g : g + 2])
        words = excess.indices[row]
        here = np.maximum(excess.data[row] + shared[words], 0.0)
        out.append(more_probable(words, here, shared[words])[:n])
    return out


def contrast(
    salient: sparse.csr_array, shared: Floats, topic: int, sibling: int, n: int
) -> Ranked:
    """Words that a topic uses more than a sibling, and than the shared model.

    They are ranked against whichever of the two has them more often, so that a common
    word does not come first because the sibling avoids it. See `group_words`.

    Examples
    --------
    >>> salient = sparse.csr_array([[0.5, 0.4, 0.0], [0.5, 0.0, 0.4]])
    >>> contrast(salient, np.array([0.2, 0.2, 0.2]), 0, 1, 9)
    [(1, 0.4, 0.2)]
    """
    row, other = salient[[topic]], salient[[sibling]]
    there = shared.copy()
    there[other.indices] = other.data
    preferred = row.data > shared[row.indices]
    words, here = row.indices[preferred], row.data[preferred]
    more = here > there[words]
    words, here = words[more], here[more]
    ranked = more_probable(words, here, np.maximum(there, shared)[words])[:n]
    return [(word, probability, float(there[word])) for word, probability, _ in ranked]


def more_probable(words: Longs | Ints, here: Floats, there: Floats) -> Ranked:
    """Words that are more probable here, by their part of the Poisson deviance.

    Examples
    --------
    >>> more_probable(np.arange(3), np.array([0.5, 0.1, 0.2]), np.array([0.3, 0, 0.3]))
    [(1, 0.1, 0.0), (0, 0.5, 0.3)]
    """
    more = here > there
    words, here, there = words[more], here[more], there[more]
    least = np.maximum(there, 1e-3 * here)
    deviance = here * np.log(here / least) - (here - least)
    order = np.lexsort((-deviance, here < _CLEARLY * there))
    columns = (words[order].tolist(), here[order].tolist(), there[order].tolist())
    return list(zip(*columns, strict=True))


def nearest(distance: Floats, group: Longs, n: int) -> list[list[int]]:
    """Nearest topics of each topic, those of its own group first.

    Examples
    --------
    >>> distance = np.array([[0.0, 0.1, 0.9], [0.1, 0.0, 0.5], [0.9, 0.5, 0.0]])
    >>> nearest(distance, np.array([0, 1, 0]), 1)
    [[2], [0], [0]]
    """
    out = []
    for j in range(len(distance)):
        order = np.lexsort((distance[j], group != group[j]))
        out.append(order[order != j][:n].tolist())
    return out
