"""The named corpora: their sizes and places, and their counts, kept in the cache."""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from leantopics.corpus import Corpus
from leantopics.datasets import acl, imdb, newsgroups, ohsumed, reuters
from leantopics.datasets.counting import (
    long_word_vectorizer,
    news_vectorizer,
    split_condition,
    unstemmed_vectorizer,
)
from leantopics.datasets.fetch import cache_folder, sha256_of
from leantopics.datasets.labelme import ARCHIVE as PICTURES
from leantopics.datasets.labelme import load_labelme
from leantopics.datasets.source import SUFFIXES, VARIABLE, PathLike, Source

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

_RECIPE = 2  # raised when the same file must give other counts


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


class _Text(NamedTuple):
    """A corpus that is counted from a file of texts."""

    source: Source
    vectorizer: Callable[[], "TextVectorizer"]
    load: Callable[..., Corpus]


_TEXTS = {
    "20newsgroups": _Text(
        newsgroups.SOURCE,
        long_word_vectorizer,
        partial(newsgroups.load_20newsgroups, headers=False),
    ),
    "20newsgroups-headers": _Text(
        newsgroups.SOURCE,
        partial(news_vectorizer, min_df=2),
        newsgroups.load_20newsgroups,
    ),
    "acl": _Text(acl.SOURCE, partial(long_word_vectorizer, min_df=5), acl.load_acl),
    "imdb": _Text(imdb.SOURCE, partial(long_word_vectorizer, min_df=5), imdb.load_imdb),
    "ohsumed": _Text(ohsumed.SOURCE, unstemmed_vectorizer, ohsumed.load_ohsumed),
    "reuters": _Text(reuters.SOURCE, news_vectorizer, reuters.load_reuters),
    "reuters-r52": _Text(
        reuters.SOURCE, news_vectorizer, partial(reuters.load_reuters, "r52")
    ),
}
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


def names() -> list[str]:
    """Return the names that `load` knows.

    Examples
    --------
    >>> names()
    ['20newsgroups', '20newsgroups-headers', 'acl', 'imdb', 'labelme', 'ohsumed',
     'reuters', 'reuters-r52']
    """
    return sorted([*_TEXTS, "labelme"])


def has_split(name: str) -> bool:
    """Return whether a named corpus has test documents.

    Examples
    --------
    >>> has_split("reuters"), has_split("acl")
    (True, False)
    """
    _check_name(name)
    n_test = _KNOWN[name][2]
    return n_test > 0


def source_of(name: str) -> Source | None:
    """Return where a named corpus of texts comes from, None for LabelMe.

    Examples
    --------
    >>> source_of("reuters-r52").archive.name, source_of("labelme")
    ('reuters21578.tar.gz', None)
    """
    _check_name(name)
    return _TEXTS[name].source if name in _TEXTS else None


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
    """Return where a named corpus is on this machine, None if it is not."""
    chosen = folder or os.environ.get(VARIABLE)
    source = source_of(name)
    if source is None:
        here, cached = ["labelme", PICTURES.name], cache_folder() / "labelme"
    else:
        files = [source.file + suffix for suffix in SUFFIXES]
        here, cached = [*files, source.archive.name], source.cached
    places = [Path(chosen, file) for file in here] if chosen else []
    return next((place for place in [*places, cached] if place.exists()), None)


def load(
    name: str,
    subset: str = "train",
    *,
    folder: PathLike | None = None,
    download: bool = True,
) -> Corpus:
    r"""Load a named corpus with the preprocessing of the paper's study.

    Parameters
    ----------
    name : str
        One of `names`. "20newsgroups" has the subject and body of each posting, as in
        the paper, and "20newsgroups-headers" the whole posting; "reuters" has 35
        classes, "reuters-r52" has 52. See the loader of each, such as `load_reuters`.
    subset : {"train", "test", "all"}, default="train"
        The training documents, or all documents if there is no split ("acl"); the test
        documents, with the vocabulary of the training documents; or all documents,
        with a vocabulary of their own.
    folder : path, optional
        The folder with the file of the corpus, if it is not ``LEANTOPICS_DATA``.
    download : bool, default=True
        Whether to download the corpus to the cache if it is not there. The cache
        (`cache_folder`) also keeps the counts, under the checksum of the file and the
        preprocessing, so the corpus loads faster the next time.

    Returns
    -------
    Corpus
        With ids, and labels where there are any.

    Raises
    ------
    ValueError
        If the name or the subset is unknown, or the file has unexpected content.
    FileNotFoundError
        If the file is missing and ``download`` is False.
    ConnectionError
        If the download fails.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pictures = Path(folder, "labelme")
    ...     pictures.mkdir()
    ...     _ = Path(pictures, "train-data.dat").write_text("2 0:3 157:1\n")
    ...     _ = Path(pictures, "train-label.dat").write_text("4\n")
    ...     load("labelme", folder=folder)
    Corpus(1 document, 158 words, 4 tokens, with labels)
    """
    split_condition(subset)
    if not has_split(name):
        if subset == "test":
            raise ValueError(f"{name} has no test documents; take the subset 'all'.")
        subset = "all"
    if name == "labelme":
        return load_labelme(subset, folder=folder, download=download)
    return _count(name, subset, folder, download)


def _check_name(name: str) -> None:
    if name not in names():
        raise ValueError(
            f"There is no corpus {name!r}; there are {', '.join(names())}."
        )


def _count(name: str, subset: str, folder: PathLike | None, download: bool) -> Corpus:
    """Return the counts of a corpus of texts, from the cache or now."""
    text = _TEXTS[name]
    vectorizer = text.vectorizer()
    file = text.source.find(folder, download)

    def kept(part: str) -> Path:
        return cache_folder() / "corpora" / _key(name, part, file, vectorizer)

    with suppress(OSError, ValueError):  # missing or damaged
        return Corpus.load(kept(subset))
    # The vectorizer takes the vocabulary from the training documents.
    for part in ("train", "test") if subset == "test" else (subset,):
        half: dict[str, Any] = {"split": part} if has_split(name) else {}
        corpus = text.load(
            **half, vectorizer=vectorizer, folder=folder, download=download
        )
        with suppress(OSError, ValueError):  # then the next time is slow again
            kept(part).parent.mkdir(parents=True, exist_ok=True)
            corpus.save(kept(part))
    return corpus


def _key(name: str, subset: str, file: Path, vectorizer: "TextVectorizer") -> str:
    """Return the name under which counts are kept; it covers all they depend on."""
    packages = ("leantopics", "scikit-learn", "snowballstemmer")
    recipe = [
        _RECIPE,
        sha256_of(file),
        vectorizer.get_params(),
        [version(package) for package in packages],
    ]
    digest = hashlib.sha256(json.dumps(recipe).encode()).hexdigest()
    return f"{name}-{subset}-{digest[:16]}"
