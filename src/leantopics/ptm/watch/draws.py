"""Documents drawn from a fitted model, as if it were true of a batch."""

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.ptm.watch.batch import Batch, rows_of_entries


def draw(
    batch: Batch, n_tokens: Longs, s: float, random: np.random.Generator
) -> sparse.csr_array:
    """Draw documents of the same lengths and topics as those of a batch.

    A word comes in bursts: after l words, the next is a new draw with probability
    ``s / (s + l)``, and else repeats one of them. That is the Polya distribution with
    concentration s, whose mean is the word distribution of the document.

    Parameters
    ----------
    batch : Batch
        Documents with their topics, and the model.
    n_tokens : array of int, shape (D,)
        Number of words of each document, at least 1.
    s : float
        The concentration; if infinite, no word repeats another.
    random : Generator
        Source of randomness.

    Returns
    -------
    csr_array of shape (D, N)
    """
    n_docs, n_words = batch.counts.shape
    doc = np.repeat(np.arange(n_docs), n_tokens)
    word = _fresh(batch, doc, random)
    if np.isfinite(s):
        first = np.repeat(np.cumsum(n_tokens) - n_tokens, n_tokens)
        before = np.arange(len(doc)) - first
        repeats = random.random(len(doc)) * (s + before) < before
        earlier = first + (random.random(len(doc)) * before).astype(np.int64)
        source = np.where(repeats, earlier, np.arange(len(doc)))
        while (source[source] != source).any():
            source = source[source]
        word = word[source]
    entry, times = np.unique(doc * n_words + word, return_counts=True)
    row, column = np.divmod(entry, n_words)
    indptr = np.searchsorted(row, np.arange(n_docs + 1))
    arrays = (times.astype(np.float64), column, indptr)
    return sparse.csr_array(arrays, shape=(n_docs, n_words))


def _fresh(batch: Batch, doc: Longs, random: np.random.Generator) -> Longs:
    """Draw a word of each document from its mixture of topics.

    Salient words have together the probability that they have in the shared model, so a
    word is drawn from that, and drawn again among the salient words if it is one.
    """
    n_words, excess, mixes = len(batch.beta0), batch.excess, batch.mixes
    place = _choose(mixes.indptr, np.cumsum(mixes.data), doc, random)
    topic = mixes.indices[place].astype(np.int64)
    total = np.cumsum(batch.beta0)
    u = random.random(len(doc)) * total[-1]
    last = int(np.flatnonzero(batch.beta0)[-1])
    word = np.minimum(np.searchsorted(total, u, side="right"), last)
    known = rows_of_entries(excess) * n_words + excess.indices
    wanted = topic * n_words + word
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    salient = known[at] == wanted
    mass = np.cumsum(batch.beta0[excess.indices] * (1.0 + excess.data))
    again = _choose(excess.indptr, mass, topic[salient], random)
    word[salient] = excess.indices[again]
    drawn: Longs = word.astype(np.int64)
    return drawn


def _choose(
    indptr: np.ndarray, total: Floats, rows: Longs, random: np.random.Generator
) -> Longs:
    """Draw an entry of each row by its share of the row; total are running sums."""
    ends = np.concatenate(([0.0], total))
    low, high = ends[indptr[rows]], ends[indptr[rows + 1]]
    u = low + random.random(len(rows)) * (high - low)
    found = np.searchsorted(total, u, side="right")
    out: Longs = np.clip(found, indptr[rows], indptr[rows + 1] - 1).astype(np.int64)
    return out
