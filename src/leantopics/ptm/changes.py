"""What became of topics: how their words passed from one model to the next."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from leantopics._arrays import Floats, Longs
from leantopics._validation import are_whole
from leantopics.ptm.stability import SAME, agreement

CHANGES = ("kept", "moved", "split into", "merged from", "born", "died")
_FIELDS = {"change", "before", "after", "name_before", "share", "bic_change"}
_MOST = 0.5
"""Share of the words of a topic that makes another one its heir or its source."""


class Passage(NamedTuple):
    """How the words of M topics passed to K topics."""

    flow: Floats
    """(M, K): number of words."""
    heir: dict[int, int]
    """For topics before, the topic after with most of their words: half of them, or
    half of its own."""
    same: dict[int, int]
    """For topics after, the one before that they continue."""


def passage(
    before: sparse.csr_array,
    after: sparse.csr_array,
    length: Floats,
    known: Mapping[int, int],
) -> Passage:
    """Follow the words of the same documents from one model to another.

    Topics are paired so that they agree as much as possible. Words that a document has
    of both of a pair stay; the others pass in proportion to what its topics gain and
    lose. So rows of the flow sum to the words of the topics before, columns to those
    after. A pair that has half of the words of either is one topic.

    Parameters
    ----------
    before, after : csr_arrays of shapes (D, M) and (D, K)
        Proportions of topics.
    length : array of shape (D,)
        Number of words of each document.
    known : mapping
        Topics after that are known to continue a topic before.

    Examples
    --------
    >>> before = sparse.csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> after = sparse.csr_array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    >>> found = passage(before, after, np.array([9.0, 4.0, 6.0]), {})
    >>> found.flow
    array([[0., 9., 0.],
           [2., 2., 6.]])
    >>> found.heir, found.same
    ({0: 1, 1: 2}, {1: 0, 2: 1})
    """
    table = agreement(before, after, length)
    for k, j in known.items():
        table[:, k] = table[j] = -1.0
        table[j, k] = 1.0
    pairs = np.array(linear_sum_assignment(table, maximize=True))
    return follow(_flow(before, after, length, pairs), pairs, known)


def follow(flow: Floats, pairs: np.ndarray, known: Mapping[int, int]) -> Passage:
    """Say which topics continue which, by the words that pass; see `passage`."""
    gives = flow / np.maximum(flow.sum(axis=1, keepdims=True), 1e-300)
    takes = flow / np.maximum(flow.sum(axis=0), 1e-300)
    same = {
        int(k): int(j)
        for j, k in pairs.T
        if min(gives[j, k], takes[j, k]) >= _MOST or known.get(int(k)) == j
    }
    rest = np.where(takes >= _MOST, flow, 0.0)
    rest[:, [*same]] = 0.0
    likely = np.where((gives >= _MOST).any(axis=1)[:, None], flow, rest)
    heir = {
        j: int(k) for j, k in enumerate(likely.argmax(axis=1)) if likely[j, k] > 0.0
    }
    return Passage(flow, heir | {j: k for k, j in same.items()}, same)


def _flow(
    before: sparse.csr_array,
    after: sparse.csr_array,
    length: Floats,
    pairs: np.ndarray,
) -> Floats:
    """Words that pass from each topic to each; see `passage`."""
    one, two = (
        sparse.csr_array(m[:, p]) for m, p in zip((before, after), pairs, strict=True)
    )
    stays = sparse.csr_array(one.minimum(two))
    shapes = (before.shape[1], after.shape[1])
    left, gained = (
        sparse.csr_array(whole - stays @ _places(own, size))
        for whole, own, size in zip((before, after), pairs, shapes, strict=True)
    )
    rest = np.asarray(left.sum(axis=1)).ravel()
    weight = np.divide(length, rest, out=np.zeros(len(rest)), where=rest > 1e-9)
    flow = (left.T @ (sparse.diags_array(weight) @ gained)).toarray()
    flow[tuple(pairs)] += np.asarray(length @ stays).ravel()
    out: Floats = np.maximum(flow, 0.0)
    return out


def _places(numbers: np.ndarray, size: int) -> sparse.csr_array:
    """(P, size): puts columns 0 .. P - 1 at their numbers."""
    at = (np.arange(len(numbers)), numbers)
    return sparse.csr_array((np.ones(len(numbers)), at), shape=(len(numbers), size))


def continued(found: Passage) -> dict[int, int]:
    """The topic before that each topic after continues, if it continues one.

    That is its pair, or else, of the topics whose heir it is, the largest part.
    """
    now = dict(found.same)
    for k in set(found.heir.values()) - set(now):
        givers = [j for j, heir in found.heir.items() if heir == k]
        now[k] = max(givers, key=lambda j: float(found.flow[j, k]))
    return now


class Worth(NamedTuple):
    """Estimated changes of BIC, by which moves are chosen."""

    without_before: Floats
    """(M,): without each topic before."""
    without_after: Floats
    """(K,): without each topic after."""
    joined: Callable[[Longs, Longs], Floats]
    """If each of some topics before and each of as many others became one."""


def ledger(found: Passage, worth: Worth, names: list[str]) -> list[dict[str, Any]]:
    """One row for each topic after, and for each before that none continues.

    Parameters
    ----------
    found : Passage
        Where the words went.
    worth : Worth
        What topics were worth before and after.
    names : list of str
        Names of the topics before.

    Examples
    --------
    >>> flow = np.array([[8.0, 0.0, 1.0], [0.0, 5.0, 4.0], [0.5, 0.5, 0.5]])
    >>> found = Passage(flow, {0: 0, 1: 1}, {0: 0, 1: 1})
    >>> without = np.array([9.0, 7.0, -2.0]), np.array([9.0, 4.0, 3.0])
    >>> worth = Worth(*without, lambda one, two: np.zeros(len(one)))
    >>> for row in ledger(found, worth, ["sea", "wood", "salt"]):
    ...     print(row["before"], row["change"], row["after"], row["bic_change"])
    [0] kept 0 None
    [1] split into 1 None
    [1] split into 2 -3.0
    [2] died None -2.0
    """
    flow, heir, same = found
    n_before, n_after = flow.shape
    givers: list[list[int]] = [[] for _ in range(n_after)]
    for j, k in sorted(heir.items()):
        givers[k].append(j)
    sources = {k: _source(flow, k) for k in range(n_after) if not givers[k]}
    split = {j for j in sources.values() if j is not None}
    rows = []
    for k in range(n_after):
        change = _change(flow, k, givers[k], sources.get(k), same, split)
        source = sources.get(k)
        own = givers[k] if source is None else [source]
        order = [same.get(k) != j for j in own], [-flow[j, k] for j in own]
        own = [own[place] for place in np.lexsort(order[::-1])]
        value = None
        if k in sources:
            value = -float(worth.without_after[k])
        elif len(own) > 1:
            others = np.array(own[1:])
            value = float(worth.joined(np.full(len(others), own[0]), others).sum())
        rows.append(_row(change, own, k, flow, value, names))
    for j in sorted(set(range(n_before)) - set(heir) - split):
        value = float(worth.without_before[j])
        rows.append(_row("died", [j], None, flow, value, names))
    return rows


def _source(flow: Floats, k: int) -> int | None:
    """The topic that most words of a topic came from."""
    j = int(flow[:, k].argmax())
    return j if flow[j, k] >= _MOST * flow[:, k].sum() > 0.0 else None


def _change(
    flow: Floats,
    k: int,
    givers: list[int],
    source: int | None,
    same: dict[int, int],
    split: set[int],
) -> str:
    if not givers:
        return "born" if source is None else "split into"
    if len(givers) > 1:
        return "merged from"
    j = givers[0]
    if j in split:
        return "split into"
    either = flow[j].sum() + flow[:, k].sum() - flow[j, k]
    return "kept" if k in same and flow[j, k] >= SAME * either else "moved"


def _row(
    change: str,
    before: list[int],
    after: int | None,
    flow: Floats,
    value: float | None,
    names: list[str],
) -> dict[str, Any]:
    words = flow[before].sum()
    passed = flow[before].sum(axis=0).max() if after is None else flow[before, after]
    share = float(np.sum(passed) / words) if words > 0.0 else None
    return {
        "change": change,
        "before": before,
        "after": after,
        "name_before": [names[j] for j in before],
        "share": share,
        "bic_change": value,
    }


def checked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Refuse rows, as read from a file, that `ledger` could not have made.

    Examples
    --------
    >>> checked([{"change": "lost"}])
    Traceback (most recent call last):
    ...
    ValueError: the changes
    """
    for row in rows:
        if set(row) != _FIELDS or row["change"] not in CHANGES:
            raise ValueError("the changes")
        numbers = [*row["before"], *([] if row["after"] is None else [row["after"]])]
        names = row["name_before"]
        if not (
            are_whole(*numbers)
            and len(names) == len(row["before"])
            and all(isinstance(name, str) for name in names)
            and all(
                row[key] is None or isinstance(row[key], float)
                for key in ("share", "bic_change")
            )
        ):
            raise ValueError("the changes")
    return rows


def numbering(kept: Mapping[int, int], n_topics: int) -> np.ndarray:
    """Order of topics in which those that continue others have their numbers.

    Topics whose number is too large now, and new ones, take the free numbers in order.

    Parameters
    ----------
    kept : mapping
        For topics that continue others, the previous number.
    n_topics : int
        Number of topics.

    Examples
    --------
    >>> numbering({0: 2, 1: 0, 2: 7}, 4)
    array([1, 2, 0, 3])
    """
    at = {number: k for k, number in kept.items() if number < n_topics}
    others = iter(sorted(set(range(n_topics)) - set(at.values())))
    order = [at[n] if n in at else next(others) for n in range(n_topics)]
    return np.array(order, dtype=np.int64)
