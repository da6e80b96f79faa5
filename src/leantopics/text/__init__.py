"""From text to counts, and from any source to a corpus."""

from leantopics.text.convert import convert_corpus
from leantopics.text.read import read_corpus
from leantopics.text.vectorizer import WORD_PATTERN, TextVectorizer

__all__ = ["WORD_PATTERN", "TextVectorizer", "convert_corpus", "read_corpus"]
