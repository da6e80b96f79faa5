"""Lineage of topics: what happens to each as the number of topics falls."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linear_sum_assignment

Floats = npt.NDArray[np.float64]


class Order(NamedTuple):
    """The fit at one number of topics, and its documents."""

    n_topics: int
    proportions: sparse.csr_array
    """Topics of the documents, of shape (D, M)."""


class Line(NamedTuple):
    """A topic, followed from the fit where it appears to the one where it ends."""

    numbers: list[int]
    """Its number in each fit of the sweep, starting where it appears."""
    begin: int
    """Position in the sweep of its first fit."""
    into: int | None
    """Line that absorbs most of it when it ends; None if it lasts to the end."""
    share: float
    """Share of it that this line absorbs."""


def successors(
    before: sparse.csr_array, after: sparse.csr_array, length: Floats
) -> tuple[dict[int, int], Floats]:
    """Match the topics of two fits, and count the words that move between them.

    Parameters
    ----------
    before, after : csr_arrays of shape (D, M) and (D, K)
        Proportions of the same documents at two numbers of topics.
    length : ndarray of shape (D,)
        Number of words of each document.

    Returns
    -------
    same : dict
        For topics of ``before`` that continue, their number in ``after``: the pairing
        that keeps the most words together.
    flow : ndarray of shape (M, K)
        Number of words that topics of the two fits have in common.
    """
    weighted = sparse.dia_array((length[None], 0), shape=(len(length),) * 2) @ after
    flow = np.asarray((before.T @ weighted).toarray())
    rows, columns = linear_sum_assignment(flow, maximize=True)
    return dict(zip(rows.tolist(), columns.tolist(), strict=True)), flow


def trace(orders: list[Order], length: Floats) -> list[Line]:
    """Follow every topic through the fits of a sweep.

    Parameters
    ----------
    orders : list of Order
        From the most topics to the fewest.
    length : ndarray of shape (D,)
        Number of words of each document.

    Examples
    --------
    >>> many = sparse.csr_array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> few = sparse.csr_array([[1.0, 0], [0, 1], [0.2, 0.8]])
    >>> lines = trace([Order(3, many), Order(2, few)], np.array([9.0, 8, 7]))
    >>> [(line.numbers, line.into, round(line.share, 2)) for line in lines]
    [([0, 0], None, 0.0), ([1, 1], None, 0.0), ([2], 1, 0.8)]
    """
    lines = [Line([j], 0, None, 0.0) for j in range(orders[0].n_topics)]
    now = {j: j for j in range(orders[0].n_topics)}
    """Line of each topic of the present fit."""
    for place in range(1, len(orders)):
        before, after = orders[place - 1], orders[place]
        same, flow = successors(before.proportions, after.proportions, length)
        following = {}
        for number, line in now.items():
            if number in same:
                lines[line].numbers.append(same[number])
                following[same[number]] = line
        for number in set(range(after.n_topics)) - set(following):
            following[number] = len(lines)
            lines.append(Line([number], place, None, 0.0))
        for number, line in now.items():
            if number not in same:
                target = int(flow[number].argmax())
                total = float(flow[number].sum())
                share = float(flow[number, target]) / total if total > 0.0 else 0.0
                lines[line] = lines[line]._replace(into=following[target], share=share)
        now = following
    return lines


def rows(lines: list[Line]) -> list[int]:
    """Return the row of each line in a plot: near the line that absorbs it.

    Among the lines that one line absorbs, those that end last come first.

    Examples
    --------
    >>> rows([Line([0, 0], 0, None, 0.0), Line([1, 1], 0, None, 0.0),
    ...       Line([2], 0, 0, 1.0)])
    [0, 2, 1]
    """
    taken: dict[int | None, list[int]] = {}
    for n, line in enumerate(lines):
        taken.setdefault(line.into, []).append(n)
    for members in taken.values():
        members.sort(key=lambda n: -(lines[n].begin + len(lines[n].numbers)))
    out, waiting, row = [0] * len(lines), list(reversed(taken.get(None, []))), 0
    while waiting:
        n = waiting.pop()
        out[n] = row
        row += 1
        waiting.extend(reversed(taken.get(n, [])))
    return out
