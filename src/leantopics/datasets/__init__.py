"""Corpora to try things on: documentation at hand, local folders, planted topics."""

from leantopics.datasets.local import (
    load_20newsgroups,
    load_labelme,
    load_reuters,
    news_vectorizer,
)
from leantopics.datasets.python_docs import docs_vectorizer, load_python_docs
from leantopics.datasets.synthetic import Truth, make_corpus

__all__ = [
    "Truth",
    "docs_vectorizer",
    "load_20newsgroups",
    "load_labelme",
    "load_python_docs",
    "load_reuters",
    "make_corpus",
    "news_vectorizer",
]
