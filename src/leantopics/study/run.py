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
from leantopics.study.methods import DEFAULT, METHODS, OWN, check_methods, settings
from leantopics.study.profiles import Plan, named_plan, own_plan
from leantopics.study.published import WORDS
from leantopics.study.results import Row
from leantopics.study.tables import nearest
from leantopics.study.topics import sample_topics

PathLike = str | os.PathLike[str]

USUAL_SALIENT = 500
"""Salient words of a topic from which the number of top words is computed, if our
model is not in the study and the paper does not have them."""

LEADING = ("ptm-published", "ptm")
"""Methods whose salient words set the number of top words of all, the first first."""


def reproduce(
    name: str,
    out: PathLike,
    *,
    profile: str = "quick",
    methods: Sequence[str] | None = None,
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
        "quick" takes minutes. "long" takes hours: it has the paper's grid, with fewer
        seeds for those that are not ours. "full" has its seeds, too.
    methods : sequence of str, optional
        Names in `leantopics.study.methods.METHODS`; by default all but ptm-up, and in
        a quick study lda-c-like, which takes as long as all others.
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
    if methods is None:
        methods = OWN if profile == "quick" else DEFAULT
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
    methods: Sequence[str] = OWN,
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
    old = [row for row in results.read(table) if row["dataset"] == data.name]
    filled = int((np.diff(data.train.indptr) > 0).sum())
    tasks = _sweeps(data, plan.fitting(filled), methods, as_shown)
    cells_at, leads = out / "cells", [task for task in tasks if _leads(task, methods)]
    first = [task for task in leads if not _kept(task, old, {})]
    cells = run(first, cells_at, n_jobs=n_jobs, show=show)
    sizes = _sizes(old, [row for cell in cells for row in cell.rows], data.name)
    kept = {task.place: _kept(task, old, sizes) for task in tasks}
    missing = [task for task in tasks if not kept[task.place]]
    cells = run(missing, cells_at, n_jobs=n_jobs, show=show)
    cells = _with_coherence(data, missing, cells, sizes, cells_at, n_jobs)
    new = [row for own in kept.values() for row in own]
    new += [row for cell in cells for row in cell.rows]
    rows = results.merge(results.read(table), new)
    results.write(table, rows)
    own = [row for row in rows if row["dataset"] == data.name]
    figures.write(out / "figures", data.name, own)
    tables.write(out / "tables.md", tables.tables(rows))
    if topics := sample_topics(data.name, data.vocabulary, cells):
        tables.write(out / f"{data.name}-topics.md", topics)
    return results.merge([], new)


def _leads(task: Task, methods: Sequence[str]) -> bool:
    """Return whether a sweep sets the number of top words; see `_sizes`."""
    _, method, _, seed, *_ = task.depends
    return (method, seed) == (next((m for m in LEADING if m in methods), None), 0)


def _kept(task: Task, old: Sequence[Row], sizes: dict[int, int]) -> list[Row]:
    """Return the rows of a sweep that the table has, if coh is of so many words."""
    rows = [row for row in old if row["cell"] == task.place]
    if sizes and any(
        row["coh_words"] != sizes[nearest(sizes, row["n_topics"])] for row in rows
    ):
        return []
    return rows


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
    data: Data,
    tasks: Sequence[Task],
    cells: Sequence[Cell],
    sizes: dict[int, int],
    folder: Path,
    n_jobs: int,
) -> list[Cell]:
    """Add to the cells their names, and coh with the same top words for all methods."""
    more = []
    for task, cell in zip(tasks, cells, strict=True):
        own = {m: sizes[nearest(sizes, m)] for m in cell.numbers}
        more.append(
            Task(
                f"{task.name} coherence",
                [task.place, own],
                1.0,
                measure_coherence,
                (data, cell, own),
            )
        )
    found = run(more, folder, n_jobs=n_jobs, show=False)
    return [
        cell._replace(
            rows=[
                {**row, **extra, "cell": task.place}
                for row, extra in zip(cell.rows, coherence.rows, strict=True)
            ]
        )
        for task, cell, coherence in zip(tasks, cells, found, strict=True)
    ]


def _sizes(old: Sequence[Row], new: Sequence[Row], name: str) -> dict[int, int]:
    """Return the number of top words for coh by number of topics, for all methods.

    It is the rounded mean over the topics of our model, by the procedure of the
    published tables if there is one, with the first seed: further seeds do not change
    it. New rows count before old ones.
    """
    for method in LEADING:
        for rows in (new, old):
            found = {
                row["n_topics"]: round(row["coh_own_words"])
                for row in rows
                if (row["method"], row["seed"]) == (method, 0)
                and row.get("coh_own_words") is not None
            }
            if found:
                return found
    known = WORDS["salient_per_topic"].get(name)
    salient = known.mean if known else USUAL_SALIENT
    return {1: int(n_top_words([round(salient)])[0])}
