"""Tables as in the paper, in Markdown, with the published numbers beside ours."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from leantopics.storage import atomic_file
from leantopics.study import published
from leantopics.study.methods import METHODS
from leantopics.study.results import Row

APART = "apart is our distance to it in its standard deviations"


def tables(rows: Sequence[Row]) -> str:
    r"""Return all tables of results, for any number of corpora.

    Examples
    --------
    >>> row = {"dataset": "toy", "method": "lda", "seed": 0, "n_topics": 4,
    ...        "topics_by_assignment": 2.5, "sweep_seconds": 90.0}
    >>> print(*tables([row]).splitlines()[-3:], sep="\n")
    | corpus | method | fits | minutes | published |
    | --- | --- | --- | --- | --- |
    | toy | LDA | 1 | 1.5 |  |
    """
    parts = [
        _numbers_of_topics(rows),
        _quality(rows),
        _topic_sparsity(rows),
        _word_sparsity(rows),
        _times(rows),
    ]
    return "\n".join(part for part in parts if part)


def write(path: Path, text: str) -> None:
    """Write a text atomically.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder, "tables.md"), "| a |")
    ...     Path(folder, "tables.md").read_text()
    '| a |'
    """
    with atomic_file(path) as out:
        out.write(text.encode())


def _numbers_of_topics(rows: Sequence[Row]) -> str:
    """Return the table of numbers of topics that BIC chooses."""
    lines = []
    for name, method, own in _groups(rows):
        chosen = [row["n_topics"] for row in own if row.get("is_chosen")]
        if chosen:
            naive = [min(s, key=lambda row: row["naive_bic"]) for s in _sweeps(own)]
            cells = _beside(chosen, published.N_TOPICS.get(name))
            cells += [_mean([r["n_topics"] for r in naive]), str(len(chosen))]
            lines.append([name, METHODS[method].title, *cells])
    heads = ("topics", "published", "apart", "by naive BIC", "seeds")
    note = f"Mean over seeds (std. dev.), as in all tables; {APART}."
    return _table("Number of topics chosen", note, heads, lines)


def _quality(rows: Sequence[Row]) -> str:
    """Return the table of all that the figures show, at one number of topics."""
    columns = {
        "held_out_per_word": "held-out log-likelihood per word",
        "perplexity": "perplexity",
        "label_accuracy": "label accuracy",
        "label_auc": "label area",
        "nmi": "NMI",
        "coh": "coh",
        "coh_words": "of words",
        "coh_own": "coh, own numbers",
        "npmi": "NPMI",
        "diversity": "diversity",
    }
    lines = []
    for name, method, own in _groups(rows):
        at = _at(own, target(name, rows))
        values = [_mean(row.get(c) for row in at) for c in columns]
        lines.append([name, METHODS[method].title, str(at[0]["n_topics"]), *values])
    note = "On the test documents; coherence on the training documents"
    if any(row.get("words_by") == "salience" for row in rows):
        note += ", of our words by salience and of the others' by probability"
    note += (
        ", coh with the same number of words for all methods, and for ours also with a "
        "number for each topic."
    )
    heads = ("topics", *columns.values())
    return _table("Prediction, labels and coherence", note, heads, lines)


def _topic_sparsity(rows: Sequence[Row]) -> str:
    """Return the table of topics per document.

    For our model they are counted by switches, for others by words won.
    """
    lines = []
    for name, method, own in _groups(rows):
        at = _at(own, target(name, rows))
        is_ours = METHODS[method].is_ours
        column = "topics_per_document" if is_ours else "topics_by_assignment"
        paper = published.TOPICS_PER_DOCUMENT[published.family(method)].get(name)
        cells = [
            str(at[0]["n_topics"]),
            *_beside([row.get(column) for row in at], paper),
            _mean(row.get("topics_by_code") for row in at),
            _mean(row.get("labels_per_document") for row in at[:1]),
        ]
        lines.append([name, METHODS[method].title, *cells])
    heads = ("topics", "per document", "published", "apart", "by word codes", "labels")
    note = (
        "Topics that are switched on in a document; for LDA and STC, those that win "
        "one of its words, without the background, by their contribution to its mean, "
        f"or for STC also by its codes. Published: table mbar_tab; {APART}."
    )
    return _table("Topics per document", note, heads, lines)


def _word_sparsity(rows: Sequence[Row]) -> str:
    """Return the table of salient words of our model."""
    columns = {
        "salient_per_topic": "salient words per topic",
        "distinct_salient": "distinct salient words",
        "topics_per_salient_word": "topics per salient word",
    }
    heads = ["topics"]
    for title in columns.values():
        heads += [title, "published", "apart"]
    lines = []
    for name, method, own in _groups(rows):
        if METHODS[method].is_ours:
            at = _at(own, target(name, rows))
            cells = [str(at[0]["n_topics"])]
            for column in columns:
                paper = published.WORDS[column].get(name)
                cells += _beside([row.get(column) for row in at], paper)
            lines.append([name, METHODS[method].title, *cells])
    note = f"Published: table nbar_tab and text; {APART}."
    return _table("Salient words", note, heads, lines)


def _times(rows: Sequence[Row]) -> str:
    """Return the table of minutes per sweep."""
    lines = []
    for name, method, own in _groups(rows):
        sweeps = _sweeps(own)
        first = [sweep[0] for sweep in sweeps]
        seconds = [r.get("processor_seconds") or r.get("sweep_seconds") for r in first]
        minutes = [None if value is None else value / 60.0 for value in seconds]
        paper = published.MINUTES.get(published.family(method), {}).get(name)
        cells = [str(len(sweeps[0])), *_beside(minutes, paper)[:2]]
        lines.append([name, METHODS[method].title, *cells])
    note = (
        "Minutes of a whole sweep in one thread, of a processor where that is known. "
        "Published: table runtime, for sweeps "
        "of 49 fits on Reuters and 20-Newsgroups, 77 on LabelMe, about 30 on Ohsumed."
    )
    return _table("Run times", note, ("fits", "minutes", "published"), lines)


def _table(
    title: str, note: str, heads: Iterable[str], lines: Sequence[Sequence[str]]
) -> str:
    """Return a section with a table, or "" if it has no lines."""
    if not lines:
        return ""
    table = markdown_table(["corpus", "method", *heads], lines)
    return f"## {title}\n\n{note}\n\n{table}"


def markdown_table(heads: Sequence[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown.

    Examples
    --------
    >>> print(markdown_table(["a", "b"], [["1", "2"]]), end="")
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    rows = [heads, ["---"] * len(heads), *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _groups(rows: Sequence[Row]) -> list[tuple[str, str, list[Row]]]:
    """Group rows by corpus and method, in their usual order."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["method"]), []).append(row)
    names, methods = list(dict.fromkeys(name for name, _ in groups)), list(METHODS)
    order = sorted(groups, key=lambda key: (names.index(key[0]), methods.index(key[1])))
    return [(*key, groups[key]) for key in order]


def _sweeps(rows: Sequence[Row]) -> list[list[Row]]:
    """Group rows by seed."""
    seeds = sorted({row["seed"] for row in rows})
    return [[row for row in rows if row["seed"] == seed] for seed in seeds]


def target(name: str, rows: Sequence[Row]) -> float:
    """Return the number of topics of the tables: published, or the mean chosen.

    Examples
    --------
    >>> rows = [{"dataset": "toy", "n_topics": m, "is_chosen": m > 2}
    ...         for m in (2, 4, 6)]
    >>> target("reuters", rows), target("toy", rows)
    (40, 5.0)
    """
    if name in published.N_TOPICS:
        return published.N_TOPICS[name].mean
    own = [row for row in rows if row["dataset"] == name]
    chosen = [row["n_topics"] for row in own if row.get("is_chosen")]
    return float(np.mean(chosen or [row["n_topics"] for row in own]))


def nearest(numbers: Iterable[int], target: float) -> int:
    """Return the number nearest to the target; of two, the smaller.

    Examples
    --------
    >>> nearest([8, 4], 6)
    4
    """
    return min(sorted(numbers), key=lambda m: abs(m - target))


def _at(rows: Sequence[Row], target: float) -> list[Row]:
    """Return rows of a method nearest to the target, one for each seed."""
    numbers = [{row["n_topics"] for row in sweep} for sweep in _sweeps(rows)]
    best = nearest(set.intersection(*numbers) or set.union(*numbers), target)
    return [row for row in rows if row["n_topics"] == best]


def _mean(values: Iterable[float | None]) -> str:
    """Return mean and standard deviation in a few digits; "" without values.

    Examples
    --------
    >>> _mean([1.17, 1.19]), _mean([506.4]), _mean([None])
    ('1.18 (0.014)', '506.4', '')
    """
    numbers = [value for value in values if value is not None]
    if not numbers:
        return ""
    value, spread = float(np.mean(numbers)), 0.0
    if len(numbers) > 1:
        spread = round(float(np.std(numbers, ddof=1)), 12)
    mean = f"{value:.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return mean if len(numbers) == 1 else f"{mean} ({spread:.2g})"


def _beside(
    values: Sequence[float | None], paper: published.Number | None
) -> list[str]:
    """Return the mean, the published number, and their distance in its deviations.

    Examples
    --------
    >>> _beside([38.0, 36.0], published.Number(40, 6.0, "text"))
    ['37 (1.4)', '40 (6)', '-0.5']
    """
    numbers, apart = [value for value in values if value is not None], ""
    if numbers and paper is not None and paper.std:
        apart = f"{(float(np.mean(numbers)) - paper.mean) / paper.std:+.1f}"
    return [_mean(numbers), "" if paper is None else str(paper), apart]
