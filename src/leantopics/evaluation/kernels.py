"""Loops over the words of documents; arrays only."""

import cython
import numpy as np

from leantopics.evaluation.checks import Floats, Indices, Ints


def mix(
    indptr: Indices,
    words: Indices,
    weight_indptr: Indices,
    weight_topic: Indices,
    weight: Floats,
    word_topic: Floats,
    total: Floats,
    winner: Ints,
) -> None:
    """Sum weight[d,j] * beta[j,n] over topics j, for each distinct word of documents.

    Equivalent, for the word at i of document d, to the sum and the argmax of
    ``weight[d] * word_topic[words[i]]``.

    Parameters
    ----------
    indptr, words : CSR pattern of the documents
    weight_indptr, weight_topic, weight : CSR of their topics, sorted
    word_topic : (N, M)

    Writes: total (n,) and winner (n,); ties go to the lower topic number.
    """
    _mix(
        np.asarray(indptr, np.int64),
        np.asarray(words, np.int32),
        np.asarray(weight_indptr, np.int64),
        np.asarray(weight_topic, np.int32),
        np.asarray(weight, np.float64),
        np.asarray(word_topic, np.float64),
        total,
        winner,
    )


def _mix(
    indptr: Indices,
    words: Indices,
    weight_indptr: Indices,
    weight_topic: Indices,
    weight: Floats,
    word_topic: Floats,
    total: Floats,
    winner: Ints,
) -> None:
    with cython.nogil:
        for d in range(indptr.shape[0] - 1):
            low, high = weight_indptr[d], weight_indptr[d + 1]
            for i in range(indptr[d], indptr[d + 1]):
                n, added, largest, best = words[i], 0.0, 0.0, 0
                for p in range(low, high):
                    part = weight[p] * word_topic[n, weight_topic[p]]
                    added += part
                    if part > largest:
                        largest, best = part, weight_topic[p]
                total[i], winner[i] = added, best


def count_windows(
    position: Ints, word: Ints, document: Ints, first: Ints, window: int, together: Ints
) -> None:
    """Count the sliding windows that hold two words.

    A document of length L has max(1, L - window + 1) windows. Windows with the same
    words are counted at once, so the cost grows with the occurrences n of the words,
    not with the length of the documents.

    Parameters
    ----------
    position : (n,) places of the words in all documents laid end to end, increasing
    word, document : (n,) which word, 0 to T - 1, and document are at each place
    first : (D + 1,) place of the first token of each document, and the end
    window : tokens in a window

    Writes: together (T, T), counts added to its upper triangle; the diagonal has the
    windows that hold one word.
    """
    inside = np.zeros(len(together), np.int64)
    _count_windows(position, word, document, first, window, inside, together)


def _count_windows(
    position: Ints,
    word: Ints,
    document: Ints,
    first: Ints,
    window: int,
    inside: Ints,
    together: Ints,
) -> None:
    """See `count_windows`; inside (T,) is scratch. Writes: together."""
    n_words = together.shape[0]
    start = 0
    with cython.nogil:
        while start < position.shape[0]:
            d = document[start]
            stop = start
            while stop < position.shape[0] and document[stop] == d:
                stop += 1
            at, end = first[d], max(first[d], first[d + 1] - window) + 1
            enter, leave = start, start
            for k in range(n_words):
                inside[k] = 0
            while at < end:
                while enter < stop and position[enter] < at + window:
                    inside[word[enter]] += 1
                    enter += 1
                while leave < enter and position[leave] < at:
                    inside[word[leave]] -= 1
                    leave += 1
                change = end
                if enter < stop:
                    change = min(change, position[enter] - window + 1)
                if leave < enter:
                    change = min(change, position[leave] + 1)
                for k in range(n_words):
                    if inside[k] > 0:
                        for m in range(k, n_words):
                            if inside[m] > 0:
                                together[k, m] += change - at
                at = change
            start = stop
