"""Visits of documents, recorded in a fit and replayed: their trials, time and results.

python benchmarks/trials.py record labelme --documents 400 --share 0.006 --out FILE \
    --settings '{"procedure": "published", "max_topics": 42, "min_topics": 40}'
python benchmarks/trials.py replay FILE FILE... --repeats 4

Replayed by two versions of the kernels, in turns, a file shows what a change of them
costs and whether it changes any decision. ``--all`` looks at quiet documents, too.
"""

import argparse
import hashlib
import json
import pickle
import random
import sys
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leantopics import ParsimoniousTopicModel
from leantopics.datasets import load
from leantopics.ptm.kernels import documents

TALLIES = ("screened", "rejected", "solved", "accepted")


def record(
    corpus: str, n_docs: int | None, share: float, settings: dict[str, Any]
) -> list[bytes]:
    """Arguments of a random share of the visits of a fit."""
    whole = load(corpus)
    chosen = whole.select(np.arange(min(n_docs or whole.n_docs, whole.n_docs)))
    draw, found, visit = random.Random(0), [], documents.visit

    def look(*given: Any) -> Any:
        if draw.random() < share:
            found.append(pickle.dumps(given[:8]))
        return visit(*given)

    with patch.object(documents, "visit", look), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ParsimoniousTopicModel(
            **{"evidence": "words", "random_state": 0} | settings
        ).fit(chosen)
    return found


def replay(visits: Iterable[bytes], repeats: int, everything: bool) -> dict[str, Any]:
    """Processor time and trials of recorded visits, and digests of what they found."""
    tallies, seconds = np.zeros(4, np.int64), 0.0
    decisions, likelihoods, quiets = hashlib.sha256(), [0.0], hashlib.sha256()
    for repeat in range(repeats):
        for each in map(pickle.loads, visits):
            counts, mixes, salient, table, prices, fresh, values, quiet = each
            if everything:
                quiet[:] = -np.inf
            tried = np.zeros(4, np.int64)
            begun = time.process_time()
            work = documents.scratch(
                counts, mixes, salient.n_topics, len(table.indptr) - 1
            )
            changes = documents.visit(
                counts,
                mixes,
                salient,
                table,
                prices,
                fresh,
                values,
                quiet,
                tried,
                work,
            )
            seconds += time.process_time() - begun
            if repeat == 0:
                tallies += tried
                for array in changes[:3]:
                    decisions.update(np.ascontiguousarray(array).tobytes())
                quiets.update(quiet.tobytes())
                likelihoods.append(float(changes[4].sum()))
    return {
        "seconds": round(seconds, 3),
        **dict(zip(TALLIES, tallies.tolist(), strict=True)),
        "decisions": decisions.hexdigest()[:10],
        "log-likelihood": sum(likelihoods),
        "quiet": quiets.hexdigest()[:10],
    }


def main() -> None:
    """Do as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording, replaying = verbs.add_parser("record"), verbs.add_parser("replay")
    recording.add_argument("corpus")
    recording.add_argument("--documents", type=int)
    recording.add_argument("--share", type=float, default=0.01)
    recording.add_argument("--settings", type=json.loads, default={})
    recording.add_argument("--out", type=Path, required=True)
    replaying.add_argument("files", type=Path, nargs="+")
    replaying.add_argument("--repeats", type=int, default=1)
    replaying.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    if asked.verb == "record":
        found = record(asked.corpus, asked.documents, asked.share, asked.settings)
        asked.out.write_bytes(pickle.dumps(found))
        print(f"{len(found)} visits")
        return
    for file in asked.files:
        found = replay(pickle.loads(file.read_bytes()), asked.repeats, asked.all)
        print(file.name, json.dumps(found))


if __name__ == "__main__":
    main()
