"""Run the studies whose results are kept in studies/results; see README.md.

python studies/run.py reuters labelme 20newsgroups ohsumed large
"""

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from scipy import sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.machine import commit, now

from leantopics import LDA, ParsimoniousTopicModel
from leantopics.datasets import load
from leantopics.study import reproduce

RESULTS = Path(__file__).resolve().parent / "results"
RUNS = RESULTS / "runs.json"
UP = {"reuters": 3, "labelme": 3}
"""Seeds of sweeps that begin with few topics."""
CORPORA = ("reuters", "labelme", "20newsgroups", "ohsumed")
LARGE = ("imdb", "acl")
N_TOPICS = 100


def study(name: str, methods: list[str] | None, **settings: Any) -> None:
    """All methods on one corpus of the paper, or some."""
    if name in UP and methods is None:
        study(name, ["ptm-up"], **{**settings, "seeds": UP[name]})
    reproduce(name, RESULTS, profile="long", methods=methods, show=True, **settings)


def large(n_jobs: int) -> None:
    """One fit of our model and of LDA to many documents, in place of the NSF corpus."""
    counts = stack([load(name, "train") for name in LARGE])
    runs = {}
    for name, model in (
        ("ptm", ParsimoniousTopicModel(N_TOPICS, random_state=0, n_jobs=n_jobs)),
        ("lda", LDA(N_TOPICS, random_state=0, n_jobs=n_jobs)),
    ):
        model.fit(counts[:200])  # loads what a fit needs
        begin = perf_counter()
        model.fit(counts)
        runs[name] = {"seconds": perf_counter() - begin, "iterations": model.n_iter_}
        print(name, runs[name], flush=True)
    size = {
        "documents": counts.shape[0],
        "words": counts.shape[1],
        "tokens": int(counts.sum()),
        "topics": N_TOPICS,
        "threads": n_jobs,
    }
    _write(RESULTS / "large.json", {"corpora": LARGE, **size, "fits": runs})


def stack(corpora: list[Any]) -> sparse.csr_array:
    """Counts of several corpora on one vocabulary."""
    words = sorted(set().union(*(corpus.vocabulary for corpus in corpora)))
    return sparse.vstack([corpus.align(words).counts for corpus in corpora], "csr")


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


def main() -> None:
    """Run what is named, and note by which commit and when."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*CORPORA, "large"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--methods", nargs="+", help="only these")
    parser.add_argument("--seeds", type=int, help="of each method, instead of all")
    parser.add_argument("--step", type=int, help="instead of the paper's")
    options = parser.parse_args()
    command = " ".join(["python studies/run.py", *sys.argv[1:]])
    for name in options.names:
        began = now()
        if name == "large":
            large(options.jobs)
        else:
            given = {"seeds": options.seeds, "step": options.step}
            study(name, options.methods, n_jobs=options.jobs, **given)
        done = {"study": name, "command": command}
        runs = json.loads(RUNS.read_text()) if RUNS.exists() else []
        runs = [run for run in runs if done.items() - run.items()]
        done |= {"commit": commit(), "began": began, "ended": now()}
        _write(RUNS, [*runs, done])


if __name__ == "__main__":
    main()
