"""Write corpora as lda-c files, with what other formats of counts share."""

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from leantopics._limits import MOST_COUNT
from leantopics.corpus import Corpus
from leantopics.storage import atomic_file

_UNWRITABLE = re.compile("[\r\n\ufeff\ud800-\udfff]")


def write_ldac(corpus: Corpus, path: str | os.PathLike[str]) -> None:
    r"""Write the counts as an lda-c file, and the vocabulary beside it as ``.vocab``.

    Parameters
    ----------
    corpus : Corpus
        Its counts must be whole numbers. Ids, labels and texts are not written.
    path : path
        The lda-c file, one line a document: ``<distinct words> <word>:<count> ...``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_ldac(Corpus([[2, 0, 1], [0, 0, 0]]), folder + "/toy.ldac")
    ...     Path(folder, "toy.ldac").read_text()
    '2 0:2 2:1\n0\n'
    """
    target = Path(path)
    beside = target.with_suffix(".vocab")
    if target.suffix in {".vocab", ".gz", ".xz", ".zst"}:
        raise ValueError(
            f"{target} cannot be an lda-c file, which is written uncompressed; end its "
            "name with .ldac."
        )
    lines, entries = vocabulary_lines(corpus), ldac_lines(corpus)
    with atomic_file(beside) as words, atomic_file(target) as out:
        words.writelines(lines)
        out.writelines(entries)


def vocabulary_lines(corpus: Corpus) -> list[bytes]:
    r"""Return the lines of a vocabulary file; refuse words that it cannot hold.

    Examples
    --------
    >>> vocabulary_lines(Corpus([[1, 2]], vocabulary=["cat", "dog"]))
    [b'cat\n', b'dog\n']
    """
    for word in corpus.vocabulary:
        if not fits_line(word):
            raise ValueError(f"A vocabulary file cannot hold the word {word!r}.")
    return [f"{word}\n".encode() for word in corpus.vocabulary]


def fits_line(word: str) -> bool:
    """Return whether a word can be a line of a file and be read back unchanged."""
    return bool(word.strip()) and not _UNWRITABLE.search(word)


def ldac_lines(corpus: Corpus) -> Iterator[bytes]:
    r"""Return the lines of an lda-c file; refuse counts that are not whole.

    Examples
    --------
    >>> list(ldac_lines(Corpus([[2, 0, 1], [0, 0, 0]])))
    [b'2 0:2 2:1\n', b'0\n']
    """
    data, counts = whole_counts(corpus, "lda-c"), corpus.counts

    def line(start: int, stop: int) -> bytes:
        words, values = counts.indices[start:stop].tolist(), data[start:stop].tolist()
        pairs = zip(words, values, strict=True)
        entries = "".join(f" {n}:{count}" for n, count in pairs)
        return f"{stop - start}{entries}\n".encode()

    return (line(start, stop) for start, stop in pairwise(counts.indptr.tolist()))


def whole_counts(corpus: Corpus, format: str) -> npt.NDArray[np.int64]:
    """Return the stored counts as integers; refuse counts that are not whole."""
    data = corpus.counts.data
    if np.any(data > MOST_COUNT):
        raise ValueError(
            f"The {format} format needs counts below 2^53; save the corpus instead."
        )
    if np.any(data != np.floor(data)):
        raise ValueError(
            f"The {format} format needs whole counts; save the corpus instead."
        )
    return data.astype(np.int64)
