"""Documents that must be together or apart, in blocks, and their contradictions."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from leantopics._arrays import Bools, Longs

_CONTRADICTION = "The guide may not contradict itself, but"


class Link(NamedTuple):
    """Documents that have one topic, the same, or each another one."""

    kind: str
    rows: list[int]
    """The documents, by row or by number among those with words."""


class Blocks(NamedTuple):
    """Documents that must be together, in B blocks, and which blocks must be apart."""

    documents: Longs
    """(K,): rows of all documents in links, in order."""
    block: Longs
    """(K,): the block of each."""
    apart: list[set[int]]
    """For each block, those that it must be apart from."""
    topic: Longs
    """(B,): the known topic that the documents of a block belong to; -1 for none."""

    @property
    def size(self) -> int:
        """Number of blocks."""
        return len(self.topic)


def among(links: Iterable[Link], filled: Bools) -> list[Link]:
    """Links of the documents with words, by their numbers among these.

    Examples
    --------
    >>> among([Link("apart", [0, 2, 3])], np.array([True, False, False, True]))
    [Link(kind='apart', rows=[0, 1])]
    """
    number = np.cumsum(filled) - 1
    own = [
        Link(k, [int(number[row]) for row in rows if filled[row]]) for k, rows in links
    ]
    return [link for link in own if len(link.rows) > 1]


def blocks(links: Sequence[Link], topic_of: Longs) -> Blocks:
    """Join documents that must be together into blocks; say which must be apart.

    Examples
    --------
    >>> links = [Link("together", [1, 4]), Link("together", [4, 7])]
    >>> found = blocks([*links, Link("apart", [7, 9])], np.full(10, -1))
    >>> found.documents, found.block, found.apart
    (array([1, 4, 7, 9]), array([0, 0, 0, 1]), [{1}, {0}])
    """
    documents = np.unique([row for link in links for row in link.rows]).astype(np.int64)
    place = {int(row): k for k, row in enumerate(documents)}
    n_blocks, label = connected_components(_chains(links, place), directed=False)
    block = np.asarray(label, dtype=np.int64)
    apart: list[set[int]] = [set() for _ in range(n_blocks)]
    for link in links:
        if link.kind == "apart":
            own = {int(block[place[row]]) for row in link.rows}
            for each in own:
                apart[each] |= own - {each}
    topic = np.full(n_blocks, -1, dtype=np.int64)
    np.maximum.at(topic, block, topic_of[documents])
    return Blocks(documents, block, apart, topic)


def _chains(links: Iterable[Link], place: Mapping[int, int]) -> sparse.csr_array:
    """The graph of documents that are next to each other in a list of together."""
    edges = [
        (place[one], place[two])
        for kind, rows in links
        if kind == "together"
        for one, two in itertools.pairwise(rows)
    ]
    one, two = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    shape = (len(place), len(place))
    return sparse.csr_array((np.ones(len(edges)), (one, two)), shape=shape)


def check(
    links: Sequence[Link],
    topic_of: Longs,
    names: Sequence[str],
    called: Mapping[int, Any],
) -> None:
    """Refuse links that contradict each other, or the known topics (D,) of documents.

    ``called`` has what the user calls each row that is in a link.
    """
    apart = [rows for kind, rows in links if kind == "apart"]
    for rows in apart:
        if len(set(rows)) < len(rows):
            twice = next(row for row in rows if rows.count(row) > 1)
            raise ValueError(
                f"{_CONTRADICTION} document {called[twice]!r} must be apart from "
                "itself."
            )
    found = blocks(links, topic_of)
    own = topic_of[found.documents]
    odd = np.flatnonzero((own >= 0) & (own != found.topic[found.block]))
    if len(odd):
        k = odd[0]
        same = (found.block == found.block[k]) & (own == found.topic[found.block[k]])
        one, two = found.documents[[k, np.flatnonzero(same)[0]]].tolist()
        raise ValueError(
            f"{_CONTRADICTION} documents {called[one]!r} of {names[topic_of[one]]!r} "
            f"and {called[two]!r} of {names[topic_of[two]]!r} must be together."
        )
    place = {int(row): k for k, row in enumerate(found.documents)}
    for rows in apart:
        seen: dict[tuple[str, int], int] = {}
        for row in rows:
            block = int(found.block[place[row]])
            topic = int(found.topic[block])
            other = seen.setdefault(("block", block), row)
            if other != row:
                between = _chain(links, place, other, row)
                way = ", ".join(repr(called[each]) for each in between)
                raise ValueError(
                    f"{_CONTRADICTION} documents {called[other]!r} and {called[row]!r} "
                    f"must be apart, and together{' by way of ' if way else ''}{way}."
                )
            other = seen.setdefault(("topic", topic), row)
            if topic >= 0 and other != row:
                raise ValueError(
                    f"{_CONTRADICTION} documents {called[other]!r} and {called[row]!r} "
                    f"must be apart, and belong to {names[topic]!r} both."
                )


def _chain(
    links: Sequence[Link], place: Mapping[int, int], one: int, two: int
) -> list[int]:
    """Rows between two documents on a shortest chain of documents together."""
    graph = _chains(links, place)
    _, before = breadth_first_order(graph, place[one], directed=False)
    rows, chain, k = [*place], [], int(before[place[two]])
    while k != place[one]:
        chain.append(rows[k])
        k = int(before[k])
    return chain[::-1]
