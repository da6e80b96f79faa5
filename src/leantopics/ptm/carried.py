"""The topics of a model on other documents, where a fit can begin from them."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import inference
from leantopics.ptm.group_tasks import kept
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.state import (
    Data,
    Parameters,
    cut_groups,
    given_topics,
    row_sums,
    rows_of,
)


class Carried(NamedTuple):
    """Topics on other documents."""

    words: Snapshot
    """Their words over the new vocabulary."""
    number: Longs
    """The numbers that they had."""
    shares: sparse.csr_array
    """Proportions in the documents with words."""

    def previous(self, n_topics: int) -> sparse.csr_array:
        """(D, M): the proportions by the numbers that the M topics had."""
        columns = self.number[self.shares.indices]
        arrays = (self.shares.data, columns, self.shares.indptr)
        return sparse.csr_array(arrays, shape=(self.shares.shape[0], n_topics))


def words_over(before: Snapshot, place: Longs, beta0: Floats) -> tuple[Snapshot, Longs]:
    """Words of topics over another vocabulary, with another shared model.

    Salient words keep their proportions to each other. Together they have the mass of
    the shared model, as in any fit. Topics that have no salient word left are gone.

    Parameters
    ----------
    before : Snapshot
        The model, whose topics of documents no longer count.
    place : array of shape (N,)
        The new numbers of its words; -1 for words that are gone.
    beta0 : array of shape (N',)
        The shared model, positive for the words that are not.

    Returns
    -------
    words : Snapshot
        The model over the new vocabulary.
    number : ndarray
        The numbers that its topics had.
    """
    topic = np.repeat(np.arange(before.n_topics), np.diff(before.salient_indptr))
    shared = before.beta0[before.salient_word]
    word = place[before.salient_word]
    here = (word >= 0) & (shared > 0.0)
    probability = (shared * (1.0 + before.excess))[here]
    rows = sparse.csr_array(
        (probability, (topic[here], word[here])), shape=(before.n_topics, len(beta0))
    )
    number = np.flatnonzero(row_sums(rows.indptr, rows.data) > 0.0)
    rows = rows[number]
    base = beta0[rows.indices]
    scale = row_sums(rows.indptr, base) / row_sums(rows.indptr, rows.data)
    each = np.repeat(scale, np.diff(rows.indptr))
    new = np.full(before.n_topics, -1, dtype=np.int32)
    new[number] = np.arange(len(number))
    left = new[before.doc_topic]
    words = before._replace(
        salient_indptr=rows.indptr.astype(np.int64),
        salient_word=rows.indices.astype(np.int32),
        excess=rows.data * each / base - 1.0,
        doc_topic=left[left >= 0],
        mu=before.mu[number],
        tokens=before.tokens[number],
        mass=before.mass[number],
        beta0=beta0,
    )
    return words, number


def carry(
    before: Snapshot,
    place: Longs,
    data: Data,
    counts: sparse.csr_array,
    workers: Engine,
) -> Carried:
    """Infer the topics of a model in other documents, each on its own.

    ``counts`` are those of the documents, as evidence, and ``data`` the same prepared.
    """
    words, number = words_over(before, place, data.shared.beta0)
    model = inference.tables(words)
    found = [
        inference.infer(
            rows_of(counts, first, last), model, sparse_topics=True, workers=workers
        )
        for first, last in itertools.pairwise(cut_groups(counts.indptr))
    ]
    size = np.concatenate([np.diff(part.indptr) for part in found])
    indptr = np.concatenate(([0], np.cumsum(size[size > 0])))
    topic = np.concatenate([part.topic for part in found])
    alpha = np.concatenate([part.alpha for part in found])
    shape = (len(indptr) - 1, len(number))
    return Carried(words, number, sparse.csr_array((alpha, topic, indptr), shape=shape))


def parameters(
    carried: Carried, order: Sequence[int] | Longs, data: Data, workers: Engine
) -> Parameters:
    """First parameters: some of the topics, in this order, which every document has.

    A trace of the shared model keeps words possible that a topic never had.
    """
    words, shares = carried.words, carried.shares[:, order]
    salient = inference.traced(words)
    rows = sparse.csr_array(
        (salient.excess, salient.word, salient.indptr),
        shape=(salient.n_topics, data.n_words),
    )[order]
    topics = given_topics(data, shares.indptr, shares.indices, shares.data)
    chosen = Salient(
        rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data
    )
    return Parameters(chosen, kept(data, topics, workers))
