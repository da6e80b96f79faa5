"""Any of our models, whatever its class."""

import os
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leantopics.baselines import LDA, SparseTopicalCoding
from leantopics.ptm.model import ParsimoniousTopicModel
from leantopics.storage import read_manifest

Model: TypeAlias = ParsimoniousTopicModel | LDA | SparseTopicalCoding

_CLASSES: dict[str, type[Model]] = {
    cls.__name__: cls for cls in (ParsimoniousTopicModel, LDA, SparseTopicalCoding)
}


def load_model(path: str | os.PathLike[str]) -> Model:
    """Load a saved model as the class that it was saved as.

    Parameters
    ----------
    path : path
        A folder that `save` of a model wrote.

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
    name = read_manifest(path)["content"].get("class", ParsimoniousTopicModel.__name__)
    if name not in _CLASSES:
        raise ValueError(
            f"{os.fspath(path)} holds a model of class {name!r}, but this version "
            f"knows {', '.join(_CLASSES)}; upgrade leantopics."
        )
    return _CLASSES[name].load(path)


def word_frequency(model: Model) -> NDArray[np.float64]:
    """Share of each word among all words of the training documents, shape (N,)."""
    if isinstance(model, ParsimoniousTopicModel):
        return model.word_frequency_
    return model._frequency
