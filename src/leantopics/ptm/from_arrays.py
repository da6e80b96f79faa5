"""A state made elsewhere, checked and converted."""

from typing import Any

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics._validation import SUMS
from leantopics.corpus.validation import safe_matrix
from leantopics.engine.threads import Inline
from leantopics.ptm import em
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.state import Parameters, given_topics, prepare, rebase, row_sums


def state_from_arrays(
    counts: sparse.csr_array,
    alpha: Any,
    beta: Any,
    u: Any,
    v: Any,
    beta0: Any,
    prior: WordPrior,
) -> em.Fit:
    """Convert a state made elsewhere; see `ParsimoniousTopicModel.from_arrays`."""
    matrices = {"alpha": alpha, "beta": beta, "u": u, "v": v, "beta0": beta0}
    for name, array in matrices.items():
        dimensions = 1 if name == "beta0" else 2
        if np.ndim(array) != dimensions and not sparse.issparse(array):
            raise ValueError(
                f"{name} must have {dimensions} dimensions. "
                f"Got {np.ndim(array)} instead."
            )
        matrices[name] = safe_matrix(array, name)
    alpha, beta, u, v = (_rows(matrices[name]) for name in ("alpha", "beta", "u", "v"))
    u, v = u.astype(bool), v.astype(bool)
    u.eliminate_zeros()
    v.eliminate_zeros()
    beta0 = np.asarray(beta0, dtype=np.float64)
    n_topics = u.shape[0]
    _check_given(counts, alpha, beta, u, v, beta0)
    data = prepare(counts)
    topic = np.repeat(np.arange(n_topics), np.diff(u.indptr))
    doc = np.repeat(np.arange(v.shape[0]), np.diff(v.indptr))
    probability = np.asarray(beta[topic, u.indices]).ravel()
    share_of = np.asarray(alpha[doc, v.indices]).ravel()
    _check_sums(u, v, share_of, probability, beta0)
    salient = Salient(
        u.indptr.astype(np.int64),
        u.indices.astype(np.int32),
        probability / beta0[u.indices] - 1.0,
    )
    topics = given_topics(data, v.indptr, v.indices, share_of)
    parameters = Parameters(salient, [*topics])
    return em.given(rebase(data, beta0), parameters, prior, Inline())


def _rows(matrix: Any) -> sparse.csr_array:
    rows = sparse.csr_array(matrix, copy=True)
    rows.sum_duplicates()
    return rows


def _check_given(
    counts: sparse.csr_array,
    alpha: sparse.csr_array,
    beta: sparse.csr_array,
    u: sparse.csr_array,
    v: sparse.csr_array,
    beta0: Floats,
) -> None:
    n_topics, n_words = u.shape
    n_docs = counts.shape[0]
    for name, came, needed in (
        ("u", u.shape, (n_topics, counts.shape[1])),
        ("v", v.shape, (n_docs, n_topics)),
        ("alpha", alpha.shape, (n_docs, n_topics)),
        ("beta", beta.shape, (n_topics, n_words)),
        ("beta0", beta0.shape, (n_words,)),
    ):
        if came != needed:
            raise ValueError(
                f"{name} must have shape {needed} to match the other arrays. "
                f"Got {came} instead."
            )
    for name, values in (("alpha", alpha.data), ("beta", beta.data), ("beta0", beta0)):
        if not (np.isfinite(values).all() and (values >= 0).all()):
            raise ValueError(
                f"{name} must be finite and not negative. Got {values.min()} to "
                f"{values.max()} instead."
            )
    used = np.zeros(n_words, dtype=bool)
    used[counts.indices] = True
    used[u.indices] = True
    for what, fine in (
        ("counts must give every document a word", np.diff(counts.indptr) > 0),
        ("v must give every document a topic", np.diff(v.indptr) > 0),
        (
            "v must give every topic a document",
            np.bincount(v.indices, minlength=n_topics) > 0,
        ),
        ("u must give every topic a salient word", np.diff(u.indptr) > 0),
        ("beta0 must be positive for every word in use", (beta0 > 0) | ~used),
    ):
        if not fine.all():
            raise ValueError(f"{what}. Number {int(np.argmin(fine))} has none.")


def _check_sums(
    u: sparse.csr_array,
    v: sparse.csr_array,
    share_of: Floats,
    probability: Floats,
    beta0: Floats,
) -> None:
    """Refuse arrays that are not distributions; values are those where u, v are on."""
    own = row_sums(u.indptr, probability - beta0[u.indices])
    for what, sums in (
        ("beta0 must sum to one", np.array([beta0.sum()])),
        ("alpha must sum to one over the topics that v gives a document",
         row_sums(v.indptr, share_of)),
        ("beta, with beta0 where u is off, must sum to one in every topic", 1.0 + own),
    ):  # fmt: skip
        worst = int(np.argmax(np.abs(sums - 1.0)))
        if abs(sums[worst] - 1.0) > SUMS:
            raise ValueError(f"{what}. Number {worst} sums to {sums[worst]:.9g}.")
