"""What commands show while they wait, and what they call the topics of a model."""

from contextlib import AbstractContextManager
from typing import Any

from leantopics._words import counted


def waiting(what: str) -> AbstractContextManager[object]:
    """Show on a terminal that a step is running."""
    from rich.console import Console

    return Console(stderr=True).status(what)


def level(model: Any) -> str:
    """Return what the topics of a model are called: themes if it has finer topics."""
    from leantopics.analysis.topics import finer

    return "topic" if finer(model) is None else "theme"


def number(model: Any) -> str:
    """Return how many topics a model has, and how many finer ones, in words."""
    from leantopics.analysis.topics import finer

    found = counted(model.n_topics_, level(model))
    if below := finer(model):
        found += f" made of {counted(below.n_topics_, 'topic')}"
    return found
