"""The corpus as the algorithm sees it, and the parameters it fits."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics.ptm.kernels.arrays import (
    Counts,
    Floats,
    Ints,
    Longs,
    Mixes,
    Prices,
    Salient,
    Shared,
    Statistics,
    Table,
    sort_table,
)
from leantopics.ptm.objective import log_choose

SHARD_ENTRIES = 1 << 14
"""Stored counts in a shard: by corpus size, never by the number of workers."""


class Data(NamedTuple):
    """A corpus without empty documents, cut into shards."""

    shards: list[Counts]
    doc_length: list[Floats]
    """L_d of the documents of each shard."""
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
        return sum(len(lengths) for lengths in self.doc_length)


class Parameters(NamedTuple):
    """A model at one order: word model and the topics of the documents, by shard."""

    salient: Salient
    mixes: list[Mixes]

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.salient.n_topics


def cut_shards(counts: sparse.csr_array) -> list[Counts]:
    """Cut the rows of a matrix into shards of about ``SHARD_ENTRIES`` stored counts.

    Examples
    --------
    >>> shard, = cut_shards(sparse.csr_array(np.eye(3)))
    >>> shard.indptr
    array([0, 1, 2, 3])
    """
    indptr = counts.indptr.astype(np.int64)
    n_shards = max(1, round(indptr[-1] / SHARD_ENTRIES))
    marks = np.linspace(0, indptr[-1], n_shards + 1)
    cuts = np.unique(np.searchsorted(indptr, marks))
    cuts[-1] = len(indptr) - 1
    shards = []
    for first, last in itertools.pairwise(cuts):
        rows = indptr[first : last + 1]
        part = slice(rows[0], rows[-1])
        shards.append(
            Counts(
                rows - rows[0],
                counts.indices[part].astype(np.int32),
                counts.data[part].astype(np.float64),
            )
        )
    return shards


def share(beta0: Floats) -> Shared:
    """Shared model with its words sorted by falling frequency, then by number."""
    order = np.argsort(-beta0, kind="stable").astype(np.int32)
    ranked = beta0[order]
    return Shared(beta0, order, ranked, np.concatenate(([0.0], np.cumsum(ranked))))


def prepare(counts: sparse.csr_array) -> Data:
    """Shards and shared model (label p0) of a matrix without empty rows."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    shards = cut_shards(counts)
    lengths = [np.add.reduceat(s.data, s.indptr[:-1]) for s in shards]
    beta0 = totals / totals.sum()
    return rebase(Data(shards, lengths, totals, share(beta0), 0.0), beta0)


def rebase(data: Data, beta0: Floats) -> Data:
    """The same documents with another shared model."""
    seen = data.totals > 0
    base = float(data.totals[seen] @ np.log(beta0[seen]))
    return data._replace(shared=share(beta0), base_log_likelihood=base)


def turned(salient: Salient, n_words: int) -> Table:
    """Turn the entries round: topics of each word, by number."""
    shape = (salient.n_topics, n_words)
    by_topic = sparse.csr_array(
        (salient.excess, salient.word, salient.indptr.astype(np.int32)), shape=shape
    )
    by_word = by_topic.tocsc()
    return Table(
        by_word.indptr.astype(np.uint64), by_word.indices.view(np.uint32), by_word.data
    )


def word_major(salient: Salient, n_words: int) -> Table:
    """Topics of each word, by falling excess."""
    table = turned(salient, n_words)
    sort_table(table)
    return table


def single_topics(topic: np.ndarray) -> Mixes:
    """Documents with one topic each."""
    n_docs = len(topic)
    return Mixes(
        np.arange(n_docs + 1, dtype=np.int64),
        np.asarray(topic, dtype=np.int32),
        np.ones(n_docs),
    )


def topics_in_doc(mixes: Sequence[Mixes]) -> Longs:
    """M_d of all documents."""
    return np.concatenate([np.diff(m.indptr) for m in mixes])


def prices(data: Data, parameters: Parameters) -> Prices:
    """What topic switches cost, given the word switches and the other documents."""
    n_topics = parameters.n_topics
    tokens, documents = np.zeros(n_topics), np.zeros(n_topics, dtype=np.int64)
    for lengths, mixes in zip(data.doc_length, parameters.mixes, strict=True):
        weights = np.repeat(lengths, np.diff(mixes.indptr))
        tokens += np.bincount(mixes.topic, weights, minlength=n_topics)
        documents += np.bincount(mixes.topic, minlength=n_topics)
    half_salient = 0.5 * np.diff(parameters.salient.indptr)
    return Prices(log_choose(n_topics), half_salient, tokens, documents)


def topic_words(data: Data, mixes: list[Mixes]) -> Floats:
    """Words L_d alpha[d, j] of each entry of the mixes."""
    return np.concatenate(
        [
            np.repeat(lengths, np.diff(mix.indptr)) * mix.alpha
            for lengths, mix in zip(data.doc_length, mixes, strict=True)
        ]
    )


def topic_mass(data: Data, parameters: Parameters) -> Floats:
    """Expected number of words of each topic, sum_d L_d alpha[d, j]."""
    mass = np.zeros(parameters.n_topics)
    for lengths, mixes in zip(data.doc_length, parameters.mixes, strict=True):
        weights = np.repeat(lengths, np.diff(mixes.indptr)) * mixes.alpha
        mass += np.bincount(mixes.topic, weights, minlength=len(mass))
    return mass


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


def renumber(parameters: Parameters, order: np.ndarray) -> Parameters:
    """Keep the topics ``order``, in that order; a document may lose all its topics.

    Proportions that remain are rescaled to sum to one.
    """
    salient = parameters.salient
    starts, sizes = salient.indptr[order], np.diff(salient.indptr)[order]
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    entries = np.repeat(starts - indptr[:-1], sizes) + np.arange(indptr[-1])
    place = np.full(parameters.n_topics, -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Parameters(
        Salient(indptr, salient.word[entries], salient.excess[entries]),
        [_kept_topics(mixes, place) for mixes in parameters.mixes],
    )


def merge_topics(parameters: Parameters, into: np.ndarray) -> Parameters:
    """Give the documents of each topic j to ``into[j]``; words are left as they are."""
    merged = []
    for mixes in parameters.mixes:
        size, n_docs = np.diff(mixes.indptr), len(mixes.indptr) - 1
        shape = (n_docs, parameters.n_topics)
        doc = np.repeat(np.arange(n_docs), size)
        alpha = sparse.csr_array((mixes.alpha, (doc, into[mixes.topic])), shape=shape)
        alpha.sum_duplicates()
        indptr, topic = alpha.indptr.astype(np.int64), alpha.indices.astype(np.int32)
        merged.append(Mixes(indptr, topic, alpha.data))
    return parameters._replace(mixes=merged)


def _kept_topics(mixes: Mixes, place: Ints) -> Mixes:
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
    return Mixes(indptr, topic[order], alpha[order])
