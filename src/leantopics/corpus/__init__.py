"""The corpus: counts of words, in memory or on disk, and the names of both."""

from leantopics.corpus.corpus import Corpus

__all__ = ["Corpus"]
