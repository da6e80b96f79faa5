"""The hierarchy of a model: topics joined step by step, each join with its price."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics._frames import frame
from leantopics._words import counted
from leantopics.ptm.card import hierarchy_card


class Hierarchy(NamedTuple):
    """The topics of a model as a tree of ever broader groups.

    Nodes 0 .. M - 1 are the topics; node M + k is made by join k.

    Examples
    --------
    >>> from leantopics import ParsimoniousTopicModel, make_corpus
    >>> corpus, _ = make_corpus(200, 100, 4)
    >>> model = ParsimoniousTopicModel(4, random_state=0).fit(corpus)
    >>> tree = model.hierarchy()
    >>> tree.cut(2).shape, len(tree.prices)
    ((4,), 3)
    """

    children: Longs
    """(M - 1, 2): the two nodes of each join, in the order of the joins."""
    prices: Floats
    """(M - 1,): change of BIC by each join, in nats. Negative ones lower it."""
    shares: Floats
    """(M,): share of all words of each topic."""
    names: list[str]
    """Names of all 2 M - 1 nodes."""
    themes_: Longs | None
    """(M,): theme of each topic, if the model has themes."""

    def _repr_html_(self) -> str:
        """Show the groups of a cut in a notebook."""
        return hierarchy_card(self)

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.shares)

    @property
    def themes(self) -> Longs:
        """(M,): the theme of each topic.

        Raises
        ------
        ValueError
            If the model has no themes yet.
        """
        if self.themes_ is None:
            raise ValueError(
                "The themes of a model must be fitted before they can be shown: "
                "model.coarsen(X) finds them."
            )
        return self.themes_

    def cut(self, n: int) -> Longs:
        """(M,): the group of each topic when ``n`` groups are left.

        Groups are numbered by decreasing share of words.
        """
        nodes = self.nodes(n)
        found, place = np.unique(nodes, return_inverse=True)
        share = np.bincount(place, self.shares)
        rank = np.empty(len(found), np.int64)
        rank[np.argsort(-share, kind="stable")] = np.arange(len(found))
        group: Longs = rank[place]
        return group

    def nodes(self, n: int) -> Longs:
        """(M,): the node that each topic belongs to when ``n`` groups are left."""
        _check_number(n, self.n_topics)
        node = np.arange(self.n_topics)
        for step in range(self.n_topics - n):
            node[np.isin(node, self.children[step])] = self.n_topics + step
        return node

    def levels(self, numbers: Iterable[int]) -> list[Longs]:
        """Nested cuts: the groups of all topics at each of some numbers of groups.

        Parameters
        ----------
        numbers : iterable of int
            Numbers of groups, each greater than the one before.
        """
        asked = list(numbers)
        if not asked or sorted(set(asked)) != asked:
            raise ValueError(
                "levels must be numbers of groups, each greater than the one before, "
                f"such as [8, 40]. Got {asked!r} instead."
            )
        return [self.cut(n) for n in asked]

    def fold(self, proportions: Any, n: int) -> sparse.csr_array:
        """Topic proportions (D, M) as proportions (D, n) of the groups of a cut."""
        shares = sparse.csr_array(proportions)
        if shares.shape[1] != self.n_topics:
            raise ValueError(
                f"proportions must have a column for each of {self.n_topics} topics. "
                f"Got {shares.shape[1]} columns instead."
            )
        return sparse.csr_array(summed(sparse.csr_array(shares.T), self.cut(n)).T)

    def to_dict(self) -> dict[str, Any]:
        """Nested nodes with name, share and, of groups, price and children."""
        nodes: list[dict[str, Any]] = [
            {"topic": j, "name": self.names[j], "share": float(self.shares[j])}
            for j in range(self.n_topics)
        ]
        for step, pair in enumerate(self.children.tolist()):
            children = sorted((nodes[k] for k in pair), key=lambda node: -node["share"])
            nodes.append(
                {
                    "name": self.names[self.n_topics + step],
                    "share": sum(node["share"] for node in children),
                    "price": float(self.prices[step]),
                    "children": children,
                }
            )
        return nodes[-1]

    def to_newick(self) -> str:
        """The tree in Newick format; the length of a branch is the price of the join.

        Examples
        --------
        >>> joins = np.array([[0, 2], [1, 3]]), np.array([5.0, 9.0])
        >>> names = ["sea", "wood", "sky", "sea sky", "all"]
        >>> Hierarchy(*joins, np.array([0.5, 0.3, 0.2]), names, None).to_newick()
        "('wood':9,('sea':5,'sky':5)'sea sky':9)'all';"
        """
        text = [_quoted(name) for name in self.names]
        for step, pair in enumerate(self.children.tolist()):
            length = f"{max(float(self.prices[step]), 0.0):.10g}"
            joined = ",".join(f"{text[k]}:{length}" for k in pair)
            text[self.n_topics + step] = f"({joined}){text[self.n_topics + step]}"
        return f"{text[-1]};"

    def to_frame(self) -> Any:
        """The joins as a data frame, pandas or polars, one row for each."""
        share, size = [*self.shares], [1] * self.n_topics
        for one, two in self.children.tolist():
            share.append(share[one] + share[two])
            size.append(size[one] + size[two])
        first = self.n_topics
        return frame(
            {
                "groups": range(self.n_topics - 1, 0, -1),
                "one": self.children[:, 0].tolist(),
                "two": self.children[:, 1].tolist(),
                "price": self.prices.tolist(),
                "topics": size[first:],
                "share": [float(each) for each in share[first:]],
                "name": self.names[first:],
            }
        )


def members(children: Longs) -> sparse.csr_array:
    """(2 M - 1, M): which topics each node has.

    Examples
    --------
    >>> members(np.array([[0, 2], [1, 3]])).toarray().astype(int)
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1],
           [1, 0, 1],
           [1, 1, 1]])
    """
    topics = [[j] for j in range(len(children) + 1)]
    for one, two in children.tolist():
        topics.append(topics[one] + topics[two])
    indptr = np.concatenate(([0], np.cumsum([len(each) for each in topics])))
    column = np.concatenate([*topics])
    return sparse.csr_array(
        (np.ones(len(column)), column, indptr), shape=(len(topics), len(children) + 1)
    )


def summed(
    counts: sparse.csr_array, group: Longs, n_groups: int | None = None
) -> sparse.csr_array:
    """Rows of each group added up; groups have numbers from 0 on.

    Examples
    --------
    >>> summed(sparse.csr_array([[1.0], [2.0], [4.0]]), np.array([1, 0, 1])).toarray()
    array([[2.],
           [5.]])
    """
    shape = (n_groups or int(group.max()) + 1, len(group))
    places = (group, np.arange(len(group)))
    table = sparse.csr_array((np.ones(len(group)), places), shape=shape)
    return sparse.csr_array(table @ counts)


def _check_number(n: int, n_topics: int) -> None:
    whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if not (whole and 1 <= n <= n_topics):
        raise ValueError(
            f"The number of groups must be from 1 to {n_topics}: the model has "
            f"{counted(n_topics, 'topic')}. Got {n!r} instead."
        )


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
