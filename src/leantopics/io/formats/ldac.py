"""lda-c: one document per line, as ``<distinct words> <word>:<count> ...``."""

import re
from collections.abc import Iterable, Iterator, Sequence

from leantopics._limits import limit, way_out
from leantopics.io.counts import check_values, check_word, sum_counts, whole
from leantopics.io.lines import Line
from leantopics.io.record import Record, at, fault
from leantopics.io.streams import display_name

_ENTRY = r"[0-9]+:[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_DOCUMENT = re.compile(rf"\s*[0-9]+(?:\s+{_ENTRY})*\s*", re.ASCII)


def read_ldac(
    source: str,
    lines: Iterable[Line],
    n_words: int | None,
    labels: Sequence[str] | None,
) -> Iterator[Record]:
    r"""Yield one record per line; its id is the number of the document, from 0.

    Words are numbered from 0. Counts of a word given twice on a line are added. The
    line ``0`` is an empty document, and so is a blank line, unless only blank lines
    follow: those are the end of the file. There is one label for each document, if any.

    Examples
    --------
    >>> [r.counts for r in read_ldac("-", [Line(1, 0, 11, "2 0:3 7:1\n")], None, None)]
    [(array([0, 7]), array([3., 1.]))]
    """
    name = display_name(source)
    number = blank = line_number = 0
    for line in lines:
        line_number = line.number
        if not line.text.strip():
            blank += 1
            continue
        for document in ["0"] * blank + [line.text]:
            if labels is not None and number >= len(labels):
                raise fault(name, line.number, _labels_message(len(labels)))
            with at(name, line.number):
                counts = sum_counts(*_parse(document, n_words))
            own = [labels[number]] if labels else []
            yield Record(str(number), counts=counts, labels=own)
            number += 1
        blank = 0
    if labels is not None and number < len(labels):
        raise fault(name, line_number, _labels_message(len(labels)))


def _parse(document: str, n_words: int | None) -> tuple[list[int], list[float]]:
    """Return the words and counts of one document."""
    if not _DOCUMENT.fullmatch(document):
        head, *entries = document.split()
        bad = next((e for e in entries if not re.fullmatch(_ENTRY, e)), head)
        raise ValueError(
            "a line must be <number of entries> <word>:<count> ..., none negative, "
            f"got {bad[:40]!r}."
        )
    numbers = document.replace(":", " ").split()
    words = [whole(number) for number in numbers[1::2]]
    values = [float(number) for number in numbers[2::2]]
    check_values(values)
    if whole(numbers[0]) != len(words):
        raise ValueError(
            f"{numbers[0]} entries are announced, but {len(words)} follow."
        )
    if words and n_words is None and max(words) >= limit("words"):
        raise ValueError(
            f"there is no vocabulary, and word {max(words)} would make one of more "
            f"than {limit('words')} words; {way_out('words')}."
        )
    if words and n_words is not None:
        check_word(max(words), 0, n_words)
    return words, values


def _labels_message(n_labels: int) -> str:
    return f"there must be as many labels as documents, but there are {n_labels}."
