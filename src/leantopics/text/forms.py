"""Word forms: counting them in texts, and adding up those of one column."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

# A string, because older SciPy cannot subscript its arrays when this line runs.
Counts: TypeAlias = "sparse.csr_array[np.int64]"


class Numbers(dict[str, int]):
    """Numbers of forms, in the order in which they were first looked up."""

    def __missing__(self, form: str) -> int:
        self[form] = number = len(self)
        return number


def count_forms(
    analyze: Callable[[str], list[str]], texts: Iterable[str]
) -> tuple[list[str], Counts]:
    """Count every distinct form in every text, in order of appearance."""
    if isinstance(texts, str):
        raise TypeError("Texts must be an iterable of strings, got a single string.")
    number = Numbers()
    indices, values, indptr = array("i"), array("i"), array("q", [0])
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"Texts must be strings, got {text!r:.60}.")
        counter = Counter(analyze(text))
        indices.extend(map(number.__getitem__, counter))
        values.extend(counter.values())
        indptr.append(len(indices))
    counts = sparse.csr_array(
        (np.asarray(values, np.int64), np.asarray(indices), np.asarray(indptr)),
        shape=(len(indptr) - 1, len(number)),
    )
    return list(number), counts


def places_of(vocabulary: list[str]) -> dict[str, int]:
    """Return the column of each term."""
    return {term: n for n, term in enumerate(vocabulary)}


def columns_of(terms: list[str], column: dict[str, int]) -> npt.NDArray[np.int64]:
    """Return the column of each term, -1 for those without one."""
    return np.array([column.get(term, -1) for term in terms], dtype=np.int64)


def merge(counts: Counts, columns: npt.NDArray[np.int64], n_columns: int) -> Counts:
    """Add up the forms that share a column; drop forms without a column.

    The last forms may be missing from the counts.
    """
    known = np.flatnonzero(columns[: counts.shape[1]] >= 0)
    ones = np.ones(len(known), dtype=np.int64)
    sums = sparse.csr_array(
        (ones, (known, columns[known])), shape=(counts.shape[1], n_columns)
    )
    merged: Counts = counts @ sums
    merged.sort_indices()
    merged.eliminate_zeros()
    return merged


def surface_forms(
    forms: list[str], columns: npt.NDArray[np.int64], totals: npt.NDArray[Any]
) -> list[str]:
    """Return the most frequent form of each column, in a tie the first by alphabet."""
    best: dict[int, tuple[float, str]] = {}
    for form, column, total in zip(
        forms, columns.tolist(), totals.tolist(), strict=True
    ):
        rank = (-total, form)
        if column not in best or rank < best[column]:
            best[column] = rank
    return [best[column][1] for column in range(len(best))]
