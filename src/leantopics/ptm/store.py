"""A fitted model on disk: settings and results as JSON, arrays as arrays."""

import numbers
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from leantopics.ptm.em import Iteration
from leantopics.ptm.kept import FIELDS
from leantopics.ptm.objective import BicTerms
from leantopics.ptm.prediction import Shrunk
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.ptm.stability import Stability
from leantopics.storage import Folder, load_folder, save_folder

if TYPE_CHECKING:
    from leantopics.ptm.model import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")

_SURE = ("orders", "agreement", "words")
_BY_ORDER = tuple(name for name in Snapshot._fields if name != "beta0")
"""Arrays of which every order of the path has its own."""


def _settings(model: "ParsimoniousTopicModel") -> dict[str, Any]:
    """Parameters that JSON can hold; a callback and a generator cannot come along."""
    settings = model.get_params()
    settings["callback"] = None
    seed = settings["random_state"]
    settings["random_state"] = int(seed) if isinstance(seed, numbers.Integral) else None
    plain = (str, bool, int, float, type(None))
    return {k: v if isinstance(v, plain) else v.item() for k, v in settings.items()}


def save(model: "ParsimoniousTopicModel", path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a folder, whole or not at all.

    Each array of the snapshots is stored once, all orders of the path end to end.
    """
    taken = [snapshot for snapshot, _ in model._path.values()]
    arrays = {
        name: np.concatenate([getattr(snapshot, name) for snapshot in taken])
        for name in _BY_ORDER
    }
    shared = list({id(snapshot.beta0): snapshot.beta0 for snapshot in taken}.values())
    orders = [
        {
            **summary._asdict(),
            "terms": summary.terms._asdict(),
            "sizes": {name: len(getattr(snapshot, name)) for name in _BY_ORDER},
            "shared": next(n for n, b in enumerate(shared) if b is snapshot.beta0),
        }
        for snapshot, summary in model._path.values()
    ]
    content = {
        "settings": _settings(model),
        "n_topics": model.n_topics_,
        "word_prior": model.word_prior_,
        "fingerprint": model.fingerprint_,
        "versions": model.versions_,
        "n_features_in": model.n_features_in_,
        "has_feature_names": hasattr(model, "feature_names_in_"),
        "topic_names": model._topic_names,
        "pinned_words": {str(j): words for j, words in model.pinned_words_.items()},
        "analyser": model.analyser_,
        "orders": orders,
        "history": [step._asdict() for step in model.history_],
    }
    arrays |= {
        "beta0": np.stack(shared),
        "frequency": model.word_frequency_,
        "filled": model._filled,
    }
    if model._shrunk is not None:
        arrays |= model._shrunk._asdict()
    if model.stability_ is not None:
        content["stability"] = model.stability_.how
        arrays |= {
            f"stability_{name}": getattr(model.stability_, name) for name in _SURE
        }
    strings = {"vocabulary": model.vocabulary_, **(model._kept or {})}
    save_folder(path, kind="model", content=content, arrays=arrays, strings=strings)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` wrote."""
    folder = load_folder(path, kind="model")
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
    model.word_prior_ = content["word_prior"]
    model.fingerprint_ = content["fingerprint"]
    model.versions_ = content["versions"]
    model.history_ = [Iteration(**step) for step in content["history"]]
    fitted, shared = {}, list(arrays["beta0"])
    start = dict.fromkeys(_BY_ORDER, 0)
    for order in content["orders"]:
        sizes, terms = order.pop("sizes"), BicTerms(**order.pop("terms"))
        parts = {"beta0": shared[order.pop("shared")]}
        summary = Summary(**order, terms=terms)
        for name in _BY_ORDER:
            end = start[name] + sizes[name]
            parts[name] = arrays[name][start[name] : end]
            start[name] = end
        fitted[summary.n_topics] = (Snapshot(**parts), summary)
    model.analyser_ = content["analyser"]
    model._show(fitted, content["n_topics"], arrays["frequency"], arrays["filled"])
    model._topic_names = content["topic_names"]
    model.pinned_words_ = {int(j): w for j, w in content["pinned_words"].items()}
    if set(Shrunk._fields) <= set(arrays):
        model._shrunk = Shrunk(*(arrays[name] for name in Shrunk._fields))
    if "stability" in content:
        sure = {name: arrays[f"stability_{name}"] for name in _SURE}
        model.stability_ = Stability(content["stability"], **sure)
    if set(FIELDS) <= set(strings):
        model._kept = {field: list(strings[field]) for field in FIELDS}
    return model
