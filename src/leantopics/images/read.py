"""Read a folder of pictures as a corpus of visual words."""

import os
from pathlib import Path

import numpy as np

from leantopics.corpus import Corpus
from leantopics.images.pictures import SUFFIXES
from leantopics.images.words import VisualWords
from leantopics.io.formats.folder import files_below


def image_files(folder: str | os.PathLike[str]) -> list[str]:
    """Return the image files below a folder, by their paths below it, sorted.

    Files are recognised by their suffix: .bmp, .gif, .jpg, .jpeg, .pgm, .png, .pnm,
    .ppm, .tif, .tiff or .webp. Names that begin with a dot are skipped.

    Raises
    ------
    ValueError
        If it is not a folder, or has no such file.

    Examples
    --------
    >>> from sklearn.datasets import images
    >>> image_files(Path(images.__file__).parent)
    ['china.jpg', 'flower.jpg']
    """
    root = Path(folder)
    if not root.is_dir():
        raise ValueError(f"{folder} must be a folder of pictures, but is not a folder.")
    names = files_below(root, lambda name: Path(name).suffix.lower() in SUFFIXES)
    if not names:
        raise ValueError(
            f"{folder} has no picture ({', '.join(sorted(SUFFIXES))}); name another "
            "folder."
        )
    return names


def read_images(
    folder: str | os.PathLike[str], *, words: VisualWords | None = None
) -> Corpus:
    """Read a folder of pictures as a corpus of visual words.

    Parameters
    ----------
    folder : path
        The folder; see `image_files`. The name of a sub-folder is the label of its
        pictures.
    words : VisualWords, optional
        How to count. An unfitted one is fitted in place to these pictures; a fitted one
        is not changed, and gives the corpus its vocabulary.

    Returns
    -------
    Corpus
        Without the pictures that cannot be read. Ids are paths below the folder; the
        metadata have the full path as "file" and the `VisualWords.fingerprint_` as
        "codebook".

    Examples
    --------
    >>> from sklearn.datasets import images
    >>> words = VisualWords(20, n_sampled=1000, random_state=0)
    >>> corpus = read_images(Path(images.__file__).parent, words=words)
    >>> corpus.ids, corpus.n_tokens
    (['china.jpg', 'flower.jpg'], 4802.0)
    """
    words = VisualWords() if words is None else words
    names = image_files(folder)
    files = [os.path.abspath(os.path.join(folder, name)) for name in names]
    fitted = hasattr(words, "codewords_")
    counts = (words.transform if fitted else words.fit_transform)(files)
    labels = [Path(name).parent.name for name in names]
    corpus = Corpus(
        counts,
        words.vocabulary_,
        names,
        [[label] if label else [] for label in labels] if any(labels) else None,
        [{"file": file, "codebook": words.fingerprint_} for file in files],
    )
    return corpus.select(np.diff(counts.indptr) > 0)
