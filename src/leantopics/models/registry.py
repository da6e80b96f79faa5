"""Saved models of any class."""

import os
from importlib import import_module

from leantopics.models.base import TopicModel
from leantopics.models.persistence import FIRST
from leantopics.storage import not_understood, read_manifest

_HOMES = {
    "ParsimoniousTopicModel": "leantopics.ptm.estimator",
    "LDA": "leantopics.baselines.lda",
    "SparseTopicalCoding": "leantopics.baselines.stc",
}
"""Module of each class, imported when a model is loaded."""


def load_model(path: str | os.PathLike[str]) -> TopicModel:
    """Load a saved model, of whatever class it is.

    Parameters
    ----------
    path : path
        A folder or zip file written by the `save` method of a model.

    Examples
    --------
    >>> import tempfile
    >>> from leantopics import LDA, make_corpus
    >>> corpus, _ = make_corpus(50, 60, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     LDA(2, random_state=0).fit(corpus).save(folder + "/m")
    ...     load_model(folder + "/m").n_topics_
    2
    """
    manifest = read_manifest(path)
    name = str(manifest["content"].get("class", FIRST))
    if manifest["kind"] == "model" and name not in _HOMES:
        raise not_understood(path, "model", ValueError(f"the class {name!r:.80}"))
    name = name if name in _HOMES else FIRST
    model: TopicModel = getattr(import_module(_HOMES[name]), name).load(path)
    return model
