"""Parts of a model as people read them: written words, names, documents."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from leantopics.cli.output import plain

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel


def waiting(what: str) -> AbstractContextManager[object]:
    """Show on a terminal that a step is running."""
    from rich.console import Console

    return Console(stderr=True).status(what)


def chosen_order(model: "TopicModel") -> dict[str, Any]:
    """Return the row of ``path_`` for the model's number of topics."""
    return next(row for row in model.path_ if row["n_topics"] == model.n_topics_)


def surface_forms(model: "TopicModel") -> dict[str, str]:
    """Return the most frequent spelling of each word."""
    known = model.analyser_ or {}
    forms = known.get("surface_forms", model.vocabulary_)
    return dict(zip(model.vocabulary_, map(plain, forms), strict=True))


def salient_words(
    model: "TopicModel", n: int, by: str
) -> list[list[tuple[str, float]]]:
    """Return the first salient words of every topic, in their usual spelling.

    Words that are salient because the topic avoids them are left out.
    """
    written = surface_forms(model)
    return [
        [(written[w], value) for w, value in model.top_words(j, n, by=by)]
        for j in range(model.n_topics_)
    ]


def shared_words(model: "TopicModel", n: int) -> list[str]:
    """Return the words that topics most often leave to the shared model.

    The list is empty if the model has no shared model.
    """
    if not hasattr(model, "shared_words"):
        return []
    written = surface_forms(model)
    return [written[word] for word, share in model.shared_words(n) if share > 0.0]


def documents_of_topics(model: "TopicModel") -> list[int]:
    """Return the number of training documents in which each topic is present."""
    if hasattr(model, "n_documents_"):
        return [int(n) for n in model.n_documents_]
    return [int(n) for n in model.topics_present_[:, : model.n_topics_].sum(axis=0)]


def given_names(model: "TopicModel") -> list[str] | None:
    """Return the names that the user gave to topics, if any."""
    return None if model._topic_names is None else model.topic_names


def names(model: "TopicModel") -> list[str]:
    """Return the name of each topic, or its first salient words if it has none.

    A background topic comes last.
    """
    words = salient_words(model, 3, "salience")
    found = given_names(model) or [" ".join(word for word, _ in row) for row in words]
    return [*found, *["background"] * (len(model.topic_mass_) - model.n_topics_)]
