"""Saved baselines: settings and results as JSON, arrays in binary files."""

import os
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from leantopics._validation import LEAST, MOST, are_shares, check, is_numbers
from leantopics.baselines.order import Iteration, Order
from leantopics.models import persistence
from leantopics.storage import Folder, save_folder

if TYPE_CHECKING:
    from leantopics.baselines.model import Baseline

Model = TypeVar("Model", bound="Baseline")

_MAY_BE_0 = ("scale", "weights")
_ARRAYS = ("components", "proportions", "present", "mass")


def save(model: "Baseline", path: str | os.PathLike[str]) -> None:
    """Write a fitted baseline to a folder or zip file atomically.

    The arrays of each number of topics carry it in their names: ``components-40`` etc.
    """
    common = persistence.packed(model)
    arrays = dict(common.arrays)
    for m, order in model._path.items():
        parts = {name: getattr(order, name) for name in _ARRAYS} | order.extra
        arrays |= {f"{name}-{m}": array for name, array in parts.items()}
    content = {
        **common.content,
        "class": type(model).__name__,
        "orders": [
            {"summary": order.summary, "extra": list(order.extra)}
            for order in model._path.values()
        ],
    }
    save_folder(
        path, kind="model", content=content, arrays=arrays, strings=common.strings
    )


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read a baseline that `save` wrote."""
    return persistence.load(cls, cls.__name__, path, _restore)


def _restore(model: "Baseline", folder: Folder) -> None:
    content, arrays = folder.content, folder.arrays
    persistence.check_sizes(content)
    frequency, filled = arrays["frequency"], arrays["filled"]
    n_words = content["n_features_in"]
    persistence.restore_words(model, folder, frequency)
    model.history_ = [Iteration(**step) for step in content["history"]]
    path = {}
    for order in content["orders"]:
        m = order["summary"]["n_topics"]
        parts = {name: arrays[f"{name}-{m}"] for name in _ARRAYS}
        extra = {name: arrays[f"{name}-{m}"] for name in order["extra"]}
        path[m] = Order(**parts, extra=extra, summary=order["summary"])
        _check_order(path[m], m, int(filled.sum()), n_words)
    model._set_results(path, content["n_topics"], frequency, filled)
    model._topic_names = persistence.topic_names(content)


def _check_order(order: Order, n_topics: int, n_docs: int, n_words: int) -> None:
    """Refuse arrays that do not fit together: kernels do not check them."""
    n_all = len(order.mass)  # a background is one more
    check(f"mass-{n_topics}", n_all - n_topics in (0, 1))
    shapes = {"components": (n_all, n_words), "proportions": (n_docs, n_all)}
    for name, (rows, columns) in {**shapes, "mass": (1, n_all)}.items():
        array = getattr(order, name)
        whole = array.shape == (rows, columns)[-array.ndim :]
        ends = np.arange(rows + 1) * columns
        check(f"{name}-{n_topics}", whole and are_shares(ends, array.ravel()))
    present = order.present
    whole = present.dtype == np.bool_ and present.shape == (n_docs, n_all)
    check(f"present-{n_topics}", whole)
    sizes: dict[str, tuple[int, ...]] = {
        "eta": (n_all,),
        "smoothing": (),
        "concentration": (n_topics,),
        "scale": (n_docs,),
        "weights": (3,),
        "tried": (len(order.extra.get("tried", ())), 4),
    }
    if order.extra.keys() - sizes.keys():
        raise ValueError("the extra arrays")
    for name, array in order.extra.items():
        least = -MOST if name == "tried" else 0.0 if name in _MAY_BE_0 else LEAST
        check(f"{name}-{n_topics}", is_numbers(array, *sizes[name], least=least))
        if name == "weights":  # the second one, the coupling, is a divisor
            check(f"{name}-{n_topics}", array[1] >= LEAST)
