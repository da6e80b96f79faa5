"""What to show people of a model: words as they are written, names, shares."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel


def waiting(what: str) -> AbstractContextManager[object]:
    """Show on a terminal that something is going on."""
    from rich.console import Console

    return Console(stderr=True).status(what)


def plain(text: str) -> str:
    r"""Return a text with blanks for tabs, line ends and other control characters.

    Examples
    --------
    >>> plain("two\tcells")
    'two cells'
    """
    return "".join(char if char.isprintable() else " " for char in text)


def chosen_order(model: "ParsimoniousTopicModel") -> dict[str, Any]:
    """Return the entry of the path for the model's number of topics."""
    return next(row for row in model.path_ if row["n_topics"] == model.n_topics_)


def surface_forms(model: "ParsimoniousTopicModel") -> dict[str, str]:
    """Return for each word how it is written most often."""
    known = model.analyser_ or {}
    forms = known.get("surface_forms", model.vocabulary_)
    return dict(zip(model.vocabulary_, map(plain, forms), strict=True))


def salient_words(
    model: "ParsimoniousTopicModel", n: int, by: str
) -> list[list[tuple[str, float]]]:
    """Return the first salient words of every topic, as they are written.

    Words that are salient because the topic never uses them are left out.
    """
    written = surface_forms(model)
    return [
        [(written[w], value) for w, value in model.top_words(j, n, by=by)]
        for j in range(model.n_topics_)
    ]


def shared_words(model: "ParsimoniousTopicModel", n: int) -> list[str]:
    """Return the words that the topics leave to the shared model most often."""
    written = surface_forms(model)
    return [written[word] for word, share in model.shared_words(n) if share > 0.0]


def given_names(model: "ParsimoniousTopicModel") -> list[str] | None:
    """Return the names that the user gave to the topics, if any."""
    return None if model._topic_names is None else model.topic_names


def names(model: "ParsimoniousTopicModel") -> list[str]:
    """Return the name of each topic: the given one, or its first salient words."""
    words = salient_words(model, 3, "salience")
    return given_names(model) or [" ".join(word for word, _ in row) for row in words]
