"""Any of our models, whatever its class."""

import os
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leantopics.baselines import LDA, SparseTopicalCoding
from leantopics.ptm.model import ParsimoniousTopicModel
from leantopics.storage import not_understood, read_manifest
from leantopics.stored import FIRST

Model: TypeAlias = ParsimoniousTopicModel | LDA | SparseTopicalCoding

_CLASSES: dict[str, type[Model]] = {
    cls.__name__: cls for cls in (ParsimoniousTopicModel, LDA, SparseTopicalCoding)
}


def load_model(path: str | os.PathLike[str]) -> Model:
    """Load a saved model as the class that it was saved as.

    Parameters
    ----------
    path : path
        A folder or zip file that `save` of a model wrote.

    Examples
    --------
    >>> import tempfile
    >>> from leantopics import make_corpus
    >>> corpus, _ = make_corpus(50, 60, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     LDA(2, random_state=0).fit(corpus).save(folder + "/m")
    ...     load_model(folder + "/m").n_topics_
    2
    """
    manifest = read_manifest(path)
    name = str(manifest["content"].get("class", FIRST))
    if manifest["kind"] == "model" and name not in _CLASSES:
        raise not_understood(path, "model", ValueError(f"the class {name!r:.80}"))
    return _CLASSES.get(name, ParsimoniousTopicModel).load(path)


def word_frequency(model: Model) -> NDArray[np.float64]:
    """Share of each word among all words of the training documents, shape (N,)."""
    if isinstance(model, ParsimoniousTopicModel):
        return model.word_frequency_
    return model._frequency
