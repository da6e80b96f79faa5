"""Works of an engine: tasks done to the documents of a group where they are kept.

Each takes the documents, their state and the local workers; see
`leantopics.engine.threads.Work`. Results are small: vectors by topic, proposals, and
the expected counts, which are added up on their way.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Bools, Counts, Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm.kernels import (
    assignments,
    documents,
    prediction,
    ratios,
    statistics,
)
from leantopics.ptm.kernels.arrays import (
    Changes,
    DocTopics,
    PartialCounts,
    Prices,
    Proposals,
    Salient,
    Statistics,
    Table,
)
from leantopics.ptm.objective import TWO_PI, log_choose
from leantopics.ptm.state import Data, DocState, Documents, Parameters

_TOPIC_BLOCK = 8


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


def blocks(n_topics: int) -> list[tuple[int, int]]:
    """Ranges of topics that are processed together: first, and one past the last."""
    starts = range(0, n_topics, _TOPIC_BLOCK)
    return [(first, min(first + _TOPIC_BLOCK, n_topics)) for first in starts]


def matrix(counts: Counts, n_words: int) -> sparse.csr_array:
    """A shard as a matrix."""
    arrays = (counts.data, counts.indices, counts.indptr)
    return sparse.csr_array(arrays, shape=(len(counts.indptr) - 1, n_words))


def put(
    group: Documents, topics: Any, workers: Engine, own: DocState
) -> tuple[DocState, None, None]:
    """Store the driver's state of the documents with them."""
    return own, None, None


def fetch(
    group: Documents, topics: DocState, workers: Engine
) -> tuple[DocState, DocState, None]:
    """Return the state of the documents."""
    return topics, topics, None


def visit(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    table: Table,
    prices: Prices,
    every: int,
) -> tuple[DocState, tuple[list[Proposals], Longs], None]:
    """Solve proportions and propose other topics; see the kernel.

    If ``every`` is 0, visit the documents that are not quiet. Otherwise visit one of
    ``every`` documents of a shard, quiet or not, and no others. Results: proposals by
    shard, and tallies.
    """
    tallies = np.zeros((len(group.shards), 4), dtype=np.int64)
    n_words = len(table.indptr) - 1

    def look(
        shard: int,
    ) -> tuple[DocTopics, Floats, Floats, Changes, Proposals]:
        counts, mix = group.shards[shard], topics.mixes[shard]
        mix = mix._replace(alpha=mix.alpha.copy())
        gain, quiet = topics.gain[shard].copy(), topics.quiet[shard].copy()
        if every:
            quiet[:] = np.inf
            quiet[::every] = -np.inf
        changes = documents.visit(
            counts,
            mix,
            salient,
            table,
            prices,
            False,
            gain,
            quiet,
            tallies[shard],
            documents.scratch(counts, mix, salient.n_topics, n_words),
        )
        proposals = assignments.propose(counts, mix, gain, changes)
        return mix, gain, quiet, changes, proposals

    found = workers.map(look, range(len(group.shards)))
    *known, proposals = map(list, zip(*found, strict=True))
    return DocState(*known), (proposals, tallies.sum(axis=0)), None


def settle(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    n_words: int,
    accepted: list[Bools],
) -> tuple[DocState, TopicCounts, PartialCounts]:
    """Make the accepted changes, and split the counts (label pz)."""
    mixes, gain, quiet = [], [], []
    for shard, (mix, f, calm, changes) in enumerate(zip(*topics, strict=True)):
        if len(changes[0]):
            yes = accepted[shard]
            f, calm = f.copy(), calm.copy()
            f[changes[0][yes]] = changes[4][yes]
            calm[changes[0][~yes]] = -np.inf
            mix = DocTopics(*assignments.replace(mix, changes, yes))
        mixes.append(mix)
        gain.append(f)
        quiet.append(calm)
    settled = DocState(mixes, gain, quiet, [])
    return recount(group, settled, workers, salient, n_words)


def recount(
    group: Documents, topics: DocState, workers: Engine, salient: Salient, n_words: int
) -> tuple[DocState, TopicCounts, PartialCounts]:
    """Split the counts of documents whose state is complete."""
    part = _split(group, topics.mixes, salient, n_words, None, workers)
    return topics, census(group, topics, salient.n_topics), part


def expect(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    n_words: int,
    quiet: bool,
) -> tuple[DocState, TopicCounts, PartialCounts]:
    """E-step (pz) of documents as they are; all become restless unless ``quiet``."""
    gain = [np.empty(len(lengths)) for lengths in group.length]
    part = _split(group, topics.mixes, salient, n_words, gain, workers)
    calm = topics.quiet
    if not quiet:
        calm = [np.full(len(lengths), -np.inf) for lengths in group.length]
    known = DocState(topics.mixes, gain, calm, [])
    return known, census(group, known, salient.n_topics), part


def whole(
    group: Documents, topics: DocState, workers: Engine, n_topics: int, n_words: int
) -> tuple[DocState, TopicCounts, PartialCounts]:
    """Expected counts of documents with one topic each, whatever its words."""
    split = [shard.data for shard in group.shards]
    part = _gathered(group, topics.mixes, split.__getitem__, n_topics, n_words, workers)
    return topics, census(group, topics, n_topics), part


def relax(
    group: Documents,
    topics: DocState,
    workers: Engine,
    table: Table,
    base: Floats,
    prior: Floats,
) -> tuple[DocState, TopicCounts, PartialCounts]:
    """Proportions and split counts by a model without switches; see `posterior`."""
    mixes = [mix._replace(alpha=mix.alpha.copy()) for mix in topics.mixes]

    def split(shard: int) -> Floats:
        counts, mix = group.shards[shard], mixes[shard]
        out = np.empty(np.diff(counts.indptr) @ np.diff(mix.indptr))
        values = np.empty(len(counts.indptr) - 1)
        prediction.posterior(counts, mix, table, base, prior, values, out)
        return out

    n_words = len(table.indptr) - 1
    part = _gathered(group, mixes, split, len(base), n_words, workers)
    relaxed = topics._replace(mixes=mixes)
    return relaxed, census(group, relaxed, len(base)), part


def choose_half(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    odds: Salient,
    n_words: int,
) -> tuple[DocState, TopicCounts, PartialCounts]:
    """For each topic j of a document, choose between its halves j and M + j.

    Both halves have the words of topic j, so counts are split alike. The counts of a
    document go to the half that makes them more likely. ``1 + odds.excess`` are the log
    odds of words in the second halves.
    """
    n_topics = salient.n_topics

    def choose(shard: int) -> tuple[DocTopics, Floats]:
        counts, mix = group.shards[shard], topics.mixes[shard]
        whole = mix._replace(topic=mix.topic % n_topics)
        split = statistics.expect(counts, whole, salient, n_words, np.empty(0))
        start, each = ratios.load_rows(counts, whole, odds, n_words, 1)
        second = np.add.reduceat(split * each, start[:-1]) > 0.0
        half = (whole.topic + n_topics * second).astype(np.int32)
        return mix._replace(topic=half), split

    found = workers.map(choose, range(len(group.shards)))
    mixes, split = map(list, zip(*found, strict=True))
    chosen = topics._replace(mixes=mixes)
    part = _gathered(group, mixes, split.__getitem__, 2 * n_topics, n_words, workers)
    return chosen, census(group, chosen, 2 * n_topics), part


def _split(
    group: Documents,
    mixes: list[DocTopics],
    salient: Salient,
    n_words: int,
    gain: list[Floats] | None,
    workers: Engine,
) -> PartialCounts:
    nothing = np.empty(0)

    def split(shard: int) -> Floats:
        values = nothing if gain is None else gain[shard]
        out: Floats = statistics.expect(
            group.shards[shard], mixes[shard], salient, n_words, values
        )
        return out

    return _gathered(group, mixes, split, salient.n_topics, n_words, workers)


def _gathered(
    group: Documents,
    mixes: list[DocTopics],
    split: Any,
    n_topics: int,
    n_words: int,
    workers: Engine,
) -> PartialCounts:
    """Expected counts of a group; ``split(shard)`` returns the split counts of a shard.

    They are valid until the workers' memory is used again.
    """
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


def add(n_words: int, parts: list[PartialCounts]) -> PartialCounts:
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


def compact(part: PartialCounts) -> PartialCounts:
    """Copy expected counts to fresh memory, without gaps between the topics."""
    indptr = np.concatenate(([0], np.cumsum(part.size)))
    word, x = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    statistics.append(part, indptr[:-1].copy(), word, x)
    return PartialCounts(indptr, part.size, word, x)


def census(group: Documents, topics: DocState, n_topics: int) -> TopicCounts:
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
    done = workers.each(_count, data.groups, parameters.topics, n_topics)
    return together(done.results)


def _count(
    group: Documents, topics: DocState, workers: Engine, n_topics: int
) -> tuple[DocState, TopicCounts, None]:
    return topics, census(group, topics, n_topics), None


def kept(data: Data, topics: list[DocState], workers: Engine) -> list[Any]:
    """Store the driver's state of all documents with them."""
    nothing = [None] * len(data.groups)
    return workers.each(put, data.groups, nothing, own=topics).states


def fetched(data: Data, topics: list[Any], workers: Engine) -> list[DocState]:
    """Fetch the state of all documents."""
    return workers.each(fetch, data.groups, topics).results


class Expected(NamedTuple):
    """The result of a work that splits the counts of all documents."""

    topics: list[Any]
    census: TopicCounts
    counts: Statistics


def expected(
    work: Any,
    data: Data,
    topics: list[Any],
    workers: Engine,
    *shared: Any,
    own: Any = None,
) -> Expected:
    """Do one of the works that split counts, and add up the counts of all groups.

    The counts are valid until the next such work.
    """
    done = workers.each(
        work, data.groups, topics, *shared, own=own, add=partial(add, data.n_words)
    )
    counts = completed(data, done.total, workers)
    return Expected(done.states, together(done.results), counts)


def completed(data: Data, part: PartialCounts, workers: Engine) -> Statistics:
    """Expected counts, with what else the word pass needs."""
    beta0, fixed = (
        workers.memory.array(name, len(part.word)) for name in ("beta0", "fixed")
    )

    def complete(block: tuple[int, int]) -> None:
        statistics.complete(part, *block, data.shared.beta0, beta0, fixed)

    workers.map(complete, blocks(len(part.size)))
    return Statistics(*part, beta0, fixed)
