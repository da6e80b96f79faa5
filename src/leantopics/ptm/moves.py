"""Topics of documents from one number of topics to another."""

import numpy as np
from scipy import sparse

from leantopics.ptm.kernels.arrays import Bools, Floats, Mixes
from leantopics.ptm.state import Data, Parameters, single_topics

_MAIN_HEIR = 0.25
"""Share of a topic's words that makes another one stay when it goes."""


def spread_out(loss: Floats, heirs: sparse.csr_array, n_removed: int) -> np.ndarray:
    """Topics of the least losses, but none that is to inherit from another of them.

    Two topics alike are missed little if one goes and much if both go. Heirs of a
    quarter of a topic or more stay for now, while there are others to remove.
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
    return np.array([*removed, *others][:n_removed])


def stack(data: Data, rows: list[np.ndarray]) -> sparse.csr_array:
    """Chosen rows of all shards as one matrix."""
    parts = []
    for shard, chosen in zip(data.shards, rows, strict=True):
        shape = (len(shard.indptr) - 1, data.n_words)
        matrix = sparse.csr_array(
            (shard.data, shard.indices, shard.indptr), shape=shape
        )
        parts.append(matrix[chosen])
    return sparse.csr_array(sparse.vstack(parts))


def unchanged(before: Mixes, smaller: Mixes, after: Mixes) -> Bools:
    """Documents that lost no topic when some were removed, and got no new one."""
    size = np.diff(before.indptr)
    same: Bools = (size == np.diff(smaller.indptr)) & (size == np.diff(after.indptr))
    first, now = smaller.indptr[:-1][same], after.indptr[:-1][same]
    same[same] = smaller.topic[first] == after.topic[now]
    return same


def adopt(mixes: Mixes, best: np.ndarray) -> Mixes:
    """Documents without a topic get their best single one."""
    size = np.diff(mixes.indptr)
    orphans = np.flatnonzero(size == 0)
    if len(orphans) == 0:
        return mixes
    places = mixes.indptr[orphans]
    size[orphans] = 1
    return Mixes(
        np.concatenate(([0], np.cumsum(size))),
        np.insert(mixes.topic, places, best[orphans]),
        np.insert(mixes.alpha, places, 1.0),
    )


def hard(parameters: Parameters, best: list[np.ndarray]) -> list[Mixes]:
    """Every document in its best topic; a topic none chose takes its best document."""
    topic = np.concatenate(best)
    counts = np.bincount(topic, minlength=parameters.n_topics)
    alpha = _proportions(parameters.mixes, parameters.n_topics).tocsc()
    for j in np.flatnonzero(counts == 0):
        column = slice(alpha.indptr[j], alpha.indptr[j + 1])
        documents = alpha.indices[column][
            np.argsort(-alpha.data[column], kind="stable")
        ]
        spare = documents[counts[topic[documents]] > 1]
        others = np.flatnonzero(counts[topic] > 1)
        chosen = spare[0] if len(spare) else others[0]
        counts[topic[chosen]] -= 1
        counts[j] = 1
        topic[chosen] = j
    ends = np.cumsum([len(part) for part in best])[:-1]
    return [single_topics(part) for part in np.split(topic, ends)]


def _proportions(mixes: list[Mixes], n_topics: int) -> sparse.csr_array:
    sizes = np.concatenate([np.diff(m.indptr) for m in mixes])
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    alpha: Floats = np.concatenate([m.alpha for m in mixes])
    topic = np.concatenate([m.topic for m in mixes])
    return sparse.csr_array((alpha, topic, indptr), shape=(len(sizes), n_topics))
