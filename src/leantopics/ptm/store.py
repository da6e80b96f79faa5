"""A fitted model on disk: settings and results as JSON, arrays as arrays."""

import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from leantopics import stored
from leantopics.ptm.em import Iteration
from leantopics.ptm.kept import FIELDS
from leantopics.ptm.objective import BicTerms
from leantopics.ptm.prediction import Shrunk
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.storage import Folder, save_folder
from leantopics.stored import check, is_numbers, is_pattern

if TYPE_CHECKING:
    from leantopics.ptm.model import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")


def save(model: "ParsimoniousTopicModel", path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a folder or zip file, whole or not at all.

    Each array of the snapshots is stored once, all orders of the path end to end.
    """
    taken = [snapshot for snapshot, _ in model._path.values()]
    arrays = {
        name: np.concatenate([getattr(snapshot, name) for snapshot in taken])
        for name in Snapshot._fields
    }
    orders = [
        {
            **summary._asdict(),
            "terms": summary.terms._asdict(),
            "sizes": {name: len(array) for name, array in snapshot._asdict().items()},
        }
        for snapshot, summary in model._path.values()
    ]
    analyser, words = stored.split_analyser(model.analyser_)
    content = {
        "class": stored.FIRST,
        "settings": stored.settings_of(model),
        "n_topics": model.n_topics_,
        "word_prior": model.word_prior_,
        "fingerprint": model.fingerprint_,
        "versions": model.versions_,
        "n_features_in": model.n_features_in_,
        "has_feature_names": hasattr(model, "feature_names_in_"),
        "topic_names": model._topic_names,
        "analyser": analyser,
        "orders": orders,
        "history": [step._asdict() for step in model.history_],
    }
    arrays |= {"beta0": model.shared_word_prob_, "filled": model._filled}
    if model._shrunk is not None:
        arrays |= model._shrunk._asdict()
    strings = {"vocabulary": model.vocabulary_, **words, **(model._kept or {})}
    save_folder(path, kind="model", content=content, arrays=arrays, strings=strings)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` wrote."""
    return stored.load(cls, stored.FIRST, path, _restore)


def _restore(model: "ParsimoniousTopicModel", folder: Folder) -> None:
    content, arrays, strings = folder
    beta0, filled = arrays["beta0"], arrays["filled"]
    n_words, n_topics = content["n_features_in"], content["n_topics"]
    check("beta0", is_numbers(beta0, n_words, least=0.0))
    check("filled", filled.ndim == 1 and filled.dtype == np.bool_)
    model.vocabulary_ = list(strings["vocabulary"])
    check("vocabulary", len(model.vocabulary_) == n_words)
    model.n_features_in_ = n_words
    if content["has_feature_names"]:
        model.feature_names_in_ = np.array(model.vocabulary_, dtype=object)
    model.word_prior_ = content["word_prior"]
    model.fingerprint_ = content["fingerprint"]
    model.versions_ = content["versions"]
    model.history_ = [Iteration(**step) for step in content["history"]]
    model.analyser_ = stored.join_analyser(folder)
    fitted = {}
    start = dict.fromkeys(Snapshot._fields, 0)
    for order in content["orders"]:
        sizes, terms = order.pop("sizes"), BicTerms(**order.pop("terms"))
        summary = Summary(**order, terms=terms)
        parts = {}
        for name in Snapshot._fields:
            end = start[name] + sizes[name]
            parts[name] = arrays[name][start[name] : end]
            start[name] = end
        snapshot = Snapshot(**parts)
        _check_snapshot(snapshot, summary.n_topics, int(filled.sum()), n_words)
        fitted[summary.n_topics] = (snapshot, summary)
    model._show(fitted, n_topics, beta0, filled)
    model._topic_names = stored.topic_names(content)
    if set(Shrunk._fields) <= set(arrays):
        model._shrunk = _shrunk(arrays, n_topics, n_words)
    if set(FIELDS) <= set(strings):
        model._kept = {field: list(strings[field]) for field in FIELDS}


def _check_snapshot(here: Snapshot, n_topics: int, n_docs: int, n_words: int) -> None:
    """Refuse arrays that do not fit together: kernels trust them without looking."""
    words, topics = here.salient_word, here.doc_topic
    check("salient_word", is_pattern(here.salient_indptr, words, n_topics, n_words))
    check("doc_topic", is_pattern(here.doc_indptr, topics, n_docs, n_topics))
    check("excess", is_numbers(here.excess, len(words), least=-1.0))
    check("alpha", is_numbers(here.alpha, len(topics), least=0.0))
    check("gain", is_numbers(here.gain, n_docs))
    for name in ("mu", "tokens", "mass"):
        check(name, is_numbers(getattr(here, name), n_topics, least=0.0))


def _shrunk(arrays: dict[str, NDArray[Any]], n_topics: int, n_words: int) -> Shrunk:
    shrunk = Shrunk(*(arrays[name] for name in Shrunk._fields))
    indptr, word, x, strength, prior = shrunk
    check("shrunk_word", is_pattern(indptr, word, n_topics, n_words))
    check("shrunk_x", is_numbers(x, len(word), least=0.0))
    check("shrunk_strength", is_numbers(strength, 1, least=0.0))
    check("shrunk_prior", is_numbers(prior, n_topics, least=0.0))
    return shrunk
