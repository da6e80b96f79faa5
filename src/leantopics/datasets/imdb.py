"""IMDB: movie reviews, half of them labelled as positive or negative."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus
from leantopics.datasets.counting import (
    count_words,
    long_word_vectorizer,
    split_condition,
)
from leantopics.datasets.fetch import Archive
from leantopics.datasets.source import PathLike, Row, Source, read_members
from leantopics.io import open_records

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

_FOLDERS = ("train/neg", "train/pos", "train/unsup", "test/neg", "test/pos")


def load_imdb(
    split: str = "train",
    *,
    vectorizer: "TextVectorizer | None" = None,
    folder: PathLike | None = None,
    download: bool = False,
) -> Corpus:
    """Load the Large Movie Review Dataset of Maas et al. (2011).

    The public archive is checked against the SHA-256 that several other libraries
    publish.

    Parameters
    ----------
    split : {"train", "test", "all"}, default="train"
        One half of the labelled reviews, 25000; or all 100000 reviews, half of which
        have no label.
    vectorizer : TextVectorizer, optional
        See `load_reuters`; the default is ``long_word_vectorizer(min_df=5)``.
    folder : path, optional
        The folder with ``imdb100k.jsonl.xz`` (or ``aclImdb_v1.tar.gz``), if it is not
        ``LEANTOPICS_DATA``.
    download : bool, default=False
        Whether to download the corpus if it is not there.

    Returns
    -------
    Corpus
        Labelled "pos" and "neg".
    """
    where = split_condition(split)
    records = open_records(SOURCE.find(folder, download), where=where)
    return count_words(records, vectorizer or long_word_vectorizer(min_df=5))


def _convert(archive: Path) -> Iterator[Row]:
    """Yield the reviews of ``<any>/train|test/pos|neg|unsup/<number>_<stars>.txt``."""
    found = []
    for path, raw in read_members(archive):
        folder, name = "/".join(path[-3:-1]), path[-1].removesuffix(".txt")
        if folder in _FOLDERS and name != path[-1]:
            number = int(name.partition("_")[0])
            found.append((_FOLDERS.index(folder), number, f"{folder}/{name}", raw))
    for place, _, id_, raw in sorted(found):
        split, opinion = _FOLDERS[place].split("/")
        labelled = opinion != "unsup"
        yield {
            "id": id_,
            "text": raw.decode("utf-8"),
            "labels": [opinion] if labelled else [],
            "split": split if labelled else None,
        }


SOURCE = Source(
    file="imdb100k.jsonl",
    archive=Archive(
        "aclImdb_v1.tar.gz",
        ("https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",),
        "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
    ),
    convert=_convert,
    n_docs=100_000,
)
