"""A fitted baseline on disk: settings and results as JSON, arrays as arrays."""

import numbers
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from leantopics.baselines.order import Iteration, Order
from leantopics.storage import Folder, load_folder, save_folder

if TYPE_CHECKING:
    from leantopics.baselines.model import Baseline

Model = TypeVar("Model", bound="Baseline")

_ARRAYS = ("components", "proportions", "present", "mass")


def _settings(model: "Baseline") -> dict[str, Any]:
    """Parameters that JSON can hold; a callback and a generator cannot come along."""
    settings = model.get_params()
    settings["callback"] = None
    seed = settings["random_state"]
    settings["random_state"] = int(seed) if isinstance(seed, numbers.Integral) else None
    return {
        k: v.item() if isinstance(v, np.generic) else v for k, v in settings.items()
    }


def save(model: "Baseline", path: str | os.PathLike[str]) -> None:
    """Write a fitted baseline to a folder, whole or not at all.

    The arrays of an order carry its number: ``components-40`` and so on.
    """
    arrays = {"frequency": model._frequency, "filled": model._filled}
    for m, order in model._path.items():
        parts = {name: getattr(order, name) for name in _ARRAYS} | order.extra
        arrays |= {f"{name}-{m}": array for name, array in parts.items()}
    content = {
        "class": type(model).__name__,
        "settings": _settings(model),
        "n_topics": model.n_topics_,
        "n_features_in": model.n_features_in_,
        "has_feature_names": hasattr(model, "feature_names_in_"),
        "topic_names": model._topic_names,
        "analyser": model.analyser_,
        "orders": [
            {"summary": order.summary, "extra": list(order.extra)}
            for order in model._path.values()
        ],
        "history": [step._asdict() for step in model.history_],
    }
    strings = {"vocabulary": model.vocabulary_}
    save_folder(path, kind="model", content=content, arrays=arrays, strings=strings)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read a baseline that `save` wrote."""
    folder = load_folder(path, kind="model")
    name = folder.content.get("class")
    if name != cls.__name__:
        raise ValueError(
            f"{os.fspath(path)} must hold a model of class {cls.__name__}, but holds "
            f"one of class {name or 'ParsimoniousTopicModel'}: load it with that class."
        )
    try:
        return _restore(cls, folder)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"{os.fspath(path)} must be a whole model. Its manifest lacks or garbles "
            f"{error}: save the model again."
        ) from error


def _restore(cls: type[Model], folder: Folder) -> Model:
    content, arrays, strings = folder
    model = cls(**content["settings"])
    model.vocabulary_ = list(strings["vocabulary"])
    model.n_features_in_ = content["n_features_in"]
    if content["has_feature_names"]:
        model.feature_names_in_ = np.array(model.vocabulary_, dtype=object)
    model.history_ = [Iteration(**step) for step in content["history"]]
    model.analyser_ = content["analyser"]
    path = {}
    for order in content["orders"]:
        m = order["summary"]["n_topics"]
        parts = {name: arrays[f"{name}-{m}"] for name in _ARRAYS}
        extra = {name: arrays[f"{name}-{m}"] for name in order["extra"]}
        path[m] = Order(**parts, extra=extra, summary=order["summary"])
    model._show(path, content["n_topics"], arrays["frequency"], arrays["filled"])
    model._topic_names = content["topic_names"]
    return model
