"""Texts saved with a model, so that a report can show them."""

import json
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.ptm.naming import Tokens
from leantopics.text import TextVectorizer
from leantopics.text.words import MissingTokenizer

if TYPE_CHECKING:
    from leantopics.ptm.fitted import FittedModel

Kept = dict[str, list[str]]
FIELDS = ("kept_ids", "kept_labels", "kept_texts")
TYPICAL, BEGINNING = 10, 1000
"""Documents of a topic, and characters of each, in which phrases are looked for."""


def keep_texts(model: "FittedModel", corpus: Corpus) -> None:
    """Keep the texts of a corpus with a model; `save` writes them, `load` reads them.

    The model must have been fitted to texts.
    """
    if corpus.texts is None or model.analyser_ is None:
        raise ValueError(
            "Only texts can be kept, but the model was fitted to counts; give the "
            "corpus to the report instead."
        )
    labels = corpus.labels or [[]] * corpus.n_docs
    columns = (corpus.ids, map(json.dumps, labels), corpus.texts)
    kept = dict(zip(FIELDS, map(list, columns), strict=True))
    for level in (model, model.finer_):
        if level is not None:
            level._kept = kept


def kept_texts(model: "FittedModel") -> tuple[list[str], list[str]] | None:
    """Return ids and texts of the documents of the fit, if they are kept."""
    if model._kept is None:
        return None
    ids, _, texts = (model._kept[field] for field in FIELDS)
    return (ids, texts) if len(texts) == model.topic_proportions_.shape[0] else None


def kept_tokens(model: "FittedModel") -> Tokens | None:
    """Return what gives the words of typical documents; None if texts are not there."""
    kept = kept_texts(model)
    if kept is None or model.analyser_ is None:
        return None
    texts = kept[1]
    vectorizer = TextVectorizer.from_dict(model.analyser_)
    if isinstance(vectorizer.tokenizer, MissingTokenizer):
        return None

    def tokens(topic: int) -> list[list[int]]:
        typical = model.documents(topic, TYPICAL)
        found = vectorizer.spans(texts[row][:BEGINNING] for row, _ in typical)
        return [[column for *_, column in places] for places in found]

    return tokens


def kept_corpus(model: "FittedModel") -> Corpus | None:
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
