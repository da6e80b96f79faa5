"""Changing the topics of a fitted model by hand; BIC settles the rest."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import clone

from leantopics._arrays import Floats
from leantopics._progress import Progress
from leantopics._warnings import warn
from leantopics.ptm import levels, snapshot
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search.choice import Found
from leantopics.ptm.stability import SAME, agreement
from leantopics.ptm.state import prepare, rebase
from leantopics.ptm.updates import Pinned

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")


def edit(
    model: Model,
    X: Any,
    merge: Iterable[Sequence[int]],
    drop: Iterable[int],
    pin: Mapping[int, str | Iterable[str]],
) -> Model:
    """Edit a model; see `ParsimoniousTopicModel.edit`."""
    needed = "merge must have groups of topics, such as [(1, 2)]"
    groups = [[*_several(needed, group)] for group in _several(needed, merge)]
    dropped = {*_several("drop must have topics, such as [3]", drop)}
    needed = 'pin must have words for topics, such as {0: ["sea"]}'
    pins = {
        topic: [words] if isinstance(words, str) else [*_several(needed, words)]
        for topic, words in pin.items()
    }
    _check_topics(model, groups, dropped, pins)
    into = np.arange(model.n_topics_)
    for group in groups:
        into[group] = min(group)
    kept = [j for j in range(model.n_topics_) if into[j] == j and j not in dropped]
    counts = model._documents(X)
    data = rebase(prepare(model._effective(counts)), model.shared_word_prob_)
    other: Model = clone(model).set_params(n_topics=len(kept))
    with other._workers() as workers, Progress(other) as progress:
        data = data._replace(groups=workers.hold(data.groups))
        fitter = other._fitter(data, model.word_prior_, workers, progress.report)
        fitter.pinned = _pinned(model, pins, into, kept)
        before = snapshot.parameters(model._snapshot, data, workers)
        merged = rearrange.merge(data, before, into, workers)
        fitted = fitter.changed(data, merged, np.array(kept))
        mass = rearrange.topic_mass(data, fitted.parameters, workers)
        model._copy_to(other)
        other.history_ = progress.history
        criteria = {len(kept): fitter.criterion(fitted)}
        found = Found({len(kept): fitted}, len(kept), criteria)
        other._take(fitter, found, model._filled)
    other._fit_predictor(prepare(counts))
    if model.finer_ is not None:
        levels.relate(other, model.finer_, counts)
    order = np.argsort(-mass, kind="stable")
    place = np.argsort(order)
    other._kept = model._kept
    other.pinned_words_ = {
        int(place[j]): [model.vocabulary_[n] for n in words]
        for j, words in fitter.pinned.items()
    }
    made = {"merge": groups, "drop": sorted(dropped), "pin": pins}
    change = {"n_topics": model.n_topics_, "bic_change": other.bic_ - model.bic_}
    other.edits_ = [*model.edits_, made | change]
    own = [kept[j] for j in order]
    now = _what_they_are(model, other, own, into, counts)
    _warn_of_returns(own, now, {*chain(*groups), *dropped})
    first_of = {min(group): group[0] for group in groups}
    keep_names(
        model, other, {k: first_of.get(topic, topic) for k, topic in enumerate(now)}
    )
    return other


def _warn_of_returns(own: list[int], now: list[int], touched: set[int]) -> None:
    """Warn of topics that were merged or dropped and took the place of others."""
    for k, (was, topic) in enumerate(zip(own, now, strict=True)):
        if topic != was and topic in touched and len(own) > 1:
            warn(
                f"Topic {topic} has come back as topic {k}, in place of topic {was}, "
                "which BIC would rather do without.",
            )


def _what_they_are(
    model: "ParsimoniousTopicModel",
    other: "ParsimoniousTopicModel",
    own: list[int],
    into: np.ndarray,
    counts: sparse.csr_array,
) -> list[int]:
    """For each topic, the topic before the edit that it is now.

    That is its own predecessor, unless it agrees with another one that was not merged
    into it, and not with its own.
    """
    before, after = (each.topic_proportions_[model._filled] for each in (model, other))
    table = agreement(
        before, after, np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    )
    now = []
    for k, topic in enumerate(own):
        nearest = int(table[:, k].argmax())
        is_other = table[topic, k] < SAME <= table[nearest, k]
        now.append(nearest if is_other and into[nearest] != topic else topic)
    return now


def keep_names(
    model: "ParsimoniousTopicModel",
    other: "ParsimoniousTopicModel",
    now: Mapping[int, int],
) -> None:
    """Give topics the names of the topics that they are now, if names were given."""
    if model._topic_names is None:
        return
    automatic, names = model._default_names(), other._default_names()
    for k, topic in now.items():
        if model._topic_names[topic] != automatic[topic]:
            names[k] = model._topic_names[topic]
    other._topic_names = names


def _several(what: str, values: Any) -> Iterable[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{what}. Got {values!r} instead.")
    return values


def _check_topics(
    model: "ParsimoniousTopicModel",
    groups: list[list[int]],
    dropped: set[int],
    pin: Mapping[int, Any],
) -> None:
    named = [topic for group in groups for topic in group] + sorted(dropped)
    for topic in [*named, *pin]:
        model.check_topic(topic)
    if not (named or any(pin.values())):
        raise ValueError("There must be something to merge, drop or pin.")
    if len(named) != len(set(named)):
        twice = next(topic for topic in named if named.count(topic) > 1)
        raise ValueError(
            f"A topic can be merged or dropped only once, but {twice} comes twice."
        )
    if any(len(group) < 2 for group in groups):
        raise ValueError("Each group of topics to merge must have two or more topics.")
    if both := sorted(dropped & set(pin)):
        raise ValueError(f"Topic {both[0]} cannot be dropped and have pinned words.")
    if len(dropped) == model.n_topics_:
        raise ValueError("At least one topic must be kept, but all would be dropped.")


def _pinned(
    model: "ParsimoniousTopicModel",
    pin: Mapping[int, list[str]],
    into: np.ndarray,
    kept: list[int],
) -> Pinned:
    """Numbers of the words pinned now or before, by the number of the kept topic."""
    place = {word: n for n, word in enumerate(model.vocabulary_)}
    frequency: Floats = model.word_frequency_
    found: dict[int, set[int]] = {}
    for pins in (model.pinned_words_, pin):
        for topic, words in pins.items():
            row = found.setdefault(int(into[topic]), set())
            for word in words:
                if word not in place or frequency[place[word]] == 0.0:
                    raise ValueError(
                        f"Only words of the fit can be pinned, but {word!r} is not one "
                        "of them; pin stems as the topics list them."
                    )
                row.add(place[word])
    return {
        kept.index(topic): np.array(sorted(words), dtype=np.int32)
        for topic, words in found.items()
        if topic in kept and words
    }
