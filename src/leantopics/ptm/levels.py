"""Levels: a model of few broad topics, and the finer topics below them."""

import copy
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import clone

from leantopics._arrays import Floats, Longs
from leantopics._progress import Progress
from leantopics._validation import check_choice
from leantopics.ptm.state import prepare

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")


def coarsen(model: Model, X: Any, n: int | str, evidence: str | None) -> Model:
    """Fit a coarser model; see `ParsimoniousTopicModel.coarsen`."""
    if evidence is None:
        evidence = "bursts" if n == "auto" else model.evidence
    check_choice("evidence", evidence, ("words", "bursts"))
    _check_number(n, model.n_topics_)
    counts = model._documents(X)
    coarser: Model = clone(model).set_params(n_topics=n, evidence=evidence, step=None)
    model._copy_to(coarser)
    with coarser._workers() as workers, Progress(coarser) as progress:
        coarser._weigh(counts, workers)
        coarser._search(counts, model._filled, workers, progress, None, model)
    coarser._fit_predictor(prepare(counts))
    relate(coarser, model, counts)
    return coarser


def _check_number(n: int | str, n_topics: int) -> None:
    whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if n != "auto" and not (whole and 2 <= int(n) <= n_topics):
        raise ValueError(
            f'n must be "auto" or a number of topics from 2 to {n_topics}, those of '
            f"the model. Got {n!r} instead."
        )


def relate(coarser: Model, finer: Model, counts: sparse.csr_array) -> Model:
    """Let a model know a copy of its finer one, whose names are those of its themes.

    The counts are the documents of both with words. Returns the copy.
    """
    length = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    length = length[length > 0.0]
    above, below = (each.topic_proportions_[each._filled] for each in (coarser, finer))
    coarser.parents_, coarser._kept = parents(above, below, length), finer._kept
    coarser.finer_ = own = copy.copy(finer)
    own._themes, own._made = coarser.parents_, {}
    return own


def parents(above: sparse.csr_array, below: sparse.csr_array, length: Floats) -> Longs:
    """For each topic below, the topic above that takes most of its words.

    Parameters
    ----------
    above, below : csr_arrays of shape (D, M) and (D, K)
        Topics of the same documents in two models.
    length : array of shape (D,)
        Number of words of each document.

    Examples
    --------
    >>> above = sparse.csr_array([[1.0, 0.0], [0.0, 1.0]])
    >>> below = sparse.csr_array([[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]])
    >>> parents(above, below, np.array([10.0, 20.0]))
    array([0, 0, 1])
    """
    weighted = sparse.dia_array((length[None], 0), shape=(len(length),) * 2) @ above
    shared = np.asarray((below.T @ weighted).todense())
    most: Longs = shared.argmax(axis=1)
    return most
