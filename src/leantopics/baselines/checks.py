"""Checks of the parameters and documents of a baseline."""

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_scalar


def check_parameters(model: Any) -> None:
    """Refuse invalid values of the common parameters, with one sentence each."""
    check_whole("n_topics", model.n_topics)
    for name in ("max_topics", "step"):
        if getattr(model, name) is not None:
            check_whole(name, getattr(model, name))
    check_whole("max_iter", model.max_iter)
    check_scalar(model.verbose, "verbose", numbers.Integral, min_val=0)
    check_number("tol", model.tol)
    if model.callback is not None and not callable(model.callback):
        raise ValueError(
            f"callback must be callable or None. Got {model.callback!r} instead."
        )
    if model.max_topics is not None and model.max_topics < model.n_topics:
        raise ValueError(
            "max_topics must not be smaller than n_topics. Got max_topics="
            f"{model.max_topics} and n_topics={model.n_topics} instead."
        )


def check_whole(name: str, value: object) -> None:
    """Refuse a value that is not a whole number from 1 up."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and value >= 1):  # type: ignore[operator]
        raise ValueError(
            f"{name} must be a whole number from 1 up. Got {value!r} instead."
        )


def check_number(name: str, value: object, *, positive: bool = False) -> None:
    """Refuse a value that is not a finite number from 0 up, or above 0 if required."""
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (real and 0 <= value < np.inf) or (positive and value == 0):  # type: ignore[operator]
        wanted = "above 0" if positive else "from 0 up"
        raise ValueError(f"{name} must be a number {wanted}. Got {value!r} instead.")
