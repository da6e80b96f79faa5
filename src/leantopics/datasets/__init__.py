"""Corpora to try things on: named ones, Python documentation, synthetic ones.

`load` returns a named corpus, from a folder or from the address where it is published.
"""

from leantopics.datasets.acl import load_acl
from leantopics.datasets.counting import (
    long_word_vectorizer,
    news_vectorizer,
    unstemmed_vectorizer,
)
from leantopics.datasets.fetch import cache_folder
from leantopics.datasets.imdb import load_imdb
from leantopics.datasets.labelme import load_labelme
from leantopics.datasets.newsgroups import load_20newsgroups
from leantopics.datasets.ohsumed import load_ohsumed
from leantopics.datasets.python_docs import docs_vectorizer, load_python_docs
from leantopics.datasets.registry import Entry, catalogue, has_split, load, names
from leantopics.datasets.reuters import load_reuters
from leantopics.datasets.sizes import PUBLISHED, Sizes, size_table, sizes
from leantopics.datasets.synthetic import Truth, make_corpus

__all__ = [
    "PUBLISHED",
    "Entry",
    "Sizes",
    "Truth",
    "cache_folder",
    "catalogue",
    "docs_vectorizer",
    "has_split",
    "load",
    "load_20newsgroups",
    "load_acl",
    "load_imdb",
    "load_labelme",
    "load_ohsumed",
    "load_python_docs",
    "load_reuters",
    "long_word_vectorizer",
    "make_corpus",
    "names",
    "news_vectorizer",
    "size_table",
    "sizes",
    "unstemmed_vectorizer",
]
