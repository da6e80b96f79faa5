"""All that the benchmarks use of leantopics; the inside of the model is met only here.

Each function returns a `Run`: seconds, and what the fit found.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy import sparse

from benchmarks import corpora
from benchmarks.timing import Run
from leantopics import ParsimoniousTopicModel
from leantopics.engine import engine
from leantopics.ptm import em
from leantopics.ptm.model import EXACT_BELOW
from leantopics.ptm.search import Options, Search
from leantopics.ptm.state import prepare

STEPS = ("word_pass", "word_major", "prices", "topic_pass", "expected_counts")
"""What an iteration of `em.fit` calls, in its order."""


def warm_up() -> float:
    """Compile or load all kernels on a toy corpus; seconds that it took."""
    start = time.perf_counter()
    counts = corpora.toy(n_words=EXACT_BELOW)
    for n_jobs in (1, 2):
        sweep(counts, 10, 4, 2, n_jobs, seed=0)
        to_tol(counts, 4, n_jobs, seed=0)
        to_certificate(counts, 4, n_jobs, seed=0)
    return time.perf_counter() - start


def sweep(
    counts: sparse.csr_array,
    ceiling: int,
    floor: int,
    step: int,
    n_jobs: int,
    seed: int,
) -> Run:
    """The whole range of orders, the best of them to its certificate."""
    model = ParsimoniousTopicModel(
        max_topics=ceiling,
        min_topics=floor,
        step=step,
        n_jobs=n_jobs,
        random_state=seed,
    )
    return _fit(model, counts)


def to_certificate(
    counts: sparse.csr_array, n_topics: int, n_jobs: int, seed: int
) -> Run:
    """One order, until no switch pays."""
    model = ParsimoniousTopicModel(n_topics, n_jobs=n_jobs, random_state=seed)
    return _fit(model, counts)


def to_tol(counts: sparse.csr_array, n_topics: int, n_jobs: int, seed: int) -> Run:
    """One order from a seeded start to ``tol``, as a sweep starts; from the matrix."""
    start = time.perf_counter()
    with engine(n_jobs) as workers:
        search = Search(
            prepare(counts),
            _options(counts.shape[1]),
            np.random.RandomState(seed),
            workers,
            lambda iteration: None,
        )
        fitted = search.start(n_topics)
    return {
        "seconds": time.perf_counter() - start,
        "topics": n_topics,
        "bic": fitted.history[-1].bic,
        "iterations": len(fitted.history),
        "ended": fitted.stop_reason,
    }


def per_iteration(
    counts: sparse.csr_array, n_topics: int, n_jobs: int, iterations: int, seed: int
) -> Run:
    """Mean time of the first iterations; the same seed is the same work."""
    model = ParsimoniousTopicModel(
        n_topics,
        n_jobs=n_jobs,
        random_state=seed,
        callback=lambda step: step.iteration >= iterations,
    ).fit(counts)
    ends = [step.seconds for step in model.history_]
    return {
        "seconds": ends[-1] / len(ends),
        "topics": n_topics,
        "iterations": len(ends),
        "each": np.diff([0.0, *ends]).tolist(),
    }


def steps(
    counts: sparse.csr_array, n_topics: int, iterations: int, seed: int
) -> dict[str, Any]:
    """Seconds and least traffic of each step of an iteration, on one thread."""
    with _stopwatches() as calls:
        run = per_iteration(counts, n_topics, 1, iterations, seed)
    done = run["iterations"]
    out: dict[str, dict[str, Any]] = {}
    for name in STEPS:
        inside = calls[name][-done:]
        out[name] = {
            "seconds": sum(seconds for seconds, _ in inside) / done,
            "bytes": statistics.median(size for _, size in inside),
        }
    known = sum(step["seconds"] for step in out.values())
    out["other"] = {"seconds": max(0.0, run["seconds"] - known), "bytes": None}
    return {"seconds": run["seconds"], "iterations": done, "steps": out}


def _fit(model: ParsimoniousTopicModel, counts: sparse.csr_array) -> Run:
    start = time.perf_counter()
    model.fit(counts)
    return {
        "seconds": time.perf_counter() - start,
        "topics": model.n_topics_,
        "bic": model.bic_,
        "iterations": len(model.history_),
        "orders": len(model.path_),
        "ended": model.stop_reason_,
    }


def _options(n_words: int) -> Options:
    """Settings of the estimator's defaults."""
    model = ParsimoniousTopicModel()
    return Options(
        procedure=model.procedure,
        exact_word_prior=n_words < EXACT_BELOW,
        init=model.init,
        init_docs=model.init_docs,
        max_iter=model.max_iter,
        max_cycles=model.max_cycles,
        tol=model.tol,
    )


@contextmanager
def _stopwatches() -> Iterator[dict[str, list[tuple[float, int]]]]:
    """Time each call that `em.fit` makes of its steps, and size what it moves."""
    calls: dict[str, list[tuple[float, int]]] = {name: [] for name in STEPS}

    def watch(name: str) -> Callable[..., Any]:
        step = getattr(em, name)

        def watched(*arguments: Any) -> Any:
            start = time.perf_counter()
            result = step(*arguments)
            seconds = time.perf_counter() - start
            calls[name].append((seconds, _moved(name, arguments, result)))
            return result

        return watched

    with ExitStack() as stack:
        for name in STEPS:
            stack.enter_context(patch.object(em, name, watch(name)))
        yield calls


def _moved(name: str, arguments: tuple[Any, ...], result: Any) -> int:
    """Bytes of the arrays that a step reads and writes, each of them once."""
    data, *rest = arguments
    if name == "word_pass":
        counts, tokens, salient = rest[:3]
        used = int(counts.size.sum())
        seen: int = used * (counts.word.itemsize + counts.x.itemsize)
        return seen + _size((data.shared, tokens, salient, result))
    if name == "word_major":
        return _size((data, result))
    if name == "prices":
        salient, mixes = rest[0]
        return _size((data.doc_length, mixes, salient.indptr, result))
    return _size((data.shards, rest, result))


def _size(thing: Any) -> int:
    """Bytes of all arrays in a nest of tuples and lists."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, tuple | list):
        return sum(map(_size, thing))
    return 0
