"""Where fits begin: from the tree of finer topics, or from scratch.

python benchmarks/begins.py

"named" fits a number of topics that the user names; "themes" lets bursts choose it.
Each corpus and number is one file in results/begins/, written when it is done. Fits
that are there are not made again.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import combinations, product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import levels, machine, ours
from benchmarks.timing import clock
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.ptm import estimator
from leantopics.ptm.search import from_finer
from leantopics.ptm.stability import SAME, agreement

RESULTS = Path(__file__).resolve().parent / "results" / "begins"
CORPORA = ("reuters", "20newsgroups", "python_docs", "ohsumed")
NUMBERS = (20, 10, 50, 5)
BEGINNINGS = ("tree", "scratch")
SEEDS = {"named": 10, "themes": 5}


def _from_scratch() -> AbstractContextManager[object]:
    return patch.object(from_finer, "start", lambda fitter, n: fitter.start(n))


@contextmanager
def _themes_from_scratch() -> Iterator[None]:
    find = estimator.find

    def without_finer(fitter: Any, numbers: Any, announce: Any, finer: Any) -> Any:
        return find(fitter, numbers, announce, None)

    with patch.object(estimator, "find", without_finer):
        yield


def named(name: str, n_topics: int, evidence: str, beginning: str) -> dict[str, Any]:
    """Fits of ten seeds with a number that is given."""
    how = nullcontext if beginning == "tree" else _from_scratch
    return _rows(name, n_topics, evidence, how, SEEDS["named"])


def themes(name: str, beginning: str) -> dict[str, Any]:
    """Fits of five seeds that choose their number by bursts."""
    how = nullcontext if beginning == "tree" else _themes_from_scratch
    return _rows(name, "auto", "bursts", how, SEEDS["themes"])


def _rows(
    name: str,
    n_topics: int | str,
    evidence: str,
    how: Callable[[], AbstractContextManager[object]],
    seeds: int,
) -> dict[str, Any]:
    data = levels.corpus(name, False)
    rows, shares = [], []
    for seed in range(seeds):
        model = ParsimoniousTopicModel(
            n_topics, evidence=evidence, random_state=seed, n_jobs=1
        )
        with how(), clock() as spent:
            model.fit(data)
        found = levels.agreement_with_classes(
            model.topic_proportions_, data.labels or []
        )
        row = {"n_topics": model.n_topics_, "bic": model.bic_, "ami": found.get("ami")}
        rows.append({**row, **spent})
        shares.append(model.topic_proportions_)
    return {"rows": rows, "again": steady(shares, data)}


def steady(shares: Sequence[sparse.csr_array], data: Corpus) -> float:
    """Share of all topics that are found again in half of the other seeds or more."""
    length = np.asarray(data.counts.sum(axis=1)).ravel()
    times = [np.zeros(each.shape[1]) for each in shares]
    for a, b in combinations(range(len(shares)), 2):
        table = agreement(shares[a], shares[b], length) >= SAME
        times[a] += table.any(axis=1)
        times[b] += table.any(axis=0)
    often = [each >= (len(shares) - 1) / 2 for each in times]
    return float(np.concatenate(often).mean())


def run(
    folder: Path, corpora: Sequence[str], numbers: Sequence[int] | None = None
) -> None:
    """Make all fits of these numbers, or of all and themes, that are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    ours.warm_up()
    work: list[tuple[str, Callable[[], dict[str, Any]]]] = []
    for n, name, evidence, beginning in product(
        numbers or NUMBERS, corpora, levels.EVIDENCE[::-1], BEGINNINGS
    ):
        task = (name, n, evidence, beginning)
        work.append((f"{name}-{n}-{evidence}-{beginning}", lambda t=task: named(*t)))
    for name, beginning in product(() if numbers else corpora, BEGINNINGS):
        pair = (name, beginning)
        work.append((f"{name}-themes-bursts-{beginning}", lambda t=pair: themes(*t)))
    for file, do in work:
        place = folder / f"{file}.json"
        if place.exists():
            continue
        about = {"commit": machine.commit(), "command": "python benchmarks/begins.py"}
        with threadpool_limits(1):
            cell = {"name": file, **about, **do()}
        levels.write(place, cell)
        bic = [row["bic"] for row in cell["rows"]]
        print(file, round(fmean(bic)), round(stdev(bic)), cell["again"], flush=True)


def cells(folder: Path = RESULTS) -> list[dict[str, Any]]:
    """Everything that the folder holds."""
    return [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="begins.py", description=__doc__)
    parser.add_argument("--only", default=",".join(CORPORA), metavar="CORPUS,...")
    run(RESULTS, parser.parse_args().only.split(","))


if __name__ == "__main__":
    main()
