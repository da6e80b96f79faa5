"""What a guide means for a model: checks, names, costs."""

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from leantopics._arrays import Bools, Floats
from leantopics.ptm.guide import Beliefs, Guide, resolve
from leantopics.ptm.guided import Guided
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search.fitter import Fitter

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel


def beliefs_of(
    model: "ParsimoniousTopicModel",
    guide: Guide | None,
    X: Any,
    frequency: Floats,
    filled: Bools,
) -> Beliefs | None:
    """Check a guide against the documents and the settings of a fit."""
    if guide is None:
        return None
    if not isinstance(guide, Guide):
        raise TypeError(f"guide must be a Guide. Got {guide!r} instead.")
    if model.procedure == "published":
        raise ValueError('A guide needs procedure="paper". Got "published" instead.')
    beliefs = resolve(guide, X, model.vocabulary_, frequency, filled)
    n_known = len(beliefs.names)
    if model.n_topics != "auto" and n_known > int(model.n_topics):
        raise ValueError(
            f"n_topics must be at least {n_known}, the number of topics of the guide. "
            f"Got {model.n_topics} instead."
        )
    apart = max((len(x.rows) for x in beliefs.links if x.kind == "apart"), default=0)
    if model.n_topics != "auto" and apart > int(model.n_topics):
        raise ValueError(
            f"n_topics must be at least {apart}, as so many documents of the guide "
            f"must be apart from each other. Got {model.n_topics} instead."
        )
    return beliefs


def checksum(fingerprint: str, beliefs: Beliefs | None) -> str:
    """Checksum of the documents and of what is believed of them."""
    if beliefs is None:
        return fingerprint
    words = [
        sorted((g, own.tolist()) for g, own in held.items())
        for held in (beliefs.must, beliefs.may_not)
    ]
    rest: tuple[Any, ...] = beliefs.names, words, beliefs.trust_data, beliefs.bound
    if beliefs.links:
        rest = *rest, [(kind, rows) for kind, rows in beliefs.links]
    digest = hashlib.sha256(fingerprint.encode() + repr(rest).encode())
    digest.update(np.ascontiguousarray(beliefs.topic_of, dtype="<i8").data)
    return digest.hexdigest()


def take(model: "ParsimoniousTopicModel", fitter: Fitter, guided: Guided) -> None:
    """Give a model what is known of its topics, and what that costs."""
    best = guided.found.path[guided.found.best]
    mass = rearrange.topic_mass(best.data, best.parameters, fitter.workers)
    order = np.argsort(-mass, kind="stable")
    place = np.argsort(order)
    model.guide_costs_ = guided.rows
    model.pinned_words_ = {
        int(place[g]): [model.vocabulary_[n] for n in words]
        for g, words in guided.beliefs.must.items()
    }
    model._known = {int(place[g]): name for g, name in enumerate(guided.beliefs.names)}


def name(model: "ParsimoniousTopicModel") -> None:
    """Name the known topics as the guide does, and the others by their words."""
    names = model._default_names()
    for topic, known in model._known.items():
        names[topic] = known
    model._topic_names = names
