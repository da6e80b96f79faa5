"""Known corpora from a local folder: Reuters, 20-Newsgroups, LabelMe.

The folder is named by the environment variable ``LEANTOPICS_DATA`` or by the argument
``folder`` of each loader. It holds ``reuters21578.jsonl.xz`` and ``20ng.jsonl.xz``, one
JSON object a line with ``id``, ``text``, ``labels`` and ``split`` ("train" or "test"),
and the folder ``labelme`` with its lda-c files.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus

if TYPE_CHECKING:
    from leantopics.text import TextVectorizer

VARIABLE = "LEANTOPICS_DATA"
LABELME_WORDS = 158


def load_reuters(
    subset: str | None = "s35",
    split: str = "train",
    *,
    vectorizer: "TextVectorizer | None" = None,
    folder: str | os.PathLike[str] | None = None,
) -> Corpus:
    """Load Reuters-21578, by default its 35 classes with one label a document.

    Parameters
    ----------
    subset : str or None, default="s35"
        Name of the field that is true for the documents wanted: "s35" (6454 training
        and 2513 test documents), "r52", or None for all of the split.
    split : {"train", "test"}, default="train"
        Half of the ModApte split.
    vectorizer : TextVectorizer, optional
        How text becomes counts; by default a new `news_vectorizer`. One that is not
        fitted is fitted here; a fitted one is used with its own vocabulary. So give
        the same one for both halves, and the test documents are counted in the
        vocabulary of the training documents.
    folder : path, optional
        Where ``reuters21578.jsonl.xz`` is, if not in ``LEANTOPICS_DATA``.

    Returns
    -------
    Corpus
        Labelled by topic.
    """
    where = {"split": _check_split(split)}
    if subset is not None:
        where[subset] = "true"
    vectorizer = vectorizer or news_vectorizer()
    return _read("reuters21578.jsonl.xz", where, vectorizer, folder)


def load_20newsgroups(
    split: str = "train",
    *,
    vectorizer: "TextVectorizer | None" = None,
    folder: str | os.PathLike[str] | None = None,
) -> Corpus:
    """Load 20-Newsgroups, split by date, with mail headers and quotes.

    Parameters
    ----------
    split : {"train", "test"}, default="train"
        Half of the split: 11314 and 7532 documents.
    vectorizer : TextVectorizer, optional
        As in `load_reuters`; by default ``news_vectorizer(min_df=2)``.
    folder : path, optional
        Where ``20ng.jsonl.xz`` is, if not in ``LEANTOPICS_DATA``.

    Returns
    -------
    Corpus
        Labelled by group.
    """
    where = {"split": _check_split(split)}
    vectorizer = vectorizer or news_vectorizer(min_df=2)
    return _read("20ng.jsonl.xz", where, vectorizer, folder)


def load_labelme(
    split: str = "train", *, folder: str | os.PathLike[str] | None = None
) -> Corpus:
    """Load the LabelMe pictures as counts of 158 visual words.

    Parameters
    ----------
    split : {"train", "test"}, default="train"
        Half of the split: 800 pictures of 8 scenes each.
    folder : path, optional
        Where the folder ``labelme`` is, if not in ``LEANTOPICS_DATA``.

    Returns
    -------
    Corpus
        Labelled by the number of the scene; both halves have the words
        "codeword_000" to "codeword_157".
    """
    from leantopics.text import read_corpus

    pictures = _find(f"labelme/{_check_split(split)}-data.dat", folder)
    scenes = _find(f"labelme/{split}-label.dat", folder)
    corpus = read_corpus(pictures, format="ldac", labels=scenes)
    numbers = range(LABELME_WORDS)
    return Corpus(
        corpus.align([str(n) for n in numbers]).counts,
        vocabulary=[f"codeword_{n:03d}" for n in numbers],
        ids=[f"{split}/{d:03d}" for d in range(corpus.n_docs)],
        labels=corpus.labels,
    )


def news_vectorizer(*, min_df: float = 1) -> "TextVectorizer":
    """Return the preprocessing of `load_reuters` and `load_20newsgroups`.

    Lower-case words of two or more letters a to z, without scikit-learn's English
    stop words, as Porter stems.

    Parameters
    ----------
    min_df : int or float, default=1
        Least number, or share, of the documents that a stem must occur in.

    Examples
    --------
    >>> news_vectorizer().fit(["Grain exports rise", "He exported oil"]).vocabulary_
    ['export', 'grain', 'oil', 'rise']
    """
    from leantopics.text import TextVectorizer

    return TextVectorizer(
        pattern="[a-z]{2,}", stop_words="english", stem="porter", min_df=min_df
    )


def _read(
    name: str,
    where: dict[str, str],
    vectorizer: "TextVectorizer",
    folder: str | os.PathLike[str] | None,
) -> Corpus:
    """Read the chosen documents of a file of JSON lines."""
    from leantopics.text import read_corpus

    return read_corpus(_find(name, folder), vectorizer=vectorizer, where=where)


def _check_split(split: str) -> str:
    """Return the name of the split if it is one."""
    if split not in ("train", "test"):
        raise ValueError(f"split must be 'train' or 'test', got {split!r}.")
    return split


def _find(name: str, folder: str | os.PathLike[str] | None) -> Path:
    """Return the path of a file, or say what to do about its absence."""
    chosen = folder or os.environ.get(VARIABLE)
    if not chosen:
        raise FileNotFoundError(
            f"{name} is not part of leantopics: set the environment variable "
            f"{VARIABLE} (or the argument folder) to the folder that holds it."
        )
    file = Path(chosen, name)
    if not file.is_file():
        raise FileNotFoundError(
            f"{file} is missing: put it there, or set the environment variable "
            f"{VARIABLE} (or the argument folder) to the folder that holds {name}."
        )
    return file
