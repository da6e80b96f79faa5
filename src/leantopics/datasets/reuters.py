"""Reuters-21578: news of 1987, with the ModApte split."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.datasets.counting import (
    count_words,
    news_vectorizer,
    split_condition,
)
from leantopics.datasets.fetch import Archive
from leantopics.datasets.source import PathLike, Row, Source, read_members
from leantopics.io import open_records

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

R52 = frozenset(
    "acq alum bop carcass cocoa coffee copper cotton cpi cpu crude dlr earn fuel gas "
    "gnp gold grain heat housing income instal-debt interest ipi iron-steel jet jobs "
    "lead lei livestock lumber meal-feed money-fx money-supply nat-gas nickel orange "
    "pet-chem platinum potato reserves retail rubber ship strategic-metal sugar tea "
    "tin trade veg-oil wpi zinc".split()
)
"""The topics of the subset R52."""

_MIN_TRAIN = 10  # training documents of a topic of the subset s35
_DOCUMENT = re.compile(r"<REUTERS([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_TEXT = re.compile(r"<TEXT([^>]*)>(.*?)</TEXT>", re.DOTALL)
_CONTROL = re.compile("&#[0-9]+;")


def load_reuters(
    subset: str | None = "s35",
    split: str = "train",
    *,
    vectorizer: "TextVectorizer | None" = None,
    folder: PathLike | None = None,
    download: bool = False,
) -> Corpus:
    """Load Reuters-21578, by default 35 classes with one label for each document.

    The public archive is checked against the SHA-256 in the examples of scikit-learn.
    The text may be used for research only; see the README of the archive.

    Parameters
    ----------
    subset : str or None, default="s35"
        Which documents: "s35" (6454 training and 2513 test documents), "r52" (6532 and
        2568), or None for all of the split. The documents of "s35" have a single topic
        that is the only topic of 10 training documents and 1 test document or more; we
        inferred this rule from the numbers in the paper.
    split : {"train", "test", "all"}, default="train"
        One part of the ModApte split, or all documents.
    vectorizer : TextVectorizer, optional
        How to count words; the default is a new `news_vectorizer`. An unfitted one is
        fitted in place; a fitted one gives the corpus its vocabulary. Pass the same one
        for both parts to count test documents in the vocabulary of the training
        documents.
    folder : path, optional
        The folder with ``reuters21578.jsonl.xz`` (or ``reuters21578.tar.gz``), if it is
        not ``LEANTOPICS_DATA``.
    download : bool, default=False
        Whether to download the corpus if it is not there.

    Returns
    -------
    Corpus
        Labelled by topic.
    """
    where = split_condition(split)
    if subset is not None:
        where[subset] = "true"
    file = SOURCE.find(folder, download)
    return count_words(open_records(file, where=where), vectorizer or news_vectorizer())


def _convert(archive: Path) -> Iterator[Row]:
    """Yield the documents of all ``.sgm`` files, by number, with their subsets."""
    rows = [
        row
        for path, raw in read_members(archive)
        if path[-1].endswith(".sgm")
        for row in _parse(raw.decode("latin-1"))
    ]
    rows.sort(key=lambda row: int(row["id"]))
    # A topic that is given twice is not a single topic.
    topics = [row.pop("topics") for row in rows]
    of_one = [
        given[0] if len(given) == 1 and row["split"] else ""
        for row, given in zip(rows, topics, strict=True)
    ]
    seen = Counter(
        (row["split"], topic) for row, topic in zip(rows, of_one, strict=True)
    )
    for row, topic in zip(rows, of_one, strict=True):
        frequent = seen["train", topic] >= _MIN_TRAIN and seen["test", topic] > 0
        row["r52"] = topic in R52
        row["s35"] = bool(topic) and frequent
        yield row


def _parse(file: str) -> Iterator[Row]:
    """Yield the documents of one file of SGML."""
    for header, content in _DOCUMENT.findall(file):
        attributes = dict(_ATTRIBUTE.findall(header))
        form, inside = _first(_TEXT, content)
        kind = dict(_ATTRIBUTE.findall(form)).get("TYPE", "NORM")
        title, body = _element("TITLE", inside), _element("BODY", inside)
        if kind == "UNPROC":  # the text has no markup
            body = _clean(inside)
        topics = re.findall("<D>(.*?)</D>", _raw_element("TOPICS", content))
        lewis, has_topics = attributes["LEWISSPLIT"], attributes["TOPICS"]
        used = has_topics == "YES" and lewis in ("TRAIN", "TEST")
        yield {
            "id": attributes["NEWID"],
            "title": title,
            "text": "\n\n".join(part for part in (title, body) if part),
            "labels": list(dict.fromkeys(topics)),
            "split": lewis.lower() if used else None,
            "topics": topics,
            "lewissplit": lewis,
            "topics_attr": has_topics,
            "text_type": kind,
            "places": re.findall("<D>(.*?)</D>", _raw_element("PLACES", content)),
            "date": _element("DATE", content),
        }


def _first(pattern: "re.Pattern[str]", text: str) -> tuple[str, str]:
    """Return the two groups of the first match, empty if there is none."""
    match = pattern.search(text)
    return (match[1], match[2]) if match else ("", "")


def _raw_element(tag: str, text: str) -> str:
    return _first(re.compile(f"<({tag})>(.*?)</{tag}>", re.DOTALL), text)[1]


def _element(tag: str, text: str) -> str:
    return _clean(_raw_element(tag, text))


def _clean(text: str) -> str:
    """Return text without control characters, its three entities decoded."""
    text = _CONTROL.sub("", text).replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&amp;", "&").strip()


SOURCE = Source(
    file="reuters21578.jsonl",
    archive=Archive(
        "reuters21578.tar.gz",
        (
            "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
            "https://archive.ics.uci.edu/ml/machine-learning-databases/"
            "reuters21578-mld/reuters21578.tar.gz",
        ),
        "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
    ),
    convert=_convert,
    n_docs=21578,
)
