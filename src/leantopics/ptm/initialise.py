"""First parameters: topics grown from documents drawn at random."""

import numpy as np

from leantopics.engine import Engine
from leantopics.ptm.kernels import assignments
from leantopics.ptm.kernels.arrays import (
    Floats,
    Ints,
    Longs,
    Mixes,
    Prices,
    Salient,
    Table,
)
from leantopics.ptm.state import (
    Data,
    Parameters,
    single_topics,
    word_major,
)
from leantopics.ptm.switches import Memory, compact, expected_counts

TRACE = 1e-6
"""Share of the shared model mixed into a topic where an absent word may be met."""


def best_topics(
    data: Data, table: Table, known: list[Ints], workers: Engine
) -> list[Ints]:
    """Most likely single topic of each document whose topic is not ``known``, -1."""
    log_ratio = np.log1p((1.0 - TRACE) * table.excess)
    n_topics = int(table.topic.max(initial=0)) + 1
    prices = _free_prices(n_topics)

    def best(shard: int) -> Ints:
        out = known[shard].astype(np.int32)
        assignments.best_topics(data.shards[shard], table, log_ratio, prices, out)
        return out

    return workers.map(best, range(len(data.shards)))


def unknown_topics(data: Data) -> list[Ints]:
    """No document's topic is known."""
    return [np.full(len(lengths), -1, dtype=np.int32) for lengths in data.doc_length]


def _free_prices(n_topics: int) -> Prices:
    """Prices of zero: the most likely topic wins."""
    return Prices(
        np.zeros(n_topics + 1),
        np.zeros(n_topics),
        np.ones(n_topics),
        np.full(n_topics, 2, dtype=np.int64),
    )


def frequencies(data: Data, size: Longs, word: Ints, x: Floats) -> Salient:
    """Every word seen by a topic is salient, with its frequency there (pj, muj)."""
    indptr = np.concatenate(([0], np.cumsum(size)))
    beta0 = data.shared.beta0[word]
    mass = np.add.reduceat(x, indptr[:-1])
    share = np.add.reduceat(beta0, indptr[:-1])
    return Salient(indptr, word, x / (np.repeat(mass / share, size) * beta0) - 1.0)


def _split(topic: Ints, data: Data) -> list[Mixes]:
    ends = np.cumsum([len(lengths) for lengths in data.doc_length])[:-1]
    return [single_topics(part) for part in np.split(topic, ends)]


def _estimate(data: Data, topic: Ints, n_topics: int, workers: Engine) -> Salient:
    mixes = _split(topic, data)
    whole = [shard.data for shard in data.shards]
    counts = expected_counts(data, mixes, whole, n_topics, workers, Memory())
    _, word, x = compact(counts)
    return frequencies(data, counts.size, word, x)


def _keep_one(topic: Ints, keeper: np.ndarray, n_topics: int) -> Ints:
    """Give a topic that got no document its keeper back (keepers are distinct)."""
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
    salient = _seed_words(data, seeds)
    table = word_major(salient, data.n_words)
    best = best_topics(data, table, unknown_topics(data), workers)
    topic = _keep_one(np.concatenate(best), keeper, n_topics)
    return Parameters(_estimate(data, topic, n_topics, workers), _split(topic, data))


def _seed_words(data: Data, seeds: np.ndarray) -> Salient:
    """Word frequencies of the seed documents (init_docs, M) of each topic."""
    starts = np.cumsum([0] + [len(lengths) for lengths in data.doc_length])
    found = []
    for documents in seeds.T:
        words, x = [], []
        for d in documents:
            place = int(np.searchsorted(starts, d, side="right")) - 1
            shard = data.shards[place]
            low, high = shard.indptr[d - starts[place] : d - starts[place] + 2]
            words.append(shard.indices[low:high])
            x.append(shard.data[low:high])
        distinct, where = np.unique(np.concatenate(words), return_inverse=True)
        found.append((distinct, np.bincount(where, np.concatenate(x))))
    return frequencies(
        data,
        np.array([len(word) for word, _ in found]),
        np.concatenate([word for word, _ in found]),
        np.concatenate([x for _, x in found]),
    )


def random_topics(
    data: Data, n_topics: int, random: np.random.RandomState, workers: Engine
) -> Parameters:
    """Initialise by putting every document into a topic drawn at random."""
    keeper = random.permutation(data.n_docs)[:n_topics]
    topic = random.randint(n_topics, size=data.n_docs).astype(np.int32)
    topic = _keep_one(topic, keeper, n_topics)
    return Parameters(_estimate(data, topic, n_topics, workers), _split(topic, data))
