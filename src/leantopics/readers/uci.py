"""UCI bag of words: three header lines, then ``document word count`` triples."""

from collections.abc import Iterator
from typing import NamedTuple

from leantopics.readers.counts import (
    check_claim,
    check_counts,
    check_word,
    greatest_size,
    sum_counts,
    whole,
)
from leantopics.readers.record import Record, fault
from leantopics.readers.streams import Line, display_name, read_lines


class Header(NamedTuple):
    """Numbers of documents, words and triples."""

    n_docs: int
    n_words: int
    n_entries: int


def read_header(source: str, encoding: str) -> Header:
    """Return what the first three lines of the file say."""
    return _take_header(source, read_lines(source, encoding))


def read_uci(source: str, encoding: str) -> Iterator[Record]:
    """Yield one record a document; its id is its number in the file, from 1.

    The triples must be sorted by document, as the format wants. Documents without any
    are empty. Counts of a word given twice are added.
    """
    name = display_name(source)
    lines = read_lines(source, encoding)
    n_docs, n_words, n_entries = _take_header(source, lines)
    check_claim("documents", n_docs, name, greatest_size(source))
    words: list[int] = []
    values: list[int] = []
    current = 1
    seen, line_number = 0, 3
    for line in lines:
        line_number = line.number
        if not line.text.strip():
            continue
        doc, word, count = _numbers(line, 3, name)
        check_word(word, 1, n_words, name, line.number)
        check_counts([count], name, line.number)
        if not current <= doc <= n_docs:
            raise fault(
                name,
                line.number,
                f"documents must rise from 1 to {n_docs}, got {doc} after {current}.",
            )
        while current < doc:
            yield Record(str(current), counts=sum_counts(words, values))
            current, words, values = current + 1, [], []
        words.append(word - 1)
        values.append(count)
        seen += 1
    if seen != n_entries:
        raise fault(
            name, line_number, f"{n_entries} triples are announced, but {seen} follow."
        )
    while current <= n_docs:
        yield Record(str(current), counts=sum_counts(words, values))
        current, words, values = current + 1, [], []


def _take_header(source: str, lines: Iterator[Line]) -> Header:
    name = display_name(source)
    numbers: list[int] = []
    for what in ("documents", "words", "triples"):
        line = next(lines, None)
        if line is None:
            raise fault(name, len(numbers) + 1, f"the number of {what} is missing.")
        numbers += _numbers(line, 1, name)
    return Header(*numbers)


def _numbers(line: Line, expected: int, name: str) -> list[int]:
    tokens = line.text.split()
    if len(tokens) != expected or not all(t.isascii() and t.isdigit() for t in tokens):
        raise fault(
            name,
            line.number,
            f"a line here holds {expected} whole number(s), not negative, "
            f"got {line.text.strip()[:40]!r}.",
        )
    return [whole(token, name, line.number) for token in tokens]
