"""Renumbering topics, joining them, assigning them: what all moves share."""

from typing import Any

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm.group_tasks import fetched
from leantopics.ptm.kernels import assignments
from leantopics.ptm.kernels.arrays import DocTopics, Prices, Salient, Table
from leantopics.ptm.state import (
    Data,
    DocState,
    Documents,
    Parameters,
    end_to_end,
    single_topics,
    unknown,
    word_major,
)

TRACE = 1e-6
"""Share of the shared model mixed into topics for words that they exclude."""


def topic_mass(data: Data, parameters: Parameters, workers: Engine) -> Floats:
    """Expected number of words of each topic, sum_d L_d alpha[d, j]."""
    n_topics = parameters.n_topics
    found = workers.read(_mass, data.groups, parameters.topics, n_topics)
    mass: Floats = np.sum(found, axis=0)
    return mass


def _mass(group: Documents, topics: DocState, workers: Engine, n_topics: int) -> Floats:
    mass: Floats = np.zeros(n_topics)
    for lengths, mixes in zip(group.length, topics.mixes, strict=True):
        weights = np.repeat(lengths, np.diff(mixes.indptr)) * mixes.alpha
        mass += np.bincount(mixes.topic, weights, minlength=n_topics)
    return mass


def best_topics(
    data: Data, topics: list[Any], salient: Salient, workers: Engine
) -> Ints:
    """Most likely single topic of each document, regardless of its cost."""
    scores = likely(salient, data.n_words)
    return np.concatenate(workers.read(_best, data.groups, topics, *scores))


def likely(salient: Salient, n_words: int) -> tuple[Table, Floats, Prices]:
    """Arguments for finding the most likely topic of a document."""
    table, n_topics = word_major(salient, n_words), salient.n_topics
    nothing = Prices(
        np.zeros(n_topics + 1),
        np.zeros(n_topics),
        np.ones(n_topics),
        np.full(n_topics, 2, dtype=np.int64),
    )
    return table, np.log1p((1.0 - TRACE) * table.excess), nothing


def _best(
    group: Documents,
    topics: Any,
    workers: Engine,
    table: Table,
    log_ratio: Floats,
    prices: Prices,
) -> Ints:
    def best(shard: int) -> Ints:
        out = np.full(len(group.length[shard]), -1, dtype=np.int32)
        counts = group.shards[shard]
        assignments.best_topics(counts, table, log_ratio, prices, out)
        return out

    return np.concatenate(workers.map(best, range(len(group.shards))))


def single(data: Data, topics: list[Any], topic: Ints, workers: Engine) -> list[Any]:
    """Give every document one topic; it stays quiet if that was its only one before."""
    own = data.by_group(topic)
    return workers.update(_single, data.groups, topics, own=own)


def _single(
    group: Documents, topics: DocState | None, workers: Engine, own: Ints
) -> DocState:
    ends = np.cumsum([len(lengths) for lengths in group.length])[:-1]
    new = unknown([single_topics(part) for part in np.split(own, ends)])
    if topics is not None:
        for mixes, there, quiet, calm in zip(
            topics.mixes, new.mixes, topics.quiet, new.quiet, strict=True
        ):
            same = np.diff(mixes.indptr) == 1
            same[same] = mixes.topic[mixes.indptr[:-1][same]] == there.topic[same]
            calm[same] = quiet[same]
    return new


def hard(data: Data, parameters: Parameters, best: Ints, workers: Engine) -> list[Any]:
    """Give every document its best topic; unchosen topics take their best document."""
    counts = np.bincount(best, minlength=parameters.n_topics)
    empty = np.flatnonzero(counts == 0)
    found = workers.read(_shares, data.groups, parameters.topics, empty)
    first = np.cumsum([0, *(sum(sizes) for sizes in data.sizes)])
    alike = zip(first, found, strict=False)
    shares = [(start + doc, topic, alpha) for start, (doc, topic, alpha) in alike]
    doc, topic, alpha = (np.concatenate(each) for each in zip(*shares, strict=True))
    for j in empty:
        documents = doc[topic == j][np.argsort(-alpha[topic == j], kind="stable")]
        spare = documents[counts[best[documents]] > 1]
        others = np.flatnonzero(counts[best] > 1)
        chosen = spare[0] if len(spare) else others[0]
        counts[best[chosen]] -= 1
        counts[j] = 1
        best[chosen] = j
    return single(data, parameters.topics, best, workers)


def _shares(
    group: Documents, topics: DocState, workers: Engine, wanted: Longs
) -> tuple[Longs, Ints, Floats]:
    """Documents that have some topics, with their proportions."""
    indptr, topic, alpha = end_to_end(topics.mixes)
    here = np.isin(topic, wanted)
    doc = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return doc[here], topic[here], alpha[here]


def together(
    data: Data, one: Parameters, two: Parameters, workers: Engine
) -> Parameters:
    """Join the topics of two models; a document keeps those of its likelier model."""
    theirs = fetched(data, two.topics, workers)
    shift = np.int32(one.n_topics)
    topics = workers.update(_likelier, data.groups, one.topics, shift, own=theirs)
    return Parameters(stacked(one.salient, two.salient), topics)


def stacked(one: Salient, two: Salient) -> Salient:
    """Concatenate the topics of two models."""
    return Salient(
        np.concatenate((one.indptr, two.indptr[1:] + one.indptr[-1])),
        np.concatenate((one.word, two.word)),
        np.concatenate((one.excess, two.excess)),
    )


def _likelier(
    group: Documents,
    topics: DocState,
    workers: Engine,
    shift: np.int32,
    others: DocState,
) -> DocState:
    chosen = []
    pairs = zip(topics.mixes, others.mixes, strict=True)
    for shard, (mine, theirs) in enumerate(pairs):
        n_docs = len(mine.indptr) - 1
        other = others.gain[shard] > topics.gain[shard]
        ends = np.concatenate((mine.indptr, theirs.indptr[1:] + mine.indptr[-1]))
        indptr, entries = _rows(ends, np.arange(n_docs) + n_docs * other)
        topic = np.concatenate((mine.topic, theirs.topic + shift))[entries]
        alpha = np.concatenate((mine.alpha, theirs.alpha))[entries]
        chosen.append(DocTopics(indptr, topic, alpha))
    return unknown(chosen)


def _rows(indptr: Longs, order: np.ndarray) -> tuple[Longs, Longs]:
    """The indptr of some rows, and the positions of their entries."""
    starts, sizes = indptr[order], np.diff(indptr)[order]
    ends = np.concatenate(([0], np.cumsum(sizes)))
    return ends, np.repeat(starts - ends[:-1], sizes) + np.arange(ends[-1])


def renumber(
    data: Data, parameters: Parameters, order: np.ndarray, workers: Engine
) -> Parameters:
    """Keep the topics ``order``, in that order; a document may lose all its topics.

    The remaining proportions are rescaled to sum to one.
    """
    salient = parameters.salient
    indptr, entries = _rows(salient.indptr, order)
    place = np.full(parameters.n_topics, -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Parameters(
        Salient(indptr, salient.word[entries], salient.excess[entries]),
        workers.update(_renumber, data.groups, parameters.topics, place),
    )


def _renumber(
    group: Documents, topics: DocState, workers: Engine, place: Ints
) -> DocState:
    mixes = [_kept_topics(mix, place) for mix in topics.mixes]
    quiet = [
        np.where(np.diff(old.indptr) == np.diff(new.indptr), calm, -np.inf)
        for old, new, calm in zip(topics.mixes, mixes, topics.quiet, strict=True)
    ]
    return topics._replace(mixes=mixes, quiet=quiet)


def with_orphans(data: Data, parameters: Parameters, workers: Engine) -> Parameters:
    """Give documents that lost all their topics the most likely one."""
    scores = likely(parameters.salient, data.n_words)
    topics = workers.update(_adopt, data.groups, parameters.topics, *scores)
    return parameters._replace(topics=topics)


def _adopt(
    group: Documents,
    topics: DocState,
    workers: Engine,
    table: Table,
    log_ratio: Floats,
    prices: Prices,
) -> DocState:
    def adopted(shard: int) -> DocTopics:
        mixes = topics.mixes[shard]
        size = np.diff(mixes.indptr)
        orphans = np.flatnonzero(size == 0)
        if len(orphans) == 0:
            return mixes
        best = (size - 1).astype(np.int32)
        counts = group.shards[shard]
        assignments.best_topics(counts, table, log_ratio, prices, best)
        size[orphans] = 1
        places = mixes.indptr[orphans]
        return DocTopics(
            np.concatenate(([0], np.cumsum(size))),
            np.insert(mixes.topic, places, best[orphans]),
            np.insert(mixes.alpha, places, 1.0),
        )

    mixes = workers.map(adopted, range(len(group.shards)))
    return topics._replace(mixes=mixes)


def merge(
    data: Data, parameters: Parameters, into: np.ndarray, workers: Engine
) -> Parameters:
    """Move the documents of each topic j to ``into[j]``; words are left as they are.

    Other documents stay quiet.
    """
    topics = workers.update(_merge, data.groups, parameters.topics, into)
    return parameters._replace(topics=topics)


def _merge(
    group: Documents, topics: DocState, workers: Engine, into: np.ndarray
) -> DocState:
    merged, quiet = [], []
    goes = into != np.arange(len(into))
    for mixes, calm in zip(topics.mixes, topics.quiet, strict=True):
        size, n_docs = np.diff(mixes.indptr), len(mixes.indptr) - 1
        doc = np.repeat(np.arange(n_docs), size)
        other = np.bincount(doc, goes[mixes.topic], minlength=n_docs) > 0
        quiet.append(np.where(other, -np.inf, calm))
        shape = (n_docs, len(into))
        alpha = sparse.csr_array((mixes.alpha, (doc, into[mixes.topic])), shape=shape)
        alpha.sum_duplicates()
        indptr, topic = alpha.indptr.astype(np.int64), alpha.indices.astype(np.int32)
        merged.append(DocTopics(indptr, topic, alpha.data))
    return topics._replace(mixes=merged, quiet=quiet)


def topic_words(group: Documents, topics: DocState) -> Floats:
    """Words L_d alpha[d, j] of each entry of the mixes."""
    return np.concatenate(
        [
            np.repeat(lengths, np.diff(mix.indptr)) * mix.alpha
            for lengths, mix in zip(group.length, topics.mixes, strict=True)
        ]
    )


def _kept_topics(mixes: DocTopics, place: Ints) -> DocTopics:
    topic = place[mixes.topic]
    kept = topic >= 0
    doc = np.repeat(np.arange(len(mixes.indptr) - 1), np.diff(mixes.indptr))[kept]
    topic, alpha = topic[kept], mixes.alpha[kept]
    n_docs = len(mixes.indptr) - 1
    size = np.bincount(doc, minlength=n_docs)
    total = np.bincount(doc, alpha, minlength=n_docs)
    lost = total[doc] < 1.0 - 1e-9
    if lost.any():
        equal = 1.0 / size[doc]
        scaled = np.divide(alpha, total[doc], out=equal, where=total[doc] > 0)
        alpha = np.where(lost, scaled, alpha)
    order = np.lexsort((topic, doc))
    indptr = np.concatenate(([0], np.cumsum(size))).astype(np.int64)
    return DocTopics(indptr, topic[order], alpha[order])
