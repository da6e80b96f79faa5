"""First parameters: topics grown from documents drawn at random."""

from typing import Any

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import group_tasks
from leantopics.ptm.expected_counts import compact
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.moves import rearrange
from leantopics.ptm.state import Data, Documents, Parameters


def frequencies(data: Data, size: Longs, word: Ints, x: Floats) -> Salient:
    """Make every word seen by a topic salient, with its frequency there (pj, muj)."""
    indptr = np.concatenate(([0], np.cumsum(size)))
    beta0 = data.shared.beta0[word]
    mass = np.add.reduceat(x, indptr[:-1])
    share = np.add.reduceat(beta0, indptr[:-1])
    return Salient(indptr, word, x / (np.repeat(mass / share, size) * beta0) - 1.0)


def _estimate(data: Data, topic: Ints, n_topics: int, workers: Engine) -> Parameters:
    """Make every word in the documents of a topic salient in it."""
    topics = rearrange.single(data, [None] * len(data.groups), topic, workers)
    shared = (n_topics, data.n_words)
    found = group_tasks.expected(group_tasks.whole, data, topics, workers, *shared)
    part = compact(found.counts)
    return Parameters(frequencies(data, part.size, part.word, part.x), found.topics)


def _keep_one(topic: Ints, keeper: np.ndarray, n_topics: int) -> Ints:
    """Give a topic without documents its keeper back (keepers are distinct)."""
    empty = np.bincount(topic, minlength=n_topics) == 0
    while empty.any():
        topic[keeper[empty]] = np.flatnonzero(empty).astype(np.int32)
        empty = np.bincount(topic, minlength=n_topics) == 0
    return topic


def seeded(
    data: Data,
    n_topics: int,
    init_docs: int,
    random: np.random.RandomState,
    workers: Engine,
) -> Parameters:
    """Initialise as in the paper: seed documents, hard assignment, re-estimation.

    Each topic starts from the word frequencies of ``init_docs`` random documents; every
    document goes to its most likely topic; frequencies are counted again.
    """
    needed = init_docs * n_topics
    rounds = -(-needed // data.n_docs)
    drawn = np.concatenate([random.permutation(data.n_docs) for _ in range(rounds)])
    seeds = drawn[:needed].reshape(init_docs, n_topics)
    keeper = seeds[0]
    salient = _seed_words(data, seeds, workers)
    best = rearrange.best_topics(data, [None] * len(data.groups), salient, workers)
    topic = _keep_one(best, keeper, n_topics)
    return _estimate(data, topic, n_topics, workers)


def _seed_words(data: Data, seeds: np.ndarray, workers: Engine) -> Salient:
    """Word frequencies of the seed documents (init_docs, M) of each topic."""
    wanted = np.unique(seeds)
    first = np.cumsum([0, *(sum(sizes) for sizes in data.sizes)])
    group = np.searchsorted(first, wanted, side="right") - 1
    own = [wanted[group == g] - first[g] for g in range(len(data.groups))]
    nothing = [None] * len(data.groups)
    found = workers.read(_rows, data.groups, nothing, data.n_words, own=own)
    rows = sparse.csr_array(sparse.vstack(found))
    words = []
    for documents in np.searchsorted(wanted, seeds).T:
        chosen = rows[documents]
        distinct, where = np.unique(chosen.indices, return_inverse=True)
        words.append((distinct, np.bincount(where, chosen.data)))
    return frequencies(
        data,
        np.array([len(word) for word, _ in words]),
        np.concatenate([word for word, _ in words]).astype(np.int32),
        np.concatenate([x for _, x in words]),
    )


def _rows(
    group: Documents, topics: Any, workers: Engine, n_words: int, own: Longs
) -> sparse.csr_array:
    """Counts of some documents of a group."""
    ends = np.cumsum([0, *(len(lengths) for lengths in group.length)])
    parts = []
    for counts, first, last in zip(group.shards, ends[:-1], ends[1:], strict=True):
        here = own[(own >= first) & (own < last)] - first
        parts.append(group_tasks.matrix(counts, n_words)[here])
    return sparse.csr_array(sparse.vstack(parts))


def random_topics(
    data: Data, n_topics: int, random: np.random.RandomState, workers: Engine
) -> Parameters:
    """Initialise by assigning every document to a random topic."""
    keeper = random.permutation(data.n_docs)[:n_topics]
    topic = random.randint(n_topics, size=data.n_docs).astype(np.int32)
    topic = _keep_one(topic, keeper, n_topics)
    return _estimate(data, topic, n_topics, workers)
