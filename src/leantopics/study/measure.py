"""Fit one sweep of a method and measure the model at each number of topics."""

import math
import warnings
from collections.abc import Mapping, Sequence
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from leantopics import evaluation
from leantopics.analysis import scoring
from leantopics.study.data import Data
from leantopics.study.methods import METHODS
from leantopics.study.results import Row

Ints = NDArray[np.int64]

TOP = 100
"""Words kept of each topic, to measure coherence."""
WIDE = 1000
"""Most probable words kept of each topic, to compare topics."""
SHARED_WORDS = 10


class Cell(NamedTuple):
    """Results of a sweep: its rows, and the stacked topics of all its fits.

    Arrays have one row for each topic of each fit, in the order of ``rows``. ``top``
    has the most probable words, only salient ones for our model, and -1 where there are
    fewer. If topics are kept, ``words`` has the most probable words, salient or not,
    with ``probability``, and for our model ``shared`` has the first shared words.
    """

    rows: list[Row]
    arrays: dict[str, NDArray[Any]]

    @property
    def numbers(self) -> list[int]:
        """The number of topics of each fit."""
        return [row["n_topics"] for row in self.rows]

    def topics(self, name: str, n_topics: int) -> NDArray[Any]:
        """Return one array at one number of topics.

        Examples
        --------
        >>> rows = [{"n_topics": 1}, {"n_topics": 2}]
        >>> Cell(rows, {"top": np.array([[7], [8], [9]])}).topics("top", 2).tolist()
        [[8], [9]]
        """
        first = sum(self.numbers[: self.numbers.index(n_topics)])
        return self.arrays[name][first : first + n_topics]


def measure_sweep(
    data: Data,
    method: str,
    settings: Mapping[str, Any],
    seed: int,
    keep_topics: bool,
    as_shown: bool = False,
) -> Cell:
    """Fit a method at all numbers of topics and measure each fit.

    ``keep_topics`` keeps the most probable words of every topic. ``as_shown`` measures
    coherence on the words that the models show, in their own ranking, instead of the
    most probable ones, as in the paper.

    Examples
    --------
    >>> from leantopics import make_corpus
    >>> from leantopics.study.data import split
    >>> data = split("toy", make_corpus(100, 60, 3)[0])
    >>> settings = {"max_topics": 5, "n_topics": 3, "step": 1}
    >>> cell = measure_sweep(data, "lda", settings, 0, False)
    >>> [row["n_topics"] for row in cell.rows], cell.topics("top", 4).shape
    ([3, 4, 5], (4, 100))
    """
    model = METHODS[method].kind(**settings, random_state=seed, n_jobs=1)
    begin, own_begin = perf_counter(), process_time()
    with warnings.catch_warnings():  # the table shows what has not converged
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.train)
    of_sweep = {
        "dataset": data.name,
        "method": method,
        "seed": seed,
        **{name: settings.get(name) for name in ("max_topics", "step")},
        "min_topics": settings.get("min_topics", settings.get("n_topics")),
        "sweep_seconds": perf_counter() - begin,
        "processor_seconds": process_time() - own_begin,
        "words_by": model.ranking if as_shown else "probability",
    }
    elapsed = _elapsed(model)
    rank = scoring.top_words if as_shown else scoring.probable_words
    rows, arrays = [], []
    for entry in model.path_:
        at = model.at(entry["n_topics"])
        row = {**of_sweep, **_measures(at, entry, data)}
        row["cumulative_seconds"] = elapsed[at.n_topics_]
        if METHODS[method].is_ours:
            row["is_chosen"] = at.n_topics_ == model.n_topics_
            row["naive_bic"] = _naive_bic(row, at, data)
        top = rank(at, TOP)
        rows.append({**row, **scoring.coherence(at, top, data.train)})
        kept = _topics(at) if keep_topics else {}
        arrays.append({"top": _padded(top, TOP), **kept})
    stacked = {name: np.vstack([a[name] for a in arrays]) for name in arrays[0]}
    return Cell([scoring.plain(row) for row in rows], stacked)


def measure_coherence(data: Data, cell: Cell, n_words: Mapping[int, int]) -> Cell:
    """Measure coh with a number of top words by the number of topics, for each fit.

    Examples
    --------
    >>> data = Data("toy", sparse.csr_array([[1, 1, 1], [1, 0, 1]]), None, None, None,
    ...     ["a", "b", "c"])
    >>> cell = Cell([{"n_topics": 1}], {"top": np.array([[0, 1, 2]])})
    >>> measure_coherence(data, cell, {1: 2}).rows
    [{'coh': 0.0, 'coh_words': 2}]
    """
    rows = []
    for row in cell.rows:
        size = n_words[row["n_topics"]]
        top = cell.topics("top", row["n_topics"])[:, :size].tolist()
        topics = [[word for word in words if word >= 0] for words in top]
        found = evaluation.coherence(topics, data.train, "coh")
        rows.append(scoring.plain({"coh": found.value, "coh_words": size}))
    return Cell(rows, {})


def _measures(model: Any, entry: Mapping[str, Any], data: Data) -> Row:
    """Return the measures of a fit that need no other fit of its sweep."""
    totals = np.asarray(data.train.sum(axis=0), dtype=np.float64).ravel()
    fitted = ("criterion", "bic", "log_likelihood", "n_iter", "converged", "seconds")
    return {
        "n_topics": model.n_topics_,
        **{name: entry.get(name) for name in fitted},
        **getattr(model, "bic_terms_", {}),
        **scoring.held_out(model, data.test, totals / totals.sum()),
        **_labels(model, data),
        **_sparsity(model, data),
        "topics_by_code": entry.get("topics_by_code"),
    }


def _naive_bic(row: Row, model: Any, data: Data) -> float:
    """Return BIC as if every parameter cost half the log of the number of tokens."""
    filled = np.diff(data.train.indptr) > 0
    n_proportions = model.topic_proportions_[filled].nnz - int(filled.sum())
    n_parameters = n_proportions + int(model.n_salient_words_.sum())
    rest = row["bic"] - row["proportions"] - row["word_probabilities"]
    return float(rest + 0.5 * n_parameters * math.log(data.train.sum()))


def _labels(model: Any, data: Data) -> Row:
    """Return the agreement of topics with labels, learned from training documents."""
    if not data.has_labels:
        return {}
    given, true = data.train_labels or [], data.test_labels or []
    test = model.transform(data.test)
    return {
        **scoring.label_prediction(model.topic_proportions_, given, test, true),
        **scoring.mutual_information(test, true, model.n_topics_),
        "labels_per_document": float(np.mean([len(set(labels)) for labels in given])),
    }


def _sparsity(model: Any, data: Data) -> Row:
    """Return topics per document and salient words per topic, if a model has them."""
    if model.has_switches:
        return scoring.sparsity(model, data.train, model.topic_proportions_)
    present = model.topics_present_[np.diff(data.train.indptr) > 0]
    row = {"topics_by_assignment": present[:, : model.n_topics_].sum(axis=1).mean()}
    if present.shape[1] > model.n_topics_:
        row["topics_with_background"] = present.sum(axis=1).mean()
    if hasattr(model, "document_codes_"):
        codes = model.document_codes_
        row["topics_per_document"] = evaluation.topics_by_switches(
            data.train, codes
        ).mean
    return row


def _topics(model: Any) -> dict[str, NDArray[Any]]:
    """Return the most probable words (M, WIDE) of each topic, and the first shared."""
    table = model.components_[: model.n_topics_]
    width = min(WIDE, table.shape[1])
    words = np.vstack(evaluation.top_words(table, width))
    values = np.take_along_axis(table, words, axis=1)
    found: dict[str, NDArray[Any]] = {
        "words": words.astype(np.int32),
        "probability": values.astype(np.float32),
    }
    if model.has_switches:
        salient = model.salient_word_prob_
        table = np.tile(model.shared_word_prob_, (model.n_topics_, 1))
        table[
            np.repeat(np.arange(len(table)), np.diff(salient.indptr)), salient.indices
        ] = 0.0
        shared = evaluation.top_words(sparse.csr_array(table), SHARED_WORDS)
        found["shared"] = _padded(shared, SHARED_WORDS)
    return found


def _elapsed(model: Any) -> dict[int, float]:
    """Return cumulative seconds by number of topics, in the order of fitting."""
    seconds = {entry["n_topics"]: entry["seconds"] for entry in model.path_}
    fitted = list(dict.fromkeys(step.n_topics for step in model.history_))
    total = np.cumsum([seconds[m] for m in fitted])
    return dict(zip(fitted, total.tolist(), strict=True))


def _padded(lists: Sequence[Ints], width: int) -> Ints:
    out = np.full((len(lists), width), -1, dtype=np.int64)
    for row, words in zip(out, lists, strict=True):
        row[: len(words)] = words
    return out
