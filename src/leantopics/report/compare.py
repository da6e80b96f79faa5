"""Comparison of several models: figures, and topics in common."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SAME = 0.5
"""Hellinger distance up to which two topics count as the same."""
_PRESENT = 0.01
"""Share of a document from which a topic counts as present in it."""


def compare(model: Any, others: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return figures of models, and the nearest topics of the others.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        The model of the report.
    others : mapping of str to model
        Other fitted models over the same words, by name. Any class works that has
        ``components_``, ``vocabulary_``, ``top_words`` and ``topic_proportions_``.

    Raises
    ------
    ValueError
        If a model has another vocabulary.
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
    own = _roots(model.components_)
    nearest: dict[str, list[dict[str, Any]]] = {}
    for name, other in others.items():
        overlap = own @ _roots(other.components_).T
        distance = np.sqrt(np.clip(1.0 - overlap, 0.0, 1.0))
        best = distance.argmin(axis=1)
        nearest[name] = [
            {
                "topic": int(k),
                "distance": round(float(distance[j, k]), 3),
                "words": [word for word, _ in other.top_words(int(k), 6)],
            }
            for j, k in enumerate(best)
        ]
    return {
        "models": [_figures("this model", model)]
        + [_figures(name, other) for name, other in others.items()],
        "nearest": nearest,
        "same": {
            name: sum(row["distance"] <= SAME for row in found)
            for name, found in nearest.items()
        },
        "limit": SAME,
    }


def _figures(name: str, model: Any) -> dict[str, Any]:
    shares = model.topic_proportions_
    present = (shares >= _PRESENT).sum(axis=1)
    return {
        "name": name,
        "method": type(model).__name__,
        "n_topics": int(model.n_topics_),
        "bic": getattr(model, "bic_", None),
        "topics_per_document": float(np.mean(present)),
    }


def _roots(components: Floats) -> Floats:
    rows = components / np.maximum(components.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(np.sqrt(rows))
