"""What watching found, in words and as data."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from leantopics._arrays import Floats, Longs
from leantopics._words import counted
from leantopics.ptm.watch.drift import TopicChange, Unexplained

_WORDS = 8


class NewTopic(NamedTuple):
    """A topic that some new documents share and the model does not have."""

    nats: float
    """What the topic is worth: the nats it saves in its documents, less its price."""
    p: float
    """How often draws from the model have a topic worth as much, anywhere."""
    documents: Longs
    """Rows of its documents, those that gain most first."""
    gains: Floats
    """Nats that each of them gains."""
    shares: Floats
    """Proportion of the topic in each of them."""
    words: list[tuple[str, float]]
    """Words it uses more than the shared model does, and the nats these are worth."""

    def __str__(self) -> str:
        words = ", ".join(word for word, _ in self.words[:_WORDS])
        return (
            f"{counted(len(self.documents), 'document')} share a topic the model does "
            f"not have: {words}; {self.nats:,.0f} nats, p = {self.p:.3g}"
        )


class Watched(NamedTuple):
    """The result of `ParsimoniousTopicModel.watch`."""

    groups: list[NewTopic]
    """New topics that pay for themselves, in the order in which they were found."""
    topics: list[TopicChange]
    """Shares of the topics of the model in the new documents and in the fit."""
    unexplained: Unexplained
    n_documents: int
    """Number of new documents that have words the model knows."""
    draws: int
    """Number of batches drawn from the model for the p-values."""
    level: float
    """Groups with a p-value up to this count as found."""
    names: list[str]
    """Names of the topics."""

    @property
    def found(self) -> list[NewTopic]:
        """The groups with ``p <= level``."""
        return [group for group in self.groups if group.p <= self.level]

    def __repr__(self) -> str:
        return self.describe()

    def describe(self, ids: Sequence[str] | None = None, most: int = 10) -> str:
        """Return the result in sentences, one on each line.

        Parameters
        ----------
        ids : sequence of str, optional
            Names of the new documents; by default their rows.
        most : int
            Most documents of a group to name.
        """
        lines = [f"{counted(self.n_documents, 'document')} watched."]
        for group in self.groups:
            rows = group.documents[:most].tolist()
            first = [str(row) if ids is None else ids[row] for row in rows]
            more = len(group.documents) - len(first)
            lines.append(f"{group}.")
            lines.append("  " + ", ".join(first) + (f" and {more} more" * (more > 0)))
        if self.groups:
            lines.append(f"p is from {counted(self.draws, 'draw')} of all documents.")
        else:
            lines.append("No documents share a topic the model does not have.")
        lines += [
            f"Topic {change.topic} ({self.names[change.topic]}) {change.change}: "
            f"{change.share:.1%} of the documents, {change.low:.1%} to "
            f"{change.high:.1%} expected."
            for change in self.topics
            if change.change
        ]
        share, low, high, fit = self.unexplained
        lines.append(
            f"Topics leave {share:.1%} of the words unexplained ({low:.1%} to "
            f"{high:.1%}); in the fit it was {fit:.1%}."
        )
        return "\n".join(lines)

    def to_dict(self, ids: Sequence[str] | None = None) -> dict[str, Any]:
        """Return everything as plain data for JSON.

        Parameters
        ----------
        ids : sequence of str, optional
            Names of the new documents; by default their rows.
        """
        return {
            "groups": [
                {
                    "nats": group.nats,
                    "p": group.p,
                    "found": group.p <= self.level,
                    "words": group.words,
                    "documents": [
                        {"id": row if ids is None else ids[row], "nats": n, "share": a}
                        for row, n, a in zip(
                            group.documents.tolist(),
                            group.gains.tolist(),
                            group.shares.tolist(),
                            strict=True,
                        )
                    ],
                }
                for group in self.groups
            ],
            "topics": [
                {**c._asdict(), "change": c.change, "name": self.names[c.topic]}
                for c in self.topics
            ],
            "unexplained": self.unexplained._asdict(),
            "documents": self.n_documents,
            "draws": self.draws,
            "level": self.level,
        }
