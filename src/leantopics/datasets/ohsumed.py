"""Ohsumed: abstracts of MEDLINE, labelled by diseases."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.datasets.counting import (
    count_words,
    split_condition,
    unstemmed_vectorizer,
)
from leantopics.datasets.fetch import Archive
from leantopics.datasets.source import PathLike, Row, Source, read_members
from leantopics.io import open_records

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

TRAIN_SHARE = 24218 / 34389


def load_ohsumed(
    split: str = "train",
    *,
    vectorizer: "TextVectorizer | None" = None,
    folder: PathLike | None = None,
    download: bool = False,
) -> Corpus:
    """Load Ohsumed, 34389 abstracts with one or more of 23 labels.

    No SHA-256 of the public archive is published, so its documents are checked by a
    digest of their ids, labels and words; see `leantopics.datasets.source`.

    Parameters
    ----------
    split : {"train", "test", "all"}, default="train"
        One part of a fixed random split into 24218 and 10171 documents, or both. The
        paper has as many, but does not state its split.
    vectorizer : TextVectorizer, optional
        See `load_reuters`; the default is `unstemmed_vectorizer`.
    folder : path, optional
        The folder with ``ohsumed.jsonl.xz`` (or ``ohsumed-all-docs.tar.gz``), if it is
        not ``LEANTOPICS_DATA``.
    download : bool, default=False
        Whether to download the corpus if it is not there.

    Returns
    -------
    Corpus
        Labelled by category, "C01" to "C23".
    """
    half = split_condition(split).get("split")
    records = list(open_records(SOURCE.find(folder, download)))
    if half is not None:
        training = training_ids([record.id for record in records])
        records = [r for r in records if (r.id in training) == (half == "train")]
    return count_words(records, vectorizer or unstemmed_vectorizer())


def training_ids(ids: list[str]) -> set[str]:
    """Return the ids of the training documents.

    They are the first in the order of a hash of the id, so the split does not depend on
    the version of any library.

    Examples
    --------
    >>> sorted(training_ids(["0000001", "0000002", "0000003"]))
    ['0000002', '0000003']
    """
    in_order = sorted(
        ids,
        key=lambda id_: hashlib.sha256(f"leantopics ohsumed {id_}".encode()).digest(),
    )
    return set(in_order[: round(TRAIN_SHARE * len(ids))])


def _convert(archive: Path) -> Iterator[Row]:
    """Yield the documents of ``<any>/C01..C23/<id>``; an id is one document."""
    texts: dict[str, str] = {}
    labels: dict[str, list[str]] = {}
    for path, raw in read_members(archive):
        if len(path) >= 2 and path[-2][:1] == "C" and path[-2][1:].isdigit():
            texts[path[-1]] = raw.decode("latin-1").strip()
            labels.setdefault(path[-1], []).append(path[-2])
    for id_ in sorted(texts):
        yield {
            "id": id_,
            "text": texts[id_],
            "labels": sorted(labels[id_]),
            "split": None,
        }


SOURCE = Source(
    file="ohsumed.jsonl",
    archive=Archive(
        "ohsumed-all-docs.tar.gz",
        (
            "http://disi.unitn.it/moschitti/corpora/ohsumed-all-docs.tar.gz",
            "http://disi.unitn.eu/moschitti/corpora/ohsumed-all-docs.tar.gz",
        ),
    ),
    convert=_convert,
    n_docs=34389,
    digest="25c901177180b09f410218066f538e1995c308cc382b046d257fc87717b7dc76",
)
