"""What all saved models have in common: class, settings, words, names of topics."""

import numbers
import os
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np

from leantopics._arrays import Floats
from leantopics._validation import are_shares, are_whole, check
from leantopics.corpus.analyser import join_analyser, split_analyser
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


def packed(model: Any) -> Folder:
    """Return what is saved of every fitted model."""
    analyser, words = split_analyser(model.analyser_)
    content = {
        "settings": settings_of(model),
        "n_topics": model.n_topics_,
        "n_features_in": model.n_features_in_,
        "has_feature_names": hasattr(model, "feature_names_in_"),
        "topic_names": model._topic_names,
        "analyser": analyser,
        "history": [step._asdict() for step in model.history_],
    }
    arrays = {"frequency": model.word_frequency_, "filled": model._filled}
    lists = {name: list(items) for name, items in words.items()}
    return Folder(content, arrays, {"vocabulary": model.vocabulary_, **lists})


def check_sizes(content: Mapping[str, Any]) -> None:
    """Refuse numbers of words and topics that are not whole."""
    if not are_whole(content["n_features_in"], content["n_topics"]):
        raise ValueError("the n_topics")


def restore_words(model: Any, folder: Folder, frequency: Floats) -> None:
    """Restore what every model knows of words; check the arrays that all have.

    ``frequency`` (N,) are the shares of words in the documents of the fit.
    """
    content, arrays, strings = folder
    n_words, filled = content["n_features_in"], arrays["filled"]
    check("frequency", are_shares(np.array([0, n_words]), frequency))
    check("filled", filled.ndim == 1 and filled.dtype == np.bool_)
    model.vocabulary_ = list(strings["vocabulary"])
    check("vocabulary", len(model.vocabulary_) == n_words)
    model.n_features_in_ = n_words
    if content["has_feature_names"]:
        model.feature_names_in_ = np.array(model.vocabulary_, dtype=object)
    model.analyser_ = join_analyser(content["analyser"], strings)


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
    """Load a model of one class, whose ``name`` the manifest must have.

    Settings that are newer than the saved model get their defaults; settings that no
    longer exist are left out. ``restore`` takes a new model and the saved content, and
    restores the fitted state.
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
            written_by = read_manifest(path)["package_version"]
            if not is_newer(version("leantopics"), written_by):
                raise ValueError(f"the setting {setting!r}")
            del settings[setting]
        model = cls(**settings)
        restore(model, folder)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise not_understood(path, "model", error) from error
    return model
