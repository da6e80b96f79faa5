"""A whole study of one corpus: sweeps, tables and figures."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from leantopics._extras import check_extra
from leantopics.corpus import Corpus
from leantopics.datasets import has_split, load
from leantopics.evaluation import n_top_words
from leantopics.study import figures, results, tables
from leantopics.study.data import Data, halves, split
from leantopics.study.grid import Task, run
from leantopics.study.measure import Cell, measure_coherence, measure_sweep
from leantopics.study.methods import DEFAULT, METHODS, check_methods, settings
from leantopics.study.profiles import Plan, named_plan, own_plan
from leantopics.study.published import WORDS
from leantopics.study.results import Row
from leantopics.study.topics import sample_topics

PathLike = str | os.PathLike[str]

USUAL_SALIENT = 500
"""Salient words of a topic from which the number of top words is computed, if our
model is not in the study and the paper does not have them."""


def reproduce(
    name: str,
    out: PathLike,
    *,
    profile: str = "quick",
    methods: Sequence[str] = DEFAULT,
    seeds: int | None = None,
    step: int | None = None,
    n_jobs: int = 1,
    folder: PathLike | None = None,
    show: bool = False,
) -> list[Row]:
    """Repeat the paper's study of a named corpus.

    Writes ``results.csv``, with a row for each method, seed and number of topics, and
    the same as Parquet if pyarrow is installed; a later run with the same folder
    extends it. Also writes ``tables.md`` and ``<name>-topics.md``, with the published
    numbers, and ``figures``. An interrupted run continues where it stopped, with the
    same numbers except for times.

    Parameters
    ----------
    name : str
        One of `leantopics.datasets.names`.
    out : path
        Folder for all results; created if missing.
    profile : {"quick", "long", "full"}
        "quick" takes minutes. "long" takes hours: it has the paper's grid for our
        model and parts of it for the others. "full" has the paper's grid for all.
    methods : sequence of str
        Names in `leantopics.study.methods.METHODS`.
    seeds, step : int, optional
        Number of seeds of each method and topics removed at a time, instead of the
        profile's.
    n_jobs : int
        Sweeps to run at once, each in a process with one thread; -1 uses all
        processors. The result does not depend on it.
    folder : path, optional
        Folder with the file of the corpus, instead of ``LEANTOPICS_DATA``.
    show : bool
        Whether to show progress on standard error.

    Returns
    -------
    list of dict
        The rows of this run; see `leantopics.study.results.COLUMNS`.
    """
    check_extra("study")
    plan = named_plan(name, profile, seeds, step)
    methods = check_methods(tuple(methods))
    train = load(name, "train", folder=folder)
    if has_split(name):
        data = halves(name, train, load(name, "test", folder=folder))
    else:
        data = split(name, train)
    return _study(data, plan, methods, Path(out), n_jobs, show, as_shown=False)


def compare(
    corpus: Corpus,
    out: PathLike,
    *,
    name: str = "corpus",
    methods: Sequence[str] = DEFAULT,
    max_topics: int = 50,
    min_topics: int = 2,
    seeds: int = 1,
    step: int | None = None,
    n_jobs: int = 1,
    show: bool = False,
) -> list[Row]:
    """Compare the methods on your own corpus, as `reproduce` does on named ones.

    If the metadata of all documents have "train" or "test" as ``split``, the latter are
    the test documents. Otherwise a fifth is drawn with a fixed seed. Without labels the
    columns of labels are empty. Coherence is that of the words that each model shows,
    where `reproduce` takes the most probable ones, as the paper does.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    out : path
        Folder for all results; created if missing.
    name : str
        Name of the corpus in the results.
    methods, seeds, step, n_jobs, show
        See `reproduce`.
    max_topics, min_topics : int
        Most and fewest topics of the sweeps.

    Returns
    -------
    list of dict
        The rows of this run; see `leantopics.study.results.COLUMNS`.

    Examples
    --------
    >>> import tempfile
    >>> from leantopics import make_corpus
    >>> corpus, _ = make_corpus(60, 60, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = compare(corpus, folder, methods=["lda"], max_topics=6, step=2)
    >>> [row["n_topics"] for row in rows]
    [2, 4, 6]
    """
    check_extra("study")
    plan = own_plan(max_topics, min_topics, seeds, step)
    methods = check_methods(tuple(methods))
    data = split(name, corpus)
    return _study(data, plan, methods, Path(out), n_jobs, show, as_shown=True)


def _study(
    data: Data,
    plan: Plan,
    methods: Sequence[str],
    out: Path,
    n_jobs: int,
    show: bool,
    as_shown: bool,
) -> list[Row]:
    """Fit the sweeps, measure coherence, and write all results."""
    out.mkdir(parents=True, exist_ok=True)
    table = out / "results.csv"
    old = results.read(table)
    filled = int((np.diff(data.train.indptr) > 0).sum())
    tasks = _sweeps(data, plan.fitting(filled), methods, as_shown)
    cells = run(tasks, out / "cells", n_jobs=n_jobs, show=show)
    cells = _with_coherence(data, tasks, cells, out / "cells", n_jobs)
    new = [row for cell in cells for row in cell.rows]
    rows = results.merge(old, new)
    results.write(table, rows)
    own = [row for row in rows if row["dataset"] == data.name]
    figures.write(out / "figures", data.name, own)
    tables.write(out / "tables.md", tables.tables(rows))
    if topics := sample_topics(data.name, data.vocabulary, cells):
        tables.write(out / f"{data.name}-topics.md", topics)
    return results.merge([], new)


def _sweeps(
    data: Data, plan: Plan, methods: Sequence[str], as_shown: bool
) -> list[Task]:
    """Return one task for each method and seed; the first seed keeps its topics."""
    fingerprint, tasks = data.fingerprint(), []
    for method in methods:
        sweep = plan.sweep(method)
        chosen = settings(method, sweep, search_penalties=plan.search_penalties)
        n_fits = (sweep.ceiling - sweep.floor) // sweep.step + 1
        for seed in plan.seeds(method):
            tasks.append(
                Task(
                    f"{data.name} {method} {seed}",
                    [fingerprint, method, chosen, seed, *["shown"] * as_shown],
                    METHODS[method].cost * n_fits,
                    measure_sweep,
                    (data, method, chosen, seed, seed == 0, as_shown),
                )
            )
    return tasks


def _with_coherence(
    data: Data, tasks: Sequence[Task], cells: Sequence[Cell], folder: Path, n_jobs: int
) -> list[Cell]:
    """Add coh to the cells, with the same number of top words as for our model.

    Our model sets the number for all others, which use its rounded mean at the nearest
    number of topics. The procedure of the published tables comes first for this.
    """
    present = [cell.rows[0]["method"] for cell in cells]
    reference = next((m for m in ("ptm-published", "ptm") if m in present), None)
    numbers: dict[int, list[float]] = {}
    for row in (row for cell in cells for row in cell.rows):
        if row["method"] == reference:
            numbers.setdefault(row["n_topics"], []).append(row["coh_words"])
    if not numbers:
        known = WORDS["salient_per_topic"].get(data.name)
        salient = known.mean if known else USUAL_SALIENT
        numbers = {1: n_top_words([round(salient)]).tolist()}
    others = [n for n, method in enumerate(present) if method != reference]
    more = []
    for n in others:
        fitted = [row["n_topics"] for row in cells[n].rows]
        sizes = {m: _nearest(numbers, m) for m in fitted}
        more.append(
            Task(
                f"{tasks[n].name} coherence",
                [tasks[n].place, sizes],
                1.0,
                measure_coherence,
                (data, cells[n], sizes),
            )
        )
    found = run(more, folder, n_jobs=n_jobs, show=False)
    out = list(cells)
    for n, coherence in zip(others, found, strict=True):
        rows = [
            {**row, **extra}
            for row, extra in zip(cells[n].rows, coherence.rows, strict=True)
        ]
        out[n] = cells[n]._replace(rows=rows)
    return out


def _nearest(numbers: dict[int, list[float]], n_topics: int) -> int:
    """Return the rounded mean of the numbers at the nearest number of topics."""
    nearest = min(sorted(numbers), key=lambda m: abs(m - n_topics))
    return round(float(np.mean(numbers[nearest])))
