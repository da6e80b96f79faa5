"""Corpora larger than memory, and a fit by several processes."""

import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from benchmarks import corpora, machine, ours
from benchmarks.timing import Run, Settings, against_goal, clock, interleave, ratio
from leantopics import Corpus, load_model
from leantopics.datasets import load_imdb
from leantopics.datasets.registry import locate
from leantopics.engine.dask import local
from leantopics.engine.threads import use

SOURCES = ("imdb", "acl")
TIMES = 14
"""How often the sources are repeated, for more than 3 GiB of counts."""
PARTS = 10
GIB, MB = 2**30, 10**6
TOPICS, ITERATIONS = 100, 5
THREADS, WORKERS = "2 threads", "2 workers of Dask"
UNITS = (("seconds", 1), ("out", MB), ("back", MB))


def on_disk(settings: Settings) -> dict[str, Any]:
    """Convert texts into more than 3 GiB of counts, and fit them from disk."""
    times, n_topics = settings.size((TIMES, TOPICS), (3, 3))
    with TemporaryDirectory() as folder:
        home = Path(folder)
        once, big = home / "once.jsonl.xz", home / "big.jsonl.xz"
        _write(settings, once)
        big.write_bytes(b"".join([once.read_bytes()] * times))
        counted = _counted(once)
        target, model = str(home / "big"), str(home / "model")
        converted = machine.watched(_command("convert", str(big), "-o", target))
        size = sum(file.stat().st_size for file in (home / "big").glob("*.npy"))
        options = ("--topics", str(n_topics), "--max-iter", str(ITERATIONS))
        fitted = machine.watched(
            _command("fit", target, "-o", model, "--seed", "0", *options)
        )
        corpus = Corpus.open(target, check=False)
        found = corpora.describe(corpus.counts)
        steps = [step._asdict() for step in load_model(model).history_]
    speed = counted["cpu_seconds"] * times / converted["cpu_seconds"]
    return {
        "question": (
            f"IMDB (100,000 reviews) and ACL abstracts (65,057), {times} times over: "
            "`leantopics convert big.jsonl.xz -o big` and `leantopics fit big -o model "
            f"--topics {n_topics} --max-iter {ITERATIONS}`. Memory is the anonymous "
            "memory of the process (RssAnon), sampled 20 times a second. Beside it "
            "scikit-learn's CountVectorizer on the texts of one time."
        ),
        "corpus": found,
        "figures": {
            "GiB of counts on disk": against_goal(size / GIB, "more than 3", least=3.0),
            "speed of convert / CountVectorizer, by CPU time": against_goal(
                speed, "0.5 or more", least=0.5
            ),
            "peak GiB of convert": against_goal(converted["peak"] / GIB, ""),
            "peak GiB of fit": against_goal(fitted["peak"] / GIB, "below 2", most=2.0),
        },
        "table": {
            "columns": ["command", "minutes", "peak RssAnon MiB since the row before"],
            "rows": [*_rows("convert", converted), *_rows("fit", fitted)],
        },
        "CountVectorizer": counted,
        "convert": converted,
        "fit": fitted,
        "history": steps,
    }


def _write(settings: Settings, path: Path) -> None:
    """The texts once; compressed files after each other are one."""
    if settings.quick:
        words = [f"word{n}" for n in range(30)]
        lines = [{"text": " ".join(words[n % 3 :: 3])} for n in range(60)]
        data = "".join(json.dumps(line) + "\n" for line in lines).encode()
        path.write_bytes(lzma.compress(data))
    else:
        parts = [_source(settings, name).read_bytes() for name in SOURCES]
        path.write_bytes(b"".join(parts))


def _source(settings: Settings, name: str) -> Path:
    file = locate(name, settings.data)
    if file is None:
        raise FileNotFoundError(f"{name} must be in the folder that --data names.")
    return file


def _texts(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def _counted(path: Path) -> Run:
    with clock() as spent:
        counts = CountVectorizer().fit_transform(_texts(path))
    return spent | {"shape": counts.shape, "stored counts": counts.nnz}


def _command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("leantopics")), *arguments]


def _rows(name: str, run: Run) -> list[list[Any]]:
    """Peaks within each tenth of the time."""
    rows: list[list[Any]] = []
    for part in range(PARTS):
        first, last = (run["seconds"] * (part + n) / PARTS for n in (0, 1))
        here = [peak for seconds, peak in run["samples"] if first <= seconds <= last]
        if here:
            rows.append([name, last / 60, max(here) / 2**20])
    return rows


def cluster(settings: Settings) -> dict[str, Any]:
    """Two worker processes of Dask against two threads, in time per iteration."""
    from distributed import Client

    counts = corpora.toy()
    if not settings.quick:
        counts = load_imdb("all", folder=settings.data).counts
    n_topics, iterations = settings.size((TOPICS, 8), (4, 2))
    sizes = settings.size((25_000, counts.shape[0]), (100, 150))
    timings: dict[str, Any] = {}
    rows = []
    with local(2) as place, Client(place) as client:
        for n_docs in sizes:
            some = corpora.dealt(counts, n_docs)[0]

            def here(_: int, some: Any = some) -> Run:
                return ours.per_iteration(some, n_topics, 2, iterations, seed=0)

            def there(_: int, some: Any = some) -> Run:
                with use(client):
                    return ours.per_iteration(some, n_topics, 1, iterations, seed=0)

            there(0)  # compiles
            contenders = {_label(THREADS, n_docs): here, _label(WORKERS, n_docs): there}
            timings |= interleave(contenders, settings.repeats)
            run = ours.calls_of_works(some, n_topics, iterations, 0, client)
            rows += [
                [
                    n_docs,
                    name,
                    *(fmean(call[key] for call in each) / unit for key, unit in UNITS),
                ]
                for name, each in run["calls"].items()
            ]
    return {
        "question": (
            f"Mean time of the first {iterations} iterations at {n_topics} topics on "
            "IMDB, all reviews or some, two worker processes of Dask against two "
            "threads. Results are the same bits. Below, by work of an iteration: what "
            "goes from the driver to every worker, and what the driver gets back, "
            "pickled."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": {
            f"{WORKERS} / {THREADS}, {n_docs:,} documents": ratio(
                timings,
                _label(WORKERS, n_docs),
                _label(THREADS, n_docs),
                goal="below 1.4",
                most=1.4,
            )
            for n_docs in sizes
        },
        "table": {
            "columns": ["documents", "work", "seconds", "MB to each worker", "MB back"],
            "rows": rows,
        },
    }


def _label(who: str, n_docs: int) -> str:
    return f"{who}, {n_docs:,} documents"
