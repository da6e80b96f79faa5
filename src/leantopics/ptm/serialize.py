"""Saved models: settings and results as JSON, arrays in binary files."""

import os
from collections.abc import Mapping
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
from leantopics.models import persistence
from leantopics.ptm import changes
from leantopics.ptm.attached_texts import FIELDS
from leantopics.ptm.em import Iteration
from leantopics.ptm.guided import guide
from leantopics.ptm.objective import BicTerms, total
from leantopics.ptm.prediction import Shrunk
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.ptm.stability import Stability
from leantopics.ptm.state import row_sums
from leantopics.ptm.tree import TopicWords
from leantopics.storage import Folder, save_folder

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")
Arrays = dict[str, NDArray[Any]]

_SURE = ("orders", "agreement", "words")
_BY_ORDER = tuple(name for name in Snapshot._fields if name != "beta0")
"""Arrays stored for every number of topics of the path."""
_FINER = "finer_"
"""What the names of a finer model's arrays and lists begin with."""


def save(model: "ParsimoniousTopicModel", path: str | os.PathLike[str]) -> None:
    """Write a fitted model, with its finer one, to a folder or zip file atomically."""
    content, arrays, strings = _packed(model)
    save_folder(path, kind="model", content=content, arrays=arrays, strings=strings)


def _packed(model: "ParsimoniousTopicModel") -> Folder:
    """Each array of the snapshots is stored once, for the whole path end to end."""
    taken = [snapshot for snapshot, _ in model._path.values()]
    arrays = {
        name: np.concatenate([getattr(snapshot, name) for snapshot in taken])
        for name in _BY_ORDER
    }
    shared = list({id(snapshot.beta0): snapshot.beta0 for snapshot in taken}.values())
    orders = [_order(*entry, shared) for entry in model._path.values()]
    common = persistence.packed(model)
    content = {
        **common.content,
        "class": persistence.FIRST,
        "word_prior": model.word_prior_,
        "burstiness": None if np.isinf(model.burstiness_) else model.burstiness_,
        "fingerprint": model.fingerprint_,
        "versions": model.versions_,
        "pinned_words": {str(j): words for j, words in model.pinned_words_.items()},
        "edits": [
            {**made, "pin": {str(j): words for j, words in made["pin"].items()}}
            for made in model.edits_
        ],
        "changes": model.changes_,
        "guide_costs": model.guide_costs_,
        "orders": orders,
    }
    arrays |= {"beta0": np.stack(shared), **common.arrays}
    if model._shrunk is not None:
        arrays |= model._shrunk._asdict()
    if model._counted is not None:
        arrays |= model._counted._asdict()
    if model.stability_ is not None:
        content["stability"] = model.stability_.how
        arrays |= {
            f"stability_{name}": getattr(model.stability_, name) for name in _SURE
        }
    strings = {**common.strings, **(model._kept or {})}
    if model.finer_ is not None and model.parents_ is not None:
        finer = _packed(model.finer_)
        content["finer"], arrays["parents"] = finer.content, model.parents_
        arrays |= {_FINER + name: array for name, array in finer.arrays.items()}
        own = set(finer.strings) - {"vocabulary", *FIELDS}
        strings |= {_FINER + name: finer.strings[name] for name in own}
    return Folder(content, arrays, strings)


def _order(
    snapshot: Snapshot, summary: Summary, shared: list[Floats]
) -> dict[str, Any]:
    return {
        **summary._asdict(),
        "terms": summary.terms._asdict(),
        "sizes": {name: len(getattr(snapshot, name)) for name in _BY_ORDER},
        "shared": next(n for n, b in enumerate(shared) if b is snapshot.beta0),
    }


def _unpacked_finer(folder: Folder) -> Folder:
    """The part of a saved model that is its finer model; both have the same words."""

    def part(of: Mapping[str, Any]) -> dict[str, Any]:
        named = of.items()
        return {k.removeprefix(_FINER): v for k, v in named if k.startswith(_FINER)}

    shared = {"vocabulary", *FIELDS} & set(folder.strings)
    strings = part(folder.strings) | {name: folder.strings[name] for name in shared}
    return Folder(folder.content["finer"], part(folder.arrays), strings)


def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` wrote."""
    return persistence.load(cls, persistence.FIRST, path, _restore)


def _restore(model: "ParsimoniousTopicModel", folder: Folder) -> None:
    content, arrays = folder.content, folder.arrays
    persistence.check_sizes(content)
    n_words, n_topics = content["n_features_in"], content["n_topics"]
    beta0, filled = np.atleast_2d(arrays["beta0"]), arrays["filled"]
    frequency = arrays.get("frequency", beta0[0])  # in version 1, the shared model
    rows = np.arange(len(beta0) + 1) * n_words
    check("beta0", beta0.shape[1] == n_words and are_shares(rows, beta0.ravel()))
    persistence.restore_words(model, folder, frequency)
    model.word_prior_ = content["word_prior"]
    model.burstiness_ = _burstiness(content)
    if "burstiness" not in content:  # saved before there was a choice
        model.evidence = "words"
    model.fingerprint_ = content["fingerprint"]
    model.versions_ = content["versions"]
    model.history_ = [Iteration(**step) for step in content["history"]]
    path = _path(content["orders"], arrays, list(beta0), int(filled.sum()))
    model._set_results(path, n_topics, frequency, filled)
    model._topic_names = persistence.topic_names(content)
    pinned = content.get("pinned_words", {})
    model.pinned_words_ = {int(j): list(words) for j, words in pinned.items()}
    model.edits_ = [
        {**made, "pin": {int(j): words for j, words in made["pin"].items()}}
        for made in content.get("edits", [])
    ]
    model.changes_ = changes.checked(content.get("changes", []))
    model.guide_costs_ = guide.checked(content.get("guide_costs", []))
    if set(Shrunk._fields) <= set(arrays):
        model._shrunk = _shrunk(arrays, n_topics, frequency)
    if set(TopicWords._fields) <= set(arrays):
        model._counted = _counted(arrays, n_topics, frequency, int(filled.sum()))
    if "finer" in content:
        _restore_finer(model, _unpacked_finer(folder), arrays["parents"])
    if "stability" in content:
        n_salient = int(model.n_salient_words_.sum())
        model.stability_ = _stability(content["stability"], arrays, n_topics, n_salient)
    if set(FIELDS) <= set(folder.strings):
        model._kept = {field: list(folder.strings[field]) for field in FIELDS}


def _restore_finer(
    model: "ParsimoniousTopicModel", folder: Folder, parents: np.ndarray
) -> None:
    settings, known = folder.content["settings"], model.get_params()
    model.finer_ = type(model)(**{k: settings[k] for k in known if k in settings})
    _restore(model.finer_, folder)
    most = model.finer_.n_topics_
    check("parents", parents.shape == (most,) and parents.dtype == np.int64)
    check("parents", ((parents >= 0) & (parents < model.n_topics_)).all())
    model.parents_ = model.finer_._themes = parents


def _path(
    orders: list[dict[str, Any]], arrays: Arrays, shared: list[Floats], n_docs: int
) -> dict[int, tuple[Snapshot, Summary]]:
    """Cut the arrays that hold all numbers of topics end to end."""
    path, start = {}, dict.fromkeys(_BY_ORDER, 0)
    for order in orders:
        sizes, terms = order.pop("sizes"), BicTerms(**order.pop("terms"))
        parts = {"beta0": shared[order.pop("shared", 0)]}
        summary = Summary(**order, terms=terms)
        for name in _BY_ORDER:
            end = start[name] + sizes[name]
            parts[name] = arrays[name][start[name] : end]
            start[name] = end
        snapshot = Snapshot(**parts)
        _check_summary(summary)
        _check_snapshot(snapshot, summary.n_topics, n_docs, len(snapshot.beta0))
        path[summary.n_topics] = (snapshot, summary)
    return path


def _burstiness(content: Mapping[str, Any]) -> float:
    found = content.get("burstiness")
    if found is None:
        return float(np.inf)
    if not (isinstance(found, float) and 0.0 < found < np.inf):
        raise ValueError("the burstiness")
    return found


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
    _check_counts("shrunk", shrunk[:3], n_topics, frequency)
    check("shrunk_strength", is_numbers(shrunk.shrunk_strength, 1, least=LEAST))
    check("shrunk_prior", is_numbers(shrunk.shrunk_prior, n_topics, least=LEAST))
    return shrunk


def _counted(
    arrays: Arrays, n_topics: int, frequency: Floats, n_docs: int
) -> TopicWords:
    counted = TopicWords(*(arrays[name] for name in TopicWords._fields))
    _check_counts("counted", counted[:3], n_topics, frequency)
    check("length", is_numbers(counted.length, n_docs, least=LEAST))
    return counted


def _check_counts(
    name: str, counts: tuple[Any, Any, Any], n_topics: int, frequency: Floats
) -> None:
    """Refuse indptr, words and counts of topics that kernels could not trust."""
    indptr, word, x = counts
    check(f"{name}_word", is_pattern(indptr, word, n_topics, len(frequency)))
    check(f"{name}_word", (frequency[word] > 0.0).all())
    check(f"{name}_x", is_numbers(x, len(word), least=0.0, most=MOST_COUNT))


def _stability(how: str, arrays: Arrays, n_topics: int, n_salient: int) -> Stability:
    found = Stability(how, *(arrays[f"stability_{name}"] for name in _SURE))
    whole = found.orders.ndim == 1 and found.orders.dtype.kind == "i"
    check("stability_orders", whole)
    agreement = (found.agreement, len(found.orders), n_topics)
    check("stability_agreement", is_numbers(*agreement, least=0.0))
    check("stability_words", is_numbers(found.words, n_salient, least=0.0))
    return found
