"""Abstracts of the ACL Anthology: papers on computational linguistics."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from leantopics.corpus import Corpus
from leantopics.datasets.counting import count_words, long_word_vectorizer
from leantopics.datasets.fetch import Archive
from leantopics.datasets.source import PathLike, Row, Source, read_members
from leantopics.io import open_records

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

LEFT_OUT = frozenset(
    "2023.findings 2024.findings 2025.findings 2026.findings "
    "2025.acl 2025.emnlp 2026.acl".split()
)
"""Collections that are left out of the corpus because of their size."""

_MIN_LENGTH = 101  # characters of an abstract; shorter ones are remarks


def load_acl(
    *,
    vectorizer: "TextVectorizer | None" = None,
    folder: PathLike | None = None,
    download: bool = False,
) -> Corpus:
    """Load the titles and abstracts of 65057 papers, without a split or labels.

    They come from one commit of the Anthology on GitHub, without its seven largest
    collections. GitHub packs such an archive again for each download, so its SHA-256
    may change: the number of abstracts is checked, and later downloads must be the
    same as the first; see `leantopics.datasets.source`.

    Parameters
    ----------
    vectorizer : TextVectorizer, optional
        See `load_reuters`; the default is ``long_word_vectorizer(min_df=5)``.
    folder : path, optional
        The folder with ``acl_abstracts.jsonl.xz``, if it is not ``LEANTOPICS_DATA``.
    download : bool, default=False
        Whether to download the corpus if it is not there.

    Returns
    -------
    Corpus
        With year and collection as metadata.
    """
    records = open_records(SOURCE.find(folder, download))
    return count_words(records, vectorizer or long_word_vectorizer(min_df=5))


def _convert(archive: Path) -> Iterator[Row]:
    """Yield the papers of ``<any>/data/xml/<collection>.xml``, each abstract once."""
    files = {
        path[-1]: raw
        for path, raw in read_members(archive)
        if path[-3:-1] == ["data", "xml"] and path[-1].endswith(".xml")
    }
    seen = set()
    for name in sorted(files):
        for row in _parse(files[name]):
            abstract = row.pop("abstract")
            if len(abstract) >= _MIN_LENGTH and abstract not in seen:
                seen.add(abstract)
                yield row


def _parse(raw: bytes) -> Iterator[Row]:
    """Yield the papers of a collection."""
    collection = ElementTree.fromstring(raw)
    name = collection.get("id", "")
    if name in LEFT_OUT:
        return
    for volume in collection.iterfind("volume"):
        for paper in volume.iterfind("paper"):
            title, abstract = _text(paper, "title"), _text(paper, "abstract")
            yield {
                "id": f"{name}-{volume.get('id')}.{paper.get('id')}",
                "title": title,
                "text": f"{title}\n\n{abstract}",
                "labels": [],
                "split": None,
                "year": _text(volume, "meta/year"),
                "collection": name,
                "abstract": abstract,
            }


def _text(element: ElementTree.Element, path: str) -> str:
    """Return all text of a part, without markup and line breaks."""
    part = element.find(path)
    return "" if part is None else " ".join("".join(part.itertext()).split())


SOURCE = Source(
    file="acl_abstracts.jsonl",
    archive=Archive(
        "acl-anthology-70ba97351971.tar.gz",
        ("https://github.com/acl-org/acl-anthology/archive/70ba97351971.tar.gz",),
    ),
    convert=_convert,
    n_docs=60_000,
)
