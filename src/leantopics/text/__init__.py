"""From text to counts, and from any source to a corpus."""

from leantopics.text.convert import convert_corpus
from leantopics.text.read import count_texts, read_batches, read_corpus
from leantopics.text.vectorizer import TextVectorizer
from leantopics.text.words import WORD_PATTERN, find_tokenizer

__all__ = [
    "WORD_PATTERN",
    "TextVectorizer",
    "convert_corpus",
    "count_texts",
    "find_tokenizer",
    "read_batches",
    "read_corpus",
]
