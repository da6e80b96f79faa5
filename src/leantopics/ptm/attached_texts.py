"""Texts saved with a model, so that a report can show them."""

import json
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.text import TextVectorizer

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel

Kept = dict[str, list[str]]
FIELDS = ("kept_ids", "kept_labels", "kept_texts")


def keep_texts(model: "ParsimoniousTopicModel", corpus: Corpus) -> None:
    """Keep the texts of a corpus with a model; `save` writes them, `load` reads them.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A model with an analyser, which means that it was fitted to texts.
    corpus : Corpus
        The documents, with texts.
    """
    if corpus.texts is None or model.analyser_ is None:
        raise ValueError(
            "Only texts can be kept, but the model was fitted to counts; give the "
            "corpus to the report instead."
        )
    labels = corpus.labels or [[]] * corpus.n_docs
    columns = (corpus.ids, map(json.dumps, labels), corpus.texts)
    model._kept = dict(zip(FIELDS, map(list, columns), strict=True))


def kept_corpus(model: "ParsimoniousTopicModel") -> Corpus | None:
    """Return the texts kept with a model, counted again; None if there are none."""
    if model._kept is None or model.analyser_ is None:
        return None
    ids, labels, texts = (model._kept[field] for field in FIELDS)
    vectorizer = TextVectorizer.from_dict(model.analyser_)
    return Corpus(
        vectorizer.transform(texts),
        model.vocabulary_,
        ids,
        map(json.loads, labels),
        texts=texts,
    )
