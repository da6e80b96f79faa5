"""The same counts in any form give the same model, to the bit."""

import numpy as np
import pytest
from scipy import sparse

from leantopics import Corpus, ParsimoniousTopicModel, make_corpus


@pytest.fixture(scope="module")
def counts():
    corpus, _ = make_corpus(60, 80, 3)
    return np.minimum(corpus.counts.toarray(), 100)


@pytest.fixture(scope="module")
def expected(counts):
    return fitted(counts)


def fitted(X):
    model = ParsimoniousTopicModel(3, random_state=0).fit(X)
    proportions = model.transform(X).astype(np.float64)
    return model.bic_, model.components_.tobytes(), proportions, model.score(X)


def read_only(counts):
    out = counts.copy()
    out.flags.writeable = False
    return out


def mapped(counts, folder):
    np.save(folder / "counts.npy", counts)
    return np.load(folder / "counts.npy", mmap_mode="r")


def mapped_sparse(counts, folder):
    matrix = sparse.csr_array(counts)
    parts = []
    for name in ("data", "indices", "indptr"):
        np.save(folder / f"{name}.npy", getattr(matrix, name))
        parts.append(np.load(folder / f"{name}.npy", mmap_mode="r"))
    return sparse.csr_array(tuple(parts), shape=matrix.shape)


def unsorted(counts):
    matrix = sparse.csr_array(counts)
    for low, high in zip(matrix.indptr, matrix.indptr[1:], strict=False):
        matrix.indices[low:high] = matrix.indices[low:high][::-1].copy()
        matrix.data[low:high] = matrix.data[low:high][::-1].copy()
    matrix.has_sorted_indices = False
    return matrix


def halved(counts):
    """Every count twice, as two halves."""
    once = sparse.coo_array(counts)
    place = tuple(np.tile(axis, 2) for axis in (once.row, once.col))
    halves = np.tile(once.data / 2, 2)
    order = np.lexsort(place[::-1])
    row, column = (axis[order] for axis in place)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(counts)))))
    return sparse.csr_array((halves[order], column, indptr), shape=counts.shape)


def zeros_stored(counts):
    row, column = np.indices(counts.shape)
    entries = (counts.ravel(), (row.ravel(), column.ravel()))
    return sparse.csr_array(entries, shape=counts.shape)


def wide(counts):
    matrix = sparse.csr_array(counts)
    matrix.indptr = matrix.indptr.astype(np.int64)
    matrix.indices = matrix.indices.astype(np.int64)
    return matrix


PLAIN = {
    "read only": read_only,
    "columns first": np.asfortranarray,
    "every other": lambda c: np.repeat(c, 2, axis=1)[:, ::2],
    "list": lambda c: c.tolist(),
    "int8": lambda c: c.astype(np.int8),
    "uint16": lambda c: c.astype(np.uint16),
    "int64": lambda c: c.astype(np.int64),
    "float32": lambda c: c.astype(np.float32),
    "swapped bytes": lambda c: c.astype(">f8"),
    "csr": sparse.csr_array,
    "csr of int32": lambda c: sparse.csr_array(c.astype(np.int32)),
    "csr matrix": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "unsorted": unsorted,
    "counts in two halves": halved,
    "zeros stored": zeros_stored,
    "wide indices": wide,
    "Corpus": Corpus,
}
IN_FILES = {"mapped": mapped, "mapped csr": mapped_sparse}


@pytest.mark.parametrize("form", [*PLAIN, *IN_FILES])
def test_any_form_of_the_counts(form, counts, expected, tmp_path):
    make = IN_FILES.get(form)
    X = make(counts, tmp_path) if make else PLAIN[form](counts)
    held = X.copy() if hasattr(X, "copy") else None
    bic, components, proportions, score = fitted(X)
    assert (bic, components, score) == (expected[0], expected[1], expected[3])
    at_most = 1e-6 if getattr(X, "dtype", None) == np.float32 else 0.0
    assert np.abs(proportions - expected[2]).max() <= at_most
    if isinstance(held, np.ndarray):
        assert np.array_equal(held, X)


def test_words_that_never_occur(counts):
    padded = np.insert(counts, [0, 7, 80], 0, axis=1)
    model = ParsimoniousTopicModel(3, random_state=0).fit(padded)
    never = padded.sum(axis=0) == 0
    assert (model.components_[:, never] == 0).all()
    assert np.allclose(model.components_.sum(axis=1), 1.0)
    assert not (model.salient_word_prob_[:, np.flatnonzero(never)].toarray() > 0).any()
    assert np.isfinite(model.predictive_components_).all()
