"""Topic models that choose their own number of topics and their salient words."""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Checkpoint": "leantopics.ptm.checkpoint",
    "Corpus": "leantopics.corpus.corpus",
    "Guide": "leantopics.ptm.guided.guide",
    "LDA": "leantopics.baselines",
    "ParsimoniousTopicModel": "leantopics.ptm.estimator",
    "SparseTopicalCoding": "leantopics.baselines",
    "TextVectorizer": "leantopics.text",
    "count_texts": "leantopics.text",
    "fit_texts": "leantopics.ptm.from_texts",
    "load_model": "leantopics.models.registry",
    "load_python_docs": "leantopics.datasets",
    "make_corpus": "leantopics.datasets",
    "read_corpus": "leantopics.text",
}

__all__ = [
    "LDA",
    "Checkpoint",
    "Corpus",
    "Guide",
    "ParsimoniousTopicModel",
    "SparseTopicalCoding",
    "TextVectorizer",
    "count_texts",
    "fit_texts",
    "load_model",
    "load_python_docs",
    "make_corpus",
    "read_corpus",
]

if TYPE_CHECKING:
    from leantopics.baselines import LDA, SparseTopicalCoding
    from leantopics.corpus import Corpus
    from leantopics.datasets import load_python_docs, make_corpus
    from leantopics.models import load_model
    from leantopics.ptm.checkpoint import Checkpoint
    from leantopics.ptm.estimator import ParsimoniousTopicModel
    from leantopics.ptm.from_texts import fit_texts
    from leantopics.ptm.guided.guide import Guide
    from leantopics.text import TextVectorizer, count_texts, read_corpus


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that ``import leantopics`` is cheap."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'leantopics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
