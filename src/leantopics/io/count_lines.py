"""The lines of files that hold counts, and of the vocabulary next to them."""

import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt
from scipy import io as matrix_files
from scipy import sparse

from leantopics._limits import MOST_COUNT
from leantopics.corpus import Corpus

_UNWRITABLE = re.compile("[\r\n\ufeff\ud800-\udfff]")


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


def uci_lines(corpus: Corpus) -> Iterable[bytes]:
    """Return the lines of a UCI docword file; refuse counts that are not whole."""
    data, counts = whole_counts(corpus, "UCI docword"), corpus.counts
    rows = np.repeat(np.arange(len(corpus)), np.diff(counts.indptr))
    triples = zip(rows.tolist(), counts.indices.tolist(), data.tolist(), strict=True)
    header = f"{len(corpus)}\n{corpus.n_words}\n{counts.nnz}\n".encode()
    entries = (f"{d + 1} {n + 1} {count}\n".encode() for d, n, count in triples)
    return chain([header], entries)


def matrix_market(corpus: Corpus) -> bytes:
    """Return the content of a Matrix Market file."""
    counts = sparse.coo_array(corpus.counts)
    is_whole = bool(np.all(counts.data == np.floor(counts.data)))
    out = io.BytesIO()
    whole = counts.astype(np.int64) if is_whole else counts
    matrix_files.mmwrite(out, whole, symmetry="general")
    return out.getvalue()


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
