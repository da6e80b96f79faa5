"""Works of an engine: tasks done to the documents of a group where they are kept.

Each takes the documents, their state and the local workers; see
`leantopics.engine.threads.Engine`. What comes back is small: vectors by topic,
proposals, and the expected counts, which are added up on their way.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Bools, Counts, Floats, Longs
from leantopics.engine.threads import Engine, Work
from leantopics.ptm.census import TopicCounts, together, topic_counts
from leantopics.ptm.expected_counts import (
    add_counts,
    completed,
    gathered,
    split_counts,
)
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
from leantopics.ptm.state import Data, DocState, Documents, Parameters

_CALM = np.finfo(np.float64).max
"""Most quiet that a document has without being held."""


def matrix(counts: Counts, n_words: int) -> sparse.csr_array:
    """A shard as a matrix."""
    arrays = (counts.data, counts.indices, counts.indptr)
    return sparse.csr_array(arrays, shape=(len(counts.indptr) - 1, n_words))


class Part(NamedTuple):
    """What works that split counts add up."""

    census: list[TopicCounts]
    """By group."""
    counts: PartialCounts


class Proposed(NamedTuple):
    """What visits add up."""

    proposals: list[list[Proposals]]
    """By group and shard."""
    tallies: Longs
    """Numbers of trials; see the kernel."""


def _put(group: Documents, topics: Any, workers: Engine, own: DocState) -> DocState:
    """Store the driver's state of the documents with them."""
    return own


def _fetch(group: Documents, topics: DocState, workers: Engine) -> DocState:
    """Return the state of the documents."""
    return topics


def visit(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    table: Table,
    prices: Prices,
    every: int,
) -> tuple[DocState, Proposed]:
    """Solve proportions and propose other topics; see the kernel.

    If ``every`` is 0, visit the documents that are not quiet. Otherwise visit one of
    ``every`` documents of a shard, quiet or not, and no others. Held ones never are.
    """
    tallies = np.zeros((len(group.shards), 4), dtype=np.int64)
    n_words = len(table.indptr) - 1

    def look(
        shard: int,
    ) -> tuple[DocTopics, Floats, Floats, Changes, Proposals]:
        counts, mix = group.shards[shard], topics.mixes[shard]
        mix = mix._replace(alpha=mix.alpha.copy())
        gain, quiet = topics.gain[shard].copy(), topics.quiet[shard].copy()
        held = np.isposinf(quiet)
        if every:
            quiet[:] = np.inf
            quiet[::every] = -np.inf
            quiet[held] = np.inf
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
        quiet[~held] = np.minimum(quiet[~held], _CALM)
        proposals = assignments.propose(counts, mix, gain, changes)
        return mix, gain, quiet, changes, proposals

    found = workers.map(look, range(len(group.shards)))
    *known, proposals = map(list, zip(*found, strict=True))
    return DocState(*known), Proposed([proposals], tallies.sum(axis=0))


def settle(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    n_words: int,
    accepted: list[Bools],
) -> tuple[DocState, Part]:
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
) -> tuple[DocState, Part]:
    """Split the counts of documents whose state is complete."""
    counts = split_counts(group, topics.mixes, salient, n_words, None, workers)
    return topics, Part([topic_counts(group, topics, salient.n_topics)], counts)


def expect(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    n_words: int,
    quiet: bool,
) -> tuple[DocState, Part]:
    """E-step (pz) of documents; all but held ones become restless unless ``quiet``."""
    gain = [np.empty(len(lengths)) for lengths in group.length]
    counts = split_counts(group, topics.mixes, salient, n_words, gain, workers)
    calm = topics.quiet
    if not quiet:
        calm = [np.where(np.isposinf(old), np.inf, -np.inf) for old in calm]
    known = DocState(topics.mixes, gain, calm, [])
    return known, Part([topic_counts(group, known, salient.n_topics)], counts)


def whole(
    group: Documents, topics: DocState, workers: Engine, n_topics: int, n_words: int
) -> tuple[DocState, Part]:
    """Expected counts of documents with one topic each, whatever its words."""
    split = [shard.data for shard in group.shards]
    shape = (n_topics, n_words)
    counts = gathered(group, topics.mixes, split.__getitem__, shape, workers)
    return topics, Part([topic_counts(group, topics, n_topics)], counts)


def relax(
    group: Documents,
    topics: DocState,
    workers: Engine,
    table: Table,
    base: Floats,
    prior: Floats,
) -> tuple[DocState, Part]:
    """Proportions and split counts by a model without switches; see `posterior`."""
    mixes = [mix._replace(alpha=mix.alpha.copy()) for mix in topics.mixes]

    def split(shard: int) -> Floats:
        counts, mix = group.shards[shard], mixes[shard]
        out = np.empty(np.diff(counts.indptr) @ np.diff(mix.indptr))
        values = np.empty(len(counts.indptr) - 1)
        prediction.posterior(counts, mix, table, base, prior, values, out)
        return out

    shape = (len(base), len(table.indptr) - 1)
    counts = gathered(group, mixes, split, shape, workers)
    relaxed = topics._replace(mixes=mixes)
    return relaxed, Part([topic_counts(group, relaxed, len(base))], counts)


def choose_half(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    odds: Salient,
    n_words: int,
) -> tuple[DocState, Part]:
    """For each topic j of a document, choose between its halves j and M + j.

    Both halves have the words of topic j, so counts are split alike. The counts of a
    document go to the half that makes them more likely. ``1 + odds.excess`` are the log
    odds of words in the second halves. Held documents stay in the first ones.
    """
    n_topics = salient.n_topics

    def choose(shard: int) -> tuple[DocTopics, Floats]:
        counts, mix = group.shards[shard], topics.mixes[shard]
        whole = mix._replace(topic=mix.topic % n_topics)
        split = statistics.expect(counts, whole, salient, n_words, np.empty(0))
        start, each = ratios.load_rows(counts, whole, odds, n_words, 1)
        second = np.add.reduceat(split * each, start[:-1]) > 0.0
        second &= ~np.repeat(np.isposinf(topics.quiet[shard]), np.diff(mix.indptr))
        half = (whole.topic + n_topics * second).astype(np.int32)
        return mix._replace(topic=half), split

    found = workers.map(choose, range(len(group.shards)))
    mixes, split = map(list, zip(*found, strict=True))
    chosen = topics._replace(mixes=mixes)
    shape = (2 * n_topics, n_words)
    counts = gathered(group, mixes, split.__getitem__, shape, workers)
    return chosen, Part([topic_counts(group, chosen, 2 * n_topics)], counts)


def add_parts(n_words: int, parts: list[Part]) -> Part:
    """Add up the parts of several groups, in order."""
    counts = add_counts(n_words, [part.counts for part in parts])
    return Part([each for part in parts for each in part.census], counts)


def add_proposed(parts: list[Proposed]) -> Proposed:
    """Join the proposals of several groups, in order."""
    proposals = [each for part in parts for each in part.proposals]
    return Proposed(proposals, np.sum([part.tallies for part in parts], axis=0))


def kept(data: Data, topics: list[DocState], workers: Engine) -> list[Any]:
    """Store the driver's state of all documents with them."""
    nothing = [None] * len(data.groups)
    return workers.update(_put, data.groups, nothing, own=topics)


def fetched(data: Data, topics: list[Any], workers: Engine) -> list[DocState]:
    """Fetch the state of all documents."""
    return workers.read(_fetch, data.groups, topics)


class Expected(NamedTuple):
    """The result of a work that splits the counts of all documents."""

    topics: list[Any]
    census: TopicCounts
    counts: Statistics


def expected(
    work: Work,
    data: Data,
    topics: list[Any],
    workers: Engine,
    *shared: Any,
    own: Any = None,
) -> Expected:
    """Do one of the works that split counts, and add up the counts of all groups.

    The counts are valid until the next such work.
    """
    add = partial(add_parts, data.n_words)
    states, total = workers.accumulate(
        work, data.groups, topics, *shared, own=own, add=add
    )
    counts = completed(data, total.counts, workers)
    return Expected(states, together(total.census), counts)


def recounted(data: Data, parameters: Parameters, workers: Engine) -> Expected:
    """Split the counts of all documents again; their state stays as it is."""
    salient, topics = parameters
    return expected(recount, data, topics, workers, salient, data.n_words)
