"""From text to counts, and from any source to a corpus."""

from leantopics.text.read import read_batches, read_corpus
from leantopics.text.vectorizer import WORD_PATTERN, TextVectorizer

__all__ = ["WORD_PATTERN", "TextVectorizer", "read_batches", "read_corpus"]
