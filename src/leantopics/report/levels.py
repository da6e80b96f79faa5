"""The levels of a report: its topics, their tree, and how they are grouped."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.analysis.contrast import contrast, group_words, nearest
from leantopics.corpus import Corpus
from leantopics.ptm.hierarchy import Hierarchy, members
from leantopics.report.topics import four_digits, summarise_topics, words_of

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

FEW, GROUPS = 24, 12
"""More topics than FEW are shown in so many groups, if the model has no themes."""
N_WORDS = 20
"""Most words of a group."""
N_SIBLINGS, N_CONTRAST = 2, 8
"""Siblings that a topic is compared with, and most words of each comparison."""

Summary = dict[str, Any]


class Levels(NamedTuple):
    """What a report shows topics of, and how they are grouped."""

    model: "ParsimoniousTopicModel"
    """The model of the report."""
    fine: "ParsimoniousTopicModel"
    """The model of its finer topics, or else itself."""
    tree: Hierarchy | None
    cut: int
    """Number of groups at first."""
    nested: bool
    """Whether these are the themes of the model."""

    @property
    def nodes(self) -> Longs:
        """(M,): the node of each topic at first."""
        if self.tree is None:
            return np.arange(self.fine.n_topics_)
        return self.tree.nodes(self.cut)

    @property
    def members(self) -> sparse.csr_array:
        """(nodes, M): which topics each node has."""
        if self.tree is None:
            return sparse.csr_array(sparse.eye_array(self.fine.n_topics_))
        return members(self.tree.children)


def levels_of(model: "ParsimoniousTopicModel", fitted: Corpus | None) -> Levels:
    """Return the levels of a model.

    Models of earlier versions need the documents of the fit for their tree.
    """
    fine = model if model.finer_ is None else model.finer_
    tree, n_topics = _tree(model, fitted), fine.n_topics_
    if model.parents_ is not None and model.finer_ is not None and tree is not None:
        n_themes = len(np.unique(model.parents_))
        if n_themes < n_topics:
            return Levels(model, fine, tree, n_themes, True)
    cut = GROUPS if tree is not None and n_topics > FEW else n_topics
    return Levels(model, fine, tree, cut, False)


def summarise_levels(
    levels: Levels,
    corpus: Corpus | None,
    shares: sparse.csr_array,
    distance: Floats,
) -> Summary:
    """Return the topics, the themes and the tree of a report.

    ``shares`` of shape (documents, M) has the finer topics of documents, ``distance``
    of shape (M, M) their distances.
    """
    fine = levels.fine
    topics = summarise_topics(fine, corpus, shares)
    siblings = nearest(distance, levels.nodes, N_SIBLINGS)
    for topic, others in zip(topics, siblings, strict=True):
        topic["theme"] = _theme(levels, topic["number"])
        topic["siblings"] = [
            {"topic": k, "more": _pair(fine, j, k), "less": _pair(fine, k, j)}
            for j, k in ((topic["number"], k) for k in others)
        ]
    return {
        "topics": topics,
        "themes": _themes(levels) if levels.nested else None,
        "tree": _summarise_tree(levels),
        "cut": levels.cut,
    }


def _theme(levels: Levels, topic: int) -> int | None:
    """Return the theme of a topic, if there are themes."""
    parents = levels.model.parents_
    return int(parents[topic]) if levels.nested and parents is not None else None


def _tree(model: "ParsimoniousTopicModel", fitted: Corpus | None) -> Hierarchy | None:
    """Return the hierarchy of a model; None if an earlier version saved it without."""
    try:
        return model.hierarchy(fitted)
    except ValueError:
        return None


def _themes(levels: Levels) -> list[Summary]:
    """Return the themes, with their nodes in the tree; None if a theme has no topic.

    The share of a theme is that of its topics.
    """
    model, nodes = levels.model, levels.nodes
    assert model.parents_ is not None  # themes have topics below them
    found, share = model.stability_, model.topic_mass_.copy()
    below = np.bincount(model.parents_, levels.fine.topic_mass_, len(share))
    share[below > 0.0] = below[below > 0.0]
    node_of = dict(zip(model.parents_.tolist(), nodes.tolist(), strict=True))
    return [
        {
            "number": k,
            "name": model.topic_names[k],
            "node": node_of.get(k),
            "share": float(share[k]),
            "documents": int(model.n_documents_[k]),
            "found": None if found is None else int(found.found[k]),
            **words_of(model, k, N_WORDS),
        }
        for k in range(model.n_topics_)
    ]


def _summarise_tree(levels: Levels) -> Summary | None:
    """Return the joins, with names and words of the groups that they make."""
    tree, fine = levels.tree, levels.fine
    if tree is None:
        return None
    found = group_words(
        fine.salient_word_prob_,
        fine.shared_word_prob_,
        fine.topic_mass_,
        levels.members[fine.n_topics_ :],
        N_WORDS,
    )
    return {
        "children": tree.children.tolist(),
        "prices": [round(float(price), 1) for price in tree.prices],
        "names": tree.names[fine.n_topics_ :],
        "words": [
            [[word, four_digits(p), four_digits(q)] for word, p, q in words]
            for words in found
        ],
    }


def _pair(fine: "ParsimoniousTopicModel", topic: int, other: int) -> list[list[float]]:
    """Return words that a topic uses more than another, as (word, here, there)."""
    found = contrast(
        fine.salient_word_prob_, fine.shared_word_prob_, topic, other, N_CONTRAST
    )
    return [[word, four_digits(p), four_digits(q)] for word, p, q in found]
