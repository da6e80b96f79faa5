"""Comparison of several models: figures, and topics in common."""

from collections.abc import Mapping
from typing import Any

from leantopics.analysis.summary import mean_topics, nearest_topics

SAME = 0.5
"""Hellinger distance up to which two topics count as the same."""


def compare(model: Any, others: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return figures of models, and the nearest topics of the others.

    The others, by name, must have the same words. Any class works that has
    ``components_``, ``vocabulary_``, ``top_words`` and ``topic_proportions_``.
    """
    if not others:
        return None
    for name, other in others.items():
        if list(other.vocabulary_) != list(model.vocabulary_):
            raise ValueError(
                f"Models to compare must have the same vocabulary; {name} has another "
                f"({len(other.vocabulary_):,} words, not {len(model.vocabulary_):,}, "
                "or in another order): fit it to the same corpus."
            )
    nearest: dict[str, list[dict[str, Any]]] = {}
    for name, other in others.items():
        found = nearest_topics(model.components_, other.components_)
        nearest[name] = [
            {
                "own": _words(model, j),
                "topic": int(k),
                "distance": round(float(distance), 3),
                "words": _words(other, int(k)),
            }
            for j, (k, distance) in enumerate(zip(*found, strict=True))
        ]
    return {
        "models": [_figures("this model", model)]
        + [_figures(name, other) for name, other in others.items()],
        "nearest": nearest,
        "same": {
            name: sum(row["distance"] <= SAME for row in rows)
            for name, rows in nearest.items()
        },
        "limit": SAME,
    }


def _words(model: Any, topic: int) -> list[str]:
    """Return the first words of a topic as they are written."""
    return [word for word, _ in model.top_words(topic, 6)]


def _figures(name: str, model: Any) -> dict[str, Any]:
    return {
        "name": name,
        "method": type(model).__name__,
        "n_topics": int(model.n_topics_),
        "bic": getattr(model, "bic_", None),
        "topics_per_document": mean_topics(model.topic_proportions_),
    }
