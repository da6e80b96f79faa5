"""The corpus as the algorithm sees it, and the parameters it fits."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from leantopics._arrays import Counts, Floats, Ints, Longs
from leantopics.corpus.rows import cut_rows
from leantopics.engine.threads import Group
from leantopics.models.shards import cut_shards
from leantopics.ptm.kernels.arrays import (
    Changes,
    DocTopics,
    Salient,
    Shared,
    Statistics,
    Table,
)
from leantopics.ptm.kernels.ratios import sort_table

GROUP_ENTRIES = 1 << 20
"""Stored counts in a group. Groups are kept, sent and added up as a whole."""


class Documents(NamedTuple):
    """The documents of a group, none of them empty, cut into shards."""

    shards: list[Counts]
    length: list[Floats]
    """L_d of the documents of each shard."""

    def open(self) -> Self:
        """Return the documents themselves."""
        return self


class DocState(NamedTuple):
    """The state of the documents of a group, by shard."""

    mixes: list[DocTopics]
    gain: list[Floats]
    """Log-likelihood relative to the shared model."""
    quiet: list[Floats]
    """Nats by which the nearest flip of a topic switch fell short; see `visit`. It is
    infinite for documents that are held: their topics stay as they are."""
    changes: list[Changes]
    """Changes proposed by a visit until they are settled, else empty."""


class Data(NamedTuple):
    """A corpus without empty documents, in groups."""

    groups: list[Group]
    sizes: list[list[int]]
    """Number of documents of each shard of each group."""
    totals: Floats
    """(N,): how often each word occurs."""
    shared: Shared
    base_log_likelihood: float
    """Log-likelihood of the corpus under the shared model alone."""

    @property
    def n_words(self) -> int:
        """Size of the dictionary."""
        return len(self.totals)

    @property
    def frequency(self) -> Floats:
        """Share of each word among all words (label p0)."""
        frequency: Floats = self.totals / self.totals.sum()
        return frequency

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return sum(map(sum, self.sizes))

    def by_group(self, values: np.ndarray) -> list[np.ndarray]:
        """Cut the values of all documents by group."""
        return np.split(values, np.cumsum([sum(sizes) for sizes in self.sizes])[:-1])


class Parameters(NamedTuple):
    """A model with one number of topics: its words, and document topics by group.

    The topics are `DocState`, or handles of an engine that keeps them elsewhere.
    """

    salient: Salient
    topics: list[Any]

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.salient.n_topics


def cut_groups(indptr: np.ndarray) -> Longs:
    """Rows where groups of about ``GROUP_ENTRIES`` stored counts begin, and the end.

    The group of a row depends only on the rows before it.

    Examples
    --------
    >>> cut_groups(np.array([0, 1, 2 * GROUP_ENTRIES, 2 * GROUP_ENTRIES + 5]))
    array([0, 2, 3])
    """
    return cut_rows(indptr, GROUP_ENTRIES)


def documents(counts: Counts) -> Documents:
    """Make a group of documents, none of them empty; their counts are not copied."""
    shards = cut_shards(counts)
    return Documents(shards, [np.add.reduceat(s.data, s.indptr[:-1]) for s in shards])


def share(beta0: Floats) -> Shared:
    """Shared model with its words sorted by decreasing frequency, then by number."""
    order = np.argsort(-beta0, kind="stable").astype(np.int32)
    ranked = beta0[order]
    return Shared(beta0, order, ranked, np.concatenate(([0.0], np.cumsum(ranked))))


def prepare(counts: sparse.csr_array) -> Data:
    """Groups and shared model (label p0) of a canonical matrix.

    Empty rows are dropped. The counts are not copied.
    """
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    indptr = counts.indptr[np.append(True, np.diff(counts.indptr) > 0)]
    groups = []
    for first, last in itertools.pairwise(cut_groups(indptr)):
        rows = indptr[first : last + 1].astype(np.int64)
        part = slice(rows[0], rows[-1])
        group = Counts(rows - rows[0], counts.indices[part], counts.data[part])
        groups.append(documents(group))
    sizes = [[len(lengths) for lengths in group.length] for group in groups]
    beta0 = totals / totals.sum()
    return rebase(Data([*groups], sizes, totals, share(beta0), 0.0), beta0)


def rows_of(counts: sparse.csr_array, first: int, last: int) -> sparse.csr_array:
    """Rows first .. last - 1 of a matrix, possibly all of them."""
    return counts if last - first == counts.shape[0] else counts[first:last]


def rebase(data: Data, beta0: Floats) -> Data:
    """The same documents with another shared model."""
    seen = data.totals > 0
    base = float((data.totals[seen] * np.log(beta0[seen])).sum())
    return data._replace(shared=share(beta0), base_log_likelihood=base)


def transposed(salient: Salient, n_words: int) -> Table:
    """Transpose the entries: topics of each word, by number."""
    shape = (salient.n_topics, n_words)
    by_topic = sparse.csr_array(
        (salient.excess, salient.word, salient.indptr.astype(np.int32)), shape=shape
    )
    by_word = by_topic.tocsc()
    return Table(by_word.indptr.astype(np.int64), by_word.indices, by_word.data)


def word_major(salient: Salient, n_words: int) -> Table:
    """Topics of each word, in order of decreasing excess."""
    table = transposed(salient, n_words)
    sort_table(table)
    return table


def row_sums(indptr: np.ndarray, values: Floats) -> Floats:
    """Sums of the rows of a ragged array, 0 for empty ones."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    sums = np.bincount(row, values, minlength=len(indptr) - 1)
    return sums.astype(np.float64)


def single_topics(topic: np.ndarray) -> DocTopics:
    """Documents with one topic each."""
    n_docs = len(topic)
    return DocTopics(
        np.arange(n_docs + 1, dtype=np.int64),
        np.asarray(topic, dtype=np.int32),
        np.ones(n_docs),
    )


def unknown(mixes: list[DocTopics]) -> DocState:
    """State of documents with these topics and nothing else known."""
    sizes = [len(mix.indptr) - 1 for mix in mixes]
    gain = [np.zeros(size) for size in sizes]
    return DocState(mixes, gain, [np.full(size, -np.inf) for size in sizes], [])


def laid_out(
    sizes: Sequence[int], topics_in_doc: Longs, topic: Ints, alpha: Floats
) -> list[DocTopics]:
    """Cut the topics of documents, end to end, into the shards of a group."""
    cuts = np.concatenate(([0], np.cumsum(sizes)))
    indptr = np.concatenate(([0], np.cumsum(topics_in_doc))).astype(np.int64)
    out = []
    for first, last in itertools.pairwise(cuts):
        rows = indptr[first : last + 1]
        part = slice(rows[0], rows[-1])
        out.append(DocTopics(rows - rows[0], topic[part], alpha[part].copy()))
    return out


def end_to_end(mixes: Iterable[DocTopics]) -> DocTopics:
    """Join the topics of the documents of several shards, if any: see `laid_out`."""
    parts = [DocTopics(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))]
    parts += mixes
    sizes = np.concatenate([np.diff(part.indptr) for part in parts])
    return DocTopics(
        np.concatenate(([0], np.cumsum(sizes))),
        np.concatenate([part.topic for part in parts]),
        np.concatenate([part.alpha for part in parts]),
    )


def given_topics(
    data: Data, indptr: np.ndarray, topic: np.ndarray, alpha: Floats
) -> list[DocState]:
    """Topics of all documents, given as the rows of one sparse matrix, by group."""
    size = np.diff(indptr)
    out, entry = [], 0
    for sizes, own in zip(data.sizes, data.by_group(size), strict=True):
        part = slice(entry, entry + int(own.sum()))
        entry = part.stop
        here = topic[part].astype(np.int32, copy=False)
        out.append(unknown(laid_out(sizes, own, here, alpha[part])))
    return out


def salient_scale(salient: Salient, counts: Statistics, beta0: Floats) -> Floats:
    """mu_j = X_j / S_j over the salient words of each topic (muj)."""
    x_of, mu = np.zeros(len(beta0)), np.zeros(salient.n_topics)
    for j in range(salient.n_topics):
        seen = slice(counts.indptr[j], counts.indptr[j] + counts.size[j])
        words = salient.word[salient.indptr[j] : salient.indptr[j + 1]]
        x_of[counts.word[seen]] = counts.x[seen]
        mu[j] = x_of[words].sum() / beta0[words].sum()
        x_of[counts.word[seen]] = 0.0
    return mu
