"""Sizes and places of the named corpora, without loading them."""

import os
from pathlib import Path
from typing import NamedTuple

from leantopics.datasets.fetch import cache_folder
from leantopics.datasets.labelme import ARCHIVE as PICTURES
from leantopics.datasets.registry import names, source_of
from leantopics.datasets.source import SUFFIXES, VARIABLE, PathLike


class Entry(NamedTuple):
    """A named corpus as `leantopics.datasets.load` returns it; None if unknown."""

    name: str
    about: str
    train: int
    """Training documents; all documents if there is no split."""
    test: int
    """Test documents."""
    words: int
    """Distinct words of the training documents."""
    classes: int
    """Distinct labels; 0 if there are none."""
    place: Path | None
    """Where it is on this machine."""
    megabytes: float | None
    """Size of the download, rounded."""


_KNOWN: dict[str, tuple[str, int, int, int, int]] = {
    "20newsgroups": ("postings, subject and body", 11293, 7527, 55015, 20),
    "20newsgroups-headers": ("postings with all headers", 11314, 7532, 35001, 20),
    "acl": ("abstracts of computational linguistics", 65057, 0, 13302, 0),
    "imdb": ("movie reviews", 25000, 25000, 18041, 2),
    "labelme": ("pictures of scenes as visual words", 800, 800, 158, 8),
    "ohsumed": ("medical abstracts", 24218, 10171, 12058, 23),
    "reuters": ("news of 35 classes", 6454, 2513, 16233, 35),
    "reuters-r52": ("news of 52 classes", 6532, 2568, 16344, 52),
}
_MEGABYTES = {
    "20newsgroups": 14,
    "20newsgroups-headers": 14,
    "imdb": 84,
    "reuters": 8,
    "reuters-r52": 8,
}


def catalogue(*, folder: PathLike | None = None) -> list[Entry]:
    """Return all named corpora with their sizes and places on this machine.

    Parameters
    ----------
    folder : path, optional
        Where to look for the files, if not in ``LEANTOPICS_DATA``; they may also be in
        the cache.

    Examples
    --------
    >>> {entry.name: entry.train for entry in catalogue()}["labelme"]
    800
    """
    return [
        Entry(name, *_KNOWN[name], locate(name, folder), _MEGABYTES.get(name))
        for name in names()
    ]


def locate(name: str, folder: PathLike | None = None) -> Path | None:
    """Return where a named corpus is on this machine, None if it is not.

    Parameters
    ----------
    name : str
        One of `leantopics.datasets.names`.
    folder : path, optional
        Where to look, if not in ``LEANTOPICS_DATA``; it may also be in the cache.
    """
    chosen = folder or os.environ.get(VARIABLE)
    here, cached = _files(name)
    places = [Path(chosen, file) for file in here] if chosen else []
    places += [cache_folder() / file for file in cached]
    return next((place for place in places if place.exists()), None)


def _files(name: str) -> tuple[list[str], list[str]]:
    """Return names that a corpus may have in a folder, and in the cache."""
    source = source_of(name)
    if source is None:
        return ["labelme", PICTURES.name], ["labelme"]
    files = [source.file + suffix for suffix in SUFFIXES]
    return [*files, source.archive.name], [f"{source.file}.zst"]
