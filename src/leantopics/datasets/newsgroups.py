"""20-Newsgroups: postings of 1993, split by date."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.datasets.counting import (
    count_words,
    long_word_vectorizer,
    news_vectorizer,
    split_condition,
)
from leantopics.datasets.fetch import Archive
from leantopics.datasets.source import PathLike, Row, Source, read_members
from leantopics.io import open_records

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

_SUBJECT = re.compile(r"^Subject:(.*(?:\n[ \t].*)*)", re.MULTILINE)
_ENCODED_LINE = re.compile(r"^M[ -`]{58,61}$", re.MULTILINE)
_ENCODED_LINES = 20
"""A posting with this many such lines or more is a file."""


def load_20newsgroups(
    split: str = "train",
    *,
    headers: bool = True,
    vectorizer: "TextVectorizer | None" = None,
    folder: PathLike | None = None,
    download: bool = False,
) -> Corpus:
    """Load 20-Newsgroups, split by date, by default with mail headers and quotes.

    The public archive is the copy that scikit-learn uses. It is checked against the
    SHA-256 that scikit-learn publishes.

    Parameters
    ----------
    split : {"train", "test", "all"}, default="train"
        One part of the split, 11314 and 7532 documents (11293 and 7527 without
        headers), or both.
    headers : bool, default=True
        Whether to count the headers of a posting, such as its sender. If not, only the
        subject and the body are counted, as in the paper, and postings that are encoded
        files are left out. Leaving them out is our guess: it gives the numbers of
        documents in the paper, and 55015 words, where the paper has 54520.
    vectorizer : TextVectorizer, optional
        See `load_reuters`; the default is ``news_vectorizer(min_df=2)`` with headers,
        and `long_word_vectorizer` without.
    folder : path, optional
        The folder with ``20ng.jsonl.xz`` (or ``20news-bydate.tar.gz``), if it is not
        ``LEANTOPICS_DATA``.
    download : bool, default=False
        Whether to download the corpus if it is not there.

    Returns
    -------
    Corpus
        Labelled by group.
    """
    where = split_condition(split)
    file = SOURCE.find(folder, download)
    records = iter(open_records(file, where=where))
    if headers:
        return count_words(records, vectorizer or news_vectorizer(min_df=2))
    bare = (
        record._replace(text=subject_and_body(record.text))
        for record in records
        if record.text and not is_encoded_file(record.text)
    )
    return count_words(bare, vectorizer or long_word_vectorizer())


def subject_and_body(posting: str) -> str:
    r"""Return the subject and the body of a posting.

    Examples
    --------
    >>> subject_and_body("From: me\nSubject: cats\nLines: 1\n\nThey purr.")
    'cats\nThey purr.'
    """
    headers, _, body = posting.partition("\n\n")
    subject = _SUBJECT.search(headers)
    return f"{subject.group(1).strip() if subject else ''}\n{body}"


def is_encoded_file(posting: str) -> bool:
    r"""Return whether a posting holds a uuencoded file, such as a picture.

    Examples
    --------
    >>> is_encoded_file("begin 644 cat.gif\n" + 20 * f"M{60 * '`'}\n")
    True
    >>> is_encoded_file("My cat purrs.")
    False
    """
    return len(_ENCODED_LINE.findall(posting)) >= _ENCODED_LINES


def _convert(archive: Path) -> Iterator[Row]:
    """Yield the postings of ``<any>-train|test/<group>/<number>``, by number."""
    found = []
    for path, raw in read_members(archive):
        if len(path) >= 3 and path[-1].isdigit():
            split = path[-3].rpartition("-")[2]
            found.append((split != "train", path[-2], int(path[-1]), raw))
    for is_test, group, number, raw in sorted(found):
        yield {
            "id": f"{group}/{number}",
            "text": raw.decode("latin-1"),
            "labels": [group],
            "split": "test" if is_test else "train",
        }


SOURCE = Source(
    file="20ng.jsonl",
    archive=Archive(
        "20news-bydate.tar.gz",
        ("https://ndownloader.figshare.com/files/5975967",),
        "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
    ),
    convert=_convert,
    n_docs=18846,
)
