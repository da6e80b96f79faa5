"""From text to counts, and from any source to a corpus."""

from leantopics.text.convert import convert_corpus
from leantopics.text.read import read_batches, read_corpus
from leantopics.text.vectorizer import TextVectorizer
from leantopics.text.words import WORD_PATTERN, find_tokenizer

__all__ = [
    "WORD_PATTERN",
    "TextVectorizer",
    "convert_corpus",
    "find_tokenizer",
    "read_batches",
    "read_corpus",
]
