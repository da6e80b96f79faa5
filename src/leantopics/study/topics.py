"""Sample topics, as in the paper: specific and shared words, and topics of LDA."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from leantopics.evaluation import hellinger
from leantopics.study import published
from leantopics.study.measure import Cell
from leantopics.study.methods import METHODS
from leantopics.study.tables import markdown_table, nearest, target

FIRST_WORDS = 10
SAMPLES = 5
"""Topics to show of a corpus if the paper shows none of it."""


def sample_topics(name: str, vocabulary: Sequence[str], cells: Sequence[Cell]) -> str:
    """Return our topics with specific and shared words, and the nearest topics of LDA.

    The topics are those most similar to the published ones, or else the largest. The
    text is empty if no cell of our model kept its topics.

    Examples
    --------
    >>> arrays = {"top": [[0]], "shared": [[1]], "words": [[0, 1]]}
    >>> cell = Cell([{"dataset": "toy", "method": "ptm", "n_topics": 1}],
    ...     {name: np.array(rows) for name, rows in arrays.items()})
    >>> sample_topics("toy", ["cat", "the"], [cell]).splitlines()[-2:]
    ['| 0 | specific | cat |  |', '|  | shared | the |  |']
    """
    kept = {c.rows[0]["method"]: c for c in cells if "words" in c.arrays}
    ours = next((kept[m] for m in ("ptm-published", "ptm") if m in kept), None)
    if ours is None:
        return ""
    n_topics = nearest(ours.numbers, target(name, ours.rows))
    top, shared = ours.topics("top", n_topics), ours.topics("shared", n_topics)
    samples = published.SAMPLES.get(name, [published.Sample("", "", "")] * SAMPLES)
    chosen = _alike(top, [s.specific for s in samples[:n_topics]], vocabulary)
    title = METHODS[ours.rows[0]["method"]].title
    note = (
        f"{title}, {n_topics} topics: the first salient words of a topic, and the "
        "first words that it leaves to the shared model."
    )
    if lda := kept.get("lda"):
        n_theirs = nearest(lda.numbers, n_topics)
        lda_words = lda.topics("words", n_theirs)
        distance = hellinger(
            _sparse(ours, n_topics, len(vocabulary)),
            _sparse(lda, n_theirs, len(vocabulary)),
        )
        note += (
            f" LDA, {n_theirs} topics: the topic nearest by Hellinger distance over "
            "the most probable words."
        )
    rows = []
    for topic, sample in zip(chosen, samples, strict=False):
        ours_first = _words(top[topic], vocabulary), _words(shared[topic], vocabulary)
        rows.append([str(topic), "specific", ours_first[0], sample.specific])
        rows.append(["", "shared", ours_first[1], sample.shared])
        if lda:
            near = int(distance[topic].argmin())
            who = f"LDA, {distance[topic, near]:.2f} away"
            rows.append(["", who, _words(lda_words[near], vocabulary), sample.lda])
    table = markdown_table(["topic", "words", "here", "published"], rows)
    return f"## Topics of {name}\n\n{note}\n\n{table}"


def _sparse(cell: Cell, n_topics: int, n_words: int) -> sparse.csr_array:
    words = cell.topics("words", n_topics)
    indptr = np.arange(len(words) + 1) * words.shape[1]
    return sparse.csr_array(
        (cell.topics("probability", n_topics).ravel(), words.ravel(), indptr),
        shape=(len(words), n_words),
    )


def _alike(
    top: NDArray[np.int64], wanted: Sequence[str], vocabulary: Sequence[str]
) -> list[int]:
    """Return, for each list of words, the topic with most of them, none twice."""
    place = {word: n for n, word in enumerate(vocabulary)}
    chosen: list[int] = []
    for words in wanted:
        numbers = [place[word] for word in words.split() if word in place]
        shared = np.isin(top[:, :FIRST_WORDS], numbers).sum(axis=1)
        shared[chosen] = -1
        chosen.append(int(shared.argmax()))
    return chosen


def _words(numbers: Iterable[int], vocabulary: Sequence[str]) -> str:
    """Return the first words as text for a Markdown table."""
    first = [vocabulary[n] for n in numbers if n >= 0][:FIRST_WORDS]
    return " ".join(first).replace("|", "\\|")
