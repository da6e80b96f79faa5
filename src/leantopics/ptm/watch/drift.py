"""How a batch differs from the documents of the fit in what the model does know."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.watch.batch import Batch, at_counts, rows_of_entries, sums

RESAMPLES = 499


class TopicChange(NamedTuple):
    """A topic in a batch and in the fit; see `topic_changes`."""

    topic: int
    share: float
    """Mean proportion in the documents of the batch."""
    fit: float
    """Mean proportion in the documents of the fit."""
    low: float
    high: float
    """What as many documents of the fit, drawn at random, would have."""

    @property
    def change(self) -> str:
        """Whether it "grew" or "shrank" out of the range, or neither: ""."""
        if self.share > self.high:
            return "grew"
        return "shrank" if self.share < self.low else ""


class Unexplained(NamedTuple):
    """Share of the words of a batch that its topics do not explain."""

    share: float
    low: float
    high: float
    """Ends of the interval of the share, by the bootstrap over documents."""
    fit: float
    """The share in the fit."""


def topic_changes(
    batch: Batch, snapshot: Snapshot, level: float, random: np.random.Generator
) -> list[TopicChange]:
    """Compare the mean proportions of topics in a batch with those in the fit.

    As many documents of the fit are drawn at random, with replacement, again and again;
    that the documents of the fit are a sample themselves widens the ranges.
    The ranges hold for all topics at once: with probability ``1 - level``, none of the
    topics of such documents is out of its range.

    Parameters
    ----------
    batch : Batch
        New documents.
    snapshot : Snapshot
        The fit.
    level : float
        Probability that some topic of documents like those of the fit is out of range.
    random : Generator
        Source of randomness.
    """
    shape = (len(snapshot.doc_indptr) - 1, snapshot.n_topics)
    arrays = (snapshot.alpha, snapshot.doc_topic, snapshot.doc_indptr)
    known = sparse.csr_array(arrays, shape=shape)
    drawn = _resampled(known, batch.n_docs, random) / batch.n_docs
    share, fit = (
        np.asarray(each.mean(axis=0)).ravel() for each in (batch.mixes, known)
    )
    spread = np.maximum(drawn.std(axis=0), 1e-12)
    far = np.abs((drawn - fit) / spread).max(axis=1)
    reach = np.quantile(far, 1.0 - level) * np.sqrt(1.0 + batch.n_docs / known.shape[0])
    low, high = fit - reach * spread, fit + reach * spread
    columns = (share, fit, np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [TopicChange(j, *row) for j, row in enumerate(rows)]


def unexplained(
    batch: Batch, snapshot: Snapshot, level: float, random: np.random.Generator
) -> Unexplained:
    """Share of the words that are no more than the shared model expects.

    Of c occurrences of a word in a document, its topics explain the part
    ``c sum_j alpha_dj max(r_jn, 0) / q``, which the shared model does not expect.

    Parameters
    ----------
    batch, snapshot, level, random
        See `topic_changes`; both must have the same evidence.
    """
    over = batch.excess.copy()
    over.data = np.maximum(over.data, 0.0)
    part = at_counts(batch.counts, batch.mixes, over)
    part *= batch.counts.data * np.exp(-batch.log_q)
    explained = sums(rows_of_entries(batch.counts), part, batch.n_docs)
    both = sparse.csr_array(np.column_stack([explained, batch.length]))
    drawn = _resampled(both, batch.n_docs, random)
    share = 1.0 - drawn[:, 0] / drawn[:, 1]
    low, high = np.quantile(share, [0.5 * level, 1.0 - 0.5 * level])
    topic = np.repeat(np.arange(snapshot.n_topics), np.diff(snapshot.salient_indptr))
    counts = snapshot.mu[topic] * snapshot.beta0[snapshot.salient_word]
    known = float((counts * np.maximum(snapshot.excess, 0.0)).sum())
    return Unexplained(
        float(1.0 - explained.sum() / batch.length.sum()),
        float(low),
        float(high),
        1.0 - known / float(snapshot.mass.sum()),
    )


def _resampled(
    values: sparse.csr_array, size: int, random: np.random.Generator
) -> Floats:
    """(`RESAMPLES`, columns): sums of ``size`` rows drawn with replacement."""
    n, turned = values.shape[0], sparse.csr_array(values.T)
    rows = (random.integers(n, size=size) for _ in range(RESAMPLES))
    return np.array([turned @ np.bincount(row, minlength=n) for row in rows])
