"""The cost of removing topics, and which of them to remove together."""

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Ints
from leantopics.engine.threads import Engine
from leantopics.ptm.kernels import removal
from leantopics.ptm.kernels.arrays import Table
from leantopics.ptm.moves.rearrange import TRACE, topic_words
from leantopics.ptm.state import (
    Data,
    DocState,
    Documents,
    Parameters,
    transposed,
)

_MAIN_HEIR = 0.25
"""A topic stays if it would inherit this share of the words of a removed one."""


def spread_out(loss: Floats, heirs: sparse.csr_array, n_removed: int) -> np.ndarray:
    """Topics with the lowest losses, but none that inherits from another of them.

    Of two similar topics, losing one costs little, but losing both costs much. Heirs of
    a quarter of a topic or more stay for now, as long as there are others to remove.
    """
    removed: list[int] = []
    stay = np.zeros(len(loss), dtype=np.bool_)
    order = np.argsort(loss, kind="stable")
    for topic in order:
        if len(removed) < n_removed and not stay[topic]:
            removed.append(int(topic))
            row = slice(heirs.indptr[topic], heirs.indptr[topic + 1])
            stay[heirs.indices[row][heirs.data[row] >= _MAIN_HEIR]] = True
            stay[topic] = True
    others = [int(topic) for topic in order if topic not in set(removed)]
    return np.array([*removed, *others][:n_removed], dtype=np.int64)


def losses(
    data: Data, parameters: Parameters, log_choose: Floats, workers: Engine
) -> tuple[Floats, sparse.csr_array]:
    """Loss of the documents without each topic (M,), and who gets its words (M, M)."""
    table = transposed(parameters.salient, data.n_words)
    table = table._replace(excess=(1.0 - TRACE) * table.excess)
    shared = (table, np.log1p(table.excess), log_choose)
    found = workers.read(_losses, data.groups, parameters.topics, *shared)
    loss, heirs = zip(*found, strict=True)
    words = heirs[0]
    for more in heirs[1:]:
        words = words + more
    return np.sum(loss, axis=0), words


def _losses(
    group: Documents,
    topics: DocState,
    workers: Engine,
    table: Table,
    log_ratio: Floats,
    log_choose: Floats,
) -> tuple[Floats, sparse.csr_array]:
    def lost(shard: int) -> tuple[Floats, Ints]:
        mix, gain = topics.mixes[shard], topics.gain[shard]
        loss = np.empty(len(mix.topic))
        heir = np.empty(len(mix.topic), dtype=np.int32)
        counts = group.shards[shard]
        removal.losses(counts, mix, table, log_ratio, log_choose, gain, loss, heir)
        return loss, heir

    n_topics = len(log_choose) - 1
    found = workers.map(lost, range(len(group.shards)))
    loss, heir = (np.concatenate(parts) for parts in zip(*found, strict=True))
    topic = np.concatenate([mix.topic for mix in topics.mixes])
    words = topic_words(group, topics)
    heirs = sparse.coo_array((words, (topic, heir)), shape=(n_topics, n_topics))
    rise = np.bincount(topic, loss, minlength=n_topics)
    return rise.astype(np.float64), heirs.tocsr()
