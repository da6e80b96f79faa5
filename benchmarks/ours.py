"""All that the benchmarks use of leantopics; the inside of the model is met only here.

Each function returns a `Run`: seconds, and what the fit found.
"""

import pickle
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy import sparse

from benchmarks import corpora
from benchmarks.timing import Run, clock
from leantopics import ParsimoniousTopicModel
from leantopics.engine.dask import Cluster
from leantopics.engine.threads import FAN_IN, Inline, Job, Round, engine, use
from leantopics.models import base
from leantopics.models.sweep import best_number
from leantopics.ptm import checkpoint, em
from leantopics.ptm.estimator import EXACT_BELOW
from leantopics.ptm.group_tasks import Part
from leantopics.ptm.search import choice, from_above, from_below
from leantopics.ptm.search.fitter import Fitter, Options
from leantopics.ptm.search.steps import coarse, fine, merge_best
from leantopics.ptm.state import prepare

STEPS = ("word_pass", "word_major", "prices", "topic_pass", "expected")
"""What an iteration of `em.fit` calls, in its order."""
LINE = 64
"""Bytes that memory hands over at once."""
BY_WORDS = partial(ParsimoniousTopicModel, evidence="words")


@cache
def warm_up() -> float:
    """Use everything once, on a toy corpus; seconds that it took."""
    start = time.perf_counter()
    counts = corpora.toy(n_words=EXACT_BELOW)
    for n_jobs in (1, 2):
        sweep(counts, 10, 4, 2, n_jobs, seed=0)
        to_tol(counts, 4, n_jobs, seed=0)
        to_certificate(counts, 4, n_jobs, seed=0)
    _fit(BY_WORDS(max_topics=4, random_state=0), counts)  # rough, merges
    refined(certified(counts, 4, 1, seed=0), counts, passes=1)
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
    model = BY_WORDS(
        max_topics=ceiling,
        min_topics=floor,
        step=step,
        n_jobs=n_jobs,
        random_state=seed,
    )
    return _fit(model, counts)


def search(counts: sparse.csr_array, seed: int) -> Run:
    """The default search for the number of topics, on one thread."""
    return _fit(BY_WORDS(random_state=seed), counts)


def full_search(counts: sparse.csr_array, seed: int) -> Run:
    """The default search if it did not adapt: fine steps, to tol, all the way.

    Down to two topics, or, where documents are mixed, up to twice the best order.
    """

    def full(fitter: Fitter, ceiling: int, floor: int, limit: int) -> Any:
        start = from_above.first(fitter, ceiling)
        if fitter.mixed:
            n_topics = floor
            fitted = fitter.fit(fitter.data, fitter.first(floor), certify=False)
        else:
            fitted, _ = from_above.begin(fitter, start, floor)
            n_topics = fitted.parameters.n_topics
        path = {n_topics: fitted}
        while fitter.mixed and n_topics < 2 * best_number(fitter, path):
            n_topics += fine_step(n_topics)
            fitted = path[n_topics] = fitter.more(fitted, n_topics)
        while not fitter.mixed and n_topics > floor:
            n_topics = fine(n_topics, floor)
            fitted = fitter.fewer(fitted, n_topics, merging=True)
            path[n_topics] = fitted
        if fitter.mixed:
            best = best_number(fitter, path)
            path |= from_below.split_and_prune(
                fitter, best, path[best], floor, limit, hasty=False
            )
        return merge_best(fitter, path, floor)

    with (
        patch.object(choice, "search", full),
        patch.object(from_above, "coarse", fine),
        patch.object(from_above, "_ROUGH", ParsimoniousTopicModel().max_iter),
    ):
        return search(counts, seed)


def fine_step(n_topics: int) -> int:
    """Topics that a fine step of the default search removes from so many."""
    return n_topics - fine(n_topics, 0)


def coarse_step(n_topics: int) -> int:
    """Topics that a coarse step of the default search removes from so many."""
    return n_topics - coarse(n_topics, 1)


def refined(
    model: ParsimoniousTopicModel, counts: sparse.csr_array, passes: int
) -> ParsimoniousTopicModel:
    """The model that the same fit would give with ``refine=passes``."""
    other = copy(model)
    other.refine = passes
    other._fit_predictor(prepare(counts))
    return other


def topic_prior(model: ParsimoniousTopicModel) -> np.ndarray:
    """Prior a (M,) of the proportions of new documents."""
    return model._predictor().shrunk_prior


def to_certificate(
    counts: sparse.csr_array, n_topics: int, n_jobs: int, seed: int
) -> Run:
    """One order, until no switch pays."""
    return _fit(BY_WORDS(n_topics, n_jobs=n_jobs, random_state=seed), counts)


def with_checkpoints(
    counts: sparse.csr_array, n_topics: int, seed: int, every: float
) -> Run:
    """`to_certificate` on one thread, and what each of its "checkpoints" took."""
    model = BY_WORDS(n_topics, random_state=seed)
    written: list[Run] = []

    def keep(self: checkpoint.Checkpoint, *arguments: Any) -> None:
        before = self._written
        with clock() as spent:
            keep_if_due(self, *arguments)
        if self._written > before:
            written.append(spent)

    keep_if_due = checkpoint.Checkpoint._keep
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(checkpoint.Checkpoint, "_keep", keep),
    ):
        kept = checkpoint.Checkpoint(folder + "/c", every)
        found = _fit(model, counts, checkpoint=kept)
    return found | {"checkpoints": written}


def certified(
    counts: sparse.csr_array, n_topics: int, n_jobs: int, seed: int
) -> ParsimoniousTopicModel:
    """The model that `to_certificate` fits."""
    return BY_WORDS(n_topics, n_jobs=n_jobs, random_state=seed).fit(counts)


def unhurried(counts: sparse.csr_array, n_topics: int, n_jobs: int, seed: int) -> Run:
    """The same without shortcuts: all documents are looked at in every iteration."""
    model = BY_WORDS(
        n_topics,
        n_jobs=n_jobs,
        random_state=seed,
        max_iter=1000,
        max_cycles=1000,
    )

    def look_at_all(*arguments: Any) -> Any:
        *most, _, workers = arguments
        return topic_pass(*most, True, workers)

    topic_pass = em.topic_pass
    with patch.object(em, "topic_pass", look_at_all):
        return _fit(model, counts)


def to_tol(counts: sparse.csr_array, n_topics: int, n_jobs: int, seed: int) -> Run:
    """One order from the matrix and a seeded start until BIC falls by less than 1e-4.

    An order of a sweep goes on until few documents change their topics, too.
    """
    start, bic = time.perf_counter(), [np.inf]

    def settled(iteration: em.Iteration) -> bool:
        bic.append(iteration.bic)
        return bic[-2] - bic[-1] <= 1e-4 * bic[-1]

    with engine(n_jobs) as workers:
        fitter = Fitter(
            prepare(counts),
            _options(counts.shape[1]),
            np.random.RandomState(seed),
            workers,
            settled,
        )
        fitted = fitter.start(n_topics)
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
    """Mean time of the first iterations; the same seed is the same work.

    "cpu" has the processor time of each iteration after the first, "entries" how many
    topics have a word as salient, on average over the stored counts, "mixed" how many
    topics a document has.
    """
    busy: list[float] = []

    def watch(step: Any) -> bool:
        busy.append(time.process_time())
        return bool(step.iteration >= iterations)

    model = BY_WORDS(n_topics, n_jobs=n_jobs, random_state=seed, callback=watch).fit(
        counts
    )
    ends = [step.seconds for step in model.history_]
    salient = np.bincount(model.salient_word_prob_.indices, minlength=counts.shape[1])
    return {
        "seconds": ends[-1] / len(ends),
        "topics": n_topics,
        "iterations": len(ends),
        "each": np.diff([0.0, *ends]).tolist(),
        "cpu": np.diff(busy).tolist(),
        "entries": float(salient[counts.indices].mean()),
        "mixed": model.topic_proportions_.nnz / counts.shape[0],
        "salient": int(salient.sum()),
    }


def calls_of_works(
    counts: sparse.csr_array,
    n_topics: int,
    iterations: int,
    seed: int,
    client: Any = None,
) -> Run:
    """`per_iteration` on one thread or a cluster; "calls" of works after the first one.

    A call has its time, the bytes of what every group is given and of what comes back,
    both pickled, and the entries of the expected counts if there are any, with the
    seconds that one entry of a part takes when parts are added.
    """
    calls: dict[str, list[Run]] = {}

    class Counting(Inline if client is None else Cluster):  # type: ignore[misc]
        def each(self, job: Job) -> Round:
            task, given = job.task, (job.shared, job.own)
            with clock() as spent:
                done = super().each(job)
            with clock() as aside:
                is_sum = isinstance(done.total, Part)
                sent = {
                    "out": len(pickle.dumps(given)),
                    "back": len(pickle.dumps(done[1:])),
                    "entries": int(done.total.counts.size.sum()) if is_sum else 0,
                    "aside": aside,
                }
                if is_sum:
                    sent["adding"] = _adding(task.add, done.total)
            calls.setdefault(task.work.__name__, []).append(spent | sent)
            return done

    @contextmanager
    def counting(n_threads: int) -> Iterator[Inline]:
        yield Counting()

    with ExitStack() as stack:
        if client is None:
            stack.enter_context(patch.object(base, "engine", counting))
        else:
            stack.enter_context(use(client))
            stack.enter_context(patch.object(base, "Cluster", Counting))
        run = per_iteration(counts, n_topics, 1, iterations, seed)
    later = len(run["cpu"])
    inside = {name: calls[name][-later:] for name in ("visit", "settle")}
    aside = [
        call.pop("aside")["cpu_seconds"] for each in inside.values() for call in each
    ]
    return run | {"calls": inside, "aside": sum(aside) / run["iterations"]}


def _adding(add: Any, part: Any) -> float:
    """Seconds an entry of a part takes when as many are added as a node has."""
    with clock() as spent:
        add([part] * FAN_IN)
    return float(spent["cpu_seconds"] / (FAN_IN * max(1, part.counts.size.sum())))


def steps(
    counts: sparse.csr_array, n_topics: int, iterations: int, seed: int
) -> dict[str, Any]:
    """Seconds and least traffic of each step of an iteration, on one thread.

    Lines are those of 64 bytes that a step has to fetch from the salient table.
    """
    with _stopwatches() as calls:
        run = per_iteration(counts, n_topics, 1, iterations, seed)
    done = run["iterations"]
    out: dict[str, dict[str, Any]] = {}
    aside = 0.0
    for name in STEPS:
        inside = calls[name][-done:]
        out[name] = {
            key: statistics.fmean(call[key] for call in inside)
            for key in ("seconds", "bytes", "lines")
        }
        aside += sum(call["aside"] for call in inside)
    run["seconds"] -= aside / done
    known = sum(step["seconds"] for step in out.values())
    out["other"] = {"seconds": run["seconds"] - known, "bytes": None, "lines": None}
    table = statistics.fmean(call["result"] for call in calls["word_major"][-done:])
    return {
        "seconds": run["seconds"],
        "iterations": done,
        "steps": out,
        "table_bytes": round(table),
    }


def _fit(
    model: ParsimoniousTopicModel, counts: sparse.csr_array, **options: Any
) -> Run:
    with clock() as spent:
        model.fit(counts, **options)
    return {
        **spent,
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
        removal="mass",
        exact_word_prior=n_words < EXACT_BELOW,
        shared=model.shared,
        init=model.init,
        init_docs=model.init_docs,
        max_iter=model.max_iter,
        max_cycles=model.max_cycles,
        tol=model.tol,
    )


@contextmanager
def _stopwatches() -> Iterator[dict[str, list[dict[str, float]]]]:
    """Time each call that `em.fit` makes of its steps, and size what it moves.

    A call is "seconds", "bytes" moved, "lines" fetched, bytes of its "result", and the
    seconds it took to find these out, "aside".
    """
    calls: dict[str, list[dict[str, float]]] = {name: [] for name in STEPS}

    def watch(name: str) -> Callable[..., Any]:
        step = getattr(em, name)

        def watched(*arguments: Any, **own: Any) -> Any:
            start = time.perf_counter()
            result = step(*arguments, **own)
            end = time.perf_counter()
            call = {
                "seconds": end - start,
                "bytes": _moved(name, arguments, result),
                "lines": _lines(name, arguments),
                "result": _size(result),
            }
            calls[name].append(call | {"aside": time.perf_counter() - end})
            return result

        return watched

    with ExitStack() as stack:
        for name in STEPS:
            stack.enter_context(patch.object(em, name, watch(name)))
        yield calls


def _moved(name: str, arguments: tuple[Any, ...], result: Any) -> int:
    """Bytes of the arrays that a step reads and writes, each of them once."""
    if name == "prices":
        return _size((arguments, result))
    if name == "expected":
        _, data, topics, _, *shared = arguments
        return _size((_shards(data), topics, shared, result))
    data, *rest = arguments
    if name == "word_pass":
        counts, tokens, salient = rest[:3]
        used = int(counts.size.sum())
        seen: int = used * (counts.word.itemsize + counts.x.itemsize)
        return seen + _size((data.shared, tokens, salient, result))
    if name == "word_major":
        return _size((data, result))
    return _size((_shards(data), rest, result))


def _shards(data: Any) -> list[Any]:
    return [shard for group in data.groups for shard in group.open().shards]


def _lines(name: str, arguments: tuple[Any, ...]) -> int:
    """Lines of the salient table that a step has to fetch, one by one.

    For each word of each document that the topic pass has to look at: where its entries
    begin, and its entries.
    """
    if name != "topic_pass":
        return 0
    data, topics, _, (indptr, *entries), _, thorough = arguments[:6]
    lines = np.ones(data.n_words, dtype=np.int64)
    indptr = indptr.astype(np.int64)
    used = indptr[1:] > indptr[:-1]
    for array in entries:
        per_line = LINE // array.itemsize
        span = (indptr[1:] - 1) // per_line - indptr[:-1] // per_line + 1
        lines += np.where(used, span, 0)
    total = 0
    all_quiet = [quiet for group in topics for quiet in group.quiet]
    for shard, quiet in zip(_shards(data), all_quiet, strict=True):
        seen = (quiet <= 0.0) | thorough
        words = shard.indices[np.repeat(seen, np.diff(shard.indptr))]
        total += int(lines[words].sum())
    return total


def _size(thing: Any) -> int:
    """Bytes of all arrays in a nest of tuples and lists."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, tuple | list):
        return sum(map(_size, thing))
    return 0
