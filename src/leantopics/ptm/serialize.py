"""Saved models: settings and results as JSON, arrays in binary files."""

import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from leantopics._arrays import Floats
from leantopics._limits import MOST_COUNT
from leantopics._validation import (
    LEAST,
    SUMS,
    are_shares,
    are_whole,
    check,
    is_numbers,
    is_pattern,
)
from leantopics.corpus.preprocessing import join_analyser, split_analyser
from leantopics.models import persistence
from leantopics.ptm.attached_texts import FIELDS
from leantopics.ptm.em import Iteration
from leantopics.ptm.objective import BicTerms, total
from leantopics.ptm.prediction import Shrunk
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.ptm.stability import Stability
from leantopics.ptm.state import row_sums
from leantopics.storage import Folder, save_folder

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")
Arrays = dict[str, NDArray[Any]]

_SURE = ("orders", "agreement", "words")
_BY_ORDER = tuple(name for name in Snapshot._fields if name != "beta0")
"""Arrays stored for every number of topics of the path."""


def save(model: "ParsimoniousTopicModel", path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a folder or zip file atomically.

    Each array of the snapshots is stored once, for the whole path end to end.
    """
    taken = [snapshot for snapshot, _ in model._path.values()]
    arrays = {
        name: np.concatenate([getattr(snapshot, name) for snapshot in taken])
        for name in _BY_ORDER
    }
    shared = list({id(snapshot.beta0): snapshot.beta0 for snapshot in taken}.values())
    orders = [
        {
            **summary._asdict(),
            "terms": summary.terms._asdict(),
            "sizes": {name: len(getattr(snapshot, name)) for name in _BY_ORDER},
            "shared": next(n for n, b in enumerate(shared) if b is snapshot.beta0),
        }
        for snapshot, summary in model._path.values()
    ]
    analyser, words = split_analyser(model.analyser_)
    content = {
        "class": persistence.FIRST,
        "settings": persistence.settings_of(model),
        "n_topics": model.n_topics_,
        "word_prior": model.word_prior_,
        "fingerprint": model.fingerprint_,
        "versions": model.versions_,
        "n_features_in": model.n_features_in_,
        "has_feature_names": hasattr(model, "feature_names_in_"),
        "topic_names": model._topic_names,
        "pinned_words": {str(j): words for j, words in model.pinned_words_.items()},
        "edits": [
            {**made, "pin": {str(j): words for j, words in made["pin"].items()}}
            for made in model.edits_
        ],
        "analyser": analyser,
        "orders": orders,
        "history": [step._asdict() for step in model.history_],
    }
    arrays |= {
        "beta0": np.stack(shared),
        "frequency": model.word_frequency_,
        "filled": model._filled,
    }
    if model._shrunk is not None:
        arrays |= model._shrunk._asdict()
    if model.stability_ is not None:
        content["stability"] = model.stability_.how
        arrays |= {
            f"stability_{name}": getattr(model.stability_, name) for name in _SURE
        }
    strings = {"vocabulary": model.vocabulary_, **words, **(model._kept or {})}
    save_folder(path, kind="model", content=content, arrays=arrays, strings=strings)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` wrote."""
    return persistence.load(cls, persistence.FIRST, path, _restore)


def _restore(model: "ParsimoniousTopicModel", folder: Folder) -> None:
    content, arrays, strings = folder
    n_words, n_topics = content["n_features_in"], content["n_topics"]
    if not are_whole(n_words, n_topics):
        raise ValueError("the n_topics")
    beta0, filled = np.atleast_2d(arrays["beta0"]), arrays["filled"]
    frequency = arrays.get("frequency", beta0[0])  # in version 1, the shared model
    rows = np.arange(len(beta0) + 1) * n_words
    check("beta0", beta0.shape[1] == n_words and are_shares(rows, beta0.ravel()))
    check("frequency", are_shares(np.array([0, n_words]), frequency))
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
    model.analyser_ = join_analyser(content["analyser"], strings)
    fitted, shared = {}, list(beta0)
    start = dict.fromkeys(_BY_ORDER, 0)
    for order in content["orders"]:
        sizes, terms = order.pop("sizes"), BicTerms(**order.pop("terms"))
        parts = {"beta0": shared[order.pop("shared", 0)]}
        summary = Summary(**order, terms=terms)
        for name in _BY_ORDER:
            end = start[name] + sizes[name]
            parts[name] = arrays[name][start[name] : end]
            start[name] = end
        snapshot = Snapshot(**parts)
        _check_summary(summary)
        _check_snapshot(snapshot, summary.n_topics, int(filled.sum()), n_words)
        fitted[summary.n_topics] = (snapshot, summary)
    model._set_results(fitted, n_topics, frequency, filled)
    model._topic_names = persistence.topic_names(content)
    pinned = content.get("pinned_words", {})
    model.pinned_words_ = {int(j): list(words) for j, words in pinned.items()}
    model.edits_ = [
        {**made, "pin": {int(j): words for j, words in made["pin"].items()}}
        for made in content.get("edits", [])
    ]
    if set(Shrunk._fields) <= set(arrays):
        model._shrunk = _shrunk(arrays, n_topics, frequency)
    if "stability" in content:
        n_salient = int(model.n_salient_words_.sum())
        model.stability_ = _stability(content["stability"], arrays, n_topics, n_salient)
    if set(FIELDS) <= set(strings):
        model._kept = {field: list(strings[field]) for field in FIELDS}


def _check_snapshot(here: Snapshot, n_topics: int, n_docs: int, n_words: int) -> None:
    """Refuse arrays that do not fit together: kernels do not check them."""
    words, topics, beta0 = here.salient_word, here.doc_topic, here.beta0
    check("salient_word", is_pattern(here.salient_indptr, words, n_topics, n_words))
    check("doc_topic", is_pattern(here.doc_indptr, topics, n_docs, n_topics))
    check("excess", is_numbers(here.excess, len(words), least=-1.0 - SUMS))
    surplus = row_sums(here.salient_indptr, beta0[words] * here.excess)
    scale = 1.0 + row_sums(here.salient_indptr, beta0[words] * np.abs(here.excess))
    check("excess", np.all(np.abs(surplus) <= SUMS * scale))
    check("alpha", are_shares(here.doc_indptr, here.alpha))
    check("gain", is_numbers(here.gain, n_docs))
    check("mu", is_numbers(here.mu, n_topics, least=0.0))
    check("tokens", is_numbers(here.tokens, n_topics, least=LEAST))
    check("mass", is_numbers(here.mass, n_topics, least=0.0) and here.mass.any())


def _check_summary(summary: Summary) -> None:
    """Refuse a row of the path whose numbers contradict each other."""
    bic = total(summary.terms)
    if not (
        are_whole(summary.n_topics, summary.n_iter, summary.distinct_salient)
        and abs(bic - summary.bic) <= SUMS * abs(bic)
        and summary.log_likelihood == -summary.terms.neg_log_likelihood
        and isinstance(summary.converged, bool)
        and isinstance(summary.stop_reason, str)
    ):
        raise ValueError("the path")


def _shrunk(arrays: Arrays, n_topics: int, frequency: Floats) -> Shrunk:
    shrunk = Shrunk(*(arrays[name] for name in Shrunk._fields))
    indptr, word, x, strength, prior = shrunk
    check("shrunk_word", is_pattern(indptr, word, n_topics, len(frequency)))
    check("shrunk_word", (frequency[word] > 0.0).all())
    check("shrunk_x", is_numbers(x, len(word), least=0.0, most=MOST_COUNT))
    check("shrunk_strength", is_numbers(strength, 1, least=LEAST))
    check("shrunk_prior", is_numbers(prior, n_topics, least=LEAST))
    return shrunk


def _stability(how: str, arrays: Arrays, n_topics: int, n_salient: int) -> Stability:
    found = Stability(how, *(arrays[f"stability_{name}"] for name in _SURE))
    whole = found.orders.ndim == 1 and found.orders.dtype.kind == "i"
    check("stability_orders", whole)
    agreement = (found.agreement, len(found.orders), n_topics)
    check("stability_agreement", is_numbers(*agreement, least=0.0))
    check("stability_words", is_numbers(found.words, n_salient, least=0.0))
    return found
