"""Topics and documents of a model as data frames, pandas or polars."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from leantopics._arrays import Longs
from leantopics._frames import frame
from leantopics.corpus import Corpus
from leantopics.models.levels import model_at
from leantopics.ptm.attached_texts import kept_corpus

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel
    from leantopics.ptm.fitted import FittedModel

BEGINNING = 100
"""Characters of a text that a table shows."""


def documents_of(model: "FittedModel", X: Any) -> Any:
    """Return documents given, or those that the model has; None if it has none."""
    if X is not None:
        return X
    if model.corpus_ is not None:
        return model.corpus_
    fitted: Any = model
    return kept_corpus(fitted)


def topics_frame(
    model: "ParsimoniousTopicModel", level: str | int | None, n_words: int
) -> Any:
    """Return a row for each topic; see `ParsimoniousTopicModel.topics_frame`."""
    at: Any = model_at(model, level)
    forms = dict(zip(at.vocabulary_, at.surface_forms, strict=True))
    topics = range(at.n_topics_)
    columns: dict[str, Any] = {
        "topic": topics,
        "name": at.topic_names,
        "share": at.topic_mass_.tolist(),
        "documents": at.n_documents_.tolist(),
        "salient_words": at.n_salient_words_.tolist(),
        "words": [
            " ".join(forms[word] for word, _ in at.top_words(j, n_words))
            for j in topics
        ],
    }
    if at is model.finer_ and model.parents_ is not None:
        names = model.topic_names
        columns["theme"] = model.parents_.tolist()
        columns["theme_name"] = [names[k] for k in model.parents_]
    if at.stability_ is not None:
        columns["agreement"] = at.stability_.mean_agreement.tolist()
    return frame(columns)


def documents_frame(
    model: "ParsimoniousTopicModel", X: Any, level: str | int | None
) -> Any:
    """Return a row for each document; see `ParsimoniousTopicModel.documents_frame`."""
    at: Any = model_at(model, level)
    given = documents_of(model, X)
    corpus = given if isinstance(given, Corpus) else None
    shares = at.topic_proportions_ if given is None else at.document_topics(given)
    names, main = at.topic_names, _main_topics(shares)
    size = np.diff(shares.indptr)
    row = np.arange(shares.shape[0])
    ids = corpus.ids if corpus is not None else [str(d) for d in row]
    columns: dict[str, Any] = {
        "document": list(ids),
        "topic": main.tolist(),
        "name": [names[j] for j in main],
        "share": np.asarray(shares[row, main]).ravel().tolist(),
        "topics": size.tolist(),
    }
    if at is model.finer_ and model.parents_ is not None:
        above = model.topic_names
        columns["theme_name"] = [above[k] for k in model.parents_[main]]
    if corpus is not None:
        columns = {**_known(corpus), **columns}
    return frame({name: columns[name] for name in _ordered(columns)})


def _main_topics(shares: sparse.csr_array) -> Longs:
    """The topic with the largest share of each document, the first of equal ones."""
    main: Longs = np.asarray(shares.argmax(axis=1)).ravel()
    return main


def _known(corpus: Corpus) -> dict[str, list[Any]]:
    """What is known about documents: labels, metadata, and how their texts begin."""
    columns: dict[str, list[Any]] = {}
    if corpus.labels is not None:
        columns["labels"] = [", ".join(labels) for labels in corpus.labels]
    rows = list(corpus.metadata or [])
    for field in dict.fromkeys(key for row in rows for key in row):
        columns[field] = [row.get(field) for row in rows]
    if corpus.texts is not None:
        columns["text"] = [
            " ".join(corpus.texts[d][: 2 * BEGINNING].split())[:BEGINNING]
            for d in range(len(corpus))
        ]
    return columns


def _ordered(columns: dict[str, Any]) -> list[str]:
    """The topics of documents first, then what is known about these."""
    first = ["document", "topic", "name", "theme_name", "share", "topics"]
    own = [name for name in first if name in columns]
    return [*own, *(name for name in columns if name not in own)]
