"""Class labels predicted from topics: the shrunk model against the switched one."""

from itertools import product
from statistics import fmean
from typing import Any

from benchmarks import cells, corpora, ours
from benchmarks.timing import Run, Settings, against_goal
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.evaluation import label_agreement
from leantopics.models.base import fingerprint
from leantopics.study.grid import Task
from leantopics.study.measure import Cell

SEEDS = {"reuters": 10, "20newsgroups": 10, "ohsumed": 3, "labelme": 10}
INFERENCES = ("sparse", "all")
PREDICTIONS = ("switched", "shrunk")
COLUMNS = [
    *("corpus", "inference", "prediction", "seeds", "topics"),
    *("accuracy", "area", "NMI"),
]
MEASURES = ("accuracy", "curve_area", "mutual_information")


def labels(settings: Settings) -> dict[str, Any]:
    """Agreement of the topics of new documents with their labels."""
    seeds = {name: settings.size(many, 1) for name, many in SEEDS.items()}
    keys = [(name, seed) for name in seeds for seed in range(seeds[name])]
    tasks = [_task(name, seed, settings) for name, seed in keys]
    kinds = [*product(seeds, INFERENCES)]
    found: dict[tuple[str, str, str], list[Run]] = {
        (*kind, how): [] for kind in kinds for how in PREDICTIONS
    }
    for (name, _), rows in zip(keys, cells.runs(tasks, settings), strict=True):
        for row in rows:
            found[name, row["inference"], row["prediction"]].append(row)
    return {
        "question": (
            "Labels of test documents, predicted from their topics and the labels that "
            "these have in training documents: the model of the default search, with "
            'prediction="switched" (the paper\'s) and "shrunk" (the default), among '
            "the topics that switches leave to a document and among all. Accuracy "
            "of the most probable label, area under the precision/recall curve, and "
            "mutual information, normalised, of main topic and label."
        ),
        "figures": {
            f"accuracy on {name}, {inference}, shrunk - switched": _difference(
                found[name, inference, "shrunk"], found[name, inference, "switched"]
            )
            for name, inference in kinds
            if found[name, inference, "shrunk"]
        },
        "table": {
            "columns": COLUMNS,
            "rows": [_row(*key, rows) for key, rows in found.items() if rows],
        },
        "fits": [row for rows in found.values() for row in rows],
        "not run": {
            name: f"{missing} of {many} seeds not run"
            for name, many in seeds.items()
            if (missing := many - len(found[name, "all", "shrunk"]))
        },
    }


def measure(name: str, train: Corpus, test: Corpus, seed: int) -> Cell:
    """One fit, read in both ways."""
    ours.warm_up()
    model = ParsimoniousTopicModel(
        evidence="words", random_state=seed, sparse_output=True
    ).fit(train)
    rows = []
    for inference, how in product(INFERENCES, PREDICTIONS):
        model.set_params(inference=inference, prediction=how)
        topics = model.transform(train), model.transform(test)
        agreed = label_agreement(topics[0], train.labels, topics[1], test.labels)
        agreement = {key: getattr(agreed, key) for key in MEASURES}
        row = {"corpus": name, "seed": seed, "topics": model.n_topics_}
        rows.append(row | {"inference": inference, "prediction": how} | agreement)
    return Cell(rows, {})


def _task(name: str, seed: int, settings: Settings) -> Task:
    train, test = corpora.labelled(name, settings)
    code = cells.code(*cells.MODEL, "evaluation/agreement.py")
    documents = [fingerprint(part.counts) for part in (train, test)]
    return Task(
        f"labels {name} {seed}",
        [name, seed, *documents, INFERENCES, code],
        -float(train.counts.nnz),
        measure,
        (name, train, test, seed),
    )


def _row(name: str, inference: str, how: str, rows: list[Run]) -> list[Any]:
    topics = [row["topics"] for row in rows]
    means = [f"{fmean(row[key] for row in rows):.4f}" for key in MEASURES]
    return [name, inference, how, len(rows), f"{min(topics)} to {max(topics)}", *means]


def _difference(ours: list[Run], theirs: list[Run]) -> dict[str, Any]:
    """Mean difference in accuracy, with its extremes over seeds."""
    pairs = zip(ours, theirs, strict=True)
    each = [mine["accuracy"] - other["accuracy"] for mine, other in pairs]
    return against_goal(fmean(each), "0 or more", least=0.0) | {
        "min": min(each),
        "max": max(each),
    }
