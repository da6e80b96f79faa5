"""The matrices that everything is measured on."""

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.timing import Settings
from leantopics import Corpus, make_corpus
from leantopics.datasets import has_split, load, load_python_docs

STRATA = 40
"""Distinct words of a document of `wide`."""
CHUNK = 50_000
"""Documents of `wide` drawn at once."""
DRAWN = {"acl": (20_000, 5_000), "imdb": (20_000, 5_000)}
"""Training and test documents of `halves`, where not all are taken."""


def newsgroups(settings: Settings) -> sparse.csr_array:
    """Training set of 20-Newsgroups, as `load_20newsgroups` counts it."""
    return training("20newsgroups-headers", settings)


def reuters(settings: Settings) -> sparse.csr_array:
    """Training set of Reuters, the 35 classes of the paper."""
    return training("reuters", settings)


@cache
def training(name: str, settings: Settings) -> sparse.csr_array:
    """Training documents of a named corpus, counted as in the study of the paper."""
    if settings.quick:
        return toy()
    if name == "python_docs":
        return _filled(load_python_docs().counts)
    return _filled(load(name, folder=settings.data).counts)


@cache
def halves(name: str, settings: Settings) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Training and test documents."""
    train = training(name, settings)
    if settings.quick or not has_split(name):
        n_test = train.shape[0] // 10
        sizes = (train.shape[0] - n_test, n_test) if settings.quick else DRAWN[name]
        train, test = dealt(train, *sizes)
        return train, test
    test = _filled(load(name, "test", folder=settings.data).counts)
    if name in DRAWN:
        n_train, n_test = DRAWN[name]
        return dealt(train, n_train)[0], dealt(test, n_test)[0]
    return train, test


@cache
def labelled(name: str, settings: Settings) -> tuple[Corpus, Corpus]:
    """Training and test documents with class labels."""
    if settings.quick:
        counts = toy()
        main = [str(label) for label in np.arange(counts.shape[0]) % 2]
        return Corpus(counts, labels=main), Corpus(counts[:50], labels=main[:50])
    train, test = (load(name, part, folder=settings.data) for part in ("train", "test"))
    return train, test


def dealt(counts: sparse.csr_array, *sizes: int) -> list[sparse.csr_array]:
    """Parts of the documents of these sizes, drawn at random, none twice."""
    order = np.random.default_rng(0).permutation(counts.shape[0])
    parts = np.split(order, np.cumsum(sizes))[:-1]
    return [counts[np.sort(part)] for part in parts]


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
