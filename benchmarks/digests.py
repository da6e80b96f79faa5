"""Digests of fits, to show that a change of the code changed no fitted number.

python benchmarks/digests.py --data FOLDER --out BEFORE.json
python benchmarks/digests.py --data FOLDER --out AFTER.json --against BEFORE.json

Each case is a corpus and a way to fit it. Of what it fits, every array, the path, the
history and the summary of the report are digested by SHA-256, through the public
interface alone. Times are left out. With ``--against``, cases that are in both files
are compared, and the exit code is 1 if anything differs. Times are printed, not kept.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine
from leantopics import (
    LDA,
    Checkpoint,
    Corpus,
    ParsimoniousTopicModel,
    SparseTopicalCoding,
    read_corpus,
)
from leantopics.datasets import (
    load_labelme,
    load_ohsumed,
    load_python_docs,
    load_reuters,
)
from leantopics.engine.threads import use
from leantopics.ptm.checkpoint import FitInterruptedError
from leantopics.report import summarise

GOLDEN = Path("golden", "reference-program", "corpus.ldac")
FEW = {"labelme": 200, "ohsumed": 1500}
"""Documents taken of a corpus that would take long."""
TIMES = {"seconds", "versions", "versions_", "created", "leantopics"}
"""Fields that may differ from run to run or from version to version."""

Digests = dict[str, str]


class Corpora:
    """The corpora, each read once."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.golden = cache(self._golden)
        self.python_docs = cache(load_python_docs)
        self.reuters = cache(lambda: load_reuters(folder=data))
        self.labelme = cache(lambda: self._few("labelme", load_labelme))
        self.ohsumed = cache(lambda: self._few("ohsumed", load_ohsumed))

    def _golden(self) -> Corpus:
        return read_corpus(self._data.resolve().parent / GOLDEN)

    def _few(self, name: str, load: Callable[..., Corpus]) -> Corpus:
        return load(folder=self._data).select(np.arange(FEW[name]))


def cases(corpora: Corpora) -> Iterator[tuple[str, Callable[[], Digests]]]:
    """Name and work of every case."""
    names = ("golden", "python_docs", "reuters", "labelme", "ohsumed")
    for name in names:
        load = getattr(corpora, name)
        for seed, evidence in product((0, 1), ("words", "bursts")):
            label = "default" if evidence == "words" else evidence
            work = partial(_fit, load, evidence, random_state=seed, n_jobs=1 + seed)
            yield f"{name} {label}, seed {seed}", work
    few = {"max_topics": 16, "step": 4}
    recipes: dict[str, dict[str, Any]] = {
        "sweep": few,
        "sweep up": {**few, "sweep": "up"},
        "published": {**few, "procedure": "published"},
        "learned": {"n_topics": 12, "shared": "learned"},
        "switched": {"n_topics": 12, "prediction": "switched", "inference": "all"},
        "starts": {"n_topics": 8, "n_init": 2, "init": "random", "refine": 2},
    }
    for name in ("golden", "reuters", "labelme"):
        load = getattr(corpora, name)
        for recipe, settings in recipes.items():
            work = partial(_fit, load, random_state=0, n_jobs=2, **settings)
            yield f"{name} {recipe}", work
    baselines = {
        "LDA": LDA(8, max_iter=15, random_state=0, n_jobs=2),
        "LDA swept": LDA(6, max_topics=8, max_iter=8, random_state=0),
        "LDA background": LDA(
            6, background=True, smoothing=0.1, max_iter=15, random_state=0
        ),
        "STC": SparseTopicalCoding(6, max_iter=8, random_state=0, n_jobs=2),
    }
    for name in ("golden", "reuters"):
        load = getattr(corpora, name)
        for kind, model in baselines.items():
            yield f"{name} {kind}", partial(_fitted, model, load)
    yield "golden on Dask", lambda: _on_dask(corpora.golden())
    yield "python_docs on Dask", lambda: _on_dask(corpora.python_docs(), n_topics=20)
    yield "golden on disk", lambda: _on_disk(corpora.golden())
    yield "golden stopped and resumed", lambda: _resumed(corpora.golden())
    yield "golden edited", lambda: _edited(corpora.golden())


def _fit(
    load: Callable[[], Corpus], evidence: str = "words", **settings: Any
) -> Digests:
    return _fitted(ParsimoniousTopicModel(evidence=evidence, **settings), load)


def _fitted(model: Any, load: Callable[[], Corpus]) -> Digests:
    return _digests(model.fit(load()), load())


def _on_dask(corpus: Corpus, **settings: Any) -> Digests:
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        use(client),
    ):
        model = ParsimoniousTopicModel(
            evidence="words", random_state=0, **settings
        ).fit(corpus)
    return _digests(model, corpus)


def _on_disk(corpus: Corpus) -> Digests:
    with tempfile.TemporaryDirectory() as folder:
        corpus.save(folder + "/c")
        return _fit(partial(Corpus.open, folder + "/c"), random_state=0)


def _resumed(corpus: Corpus) -> Digests:
    """A fit that is stopped thirty iterations after each start."""
    with tempfile.TemporaryDirectory() as folder:
        iterations = 0
        while True:
            iterations += 30
            checkpoint = Checkpoint(folder + "/c", every=1e9)
            left = iter(range(iterations))

            def stop(step: Any, checkpoint: Checkpoint = checkpoint, left: Any = left):
                checkpoint.stop = next(left, None) is None

            model = ParsimoniousTopicModel(
                evidence="words", random_state=0, callback=stop
            )
            try:
                model.fit(corpus, checkpoint=checkpoint)
            except FitInterruptedError:
                continue
            return _digests(model, corpus)


def _edited(corpus: Corpus) -> Digests:
    model = ParsimoniousTopicModel(10, evidence="words", random_state=0).fit(corpus)
    return _digests(model.edit(corpus, merge=[(0, 1)], drop=[5]), corpus)


def _digests(model: Any, corpus: Corpus) -> Digests:
    """Digest of every public attribute and of every answer of a model."""
    found = {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and name not in TIMES
    }
    found["predictive_components_"] = model.predictive_components_
    few = corpus.select(np.arange(min(200, corpus.n_docs)))
    found["transform"] = model.transform(few)
    found["score"] = model.score(few)
    found["top_words"] = [model.top_words(j) for j in range(model.n_topics_)]
    found["topic_names"] = model.topic_names
    if isinstance(model, ParsimoniousTopicModel):
        found["components_"] = model.components_
        found["summary"] = summarise(model, few)
        found["explain"] = [list(each) for each in model.explain(few)]
        fewest = min(row["n_topics"] for row in model.path_)
        found["fewest topics"] = model.at(fewest).salient_word_prob_
    return {name: digest(value) for name, value in sorted(found.items())}


def digest(value: Any) -> str:
    """SHA-256 of anything made of arrays and what JSON knows, but for times.

    Examples
    --------
    >>> digest([1, 2.0])[:8] == digest((1, 2.0))[:8]
    True
    """
    hashed = hashlib.sha256()
    _feed(hashed, value)
    return hashed.hexdigest()


def _feed(hashed: Any, value: Any) -> None:
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if sparse.issparse(value):
        rows = sparse.csr_array(value)
        _feed(hashed, [rows.shape, rows.indptr, rows.indices, rows.data])
    elif isinstance(value, np.ndarray):
        kind = {"i": "<i8", "u": "<i8", "f": "<f8"}.get(value.dtype.kind, value.dtype)
        hashed.update(f"{value.shape}".encode())
        hashed.update(np.ascontiguousarray(value, dtype=kind).tobytes())
    elif isinstance(value, dict):
        kept = {str(key): value[key] for key in value if str(key) not in TIMES}
        for key in sorted(kept):
            hashed.update(f"{key}:".encode())
            _feed(hashed, kept[key])
    elif isinstance(value, list | tuple):
        hashed.update(f"[{len(value)}".encode())
        for each in value:
            _feed(hashed, each)
    elif isinstance(value, np.generic):
        _feed(hashed, value.item())
    else:
        hashed.update(f"{value!r};".encode())


def compare(before: dict[str, Digests], after: dict[str, Digests]) -> list[str]:
    """What differs in cases that both have."""
    return [
        f"{case}: {name}"
        for case in before.keys() & after.keys()
        for name in sorted(before[case].keys() & after[case].keys())
        if before[case][name] != after[case][name]
    ]


def main() -> int:
    """Do as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="", help="cases whose name begins so")
    asked = parser.parse_args()
    found: dict[str, Digests] = {}
    for name, work in cases(Corpora(asked.data)):
        if not name.startswith(asked.only):
            continue
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[name] = work()
        print(f"{name}: {time.perf_counter() - begin:.1f} s", flush=True)
        kept = {"commit": machine.commit(), "cases": found}
        asked.out.write_text(json.dumps(kept, indent=1) + "\n")
    if asked.against is None:
        return 0
    before = json.loads(asked.against.read_text())["cases"]
    wrong = compare(before, found)
    both = len(before.keys() & found.keys())
    print(*wrong, f"{both} cases compared, {len(wrong)} differences", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
