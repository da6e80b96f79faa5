"""What all saved models have in common: class, settings, names of topics."""

import numbers
import os
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np

from leantopics.storage import (
    Folder,
    is_newer,
    load_folder,
    not_understood,
    read_manifest,
)

Model = TypeVar("Model")
FIRST = "ParsimoniousTopicModel"
"""Class of models saved without one, as in format version 1."""


def settings_of(model: Any) -> dict[str, Any]:
    """Parameters that JSON can hold; a callback and a random generator are left out.

    Examples
    --------
    >>> from leantopics import LDA
    >>> settings = settings_of(LDA(np.int64(3), callback=print))
    >>> settings["n_topics"], settings["callback"]
    (3, None)
    """
    settings: dict[str, Any] = model.get_params()
    settings["callback"] = None
    seed = settings["random_state"]
    settings["random_state"] = int(seed) if isinstance(seed, numbers.Integral) else None
    return {
        k: v.item() if isinstance(v, np.generic) else v for k, v in settings.items()
    }


def topic_names(content: Mapping[str, Any]) -> list[str] | None:
    """Return the names given to the topics, one for each, or None.

    Examples
    --------
    >>> topic_names({"n_topics": 2, "topic_names": ["sea", "wood"]})
    ['sea', 'wood']
    """
    names: list[str] | None = content["topic_names"]
    if names is not None and (
        len(names) != content["n_topics"]
        or not all(isinstance(name, str) for name in names)
    ):
        raise ValueError("the topic_names")
    return names


def load(
    cls: type[Model],
    name: str,
    path: str | os.PathLike[str],
    restore: Callable[[Model, Folder], None],
) -> Model:
    """Load a model of one class.

    Settings that are newer than the saved model get their defaults; settings that no
    longer exist are left out.

    Parameters
    ----------
    cls : type
        The class.
    name : str
        The class name that the manifest must have.
    path : path
        Where the model is saved.
    restore : callable
        Takes a new model and the saved content, and restores the fitted state.
    """
    folder = load_folder(path, kind="model")
    found = folder.content.get("class", FIRST)
    if found != name:
        raise ValueError(
            f"{os.fspath(path)} must hold a model of class {name}, but holds one of "
            f"class {found}: load it with leantopics.load_model."
        )
    try:
        settings = dict(folder.content["settings"])
        known: dict[str, Any] = cls().get_params()  # type: ignore[attr-defined]
        for setting in sorted(set(settings) - set(known)):
            if not _is_older(path):
                raise ValueError(f"the setting {setting!r}")
            del settings[setting]
        model = cls(**settings)
        restore(model, folder)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise not_understood(path, "model", error) from error
    return model


def _is_older(path: str | os.PathLike[str]) -> bool:
    return is_newer(version("leantopics"), read_manifest(path)["package_version"])
