"""The bundles of arrays that kernels take; each is a plain NamedTuple."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leantopics.compiled import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]
Changes = tuple[Longs, Longs, Ints, Floats, Floats, Floats]
"""Documents, and their new indptr, topic, alpha, log-likelihood and split counts."""


N_BINS = 8
"""Words of a collapsed document."""


class Counts(NamedTuple):
    """Documents as CSR rows: ``data[indptr[d]:indptr[d + 1]]`` counts ``indices``."""

    indptr: Longs
    indices: Ints
    data: Floats


class Mixes(NamedTuple):
    """Topics present in each document (the switches v) with their proportions."""

    indptr: Longs
    topic: Ints
    alpha: Floats


class Salient(NamedTuple):
    """Salient words of each topic (the switches u) with ``beta / beta0 - 1``."""

    indptr: Longs
    word: Ints
    excess: Floats

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.indptr) - 1


class Table(NamedTuple):
    """Salient entries, word-major: topics of word n and ``excess = beta / beta0 - 1``.

    A word is salient in the topics listed (the switches u), by falling excess. An
    excess of -1 is a word salient by its absence.
    """

    indptr: Longs
    topic: Ints
    excess: Floats


class Statistics(NamedTuple):
    """Expected counts x[j, n] of the E-step, topic-major.

    The distinct words of topic j are ``word[indptr[j]:indptr[j] + size[j]]``.
    """

    indptr: Longs
    size: Longs
    word: Ints
    x: Floats
    beta0: Floats
    fixed: Floats
    """x log(x / beta0) - x, what the deviance of a word owes to its count alone."""


class Shared(NamedTuple):
    """The shared model beta0 (label p0), and its words from the most frequent down."""

    beta0: Floats
    order: Ints
    sorted_beta0: Floats
    """beta0[order]."""
    cumulated: Floats
    """(N + 1,): sums of the first k of sorted_beta0."""


class Prices(NamedTuple):
    """What the topic switches of a document cost in (bic), given everything else."""

    log_choose: Floats
    """log C(M, m) for m = 0 .. M."""
    half_salient: Floats
    """N_j / 2 of each topic."""
    tokens: Floats
    """Lbar_j: length of the documents in which a topic is present."""
    documents: Longs
    """Number of these documents."""


class Workspace(NamedTuple):
    """Scratch for the documents of one shard."""

    ratio: Floats
    """(2 m, words): 1 + r of the present topics, and of one on trial; from row m on
    the same for the collapsed document."""
    q: Floats
    inverse: Floats
    """1 / q at the present proportions, while trials change q."""
    bins: Floats
    """Counts of the collapsed document."""
    weight: Floats
    """c / q."""
    scratch: Floats
    grad: Floats
    hess: Floats
    slope: Floats
    step: Floats
    move: Floats
    columns: Longs
    """0, 1, 2, ...: the rows of ratio in use when none is left out."""
    kept: Longs
    trial: Floats
    collapsed: Floats
    """Proportions of the collapsed document."""
    best_alpha: Floats
    best_row: Floats
    total: Floats
    """(M,): gradient of every topic, less what an absent word contributes."""
    near_count: Floats
    near: Floats
    near_own: Floats
    """(m, M): gradient of the present topics over bin 1 of each topic."""
    candidate: Ints
    hope: Floats
    price: Floats
    start: Floats
    place: Ints
    """(N,): place of a word in the document, -1 for others."""
    short: Floats
    """(1,): nats by which the nearest flip falls short of its price."""


@kernel
def copy(source: Any, target: Any, n: int) -> None:
    """``target[:n] = source[:n]``: a loop compiles far quicker than slices do."""
    for i in range(n):
        target[i] = source[i]


@kernel
def room(array: Any, used: int, size: int) -> Any:
    """The array, or a larger copy of its used part, with place for size items."""
    if size <= array.shape[0]:
        return array
    larger = np.empty(2 * size, array.dtype)
    copy(array, larger, used)
    return larger


@kernel
def longest(indptr: Longs) -> int:
    """Length of the longest row."""
    most = 0
    for d in range(indptr.shape[0] - 1):
        most = max(most, indptr[d + 1] - indptr[d])
    return most


@kernel
def has(topics: Ints, topic: int) -> bool:
    """Whether the topic is among the topics."""
    for k in topics:
        if k == topic:
            return True
    return False


@kernel
def largest(values: Floats, n: int) -> int:
    """Place of the largest of the first n values, the first among equals."""
    best = 0
    for i in range(1, n):
        if values[i] > values[best]:
            best = i
    return best


@kernel
def sort_table(table: Table) -> None:
    """Sort the entries of each word by falling excess, in place; equal ones stay."""
    for n in range(table.indptr.shape[0] - 1):
        first = table.indptr[n]
        for e in range(first + 1, table.indptr[n + 1]):
            topic, excess = table.topic[e], table.excess[e]
            place = e
            while place > first and table.excess[place - 1] < excess:
                table.topic[place] = table.topic[place - 1]
                table.excess[place] = table.excess[place - 1]
                place -= 1
            table.topic[place], table.excess[place] = topic, excess


@kernel
def workspace(
    n_present: int, n_words: int, n_topics: int, dictionary: int
) -> Workspace:
    """Scratch for up to n_words distinct words and n_present topics a document."""
    n_words = max(n_words, N_BINS)
    return Workspace(
        np.ones((2 * n_present, n_words)),
        np.ones(n_words),
        np.ones(n_words),
        np.zeros(N_BINS),
        np.zeros(n_words),
        np.zeros(n_words),
        np.zeros(n_present),
        np.zeros((n_present, n_present)),
        np.zeros(n_present),
        np.zeros(n_present),
        np.zeros(n_present),
        np.arange(2 * n_present),
        np.arange(n_present),
        np.zeros(n_present),
        np.zeros(n_present),
        np.zeros(n_present),
        np.zeros(n_words),
        np.zeros(n_topics),
        np.zeros(n_topics),
        np.zeros(n_topics),
        np.zeros((n_present, n_topics)),
        np.zeros(n_topics, np.int32),
        np.zeros(n_topics),
        np.zeros(n_topics),
        np.zeros(n_topics),
        np.full(dictionary, -1, np.int32),
        np.zeros(1),
    )
