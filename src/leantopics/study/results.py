"""The table of results: one row for each corpus, method, seed and number of topics."""

import csv
import io
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from leantopics.storage import atomic_file

Row = dict[str, Any]

COLUMNS: dict[str, type] = {
    "dataset": str,
    "method": str,
    "seed": int,
    "n_topics": int,
    "max_topics": int,
    "min_topics": int,
    "step": int,
    "is_chosen": bool,
    "criterion": float,
    "bic": float,
    "topic_switches": float,
    "word_switches": float,
    "word_switches_constant": float,
    "proportions": float,
    "word_probabilities": float,
    "neg_log_likelihood": float,
    "naive_bic": float,
    "log_likelihood": float,
    "held_out_per_word": float,
    "perplexity": float,
    "label_accuracy": float,
    "label_auc": float,
    "nmi": float,
    "coh": float,
    "coh_words": float,
    "coh_own": float,
    "coh_own_words": float,
    "npmi": float,
    "diversity": float,
    "words_by": str,
    "topics_per_document": float,
    "topics_by_assignment": float,
    "topics_by_code": float,
    "topics_with_background": float,
    "labels_per_document": float,
    "salient_per_topic": float,
    "distinct_salient": int,
    "topics_per_salient_word": float,
    "n_iter": int,
    "converged": bool,
    "seconds": float,
    "cumulative_seconds": float,
    "sweep_seconds": float,
    "processor_seconds": float,
    "cell": str,
}
"""Columns and their types; a cell is empty if the measure does not apply.

max_topics, min_topics, step
    The sweep that the row belongs to.
is_chosen, criterion, bic
    Whether the model chooses this number of topics, the value that it minimises, and
    the BIC of the paper, followed by its terms. naive_bic charges half the logarithm
    of all tokens for every parameter.
log_likelihood, held_out_per_word, perplexity
    The first of all training documents; the others per word of the held-out halves of
    the test documents.
label_accuracy, label_auc, nmi
    Share of test documents whose most probable label is one of theirs, area under the
    precision/recall curve, normalised mutual information of main topic and label.
coh, coh_words, coh_own, coh_own_words
    Coherence with the same number of top words for all topics and methods, and that
    number; for our model also with the paper's number for each topic, and its mean.
npmi, diversity, words_by
    NPMI of 10 words; share of distinct words among the first 25; and what the words of
    all these measures are ranked by.
topics_per_document, topics_by_assignment, topics_by_code, topics_with_background
    Topics switched on (document codes above zero in STC); topics that contribute most
    to a word; those with the largest word code, in STC; the second including the
    background.
seconds, cumulative_seconds, sweep_seconds, processor_seconds
    Time of this fit, of all fits up to it, and of the whole call of ``fit``; and the
    time that this call had a processor, which other work on the machine changes little.
cell
    Everything that the sweep depends on, digested; it is not fitted again while the
    table has it.
"""
_SWEEP = ("dataset", "method", "seed")


def read(path: Path) -> list[Row]:
    """Read a table that `write` wrote; a missing file has no rows.

    Examples
    --------
    >>> read(Path("no/such/file.csv"))
    []
    """
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream)
        if missing := [c for c in _SWEEP if c not in (reader.fieldnames or ())]:
            raise ValueError(
                f"{path} must be a table of results to extend, but has no column "
                f"{missing[0]!r}; choose another folder."
            )
        return [
            {name: _value(name, row.get(name) or "", path) for name in COLUMNS}
            for row in reader
        ]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a table as CSV, and also as Parquet if pyarrow is installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "results.csv")
    ...     write(file, [{"dataset": "toy", "method": "ptm", "seed": 0, "n_topics": 2,
    ...                   "bic": 0.1}])
    ...     [(row["seed"], row["bic"], row["nmi"]) for row in read(file)]
    [(0, 0.1, None)]
    """
    full = merge([], list(rows))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(full)
    with atomic_file(path) as out:
        out.write(text.getvalue().encode())
    if find_spec("pyarrow"):
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        types = {
            str: pyarrow.string(),
            int: pyarrow.int64(),
            float: pyarrow.float64(),
            bool: pyarrow.bool_(),
        }
        schema = pyarrow.schema([(name, types[t]) for name, t in COLUMNS.items()])
        with atomic_file(path.with_suffix(".parquet")) as out:
            parquet.write_table(pyarrow.Table.from_pylist(full, schema), out)


def merge(old: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """Return the rows of both; a new sweep replaces the old one of the same seed.

    It also replaces sweeps of the same method over other numbers of topics: means over
    seeds are of one grid.

    Examples
    --------
    >>> old = [{"dataset": "toy", "method": "ptm", "seed": s, "n_topics": 9}
    ...        for s in (0, 1)]
    >>> new = [{"dataset": "toy", "method": "ptm", "seed": 0, "n_topics": m}
    ...        for m in (3, 2)]
    >>> [(row["seed"], row["n_topics"]) for row in merge(old, new)]
    [(0, 2), (0, 3), (1, 9)]
    """
    replaced = {_sweep(row) for row in new}
    grids = {(row["dataset"], row["method"]): _grid(row) for row in new}
    rows = [
        row
        for row in old
        if _sweep(row) not in replaced
        and grids.get((row["dataset"], row["method"]), _grid(row)) == _grid(row)
    ] + list(new)
    rows.sort(key=lambda row: (*_sweep(row), row["n_topics"]))
    return [{name: row.get(name) for name in COLUMNS} for row in rows]


def _sweep(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in _SWEEP)


def _grid(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in ("max_topics", "min_topics", "step"))


def _value(name: str, text: str, path: Path) -> Any:
    if text == "":
        return None
    kind = COLUMNS[name]
    try:
        return text == "True" if kind is bool else kind(text)
    except ValueError:
        raise ValueError(
            f"{path} must have numbers in the column {name!r}, got {text!r}."
        ) from None
