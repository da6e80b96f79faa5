"""20-Newsgroups: the whole sweep, and one fit, against fits of the peers."""

from typing import Any

from scipy import sparse

from benchmarks import corpora, ours, peers
from benchmarks.timing import Contender, Settings, interleave, ratio

JOBS = 2
SKLEARN = "scikit-learn LDA"
TOMOTOPY = "tomotopy LDA"


def newsgroups_sweep(settings: Settings) -> dict[str, Any]:
    """Our sweep against one fit of each peer."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    iterations = settings.size(30, 2)
    passes = settings.size(10, 1)
    sweeps = settings.size(1000, 5)
    jobs = settings.size(JOBS, 1)
    ceiling, floor, step = settings.size((100, 10, 2), (10, 4, 2))
    wanted = {
        SKLEARN: (
            "scikit-learn",
            lambda part: peers.sklearn_lda(part, n_topics, iterations, jobs),
        ),
        TOMOTOPY: (
            "tomotopy",
            lambda part: peers.tomotopy_lda(part, n_topics, sweeps, JOBS),
        ),
        "tomotopy HDP": (
            "tomotopy",
            lambda part: peers.tomotopy_hdp(part, sweeps, JOBS),
        ),
        "gensim LdaModel": (
            "gensim",
            lambda part: peers.gensim_lda(part, n_topics, passes, 1),
        ),
        "gensim LdaMulticore": (
            "gensim",
            lambda part: peers.gensim_lda(part, n_topics, passes, JOBS),
        ),
    }
    others, not_run = peers.present(settings, counts, wanted)
    timings = interleave(
        {
            "sweep": lambda seed: ours.sweep(counts, ceiling, floor, step, JOBS, seed),
            **others,
        },
        settings.repeats,
    )
    goals: dict[str, dict[str, Any]] = {
        name: {"goal": "below 1; aim at 0.1", "most": 1.0}
        for name in (SKLEARN, TOMOTOPY)
    }
    return {
        "question": (
            f"Our sweep from {ceiling} to {floor} topics by {step} ({JOBS} threads) "
            f"against one fit of {n_topics} topics: scikit-learn "
            f"LatentDirichletAllocation, max_iter={iterations}, n_jobs={jobs}; "
            f"tomotopy LDAModel and HDPModel, {sweeps} sweeps, {JOBS} workers; gensim "
            f"LdaModel and LdaMulticore ({JOBS} workers), passes={passes}. Peers are "
            "timed in training alone."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": {
            f"sweep / {name}": ratio(timings, "sweep", name, **goals.get(name, {}))
            for name in others
        },
        "not run": not_run,
    }


def newsgroups_fit(settings: Settings) -> dict[str, Any]:
    """Our fit at one order against tomotopy's."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    sweeps = settings.size(1000, 5)
    other, not_run = peers.present(
        settings,
        counts,
        {
            TOMOTOPY: (
                "tomotopy",
                lambda part: peers.tomotopy_lda(part, n_topics, sweeps, JOBS),
            )
        },
    )
    timings = interleave({**_fits(counts, n_topics), **other}, settings.repeats)
    ratios = {}
    if other:
        ratios = {
            f"{TOMOTOPY} / fit to tol": ratio(
                timings, TOMOTOPY, "fit to tol", goal="50 or more", least=50.0
            ),
            f"{TOMOTOPY} / fit to certificate": ratio(
                timings, TOMOTOPY, "fit to certificate"
            ),
        }
    return {
        "question": (
            f"One fit of {n_topics} topics ({JOBS} threads) from the matrix and a "
            "seeded start, until BIC falls by less than 1e-4 of itself and to the "
            f"certificate that no switch pays, against tomotopy LDAModel, {sweeps} "
            f"sweeps, {JOBS} workers."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": ratios,
        "not run": not_run,
    }


def _fits(counts: sparse.csr_array, n_topics: int) -> dict[str, Contender]:
    return {
        "fit to tol": lambda seed: ours.to_tol(counts, n_topics, JOBS, seed),
        "fit to certificate": lambda seed: ours.to_certificate(
            counts, n_topics, JOBS, seed
        ),
    }
