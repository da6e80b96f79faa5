"""Counts of documents by their topics: what BIC and prices need of documents."""

from typing import NamedTuple

import numpy as np

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm.kernels.arrays import Prices, Salient
from leantopics.ptm.objective import TWO_PI, log_choose
from leantopics.ptm.state import Data, DocState, Documents, Parameters


class TopicCounts(NamedTuple):
    """What the objective needs from documents and their topics."""

    gain: list[float]
    """Sum of the log-likelihood over that of the shared model, by shard."""
    proportions: list[float]
    """Sum of (M_d - 1) log(L_d / 2 pi), by shard."""
    with_topics: Longs
    """(M + 1,): documents with 0, 1, ... topics."""
    tokens: Floats
    """(M,): Lbar_j, length of the documents in which a topic is present."""
    documents: Longs
    """(M,): number of these documents."""


def topic_counts(group: Documents, topics: DocState, n_topics: int) -> TopicCounts:
    """Count the documents of a group by their topics."""
    tokens, present = np.zeros(n_topics), np.zeros(n_topics, dtype=np.int64)
    with_topics, proportions = np.zeros(n_topics + 1, dtype=np.int64), []
    for lengths, mixes in zip(group.length, topics.mixes, strict=True):
        size = np.diff(mixes.indptr)
        weights = np.repeat(lengths, size)
        tokens += np.bincount(mixes.topic, weights, minlength=n_topics)
        present += np.bincount(mixes.topic, minlength=n_topics)
        with_topics += np.bincount(size, minlength=n_topics + 1)
        proportions.append(float(((size - 1) * np.log(lengths / TWO_PI)).sum()))
    gain = [float(values.sum()) for values in topics.gain]
    return TopicCounts(gain, proportions, with_topics, tokens, present)


def together(parts: list[TopicCounts]) -> TopicCounts:
    """Combine the counts of all groups."""
    gain, proportions, with_topics, tokens, present = zip(*parts, strict=True)
    return TopicCounts(
        [value for part in gain for value in part],
        [value for part in proportions for value in part],
        np.sum(with_topics, axis=0),
        np.sum(tokens, axis=0),
        np.sum(present, axis=0),
    )


def prices(salient: Salient, census: TopicCounts) -> Prices:
    """Prices of topic switches, given the word switches and the other documents."""
    return Prices(
        log_choose(salient.n_topics),
        0.5 * np.diff(salient.indptr),
        census.tokens.copy(),
        census.documents.copy(),
    )


def count(data: Data, parameters: Parameters, workers: Engine) -> TopicCounts:
    """Count all documents by their topics."""
    n_topics = parameters.n_topics
    return together(workers.read(_count, data.groups, parameters.topics, n_topics))


def _count(
    group: Documents, topics: DocState, workers: Engine, n_topics: int
) -> TopicCounts:
    return topic_counts(group, topics, n_topics)
