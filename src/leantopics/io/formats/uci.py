"""UCI bag of words: three header lines, then ``document word count`` triples."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from leantopics._limits import MOST_COUNT
from leantopics.io.counts import (
    check_claim,
    check_values,
    check_word,
    greatest_size,
    sum_counts,
    whole,
)
from leantopics.io.lines import read_lines
from leantopics.io.numbers import Block, read_numbers
from leantopics.io.record import Record, at, fault
from leantopics.io.streams import display_name

_Numbers = npt.NDArray[np.float64]

_STEP = 1 << 16
"""Documents whose triples are searched for at once."""


class Header(NamedTuple):
    """Numbers of documents, words and triples."""

    n_docs: int
    n_words: int
    n_entries: int


def read_header(source: str, encoding: str) -> Header:
    """Return what the first three lines of the file say."""
    name, lines = display_name(source), read_lines(source, encoding)
    numbers: list[int] = []
    for what in ("documents", "words", "triples"):
        line = next(lines, None)
        if line is None:
            raise fault(name, len(numbers) + 1, f"the number of {what} is missing.")
        token = line.text.strip()
        with at(name, line.number):
            if not (token.isascii() and token.isdigit()):
                raise ValueError(
                    "this line must hold 1 whole number, not negative, got "
                    f"{token[:40]!r}."
                )
            numbers.append(whole(token))
    return Header(*numbers)


def read_uci(source: str, encoding: str) -> Iterator[Record]:
    """Yield one record per document; its id is its number in the file, from 1.

    The triples must be sorted by document, as the format requires. Documents without
    triples are empty. Counts of a word given twice are added.
    """
    name = display_name(source)
    n_docs, n_words, n_entries = read_header(source, encoding)
    check_claim("documents", n_docs, name, greatest_size(source))
    current, seen, last = 1, 0, 3
    begun = np.zeros((0, 3))
    for block in read_numbers(source, encoding, 3, 3, whole=True):
        _check(block, current, n_docs, n_words, name)
        seen, last = seen + len(block.line), int(block.line.max(initial=last))
        triples = np.concatenate((begun, block.numbers))
        reached = int(triples[:, 0].max(initial=current))
        yield from _documents(triples, current, reached)
        current, begun = reached, triples[triples[:, 0] == reached]
    if seen != n_entries:
        raise fault(
            name, last, f"{n_entries} triples are announced, but {seen} follow."
        )
    yield from _documents(begun, current, n_docs + 1)


def _documents(triples: _Numbers, first: int, last: int) -> Iterator[Record]:
    """Yield the documents first .. last - 1."""
    for begin in range(first, last, _STEP):
        numbers = np.arange(begin, min(begin + _STEP, last) + 1)
        cuts = np.searchsorted(triples[:, 0], numbers)
        for number, (start, stop) in enumerate(pairwise(cuts), start=begin):
            counts = sum_counts(triples[start:stop, 1] - 1, triples[start:stop, 2])
            yield Record(str(number), counts=counts)


def _check(block: Block, current: int, n_docs: int, n_words: int, name: str) -> None:
    """Refuse documents out of order, unknown words and counts that are too large."""
    numbers, line = block
    doc, word, count = numbers.T
    before = np.concatenate(([current], doc[:-1]))
    bad = (
        (word < 1)
        | (word > n_words)
        | (count > MOST_COUNT)
        | (doc < before)
        | (doc > n_docs)
    )
    if not bad.any():
        return
    place = int(np.argmax(bad))
    with at(name, int(line[place])):
        check_word(int(word[place]), 1, n_words)
        check_values([count[place]])
        raise ValueError(
            f"documents must increase from 1 to {n_docs}, got {doc[place]:.17g} after "
            f"{before[place]:.17g}."
        )
