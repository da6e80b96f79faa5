"""Count the windows of a reference corpus that hold each word and pair of words."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from leantopics.evaluation.checks import Ints, check_parts
from leantopics.evaluation.kernels import count_windows

Topics: TypeAlias = Sequence[Sequence[Hashable]]

_NO_DOCUMENTS = "The reference corpus must have documents, got none."


class Windows(NamedTuple):
    """A reference corpus, ready to be counted."""

    together: Callable[[Sequence[Any]], Ints]
    """Given the T words of a topic, returns the number of windows that hold each pair
    of them, shape (T, T)."""
    n_windows: int


def document_windows(counts: Any, topics: Topics) -> Windows:
    """Use the documents of a count matrix as windows, including empty ones.

    Examples
    --------
    >>> windows = document_windows(np.array([[1, 2, 0], [0, 1, 1]]), [[0, 1], [1, 2]])
    >>> windows.together([0, 1])
    array([[1, 1],
           [1, 2]])
    """
    n_docs, n_words = counts.shape
    if n_docs == 0:
        raise ValueError(_NO_DOCUMENTS)
    used = np.unique(list(chain(*topics)))
    if used.dtype.kind not in "iu" or used[0] < 0 or used[-1] >= n_words:
        raise ValueError(
            f"With counts, topics must hold column numbers from 0 to {n_words - 1}, "
            f"got {used[0]} to {used[-1]}."
        )
    found: dict[tuple[Any, ...], Any] = {tuple(words): 0 for words in topics}
    for _, part in check_parts(counts):
        present = part[:, used].tocsc()
        present.data = np.ones(present.nnz, dtype=np.int64)
        for words in found:
            columns = present[:, np.searchsorted(used, words)]
            found[words] = found[words] + (columns.T @ columns).toarray()
    return Windows(lambda words: np.asarray(found[tuple(words)]), n_docs)


def sliding_windows(
    documents: Iterable[Sequence[Hashable]], topics: Topics, window: int | None
) -> Windows:
    """Slide windows of some tokens over documents; a shorter document is one window.

    Examples
    --------
    >>> windows = sliding_windows([["a", "b", "x", "a"]], [["a", "b"]], 2)
    >>> windows.n_windows
    3
    >>> windows.together(["a", "b"])
    array([[2, 1],
           [1, 2]])
    """
    used = {word: i for i, word in enumerate(dict.fromkeys(chain(*topics)))}
    codes, lengths = [], []
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise TypeError(
            "The reference must be a matrix of counts or lists of tokens, got "
            f"{type(documents).__name__}."
        )
    for document in documents:
        if isinstance(document, str):
            raise TypeError(
                "Documents must be sequences of tokens, got a string; split it into "
                "tokens."
            )
        lengths.append(len(document))
        codes.append(
            np.fromiter((used.get(w, -1) for w in document), np.int64, lengths[-1])
        )
    if not lengths:
        raise ValueError(_NO_DOCUMENTS)
    first = np.concatenate(([0], np.cumsum(lengths)))
    width = max(lengths) if window is None else window
    code = np.concatenate(codes)
    position = np.flatnonzero(code >= 0)
    position = position[np.argsort(code[position], kind="stable")]
    place = np.searchsorted(code[position], np.arange(len(used) + 1))

    def together(words: Sequence[Any]) -> Ints:
        lists = [position[place[used[w]] : place[used[w] + 1]] for w in words]
        found = np.concatenate(lists)
        local = np.repeat(np.arange(len(lists)), [len(places) for places in lists])
        order = np.argsort(found)
        document = np.searchsorted(first, found[order], side="right") - 1
        upper = np.zeros((len(lists), len(lists)), dtype=np.int64)
        count_windows(found[order], local[order], document, first, width, upper)
        return upper + np.triu(upper, 1).T

    return Windows(together, int(np.maximum(1, np.array(lengths) - width + 1).sum()))
