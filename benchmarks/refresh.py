"""Refreshing: a corpus that grows in ten instalments, beside fits from scratch.

python benchmarks/refresh.py reuters --scratch FOLDER
python benchmarks/refresh.py 20newsgroups --scratch FOLDER
python benchmarks/refresh.py acl --scratch FOLDER
python benchmarks/refresh.py --table

The first tenth of the documents is fitted; each refresh has a tenth more, and begins
from the one before. Reuters is in the order of the archive, 20-Newsgroups in random
order, and 10,000 abstracts of the ACL anthology, drawn at random, by year. All
documents are also fitted with other seeds, to see what seeds differ by. The result is
one file in results/refresh/; the scratch folder keeps models and steps that are done.
``--table`` prints the table of docs/refresh.md.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.datasets import load_20newsgroups, load_acl, load_reuters

RESULTS = Path(__file__).resolve().parent / "results" / "refresh"
STEPS, SEEDS, ABSTRACTS = 10, (0, 1, 2), 10_000
KINDS = ("kept", "moved", "split into", "merged from", "born", "died")


def documents(name: str) -> Corpus:
    """The documents in the order in which they come."""
    if name == "reuters":
        train = load_reuters()
        test = load_reuters(split="test").align(train.vocabulary)
        counts = sparse.vstack([train.counts, test.counts])
        both = Corpus(counts, train.vocabulary, ids=[*train.ids, *test.ids])
        return both.select(np.argsort([int(id_) for id_ in both.ids]).tolist())
    random = np.random.default_rng(0)
    if name == "20newsgroups":
        corpus = load_20newsgroups(headers=False)
        return corpus.select(random.permutation(corpus.n_docs).tolist())
    corpus = load_acl()
    rows = np.sort(random.permutation(corpus.n_docs)[:ABSTRACTS])
    years = [year_of(corpus.ids[row]) for row in rows]
    return corpus.select(rows[np.argsort(years, kind="stable")].tolist())


def year_of(id_: str) -> int:
    """The year of an abstract by its id in the anthology.

    >>> year_of("2020.acl-main.1"), year_of("P99-1001"), year_of("W08-0301")
    (2020, 1999, 2008)
    """
    if found := re.match(r"(\d{4})\.", id_):
        return int(found[1])
    short = re.match(r"[A-Z](\d\d)-", id_)
    if short is None:
        raise ValueError(f"The id must have a year. Got {id_!r} instead.")
    year = int(short[1])
    return year + (1900 if year > 50 else 2000)


def known(
    path: Path, make: Callable[[], ParsimoniousTopicModel]
) -> tuple[ParsimoniousTopicModel, float]:
    """A model and the CPU seconds that it took; from the scratch folder if there."""
    if not path.exists():
        begun = time.process_time()
        model = make()
        seconds = time.process_time() - begun
        model.save(path)
        path.with_suffix(".seconds").write_text(str(seconds))
    seconds = float(path.with_suffix(".seconds").read_text())
    return ParsimoniousTopicModel.load(path), seconds


def described(model: ParsimoniousTopicModel, seconds: float) -> dict[str, Any]:
    """Numbers of topics and BIC of both levels, themes first."""
    levels = [each for each in (model, model.finer_) if each is not None]
    return {
        "seconds": seconds,
        "topics": [each.n_topics_ for each in levels],
        "bic": [each.bic_ for each in levels],
        "converged": [each.converged_ for each in levels],
    }


def ledger(before: ParsimoniousTopicModel, now: ParsimoniousTopicModel) -> list[Any]:
    """What became of the topics of each level, and the share that was kept."""
    out = []
    for old, new in ((before, now), (before.finer_, now.finer_)):
        if old is not None and new is not None:
            kinds = Counter(row["change"] for row in new.changes_)
            stays = kinds["kept"] / old.n_topics_
            out.append({"stays": stays, **{kind: kinds[kind] for kind in KINDS}})
    return out


def measure(name: str, scratch: Path) -> None:
    """Measure one corpus and write its file."""
    corpus = documents(name)

    def fitted(rows: int, seed: int = 0) -> tuple[ParsimoniousTopicModel, float]:
        counts = corpus.counts[:rows]
        path = scratch / f"{name}-fit-{rows}-{seed}.zip"
        fresh = ParsimoniousTopicModel(random_state=seed)
        return known(path, lambda: fresh.fit(counts))

    sizes = [round(step * corpus.n_docs / STEPS) for step in range(1, STEPS + 1)]
    model, _ = fitted(sizes[0])
    steps = []
    for rows in sizes[1:]:
        before, counts = model, corpus.counts[:rows]
        path = scratch / f"{name}-refresh-{rows}.zip"
        model, seconds = known(path, lambda: before.refresh(counts))  # noqa: B023
        row = {
            "documents": rows,
            "refresh": described(model, seconds),
            "scratch": described(*fitted(rows)),
            "ledger": ledger(before, model),
        }
        print(json.dumps(row), file=sys.stderr, flush=True)
        steps.append(row)
    result = {
        "corpus": name,
        "command": f"python benchmarks/refresh.py {name} --scratch FOLDER",
        "commit": machine.commit(),
        "packages": {"leantopics": machine.version("leantopics")},
        "steps": steps,
        "seeds": [described(*fitted(sizes[-1], seed)) for seed in SEEDS],
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")


def table() -> None:
    """Print the table of the page, and what seeds differ by."""
    head = ["corpus", "documents", "refresh", "from scratch", "share of time",
            "BIC of the themes", "BIC of the topics", "topics",
            "topics from scratch", "topics kept"]  # fmt: skip
    print(f"| {' | '.join(head)} |\n{'| --- ' * len(head)}|")
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text())
        for row in result["steps"]:
            one, two = row["refresh"], row["scratch"]
            over = [
                100 * (a / b - 1) for a, b in zip(one["bic"], two["bic"], strict=True)
            ]
            cells = [
                result["corpus"],
                f"{row['documents']:,}",
                f"{one['seconds']:.1f}",
                f"{two['seconds']:.1f}",
                f"{one['seconds'] / two['seconds']:.2f}",
                *(f"{each:+.3f} %" for each in over),
                str(one["topics"][-1]),
                str(two["topics"][-1]),
                f"{row['ledger'][-1]['stays']:.0%}",
            ]
            print(f"| {' | '.join(cells)} |")
        spread = [
            f"{100 * (max(bic) / min(bic) - 1):.3f} %"
            for bic in zip(*(seed["bic"] for seed in result["seeds"]), strict=True)
        ]
        print(f"{result['corpus']}: seeds differ by {' and '.join(spread)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", choices=["reuters", "20newsgroups", "acl"])
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        table()
    else:
        options.scratch.mkdir(parents=True, exist_ok=True)
        measure(options.corpus, options.scratch)
