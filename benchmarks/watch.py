"""Watching: is a class that the fit never saw found among documents of the others?

python benchmarks/watch.py reuters --scratch FOLDER
python benchmarks/watch.py 20newsgroups --scratch FOLDER
python benchmarks/watch.py --table

One class at a time is left out of the fit, and some of its documents are put among
documents of the other classes that the fit did not see either. The result is one file
in results/watch/; the scratch folder keeps the fitted models and the classes that are
done. ``--table`` prints the tables of docs/watch.md.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import average_precision_score
from sklearn.svm import OneClassSVM

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.datasets import load_20newsgroups, load_reuters

RESULTS = Path(__file__).resolve().parent / "results" / "watch"
LARGEST = {"reuters": 8, "20newsgroups": 20}
SHARES, BATCH, REPEATS, DRAWS = (0.02, 0.05, 0.2), 1000, 2, 39
UNCHANGED, NEIGHBOURS = 200, 5


class Documents(NamedTuple):
    """A corpus, the class of each document, and which are held out of all fits."""

    corpus: Corpus
    label: np.ndarray
    held_out: np.ndarray
    left_out: tuple[str, ...]
    """Classes to be left out, one at a time."""


@cache
def documents(name: str) -> Documents:
    """The documents; those held out are drawn at random, not by date."""
    if name == "reuters":
        train = load_reuters()
        test = load_reuters(split="test").align(train.vocabulary)
        counts = sparse.vstack([train.counts, test.counts])
        labels = [*train.labels, *test.labels]
        corpus, n = Corpus(counts, train.vocabulary, labels=labels), 4000
    else:
        corpus, n = load_20newsgroups(headers=False), 3500
    label = np.array([own[0] for own in corpus.labels])
    held_out = np.zeros(corpus.n_docs, dtype=bool)
    held_out[np.random.default_rng(0).permutation(corpus.n_docs)[:n]] = True
    largest = Counter(label.tolist()).most_common(LARGEST[name])
    return Documents(corpus, label, held_out, tuple(each for each, _ in largest))


def fitted(
    name: str, left_out: str | None, scratch: Path
) -> tuple[ParsimoniousTopicModel, np.ndarray]:
    """A model of all but one class, and its rows; from the scratch folder if there."""
    known = documents(name)
    rows = np.flatnonzero(~known.held_out & (known.label != left_out))
    path = scratch / f"{name}-{left_out}.zip"
    if not path.exists():
        model = ParsimoniousTopicModel(evidence="bursts", random_state=0)
        model.fit(known.corpus.select(rows)).save(path)
    return ParsimoniousTopicModel.load(path), rows


def mixed(name: str, left_out: str) -> Iterator[tuple[float, int, np.ndarray]]:
    """Batches with a share of the class, smaller where the class has few documents."""
    known, random = documents(name), np.random.default_rng(1)
    own = np.flatnonzero(known.held_out & (known.label == left_out))
    others = np.flatnonzero(known.held_out & (known.label != left_out))
    for share in SHARES:
        for repeat in range(REPEATS):
            n_new = min(int(share * BATCH), len(own))
            n_others = round(n_new * (1.0 - share) / share)
            new = random.permutation(own)[:n_new]
            rows = np.concatenate([random.permutation(others)[:n_others], new])
            yield share, repeat, rows


def of_class(name: str, left_out: str, scratch: Path) -> dict[str, Any]:
    """What is found of one class, and CPU seconds; from the scratch folder if there."""
    path = scratch / f"{name}-{left_out}.json"
    if not path.exists():
        fitted(name, left_out, scratch)
        begun = time.process_time()
        rows = list(watched_batches(name, left_out, scratch))
        known = {"rows": rows, "cpu_seconds": time.process_time() - begun}
        path.write_text(json.dumps(known))
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def watched_batches(
    name: str, left_out: str, scratch: Path
) -> Iterator[dict[str, Any]]:
    """Watch batches with a class that the fit did not see, and rank them by peers."""
    known = documents(name)
    model, train = fitted(name, left_out, scratch)
    rankers = peers(known.corpus.counts[train])
    for share, repeat, rows in mixed(name, left_out):
        is_new = known.label[rows] == left_out
        begun = time.perf_counter()
        watched = model.watch(
            known.corpus.counts[rows], draws=DRAWS, random_state=repeat
        )
        seconds = time.perf_counter() - begun
        score, groups = np.zeros(len(rows)), []
        for group in watched.groups:
            score[group.documents] = group.gains
            new = int(is_new[group.documents].sum())
            words = [word for word, _ in group.words[:8]]
            groups.append([group.nats, group.p, len(group.documents), new, words])
        found = np.zeros(len(rows), dtype=bool)
        for group in watched.found:
            found[group.documents] = True
        row = {
            "class": left_out,
            "share": share,
            "documents": len(rows),
            "new": int(is_new.sum()),
            "found": bool((found & is_new).sum() > 0.5 * max(found.sum(), 1)),
            "precision": float(is_new[found].mean()) if found.any() else None,
            "recall": float(found[is_new].mean()),
            "groups": groups,
            "seconds": seconds,
            "ap": {"ours": float(average_precision_score(is_new, score))},
        }
        for peer, scores in rankers(known.corpus.counts[rows]).items():
            row["ap"][peer] = float(average_precision_score(is_new, scores))
        print(json.dumps(row), file=sys.stderr, flush=True)
        yield row


def peers(train: sparse.csr_array) -> Any:
    """One-class SVM and nearest neighbours, as functions that score new documents."""
    train = short(train)
    weigh = TfidfTransformer(sublinear_tf=True).fit(train)
    known = weigh.transform(train)
    machine_ = OneClassSVM(kernel="linear", nu=0.1).fit(known)

    def scores(counts: sparse.csr_array) -> dict[str, np.ndarray]:
        new = weigh.transform(short(counts))
        near = (new @ known.T).toarray()
        near.partition(near.shape[1] - NEIGHBOURS, axis=1)
        return {
            "one-class SVM": -machine_.decision_function(new),
            "kNN": -near[:, -NEIGHBOURS],
        }

    return scores


def short(counts: sparse.csr_array) -> sparse.csr_matrix:
    """The counts with indices of 32 bits, which scikit-learn requires."""
    indices, indptr = (a.astype(np.int32) for a in (counts.indices, counts.indptr))
    return sparse.csr_matrix((counts.data, indices, indptr), counts.shape)


def unchanged(name: str, scratch: Path) -> dict[str, Any]:
    """Watch batches of held-out documents of all classes, none of them new."""
    known = documents(name)
    model, _ = fitted(name, None, scratch)
    random, rows = np.random.default_rng(2), np.flatnonzero(known.held_out)
    alarms, changes, seconds = [], 0, []
    for repeat in range(UNCHANGED):
        batch = known.corpus.counts[random.choice(rows, BATCH, replace=False)]
        begun = time.perf_counter()
        watched = model.watch(batch, draws=DRAWS, random_state=repeat)
        seconds.append(time.perf_counter() - begun)
        changes += any(topic.change for topic in watched.topics)
        alarms += [
            [repeat, group.nats, group.p, len(group.documents),
             [word for word, _ in group.words[:8]]]
            for group in watched.found
        ]  # fmt: skip
    result = {
        "batches": UNCHANGED,
        "with_alarm": len({alarm[0] for alarm in alarms}),
        "alarms": alarms,
        "with_changed_topics": changes,
        "seconds": float(np.median(seconds)),
    }
    print(json.dumps(result), file=sys.stderr, flush=True)
    return result


def measure(name: str, scratch: Path) -> None:
    """Measure one corpus and write its file."""
    classes = [of_class(name, each, scratch) for each in documents(name).left_out]
    fitted(name, None, scratch)
    begun = time.process_time()
    result: dict[str, Any] = {
        "corpus": name,
        "settings": {"batch": BATCH, "repeats": REPEATS, "draws": DRAWS},
        "packages": {p: machine.version(p) for p in ("leantopics", "scikit-learn")},
        "unchanged": unchanged(name, scratch),
        "classes": [row for each in classes for row in each["rows"]],
    }
    result["cpu_seconds"] = time.process_time() - begun
    result["cpu_seconds"] += sum(each["cpu_seconds"] for each in classes)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")


def table() -> None:
    """Print the tables of the page."""
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text())
        print(f"\n{result['corpus']}\n")
        head = ["class left out", "new in the batch", "found", "precision", "recall"]
        head += ["AP", "AP, one-class SVM", "AP, kNN"]
        print(f"| {' | '.join(head)} |")
        print("| --- " * len(head) + "|")
        cells: dict[tuple[str, float], list[dict[str, Any]]] = {}
        for row in result["classes"]:
            cells.setdefault((row["class"], row["share"]), []).append(row)
        for (left_out, _), rows in cells.items():
            hits = [row for row in rows if row["found"]]
            values = [
                _mean([row["precision"] for row in hits]),
                _mean([row["recall"] for row in hits]),
                *(
                    _mean([row["ap"][each] for row in rows])
                    for each in ("ours", "one-class SVM", "kNN")
                ),
            ]
            new, every = rows[0]["new"], rows[0]["documents"]
            batch = f"{new} of {every:,}"
            found = f"{len(hits)} of {len(rows)}"
            print("| " + " | ".join([left_out, batch, found, *values]) + " |")
        print(json.dumps({k: v for k, v in result["unchanged"].items()}))
        seconds = np.median([row["seconds"] for row in result["classes"]])
        print(f"seconds {seconds:.1f}, CPU seconds {result['cpu_seconds']:.0f}")


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):.2f}" if values else "–"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", choices=["reuters", "20newsgroups"])
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        table()
    else:
        os.makedirs(options.scratch, exist_ok=True)
        measure(options.corpus, options.scratch)
