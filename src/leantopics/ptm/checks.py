"""Checks of the parameters and documents of the estimator."""

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from leantopics._limits import FITTED_SUMS, LONG, TOO_LONG
from leantopics._validation import check_choice
from leantopics._warnings import warn
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.state import Data

_OF_NEW_DOCUMENTS = {
    "inference": ("sparse", "all"),
    "prediction": ("shrunk", "switched"),
}
_CHOICES = {
    "evidence": ("words", "bursts"),
    "sweep": ("down", "up"),
    "procedure": ("paper", "published"),
    "word_prior": ("auto", "entropy", "exact"),
    "shared": ("frequency", "learned"),
    "init": ("seeded", "random"),
    **_OF_NEW_DOCUMENTS,
}


def check_prediction(model: Any) -> None:
    """Refuse invalid parameters for new documents; they may be set after the fit."""
    for name, choices in _OF_NEW_DOCUMENTS.items():
        check_choice(name, getattr(model, name), choices)


def check_parameters(model: Any) -> None:
    """Refuse invalid parameters, with one sentence each."""
    for name, choices in _CHOICES.items():
        check_choice(name, getattr(model, name), choices)
    n_topics, tol = model.n_topics, model.tol
    whole_number = isinstance(n_topics, int | np.integer) and n_topics is not True
    if n_topics != "auto" and not (whole_number and n_topics >= 1):
        raise ValueError(
            'n_topics must be "auto" or a whole number from 1 up. '
            f"Got {n_topics!r} instead."
        )
    whole = ["max_topics", "min_topics", "init_docs", "n_init", "max_iter"]
    optional = ["step"] if model.step is not None else []
    for name in [*whole, "max_cycles", *optional]:
        check_scalar(getattr(model, name), name, numbers.Integral, min_val=1)
    for name in ("refine", "verbose"):
        check_scalar(getattr(model, name), name, numbers.Integral, min_val=0)
    if not (isinstance(tol, int | float | np.floating) and tol >= 0):
        raise ValueError(f"tol must be a number from 0 up. Got {tol!r} instead.")
    if model.callback is not None and not callable(model.callback):
        raise ValueError(
            f"callback must be callable or None. Got {model.callback!r} instead."
        )
    if model.max_topics < model.min_topics:
        raise ValueError(
            "max_topics must not be smaller than min_topics. Got max_topics="
            f"{model.max_topics} and min_topics={model.min_topics} instead."
        )


def check_scale(data: Data, automatic: bool) -> None:
    """Refuse counts that BIC cannot weigh; warn about those that it weighs wrongly.

    A topic costs a document half the logarithm of its length over 2 pi, which is
    negative if the document has fewer than 2 pi words. In documents of a billion words
    every difference is worth a topic, and an ``automatic`` number of topics would be
    the number of documents.

    Examples
    --------
    >>> import warnings
    >>> from scipy import sparse
    >>> from leantopics.ptm.state import prepare
    >>> shares = prepare(sparse.csr_array([[0.5, 0.5], [0.25, 0.75]]))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     check_scale(shares, automatic=True)
    >>> str(caught[0].message)[:57]
    'Most documents should have 7 words or more, but half have'
    """
    low, high = FITTED_SUMS
    words = float(data.totals.sum())
    if not low <= words <= high:
        raise ValueError(
            f"Counts must have a sum from {low:g} to {high:g} to be fitted, like those "
            f"of words. Got {words:g} instead: scale them, or give counts of words."
        )
    groups = [group.open() for group in data.groups]
    shards = [shard for group in groups for shard in group.shards]
    lengths = np.concatenate([part for group in groups for part in group.length])
    usual = float(np.median(lengths))
    if automatic and usual > TOO_LONG:
        raise ValueError(
            f"The median document must have at most {TOO_LONG:g} words for the number "
            f"of topics to be found. Got {usual:g} instead: scale the counts down, or "
            "set n_topics."
        )
    fractions = sum(int(np.count_nonzero(shard.data % 1.0)) for shard in shards)
    if usual < TWO_PI:
        warn(
            f"Most documents should have 7 words or more, but half have {usual:.3g} or "
            "less: BIC finds too many topics in such documents. Join short texts"
            f"{', or set n_topics' if automatic else ''}; give counts, not shares or "
            "scaled counts.",
        )
    elif usual > LONG:
        warn(
            f"Most documents should have at most {LONG:g} words, but half have "
            f"{usual:g} or more: every small difference between them is worth a topic. "
            "Scale the numbers down if they are not counts of words.",
        )
    elif 2 * fractions > sum(len(shard.data) for shard in shards):
        warn(
            "Counts should be whole numbers, but most are fractions: BIC treats them "
            "as numbers of words. Give counts, not shares or weights such as tf-idf.",
        )
