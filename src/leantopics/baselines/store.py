"""Saved baselines: settings and results as JSON, arrays in binary files."""

import os
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from leantopics._validation import LEAST, MOST, are_shares, are_whole, check, is_numbers
from leantopics.baselines.order import Iteration, Order
from leantopics.corpus.analyser import join_analyser, split_analyser
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
    arrays = {"frequency": model.word_frequency_, "filled": model._filled}
    for m, order in model._path.items():
        parts = {name: getattr(order, name) for name in _ARRAYS} | order.extra
        arrays |= {f"{name}-{m}": array for name, array in parts.items()}
    analyser, words = split_analyser(model.analyser_)
    content = {
        "class": type(model).__name__,
        "settings": persistence.settings_of(model),
        "n_topics": model.n_topics_,
        "n_features_in": model.n_features_in_,
        "has_feature_names": hasattr(model, "feature_names_in_"),
        "topic_names": model._topic_names,
        "analyser": analyser,
        "orders": [
            {"summary": order.summary, "extra": list(order.extra)}
            for order in model._path.values()
        ],
        "history": [step._asdict() for step in model.history_],
    }
    strings = {"vocabulary": model.vocabulary_, **words}
    save_folder(path, kind="model", content=content, arrays=arrays, strings=strings)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read a baseline that `save` wrote."""
    return persistence.load(cls, cls.__name__, path, _restore)


def _restore(model: "Baseline", folder: Folder) -> None:
    content, arrays, strings = folder
    frequency, filled = arrays["frequency"], arrays["filled"]
    n_words = content["n_features_in"]
    if not are_whole(n_words, content["n_topics"]):
        raise ValueError("the n_topics")
    check("frequency", are_shares(np.array([0, n_words]), frequency))
    check("filled", filled.ndim == 1 and filled.dtype == np.bool_)
    model.vocabulary_ = list(strings["vocabulary"])
    check("vocabulary", len(model.vocabulary_) == n_words)
    model.n_features_in_ = n_words
    if content["has_feature_names"]:
        model.feature_names_in_ = np.array(model.vocabulary_, dtype=object)
    model.history_ = [Iteration(**step) for step in content["history"]]
    model.analyser_ = join_analyser(folder.content["analyser"], folder.strings)
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
