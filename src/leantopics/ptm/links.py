"""Documents that must be together or apart: what is believed, and contradictions."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from leantopics._arrays import Bools, Longs

KINDS = ("together", "apart")


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
        """How many blocks there are."""
        return len(self.topic)


def read(kind: str, given: Any) -> list[list[Any]]:
    """Check that links are lists of documents.

    Examples
    --------
    >>> read("apart", [["a", "b"], (3, 4)])
    [['a', 'b'], [3, 4]]
    """
    if given is None:
        return []
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise TypeError(
            f"{kind} of a guide must be lists of documents, such as [[3, 5], [2, 8]]. "
            f"Got {given!r} instead."
        )
    found = []
    for each in given:
        if isinstance(each, str) or not isinstance(each, Sequence) or len(each) < 2:
            raise TypeError(
                f"{kind} of a guide must be lists of two or more documents each, such "
                f"as [[3, 5], [2, 8]]. Got {each!r} instead."
            )
        found.append([*each])
    return found


def resolve(
    given: Mapping[str, list[list[Any]]],
    row_of: Callable[[Any], int],
    topic_of: Longs,
    names: Sequence[str],
) -> list[Link]:
    """Number the documents of links, and refuse those that contradict each other.

    Parameters
    ----------
    given : mapping of "together" and "apart" to lists of documents
    row_of : function from a document, as given, to its row
    topic_of : array of shape (D,)
        The known topic of each document, -1 for none.
    names : sequence of str
        Names of the known topics.
    """
    links: list[Link] = []
    called: dict[int, Any] = {}
    for kind, lists in given.items():
        for each in lists:
            rows = [row_of(which) for which in each]
            called.update(zip(rows, each, strict=True))
            links.append(Link(kind, rows))
    for kind, rows in links:
        if kind == "apart" and len(set(rows)) < len(rows):
            twice = next(row for row in rows if rows.count(row) > 1)
            raise ValueError(
                "The guide may not contradict itself, but document "
                f"{called[twice]!r} must be apart from itself."
            )
    found = blocks(links, topic_of)
    _check_together(found, topic_of, names, called)
    _check_apart(found, links, names, called)
    return links


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
    """Blocks of documents by links, which are taken one after another.

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


def _check_together(
    found: Blocks, topic_of: Longs, names: Sequence[str], called: Mapping[int, Any]
) -> None:
    """Refuse blocks whose documents belong to several topics."""
    own = topic_of[found.documents]
    odd = np.flatnonzero((own >= 0) & (own != found.topic[found.block]))
    if len(odd):
        k = odd[0]
        same = (found.block == found.block[k]) & (own == found.topic[found.block[k]])
        one, two = found.documents[[k, np.flatnonzero(same)[0]]].tolist()
        raise ValueError(
            f"The guide may not contradict itself, but documents {called[one]!r} of "
            f"{names[topic_of[one]]!r} and {called[two]!r} of {names[topic_of[two]]!r} "
            "must be together."
        )


def _check_apart(
    found: Blocks,
    links: Sequence[Link],
    names: Sequence[str],
    called: Mapping[int, Any],
) -> None:
    """Refuse documents that must be apart and are together, or of the same topic."""
    place = {int(row): k for k, row in enumerate(found.documents)}
    for kind, rows in links:
        seen: dict[tuple[str, int], int] = {}
        for row in rows if kind == "apart" else ():
            block = int(found.block[place[row]])
            topic = int(found.topic[block])
            other = seen.setdefault(("block", block), row)
            if other != row:
                chain = _chain(links, place, found.documents, other, row)
                raise ValueError(
                    "The guide may not contradict itself, but documents "
                    f"{called[other]!r} and {called[row]!r} must be apart, and "
                    f"together{_by_way(chain, called)}."
                )
            other = seen.setdefault(("topic", topic), row)
            if topic >= 0 and other != row:
                raise ValueError(
                    "The guide may not contradict itself, but documents "
                    f"{called[other]!r} and {called[row]!r} must be apart, and belong "
                    f"to {names[topic]!r} both."
                )


def _chain(
    links: Sequence[Link],
    place: Mapping[int, int],
    documents: Longs,
    one: int,
    two: int,
) -> list[int]:
    """Rows between two documents on a shortest chain of documents together."""
    graph = _chains(links, place)
    _, before = breadth_first_order(graph, place[one], directed=False)
    chain, k = [], int(before[place[two]])
    while k != place[one]:
        chain.append(int(documents[k]))
        k = int(before[k])
    return chain[::-1]


def _by_way(chain: list[int], called: Mapping[int, Any]) -> str:
    if not chain:
        return ""
    return f" by way of {', '.join(repr(called[row]) for row in chain)}"
