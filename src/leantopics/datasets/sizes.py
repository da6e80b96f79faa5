"""Sizes of the named corpora, here and in the paper."""

from collections.abc import Iterable
from typing import NamedTuple

from leantopics.datasets.registry import has_split, load
from leantopics.datasets.source import PathLike


class Sizes(NamedTuple):
    """Sizes of a corpus; None if they are not stated.

    Examples
    --------
    >>> PUBLISHED["reuters"].words
    16000
    """

    train: int | None = None
    """Training documents."""
    test: int | None = None
    """Test documents."""
    words: int | None = None
    """Distinct words of the training documents."""
    classes: int | None = None
    labels: float | None = None
    """Mean number of labels of a document, over both parts."""
    tokens: int | None = None
    """Occurrences of words in the training documents."""


PUBLISHED = {
    "20newsgroups": Sizes(11293, 7527, 54520, 20, 1.0),
    "labelme": Sizes(None, None, 158, 8, 1.0),
    "ohsumed": Sizes(24218, 10171, 12072, 23, 2.26),
    "reuters": Sizes(6454, 2513, 16000, 35, 1.0),
}
"""The sizes in the paper's section on experiments.

LabelMe has 1600 pictures in all, of 2401 tokens each; the split is not stated.
"""


def sizes(name: str, *, folder: PathLike | None = None, download: bool = True) -> Sizes:
    r"""Return the sizes of a named corpus as `load` gives it.

    Parameters
    ----------
    name, folder, download
        See `load`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "acl_abstracts.jsonl").write_text(
    ...         '{"id": "1", "text": "bees"}\n' * 5
    ...     )
    ...     sizes("acl", folder=folder)
    Sizes(train=5, test=0, words=1, classes=0, labels=0.0, tokens=5)
    """
    train = load(name, "train", folder=folder, download=download)
    labels = list(train.labels or [])
    n_test = 0
    if has_split(name):
        test = load(name, "test", folder=folder, download=download)
        labels += test.labels or []
        n_test = len(test)
    return Sizes(
        len(train),
        n_test,
        train.n_words,
        len({label for given in labels for label in given}),
        round(sum(map(len, labels)) / len(labels), 3) if labels else 0.0,
        round(train.n_tokens),
    )


def size_table(
    names: Iterable[str], *, folder: PathLike | None = None, download: bool = True
) -> str:
    r"""Return a Markdown table of sizes, as "here / in the paper" if both are known.

    Parameters
    ----------
    names : iterable of str
        Names of corpora; all of `leantopics.datasets.names` are known.
    folder, download
        See `load`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "20ng.jsonl").write_text(
    ...         '{"id": "1", "text": "\\n\\nbees", "labels": ["x"], "split": "train"}\n'
    ...         '{"id": "2", "text": "\\n\\nbees", "labels": ["x"], "split": "test"}\n'
    ...     )
    ...     print(size_table(["20newsgroups"], folder=folder))
    | corpus | training documents | test documents | words | classes | labels | tokens |
    | --- | --- | --- | --- | --- | --- | --- |
    | 20newsgroups | 1 / 11,293 | 1 / 7,527 | 1 / 54,520 | 1 / 20 | 1.0 / 1.0 | 1 |
    """
    heads = ("corpus", "training documents", "test documents", "words", "classes")
    lines = [_line([*heads, "labels", "tokens"]), _line(["---"] * 7)]
    for name in names:
        ours = sizes(name, folder=folder, download=download)
        theirs = PUBLISHED.get(name, Sizes())
        cells = [
            f"{here:,}" if there is None else f"{here:,} / {there:,}"
            for here, there in zip(ours, theirs, strict=True)
        ]
        lines.append(_line([name, *cells]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
