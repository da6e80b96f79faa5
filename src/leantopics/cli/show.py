"""Parts of a model as people read them: written words, names, documents."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from leantopics._words import counted
from leantopics.cli.output import plain

if TYPE_CHECKING:
    from leantopics.models.base import TopicModel


def waiting(what: str) -> AbstractContextManager[object]:
    """Show on a terminal that a step is running."""
    from rich.console import Console

    return Console(stderr=True).status(what)


def chosen_row(model: "TopicModel") -> dict[str, Any]:
    """Return the row of ``path_`` for the model's number of topics."""
    return next(row for row in model.path_ if row["n_topics"] == model.n_topics_)


def surface_forms(model: "TopicModel") -> dict[str, str]:
    """Return the most frequent spelling of each word."""
    return dict(zip(model.vocabulary_, map(plain, model.surface_forms), strict=True))


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


def finer(model: Any) -> Any:
    """Return the model of the finer topics, or None if there are not more of them."""
    below = getattr(model, "finer_", None)
    return None if below is None or below.n_topics_ == model.n_topics_ else below


def level(model: Any) -> str:
    """Return what the topics of a model are called: themes if it has finer topics."""
    return "topic" if finer(model) is None else "theme"


def number(model: Any) -> str:
    """Return how many topics a model has, and how many finer ones, in words."""
    found = counted(model.n_topics_, level(model))
    if below := finer(model):
        found += f" made of {counted(below.n_topics_, 'topic')}"
    return found


def children(model: Any) -> list[list[int]]:
    """Return the numbers of the finer topics of each topic, none if there are none."""
    below: list[list[int]] = [[] for _ in range(model.n_topics_)]
    if getattr(model, "parents_", None) is not None:
        for topic, parent in enumerate(model.parents_.tolist()):
            below[parent].append(topic)
    return below


def shared_words(model: "TopicModel", n: int) -> list[str]:
    """Return the words that topics most often leave to the shared model.

    The list is empty if the model has no shared model.
    """
    if not hasattr(model, "shared_words"):
        return []
    written = surface_forms(model)
    return [written[word] for word, share in model.shared_words(n) if share > 0.0]


def names(model: "TopicModel") -> list[str]:
    """Return the name of each topic; a background topic comes last."""
    n_others = len(model.topic_mass_) - model.n_topics_
    return [*model.topic_names, *["background"] * n_others]
