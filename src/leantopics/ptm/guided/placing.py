"""Topics of documents that must be together or apart, and what that costs.

Each of these documents has one topic. A block of documents that must be together goes
where they gain most, if no block that it must be apart from is there. Blocks choose one
after another, those that lose most otherwise first; then they move, and swap, while
that pays.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import group_tasks
from leantopics.ptm.census import count
from leantopics.ptm.guided.links import Blocks
from leantopics.ptm.kernels.arrays import DocTopics, Salient
from leantopics.ptm.moves import rearrange
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.state import (
    Data,
    DocState,
    Documents,
    Parameters,
    end_to_end,
    given_topics,
)

_ROUNDS = 20
"""Maximum number of rounds in which blocks move and swap."""


class Values(NamedTuple):
    """What documents would gain in each of M topics, if it were their only one."""

    gain: Floats
    """(K, M): log-likelihood over that of the shared model."""
    length: Floats
    """(K,)"""
    has: sparse.csr_array
    """(K, M): 1 for each topic that a document has now."""
    tokens: Floats
    """(M,): words of all documents with a topic."""
    half_salient: Floats
    """(M,): half the number of salient words."""

    def of(self, own: Longs) -> Floats:
        """(M,): gain of some documents together in each topic, less its price.

        More words make the probabilities of a topic more exact, which costs
        ``1/2 |S_j| log`` of what they are more.
        """
        length = self.length[own]
        others = self.tokens - length @ self.has[own]
        price = np.log(np.maximum(others + length.sum(), TWO_PI))
        price -= np.log(np.maximum(others, TWO_PI))
        value: Floats = self.gain[own].sum(axis=0) - self.half_salient * price
        return value


def values(
    data: Data,
    parameters: Parameters,
    counts: sparse.csr_array,
    documents: Longs,
    workers: Engine,
) -> Values:
    """Value some documents; ``counts`` are those of all with words, as evidence."""
    salient, n_topics = parameters.salient, parameters.n_topics
    ratio = np.log1p((1.0 - rearrange.TRACE) * salient.excess)
    shape = (n_topics, data.n_words)
    table = sparse.csr_array((ratio, salient.word, salient.indptr), shape=shape)
    own = sparse.csr_array(counts[documents])
    indptr, topic, _ = mixes(data, parameters, workers)
    has = sparse.csr_array(
        (np.ones(len(topic)), topic, indptr), shape=(data.n_docs, n_topics)
    )
    return Values(
        np.asarray((own @ table.T).todense()),
        np.asarray(own.sum(axis=1), dtype=np.float64).ravel(),
        sparse.csr_array(has[documents]),
        count(data, parameters, workers).tokens,
        0.5 * np.diff(salient.indptr),
    )


def place(
    data: Data,
    parameters: Parameters,
    blocks: Blocks,
    counts: sparse.csr_array,
    n_known: int,
    workers: Engine,
) -> tuple[Parameters, bool]:
    """Give each block its topic, and say whether any document got another one.

    A block that finds no topic begins one. The first ``n_known`` topics keep a
    document.
    """
    known = values(data, parameters, counts, blocks.documents, workers)
    topic = choose(known, blocks, n_known)
    chosen, has = topic[blocks.block], known.has
    now = np.full(len(chosen), -1)
    alone = np.diff(has.indptr) == 1
    now[alone] = has.indices[has.indptr[:-1][alone]]
    if np.array_equal(now, chosen):
        return parameters, False
    taken = np.full(data.n_docs, -1, dtype=np.int64)
    taken[blocks.documents] = chosen
    n_new = max(int(topic.max()) + 1 - parameters.n_topics, 0)
    common = np.full(n_new, data.shared.order[0], dtype=np.int32)
    new = Salient(np.arange(n_new + 1, dtype=np.int64), common, np.zeros(n_new))
    words = rearrange.stacked(parameters.salient, new)
    topics = reassigned(mixes(data, parameters, workers), taken)
    return assembled(data, words, topics, workers), True


def assembled(
    data: Data, words: Salient, topics: DocTopics, workers: Engine
) -> Parameters:
    """Parameters without the topics that no document has."""
    states = group_tasks.kept(data, given_topics(data, *topics), workers)
    used = np.flatnonzero(np.bincount(topics.topic, minlength=words.n_topics))
    return rearrange.renumber(data, Parameters(words, states), used, workers)


def with_quiet(
    data: Data, parameters: Parameters, quiet: Floats, workers: Engine
) -> Parameters:
    """Parameters in which each document is as quiet (D,) as given; see `DocState`."""
    own = data.by_group(quiet)
    topics = workers.update(_quiet, data.groups, parameters.topics, own=own)
    return parameters._replace(topics=topics)


def _quiet(
    group: Documents, topics: DocState, workers: Engine, own: Floats
) -> DocState:
    ends = np.cumsum([len(quiet) for quiet in topics.quiet])[:-1]
    return topics._replace(quiet=np.split(own, ends))


def choose(known: Values, blocks: Blocks, n_known: int) -> Longs:
    """(B,): the topic of each block; numbers beyond those of the topics are new."""
    n_topics, topic = known.gain.shape[1], blocks.topic.copy()
    owns = [np.flatnonzero(blocks.block == b) for b in range(blocks.size)]
    value = np.array([known.of(own) for own in owns]).reshape(-1, n_topics)
    held = topic >= 0
    for b, own in enumerate(owns):
        others = known.tokens - known.length[own] @ known.has[own]
        last = np.flatnonzero(others[:n_known] <= 0.0)
        if len(last) and not held[b]:
            topic[b], held[b] = last[0], True
    second = np.sort(value, axis=1)[:, -min(2, n_topics)]
    order = np.argsort(second - value.max(axis=1), kind="stable")
    for b in order:
        if not held[b]:
            topic[b] = _best(value[b], topic, blocks.apart[b])
    free = [int(b) for b in order if not held[b]]
    for _ in range(_ROUNDS):
        moved = _moved(value, topic, blocks, free)
        swapped = _swapped(value, topic, blocks, free)
        if not (moved or swapped):
            break
    return topic


def _best(value: Floats, topic: Longs, apart: set[int]) -> int:
    """The best topic that is not taken; a new one if all are."""
    taken = {int(topic[b]) for b in apart}
    order = np.argsort(-value, kind="stable").tolist()
    choices = itertools.chain(order, itertools.count(len(value)))
    return int(next(j for j in choices if j not in taken))


def _worth(value: Floats, topic: int) -> float:
    """What a block gains; a new topic is the last choice."""
    return float(value[topic]) if topic < len(value) else -np.inf


def _moved(value: Floats, topic: Longs, blocks: Blocks, free: Sequence[int]) -> bool:
    moved = False
    for b in free:
        best = _best(value[b], topic, blocks.apart[b])
        if _worth(value[b], best) > _worth(value[b], int(topic[b])):
            topic[b], moved = best, True
    return moved


def _swapped(value: Floats, topic: Longs, blocks: Blocks, free: Sequence[int]) -> bool:
    swapped = False
    for a in free:
        for b in blocks.apart[a] & {*free}:
            one, two = int(topic[a]), int(topic[b])
            clash = {int(topic[c]) for c in blocks.apart[a] - {b}} & {two}
            clash |= {int(topic[c]) for c in blocks.apart[b] - {a}} & {one}
            after = _worth(value[a], two) + _worth(value[b], one)
            now = _worth(value[a], one) + _worth(value[b], two)
            if not clash and after > now:
                topic[a], topic[b], swapped = two, one, True
    return swapped


def mixes(data: Data, parameters: Parameters, workers: Engine) -> DocTopics:
    """Topics and proportions of all documents."""
    known = group_tasks.fetched(data, parameters.topics, workers)
    return end_to_end(mix for part in known for mix in part.mixes)


def reassigned(mixes: DocTopics, taken: Longs) -> DocTopics:
    """The same, where each document that is taken (D,) has that topic alone.

    Examples
    --------
    >>> topic, alpha = np.array([0, 1, 1]), np.array([0.5, 0.5, 1.0])
    >>> mixes = DocTopics(np.array([0, 2, 3]), topic, alpha)
    >>> rows = reassigned(mixes, np.array([4, -1]))
    >>> rows.indptr, rows.topic, rows.alpha
    (array([0, 1, 2]), array([4, 1]), array([1., 1.]))
    """
    size, first, here = np.diff(mixes.indptr), mixes.indptr[:-1], taken >= 0
    topic, alpha = mixes.topic.copy(), mixes.alpha.copy()
    stays = np.repeat(~here, size)
    stays[first[here]] = True
    topic[first[here]], alpha[first[here]] = taken[here], 1.0
    size[here] = 1
    indptr = np.concatenate(([0], np.cumsum(size)))
    return DocTopics(indptr, topic[stays], alpha[stays])
