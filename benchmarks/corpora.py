"""The matrices that everything is measured on."""

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.timing import Settings
from leantopics import make_corpus
from leantopics.datasets import load_20newsgroups, load_reuters

STRATA = 40
"""Distinct words of a document of `wide`."""
CHUNK = 50_000
"""Documents of `wide` drawn at once."""


@cache
def newsgroups(settings: Settings) -> sparse.csr_array:
    """Training set of 20-Newsgroups, as `load_20newsgroups` counts it."""
    if settings.quick:
        return toy()
    return _filled(load_20newsgroups(folder=settings.data).counts)


@cache
def reuters(settings: Settings) -> sparse.csr_array:
    """Training set of Reuters, the 35 classes of the paper."""
    if settings.quick:
        return toy()
    return _filled(load_reuters(folder=settings.data).counts)


def toy(n_docs: int = 150, n_words: int = 200) -> sparse.csr_array:
    """Three clear topics in a corpus that takes no time."""
    return make_corpus(
        n_docs, n_words, 3, boost=3, salient_per_topic=30, doc_length=60, overlap=1.0
    )[0].counts


def describe(counts: sparse.csr_array) -> dict[str, Any]:
    """Size of a matrix."""
    return {
        "documents": counts.shape[0],
        "words": counts.shape[1],
        "stored counts": int(counts.nnz),
        "tokens": float(counts.sum()),
    }


def some_documents(
    counts: sparse.csr_array, share: float, seed: int = 0
) -> sparse.csr_array:
    """A share of the documents, drawn at random; a smaller share is a subset."""
    order = np.random.default_rng(seed).permutation(counts.shape[0])
    return counts[np.sort(order[: round(share * len(order))])]


def frequent_words(counts: sparse.csr_array, share: float) -> sparse.csr_array:
    """Counts of a share of the words, the most frequent ones."""
    totals = np.asarray(counts.sum(axis=0)).ravel()
    order = np.argsort(-totals, kind="stable")
    kept = counts[:, np.sort(order[: round(share * len(order))])]
    return _filled(kept)


def _filled(counts: sparse.csr_array) -> sparse.csr_array:
    """Counts of the documents that have a word, in the form that all peers take."""
    kept = counts[np.diff(counts.indptr) > 0]
    places = kept.indices.astype(np.int32), kept.indptr.astype(np.int32)
    return sparse.csr_array((kept.data.astype(np.float64), *places), shape=kept.shape)


def wide(n_docs: int, n_words: int, n_topics: int, seed: int = 0) -> sparse.csr_array:
    """Documents of 40 distinct words with one topic each, drawn cheaply.

    The dictionary is cut into 40 strata and a document has one word of each, so its
    words are distinct and sorted as they come. In a quarter of the strata it is one of
    the 25 words of its topic there, elsewhere a word of the whole stratum, the first
    ones more often.
    """
    rng = np.random.default_rng(seed)
    stratum = n_words // STRATA
    indices = np.empty((n_docs, STRATA), dtype=np.int32)
    data = np.empty((n_docs, STRATA))
    slots = np.arange(STRATA)
    for first in range(0, n_docs, CHUNK):
        rows = slice(first, min(first + CHUNK, n_docs))
        topic = rng.integers(n_topics, size=rows.stop - first)[:, None]
        draw = rng.random((len(topic), STRATA))
        own = (37 * topic + (25 * draw).astype(np.int64)) % stratum
        word = np.where((topic + slots) % 4 == 0, own, stratum * draw**3)
        indices[rows] = word.astype(np.int32) + stratum * slots
        data[rows] = 1 + rng.poisson(0.5, size=draw.shape)
    indptr = np.arange(0, indices.size + 1, STRATA, dtype=np.int32)
    return sparse.csr_array(
        (data.ravel(), indices.ravel(), indptr), shape=(n_docs, n_words)
    )
