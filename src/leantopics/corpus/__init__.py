"""The corpus: word counts in memory or on disk, with names of documents and words."""

from leantopics.corpus.corpus import Corpus

__all__ = ["Corpus"]
