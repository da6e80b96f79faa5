"""Bundles of arrays that kernels take; each is a plain NamedTuple."""

from typing import NamedTuple

import numpy as np

from leantopics._arrays import Floats, Ints, Longs

Changes = tuple[Longs, Longs, Ints, Floats, Floats]
"""Documents, and their new indptr, topic, alpha and log-likelihood."""
Proposals = tuple[Floats, Floats, Longs, Ints, Longs, Ints]
"""Length of documents, gain in log-likelihood, old indptr, topic, new indptr, topic."""


class DocTopics(NamedTuple):
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

    A word is salient in the topics listed (the switches u), in order of decreasing
    excess. An excess of -1 is a word salient by its absence.
    """

    indptr: Longs
    topic: Ints
    excess: Floats


class PartialCounts(NamedTuple):
    """Expected counts x[j, n] of the E-step of some documents, topic-major.

    The distinct words of topic j are ``word[indptr[j]:indptr[j] + size[j]]``, in the
    order in which they first occur in the documents.
    """

    indptr: Longs
    size: Longs
    word: Ints
    x: Floats


class Statistics(NamedTuple):
    """Expected counts of all documents, and what else the word pass needs.

    The first four fields are those of a `PartialCounts`.
    """

    indptr: Longs
    size: Longs
    word: Ints
    x: Floats
    beta0: Floats
    fixed: Floats
    """x log(x / beta0) - x, the part of a word's deviance that its count determines."""


class Shared(NamedTuple):
    """The shared model beta0 (label p0), and its words, most frequent first."""

    beta0: Floats
    order: Ints
    sorted_beta0: Floats
    """beta0[order]."""
    cumulated: Floats
    """(N + 1,): sums of the first k of sorted_beta0."""


class Prices(NamedTuple):
    """Prices of the topic switches of a document in (bic), given everything else."""

    log_choose: Floats
    """log C(M, m) for m = 0 .. M."""
    half_salient: Floats
    """N_j / 2 of each topic."""
    tokens: Floats
    """Lbar_j: length of the documents in which a topic is present."""
    documents: Longs
    """Number of documents in which a topic is present."""


class Solver(NamedTuple):
    """Scratch for solving the proportions of a document of n words and m topics."""

    ratio: Floats
    """(m + 1, n): 1 + r of the present topics and of a topic on trial."""
    q: Floats
    weight: Floats
    """c / q."""
    scratch: Floats
    grad: Floats
    hess: Floats
    slope: Floats
    step: Floats
    move: Floats


class Screen(NamedTuple):
    """Scratch for bounding the gain of adding a topic; all but inverse are by topic."""

    inverse: Floats
    """1 / q at the present proportions, while trials change q."""
    total: Floats
    """Gradient of every topic, without the base that all topics share."""
    near_count: Floats
    near: Floats
    near_own: Floats
    """(M, m): gradient of the present topics over bin 1 of each topic."""
    candidate: Ints
    hope: Floats
    price: Floats
    start: Floats
    short: Floats
    """(1,): nats by which the nearest flip falls short of its price."""


class Trial(NamedTuple):
    """Scratch for trying flips, and the best of them."""

    columns: Longs
    """0, 1, 2, ...: the rows of ratio in use if none is left out."""
    kept: Longs
    alpha: Floats
    slope: Floats
    """Slopes of the present topics at their proportions, for trials to begin from."""
    hess: Floats
    """(m, m): their curvature."""
    best_alpha: Floats
    best_row: Floats
    place: Ints
    """(N,): position of a word in the document, -1 for other words."""


class Workspace(NamedTuple):
    """All scratch that one shard needs."""

    solver: Solver
    screen: Screen
    trial: Trial


def workspace(
    n_present: int, n_words: int, n_topics: int, dictionary: int
) -> Workspace:
    """Scratch for up to n_words distinct words and n_present topics per document."""
    return Workspace(
        Solver(
            ratio=np.empty((n_present, n_words)),
            q=np.empty(n_words),
            weight=np.empty(n_words),
            scratch=np.empty(n_words),
            grad=np.zeros(n_present),
            hess=np.zeros((n_present, n_present)),
            slope=np.zeros(n_present),
            step=np.zeros(n_present),
            move=np.zeros(n_present),
        ),
        Screen(
            inverse=np.empty(n_words),
            total=np.zeros(n_topics),
            near_count=np.zeros(n_topics),
            near=np.zeros(n_topics),
            near_own=np.zeros((n_topics, n_present)),
            candidate=np.zeros(n_topics, np.int32),
            hope=np.zeros(n_topics),
            price=np.zeros(n_topics),
            start=np.zeros(n_topics),
            short=np.zeros(1),
        ),
        Trial(
            columns=np.arange(n_present, dtype=np.int64),
            kept=np.arange(n_present, dtype=np.int64),
            alpha=np.zeros(n_present),
            slope=np.zeros(n_present),
            hess=np.zeros((n_present, n_present)),
            best_alpha=np.zeros(n_present),
            best_row=np.empty(n_words),
            place=np.full(dictionary, -1, np.int32),
        ),
    )
