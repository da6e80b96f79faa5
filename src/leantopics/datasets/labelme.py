"""LabelMe: pictures of eight kinds of scenes, as counts of visual words."""

import hashlib
import os
from pathlib import Path

from scipy import sparse

from leantopics.corpus import Corpus
from leantopics.datasets.counting import split_condition
from leantopics.datasets.fetch import Archive, cache_folder, sha256_of
from leantopics.datasets.source import VARIABLE, PathLike, read_members, unpack
from leantopics.storage import atomic_file

N_WORDS = 158
ARCHIVE = Archive(
    "images.tgz",
    (
        "https://github.com/blei-lab/class-slda/raw/"
        "87900549f88730487fec8a6023a311774f22e7e6/sample-data/images.tgz",
        "http://www.cs.cmu.edu/~chongw/data/images.tgz",
    ),
)
_LABELS = "cfd8311a8cdf1d802585b05f2427a1d58b0dedaeef8d42311164d541cbcefb0e"
_TRAIN = "3cc4b788441ba1bdf0e7a461dd0842b23192c348ff2df4bd5da6c09771357ccd"
_TEST = "e72a717f21f180432da472a26f00907cfa400fdee2675c0faa3abcfd9973b299"
SHA256 = {
    "train-data.dat": _TRAIN,
    "train-label.dat": _LABELS,
    "test-data.dat": _TEST,
    "test-label.dat": _LABELS,
}
"""Of the files in the archive; no SHA-256 of the archive itself is published."""


def load_labelme(
    split: str = "train", *, folder: PathLike | None = None, download: bool = False
) -> Corpus:
    """Load the LabelMe pictures as counts of 158 visual words.

    The public archive comes with a program for supervised topic models. The files in
    it are checked against their SHA-256.

    Parameters
    ----------
    split : {"train", "test", "all"}, default="train"
        One half of the pictures, 800 of 8 scenes; or both halves.
    folder : path, optional
        The folder with the folder ``labelme``, if it is not ``LEANTOPICS_DATA``. That
        holds ``train-data.dat``, ``train-label.dat`` and the same for "test".
    download : bool, default=False
        Whether to download the corpus if it is not there.

    Returns
    -------
    Corpus
        Labelled by the number of the scene; both halves have the words
        "codeword_000" to "codeword_157".
    """
    split_condition(split)
    if split == "all":
        return _joined(*(_half(half, folder, download) for half in ("train", "test")))
    return _half(split, folder, download)


def _half(split: str, folder: PathLike | None, download: bool) -> Corpus:
    """Return the training or the test pictures."""
    from leantopics.text import read_corpus

    pictures = _find(f"{split}-data.dat", folder, download)
    scenes = _find(f"{split}-label.dat", folder, download)
    corpus = read_corpus(pictures, format="ldac", labels=scenes)
    numbers = range(N_WORDS)
    return Corpus(
        corpus.align([str(n) for n in numbers]).counts,
        vocabulary=[f"codeword_{n:03d}" for n in numbers],
        ids=[f"{split}/{d:03d}" for d in range(corpus.n_docs)],
        labels=corpus.labels,
    )


def _joined(first: Corpus, second: Corpus) -> Corpus:
    return Corpus(
        sparse.vstack([first.counts, second.counts]),
        vocabulary=first.vocabulary,
        ids=[*first.ids, *second.ids],
        labels=[*(first.labels or []), *(second.labels or [])],
    )


def _find(name: str, folder: PathLike | None, download: bool) -> Path:
    """Return one of the files: from the folder, the cache, or by download."""
    chosen = folder or os.environ.get(VARIABLE)
    if chosen and (file := Path(chosen, "labelme", name)).is_file():
        return file
    cached = cache_folder() / "labelme" / name
    if (download or not folder) and cached.is_file():
        if sha256_of(cached) != SHA256[name]:
            raise ValueError(
                f"{cached} is damaged: its SHA-256 must be {SHA256[name]}; delete it."
            )
    else:
        unpack(ARCHIVE, _prepare, f"labelme/{name}", chosen, download)
    return cached


def _prepare(archive: Path) -> None:
    """Write the files of the archive to the cache after checking all of them."""
    files = {path[-1]: raw for path, raw in read_members(archive)}
    for name, expected in SHA256.items():
        if hashlib.sha256(files.get(name, b"")).hexdigest() != expected:
            raise ValueError(
                f"{archive.name} must hold {name} with the SHA-256 {expected}, but "
                "does not; download it again."
            )
    folder = cache_folder() / "labelme"
    folder.mkdir(parents=True, exist_ok=True)
    for name in SHA256:
        with atomic_file(folder / name) as out:
            out.write(files[name])
