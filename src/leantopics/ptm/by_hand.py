"""A fitted model changed by hand, where BIC settles the rest."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import clone

from leantopics.progress import Progress
from leantopics.ptm import health, moves, snapshot
from leantopics.ptm.kernels.arrays import Floats
from leantopics.ptm.state import prepare, rebase
from leantopics.ptm.switches import Pinned

if TYPE_CHECKING:
    from leantopics.ptm.model import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")


def edit(
    model: Model,
    X: Any,
    merge: Iterable[Sequence[int]],
    drop: Iterable[int],
    pin: Mapping[int, str | Iterable[str]],
) -> Model:
    """Do what `edit` of the model says."""
    groups, dropped = [list(group) for group in merge], set(drop)
    _check_topics(model, groups, dropped, pin)
    into = np.arange(model.n_topics_)
    for group in groups:
        into[group] = group[0]
    kept = [j for j in range(model.n_topics_) if into[j] == j and j not in dropped]
    data = rebase(prepare(model._documents(X)), model.shared_word_prob_)
    other: Model = clone(model)
    other.set_params(n_topics=len(kept))
    with other._workers() as workers, Progress(other) as progress:
        data = data._replace(groups=workers.hold(data.groups))
        search = other._search(data, model.word_prior_, workers, progress.report)
        search.pinned = _pinned(model, pin, into, kept)
        before = snapshot.parameters(model._snapshot, data, workers)
        merged = moves.merge(data, before, into, workers)
        fitted = search.changed(data, merged, np.array(kept))
        health.check(fitted, search.prior(len(kept)), workers)
        taken = snapshot.take(fitted, search.criterion(fitted), workers)
        mass = moves.topic_mass(data, fitted.parameters, workers)
    model._copy_to(other)
    other.history_ = progress.history
    other._show({len(kept): taken}, len(kept), model.word_frequency_, model._filled)
    other._learn(data)
    order = np.argsort(-mass, kind="stable")
    if model._topic_names is not None:
        other._topic_names = [model._topic_names[kept[j]] for j in order]
    other.pinned_words_ = {
        int(np.flatnonzero(order == j)[0]): [model.vocabulary_[n] for n in words]
        for j, words in search.pinned.items()
    }
    return other


def _check_topics(
    model: "ParsimoniousTopicModel",
    groups: list[list[int]],
    dropped: set[int],
    pin: Mapping[int, Any],
) -> None:
    named = [topic for group in groups for topic in group] + sorted(dropped)
    for topic in [*named, *pin]:
        model._check_topic(topic)
    if not (named or pin):
        raise ValueError("There must be something to merge, to drop or to pin.")
    if len(named) != len(set(named)):
        twice = next(topic for topic in named if named.count(topic) > 1)
        raise ValueError(f"A topic can be merged or dropped once. {twice} was twice.")
    if any(len(group) < 2 for group in groups):
        raise ValueError("Topics to merge must come two or more at a time.")
    if both := sorted(dropped & set(pin)):
        raise ValueError(f"Topic {both[0]} cannot be dropped and have words pinned.")
    if len(dropped) == model.n_topics_:
        raise ValueError("At least one topic must stay; all would be dropped.")


def _pinned(
    model: "ParsimoniousTopicModel",
    pin: Mapping[int, str | Iterable[str]],
    into: np.ndarray,
    kept: list[int],
) -> Pinned:
    """Numbers of the words pinned now and before, by the number of the kept topic."""
    place = {word: n for n, word in enumerate(model.vocabulary_)}
    frequency: Floats = model.word_frequency_
    found: dict[int, set[int]] = {}
    for pins in (model.pinned_words_, pin):
        for topic, words in pins.items():
            row = found.setdefault(int(into[topic]), set())
            for word in [words] if isinstance(words, str) else words:
                if word not in place or frequency[place[word]] == 0.0:
                    raise ValueError(
                        f"Only words of the fit can be pinned, which {word!r} is not; "
                        "stems are pinned as the topics list them."
                    )
                row.add(place[word])
    return {
        kept.index(topic): np.array(sorted(words), dtype=np.int32)
        for topic, words in found.items()
        if topic in kept and words
    }
