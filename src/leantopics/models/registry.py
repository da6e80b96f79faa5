"""Any of our models, whatever its class."""

import os
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from leantopics.baselines import LDA, SparseTopicalCoding
from leantopics.corpus import Corpus
from leantopics.models.persistence import FIRST
from leantopics.ptm.estimator import ParsimoniousTopicModel
from leantopics.storage import not_understood, read_manifest

Topics: TypeAlias = list[tuple[int, float]]
"""Pairs of number and proportion."""
Model: TypeAlias = ParsimoniousTopicModel | LDA | SparseTopicalCoding

_CLASSES: dict[str, type[Model]] = {
    cls.__name__: cls for cls in (ParsimoniousTopicModel, LDA, SparseTopicalCoding)
}


_LEAST = 0.00005
"""Smaller proportions would be printed as zero, hence are not told."""


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


def document_topics(model: Model, corpus: Corpus) -> sparse.csr_array:
    """Topics of documents: those of the fit, if these are its documents, or inferred.

    Parameters
    ----------
    model : Model
        The model. Only our own knows the documents of its fit again.
    corpus : Corpus
        The documents.

    Examples
    --------
    >>> from leantopics import make_corpus
    >>> corpus, _ = make_corpus(50, 60, 2)
    >>> model = ParsimoniousTopicModel(2, random_state=0).fit(corpus)
    >>> document_topics(model, corpus) is model.topic_proportions_
    True
    """
    if isinstance(model, ParsimoniousTopicModel) and model.is_fitted_to(corpus):
        return model.topic_proportions_
    return sparse.csr_array(model.transform(corpus))


def told_topics(model: Model, counts: sparse.csr_array) -> list[Topics]:
    """Topics of documents as they are told: by falling proportion, without tiny ones.

    Parameters
    ----------
    model : Model
        The model.
    counts : csr_array of shape (D, N)
        Counts over its vocabulary; documents without any word it knows have no topics.

    Examples
    --------
    >>> from leantopics import make_corpus
    >>> corpus, _ = make_corpus(50, 60, 2)
    >>> model = LDA(2, random_state=0).fit(corpus)
    >>> topics = told_topics(model, corpus.counts[:1])[0]
    >>> round(sum(share for _, share in topics), 6)
    1.0
    """
    shares = sparse.csr_array(model.transform(counts))
    known = (counts @ (word_frequency(model) > 0.0)) > 0.0
    row = np.repeat(np.arange(counts.shape[0]), np.diff(shares.indptr))
    told = np.flatnonzero(known[row] & (shares.data >= _LEAST))
    told = told[np.lexsort((-shares.data[told], row[told]))]
    ends = np.searchsorted(row[told], np.arange(counts.shape[0] + 1)).tolist()
    topics, values = shares.indices[told].tolist(), shares.data[told].tolist()
    pairs = list(zip(topics, values, strict=True))
    return [pairs[start:stop] for start, stop in pairwise(ends)]
