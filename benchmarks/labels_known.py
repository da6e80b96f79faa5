"""Labels that are known for a part of the documents: how well are the others predicted?

python benchmarks/labels_known.py --scratch FOLDER
python benchmarks/labels_known.py --table

Labels of a random part of the training documents are known. The class of a test
document is predicted by logistic regression on counts, by the topics of a model without
a guide, and by those of a model whose guide has the labels. Results are in
results/labels_known/; the scratch folder keeps the models without a guide. ``--table``
prints the table of docs/guide.md.
"""

import argparse
import json
import sys
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from benchmarks.watch import short
from leantopics import Corpus, Guide, ParsimoniousTopicModel
from leantopics.datasets import load_20newsgroups, load_reuters

RESULTS = Path(__file__).resolve().parent / "results" / "labels_known"
LOADERS = {"reuters": load_reuters, "20newsgroups": load_20newsgroups}
SHARES, SEEDS = (0.01, 0.05, 0.2, 1.0), (0, 1)
METHODS = {
    "logistic": "logistic regression on counts",
    "themes": "themes, no guide",
    "finer": "finer topics, no guide",
    "guide": "guide",
}


class Documents(NamedTuple):
    """Training and test documents over the same words, and their classes."""

    train: Corpus
    test: Corpus
    known: np.ndarray
    wanted: np.ndarray


@cache
def documents(name: str) -> Documents:
    """The documents of a corpus, with its own halves."""
    train = LOADERS[name]()
    test = LOADERS[name](split="test").align(train.vocabulary)
    known, wanted = (
        np.array([own[0] for own in each.labels]) for each in (train, test)
    )
    return Documents(train, test, known, wanted)


def drawn(name: str, share: float, seed: int) -> np.ndarray:
    """Rows whose labels are known; another seed draws others."""
    n_docs = documents(name).train.n_docs
    order = np.random.default_rng(seed).permutation(n_docs)
    return np.sort(order[: round(share * n_docs)])


def unguided(name: str, seed: int, scratch: Path) -> ParsimoniousTopicModel:
    """A model without a guide; from the scratch folder if it is there."""
    path = scratch / f"{name}-{seed}.zip"
    if not path.exists():
        model = ParsimoniousTopicModel(random_state=seed)
        model.fit(documents(name).train).save(path)
    return ParsimoniousTopicModel.load(path)


def by_regression(name: str, rows: np.ndarray) -> np.ndarray:
    """Classes that logistic regression predicts."""
    known = documents(name)
    model = LogisticRegression(max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(short(known.train.counts[rows]), known.known[rows])
    return model.predict(short(known.test.counts))


def by_topics(name: str, model: ParsimoniousTopicModel, rows: np.ndarray) -> np.ndarray:
    """Classes by topics: of each topic among labelled documents, inferred alike."""
    known = documents(name)
    classes, label = np.unique(known.known[rows], return_inverse=True)
    of_labelled, of_test = (
        sparse.csr_array(model.document_topics(counts))
        for counts in (known.train.counts[rows], known.test.counts)
    )
    is_class = sparse.csr_array(
        (np.ones(len(rows)), (label, np.arange(len(rows)))),
        shape=(len(classes), len(rows)),
    )
    in_topic = (is_class @ of_labelled).toarray()
    in_topic += 1e-9 * np.bincount(label)[:, None]  # where no labelled document is
    in_topic /= in_topic.sum(axis=0)
    return classes[np.argmax(of_test @ in_topic.T, axis=1)]


def measure(name: str, share: float, seed: int, scratch: Path) -> dict[str, Any]:
    """Share of test documents whose class is predicted rightly, by method."""
    known, rows = documents(name), drawn(name, share, seed)
    free = unguided(name, seed, scratch)
    labels: list[str | None] = [None] * known.train.n_docs
    for row in rows:
        labels[row] = str(known.known[row])
    begun = time.process_time()
    guided = ParsimoniousTopicModel(random_state=seed)
    guided.fit(known.train, guide=Guide(labels=labels))
    seconds = time.process_time() - begun
    costs = np.array([row["nats"] for row in guided.guide_costs_])
    predicted = {
        "logistic": by_regression(name, rows),
        "themes": by_topics(name, free, rows),
        "finer": by_topics(name, free.finer_, rows),
        "guide": by_topics(name, guided, rows),
    }
    return {
        "corpus": name,
        "share": share,
        "seed": seed,
        "labelled": len(rows),
        "accuracy": {
            k: float((v == known.wanted).mean()) for k, v in predicted.items()
        },
        "topics": {"free": free.n_topics_, "guide": guided.n_topics_},
        "dear": float((costs > 10.0).mean()),
        "cpu_seconds": seconds,
        "packages": {p: machine.version(p) for p in ("leantopics", "scikit-learn")},
        "commit": machine.commit(),
    }


def run(scratch: Path) -> None:
    """Measure what is not there yet."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    scratch.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS:
        for name in LOADERS:
            for share in SHARES:
                path = RESULTS / f"{name}-{share}-{seed}.json"
                if not path.exists():
                    found = measure(name, share, seed, scratch)
                    print(json.dumps(found), file=sys.stderr, flush=True)
                    path.write_text(json.dumps(found, indent=1) + "\n")


def table() -> None:
    """Print the table of the page: means over seeds."""
    rows = [json.loads(path.read_text()) for path in RESULTS.glob("*.json")]
    print(f"| corpus | labelled | seeds | {' | '.join(METHODS.values())} |")
    print("| --- " * (3 + len(METHODS)) + "|")
    for name in LOADERS:
        for share in SHARES:
            own = [r for r in rows if (r["corpus"], r["share"]) == (name, share)]
            if own:
                means = [np.mean([r["accuracy"][m] for r in own]) for m in METHODS]
                cells = " | ".join(f"{mean:.3f}" for mean in means)
                part = f"{share:.0%} ({own[0]['labelled']:,})"
                print(f"| {name} | {part} | {len(own)} | {cells} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        table()
    elif options.scratch is None:
        parser.error("--scratch names a folder for the models without a guide")
    else:
        run(options.scratch)
