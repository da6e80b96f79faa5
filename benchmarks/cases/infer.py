"""Topics of short documents through a pipe: rate, and memory that does not grow."""

import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import corpora, machine, peers
from benchmarks.timing import Contender, Run, Settings, against_goal, interleave, timed
from leantopics import ParsimoniousTopicModel, TextVectorizer

TOPICS, TOKENS = 50, 12
DRAWN, IN_MEMORY = 100_000, 20_000
"""Different documents that the pipe repeats, and those given to `transform`."""
PARTS = 10
"""How often memory is looked at."""
TRAINED = 3
"""Iterations of scikit-learn's model, a tenth of those of tomotopy's."""
MIB = 2**20


def infer(n_docs: int, settings: Settings) -> dict[str, Any]:
    """Documents per second of us and the peers, and memory along the way."""
    counts = corpora.newsgroups(settings)
    n_docs, n_topics = settings.size((n_docs, TOPICS), (3000, 3))
    short = _short(counts, min(n_docs, settings.size(DRAWN, 1000)))
    some = short[: settings.size(IN_MEMORY, 200)]
    model = ParsimoniousTopicModel(
        n_topics, evidence="words", random_state=0, n_jobs=2
    ).fit(counts)
    seconds, samples = _piped(model, short, n_docs)
    not_run = peers.missing_of(settings, {name: own[0] for name, own in PEERS.items()})
    contenders: dict[str, Contender] = {
        "leantopics transform": lambda _: {
            "seconds": timed(lambda: model.transform(some))
        }
    } | {
        name: prepare(counts, some, n_topics)
        for name, (_, prepare) in PEERS.items()
        if name not in not_run
    }
    timings = interleave(contenders, settings.repeats)
    rates = {name: some.shape[0] / one["median"] for name, one in timings.items()}
    return {
        "question": (
            f"{n_docs:,} documents of {TOKENS} words, drawn from those of "
            f"20-Newsgroups, through a pipe into `leantopics infer MODEL -`, the whole "
            f"process on one thread: reading, cutting into words, inference, printing. "
            f"Memory is RssAnon of that process after each tenth. Beside it the "
            f"inference alone of {some.shape[0]:,} of the documents, given as counts "
            f"or words, by models of {n_topics} topics on one thread; tomotopy with "
            "its default of 100 sweeps."
        ),
        "corpus": corpora.describe(short),
        "figures": {
            "RssAnon at the end / half-way": against_goal(
                samples[-1]["memory"] / samples[PARTS // 2]["memory"],
                "at most 1.1",
                most=1.1,
            ),
            "documents per second, leantopics infer": against_goal(
                n_docs / seconds, ""
            ),
        }
        | {
            f"documents per second, {name}": against_goal(rate, "")
            for name, rate in rates.items()
        },
        "timings": timings,
        "table": {
            "columns": ["documents", "seconds", "RssAnon MiB"],
            "rows": [
                [one["documents"], one["seconds"], one["memory"] / MIB]
                for one in samples
            ],
        },
        "not run": not_run,
    }


def _short(counts: sparse.csr_array, n_docs: int) -> sparse.csr_array:
    """Documents of a few words, all of one document of the corpus."""
    random = np.random.default_rng(0)
    length = np.asarray(counts.sum(axis=1)).ravel()
    ends = np.cumsum(counts.data)
    chosen = random.integers(counts.shape[0], size=n_docs)
    draw = random.random((n_docs, TOKENS)) * length[chosen, None]
    begin = (ends[counts.indptr[chosen + 1] - 1] - length[chosen])[:, None]
    place = np.searchsorted(ends, begin + draw, side="right")
    place = np.minimum(place, counts.indptr[chosen + 1, None] - 1)
    rows = np.repeat(np.arange(n_docs), TOKENS)
    entries = np.ones(rows.size), (rows, counts.indices[place.ravel()])
    return sparse.csr_array(entries, shape=(n_docs, counts.shape[1]))


def _piped(
    model: ParsimoniousTopicModel, short: sparse.csr_array, n_docs: int
) -> tuple[float, list[dict[str, Any]]]:
    """Seconds of the command, and its memory after each part of the documents."""
    lines = [" ".join(words) + "\n" for words in peers.texts(short)]
    with tempfile.TemporaryDirectory() as folder:
        model.analyser_ = _cut_at_blanks(model.vocabulary_)
        model.save(folder + "/model")
        script = str(Path(sys.executable).with_name("leantopics"))
        command = [script, "infer", folder + "/model", "-", "--jobs", "1"]
        begin = time.perf_counter()
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            last: deque[str] = deque(maxlen=1)
            listener = threading.Thread(target=last.extend, args=(process.stdout,))
            listener.start()
            samples = []
            for done, part in _parts(lines, n_docs):
                process.stdin.writelines(part)  # type: ignore[union-attr]
                samples.append(
                    {
                        "documents": done,
                        "seconds": time.perf_counter() - begin,
                        "memory": machine.status(
                            "RssAnon", f"/proc/{process.pid}/status"
                        ),
                    }
                )
            process.stdin.close()  # type: ignore[union-attr]
            listener.join()
        seconds = time.perf_counter() - begin
    answered = int(last[0].split("\t")[0]) + 1
    if process.returncode or answered != n_docs:
        raise RuntimeError(f"The command answered for {answered} of {n_docs}.")
    return seconds, samples


def _parts(lines: list[str], n_docs: int) -> Iterator[tuple[int, Iterator[str]]]:
    """Parts of as many documents, which come again and again, and how many came."""
    stream = cycle(lines)
    for part in range(1, PARTS + 1):
        done = part * n_docs // PARTS
        yield done, islice(stream, done - (part - 1) * n_docs // PARTS)


def _cut_at_blanks(words: list[str]) -> dict[str, Any]:
    """What makes the command count words that are divided by blanks."""
    settings = TextVectorizer(pattern=r"\S+").fit(["any"]).to_dict()
    return settings | {"vocabulary": words, "surface_forms": words}


def _sklearn(
    train: sparse.csr_array, some: sparse.csr_array, n_topics: int
) -> Contender:
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(n_topics, max_iter=TRAINED, random_state=0)
    model.fit(train)
    return lambda _: {"seconds": timed(lambda: model.transform(some))}


def _tomotopy(
    train: sparse.csr_array, some: sparse.csr_array, n_topics: int
) -> Contender:
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, seed=0)
    for words in peers.texts(train):
        model.add_doc(words)
    model.train(10 * TRAINED, workers=1)

    def run(_: int) -> Run:
        documents = [model.make_doc(words) for words in peers.texts(some)]
        return {"seconds": timed(lambda: model.infer(documents, workers=1))}

    return run


PEERS = {
    "scikit-learn LDA transform": ("scikit-learn", _sklearn),
    "tomotopy LDA infer": ("tomotopy", _tomotopy),
}
