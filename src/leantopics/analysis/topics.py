"""Topics of a model as people read them: names, written words, themes."""

from typing import Any

import numpy as np

from leantopics._words import plain
from leantopics.analysis.tables import documents_per_topic
from leantopics.models.base import TopicModel

SHARED = 20
"""Number of words shown of the shared vocabulary."""


def chosen_row(model: TopicModel) -> dict[str, Any]:
    """Return the row of ``path_`` for the model's number of topics."""
    return next(row for row in model.path_ if row["n_topics"] == model.n_topics_)


def surface_forms(model: TopicModel) -> dict[str, str]:
    """Return the most frequent spelling of each word."""
    return dict(zip(model.vocabulary_, map(plain, model.surface_forms), strict=True))


def salient_words(model: TopicModel, n: int, by: str) -> list[list[tuple[str, float]]]:
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


def children(model: Any) -> list[list[int]]:
    """Return the numbers of the finer topics of each topic, none if there are none."""
    below: list[list[int]] = [[] for _ in range(model.n_topics_)]
    if getattr(model, "parents_", None) is not None:
        for topic, parent in enumerate(model.parents_.tolist()):
            below[parent].append(topic)
    return below


def shared_words(model: TopicModel, n: int) -> list[str]:
    """Return the words that topics most often leave to the shared model.

    The list is empty if the model has no shared model.
    """
    if not hasattr(model, "shared_words"):
        return []
    written = surface_forms(model)
    return [written[word] for word, share in model.shared_words(n) if share > 0.0]


def names_of(model: TopicModel) -> list[str]:
    """Return the name of each topic; a background topic comes last."""
    n_others = len(model.topic_mass_) - model.n_topics_
    return [*model.topic_names, *["background"] * n_others]


def topics_document(model: TopicModel, n: int, by: str) -> dict[str, Any]:
    """Return the topics of a model, with n words each, as JSON types."""
    names = model.topic_names
    documents = documents_per_topic(model)
    topics = [
        {
            "topic": j,
            "name": names[j],
            "share": float(model.topic_mass_[j]),
            "documents": documents[j],
            "words": [{"word": word, by: value} for word, value in words],
        }
        for j, words in enumerate(salient_words(model, n, by))
    ]
    return {
        "n_topics": model.n_topics_,
        "n_documents": int(model.topic_proportions_.shape[0]),
        "bic": getattr(model, "bic_", None),
        "topics_per_document": chosen_row(model)["topics_per_document"],
        "topics": topics,
        "shared_words": shared_words(model, SHARED),
    }


def themes_document(
    model: Any, n: int, by: str, n_themes: int | None = None
) -> dict[str, Any]:
    """Return the themes of a model, each with its topics, as JSON types."""
    fine = finer(model) or model
    above, below_each = model, children(model)
    if n_themes is not None:
        groups, above = model.hierarchy().cut(n_themes), model.at(n_themes)
        below_each = [np.flatnonzero(groups == k).tolist() for k in range(n_themes)]
    below, document = topics_document(fine, n, by), topics_document(above, n, by)
    themes = [
        {
            "theme": theme.pop("topic"),
            **theme,
            "topics": [below["topics"][topic] for topic in topics],
        }
        for theme, topics in zip(document.pop("topics"), below_each, strict=True)
    ]
    numbers = {"n_themes": document["n_topics"], "n_topics": fine.n_topics_}
    return {**document, **numbers, "themes": themes}
