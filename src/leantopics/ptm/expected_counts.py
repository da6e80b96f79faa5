"""Expected counts of words by topic: split, gathered by group, and added up."""

from collections.abc import Callable

import numpy as np

from leantopics._arrays import Floats
from leantopics.engine.threads import Engine
from leantopics.ptm.kernels import statistics
from leantopics.ptm.kernels.arrays import (
    DocTopics,
    PartialCounts,
    Salient,
    Statistics,
)
from leantopics.ptm.state import Data, Documents

_TOPIC_BLOCK = 8


def blocks(n_topics: int) -> list[tuple[int, int]]:
    """Ranges of topics that are processed together: first, and one past the last."""
    starts = range(0, n_topics, _TOPIC_BLOCK)
    return [(first, min(first + _TOPIC_BLOCK, n_topics)) for first in starts]


def split_counts(
    group: Documents,
    mixes: list[DocTopics],
    salient: Salient,
    n_words: int,
    gain: list[Floats] | None,
    workers: Engine,
) -> PartialCounts:
    """Expected counts (M, N) of a group (label pz). Writes: gain, if it is given."""
    nothing = np.empty(0)

    def split(shard: int) -> Floats:
        values = nothing if gain is None else gain[shard]
        out: Floats = statistics.expect(
            group.shards[shard], mixes[shard], salient, n_words, values
        )
        return out

    return gathered(group, mixes, split, (salient.n_topics, n_words), workers)


def gathered(
    group: Documents,
    mixes: list[DocTopics],
    split: Callable[[int], Floats],
    shape: tuple[int, int],
    workers: Engine,
) -> PartialCounts:
    """Expected counts (M, N) of a group; ``split(shard)`` returns split counts.

    They are valid until the workers' memory is used again.
    """
    n_topics, n_words = shape
    shards, memory = range(len(group.shards)), workers.memory
    entries = np.zeros((len(shards), n_topics), dtype=np.int64)
    for shard in shards:
        statistics.entries(group.shards[shard], mixes[shard], entries[shard])
    indptr = np.concatenate(([0], np.cumsum(entries.sum(axis=0))))
    starts = indptr[:-1] + np.cumsum(entries, axis=0) - entries
    word = memory.array("word", indptr[-1], np.int32)
    x = memory.array("x", indptr[-1])
    size = np.zeros(n_topics, dtype=np.int64)

    def gather(shard: int) -> None:
        counts, mix = group.shards[shard], mixes[shard]
        statistics.gather(counts, mix, split(shard), starts[shard], word, x)

    def merge(block: tuple[int, int]) -> None:
        statistics.merge(word, x, indptr, *block, n_words, size)

    workers.map(gather, shards)
    workers.map(merge, blocks(n_topics))
    return PartialCounts(indptr, size, word, x)


def add_counts(n_words: int, parts: list[PartialCounts]) -> PartialCounts:
    """Expected counts of several parts, added in order."""
    if len(parts) == 1:
        return compact(parts[0])
    sizes = np.sum([part.size for part in parts], axis=0)
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    word, x = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    cursor, size = indptr[:-1].copy(), np.zeros(len(sizes), dtype=np.int64)
    for part in parts:
        statistics.append(part, cursor, word, x)
    statistics.merge(word, x, indptr, 0, len(size), n_words, size)
    return compact(PartialCounts(indptr, size, word, x))


def compact(counts: PartialCounts | Statistics) -> PartialCounts:
    """Copy expected counts to fresh memory, without gaps between the topics."""
    part = PartialCounts(*counts[:4])
    indptr = np.concatenate(([0], np.cumsum(part.size)))
    word, x = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    statistics.append(part, indptr[:-1].copy(), word, x)
    return PartialCounts(indptr, part.size, word, x)


def completed(data: Data, part: PartialCounts, workers: Engine) -> Statistics:
    """Expected counts, with what else the word pass needs."""
    beta0, fixed = (
        workers.memory.array(name, len(part.word)) for name in ("beta0", "fixed")
    )

    def complete(block: tuple[int, int]) -> None:
        statistics.complete(part, *block, data.shared.beta0, beta0, fixed)

    workers.map(complete, blocks(len(part.size)))
    return Statistics(*part, beta0, fixed)
