"""What is not our model: an EM iteration of LDA, and coherence."""

import warnings
from typing import Any

from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from benchmarks import corpora, ours, peers
from benchmarks.timing import (
    Contender,
    Run,
    Settings,
    against_goal,
    interleave,
    ratio,
    timed,
)
from leantopics import LDA, evaluation

SKLEARN = "scikit-learn LDA"
INNER = 20
FEW, MANY = 1, 4


def lda_iteration(settings: Settings) -> dict[str, Any]:
    """An EM iteration of our LDA against scikit-learn's, with as many inner steps."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(100, 4)
    other, not_run = peers.present(
        settings,
        counts,
        {SKLEARN: ("scikit-learn", lambda part: _sklearn(part, n_topics))},
    )
    _leantopics(corpora.toy(), 2)(0)
    timings = interleave(
        {"LDA": _leantopics(counts, n_topics), **other}, settings.repeats
    )
    return {
        "question": (
            f"An EM iteration at {n_topics} topics on 20-Newsgroups, one thread, "
            f"{INNER} updates of every document: the time of {MANY} iterations less "
            f"that of {FEW}, divided by {MANY - FEW}."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": {
            f"LDA / {name}": ratio(timings, "LDA", name, goal="at most 1", most=1.0)
            for name in other
        },
        "not run": not_run,
    }


def _leantopics(counts: sparse.csr_array, n_topics: int) -> Contender:
    def fit(iterations: int, seed: int) -> None:
        LDA(
            n_topics,
            max_iter=iterations,
            tol=0.0,
            doc_max_iter=INNER,
            doc_tol=0.0,
            random_state=seed,
        ).fit(counts)

    return _between(fit)


def _sklearn(counts: sparse.csr_array, n_topics: int) -> Contender:
    from sklearn.decomposition import LatentDirichletAllocation

    def fit(iterations: int, seed: int) -> None:
        LatentDirichletAllocation(
            n_topics,
            max_iter=iterations,
            max_doc_update_iter=INNER,
            mean_change_tol=0.0,
            random_state=seed,
        ).fit(counts)

    return _between(fit)


def _between(fit: Any) -> Contender:
    def run(seed: int) -> Run:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            few, many = (timed(lambda n=n: fit(n, seed)) for n in (FEW, MANY))
        return {"seconds": (many - few) / (MANY - FEW)}

    return run


def npmi(settings: Settings) -> dict[str, Any]:
    """NPMI of topics with the document as window, against gensim."""
    counts = corpora.newsgroups(settings)
    n_topics = settings.size(50, 3)
    model = ours.certified(counts, n_topics, 2, seed=0)
    topics = [
        [int(word) for word in words]
        for words in evaluation.top_words(model.salient_word_prob_, 10)
    ]
    other, not_run = peers.present(
        settings,
        counts,
        {"gensim c_npmi": ("gensim", lambda part: _gensim(part, topics))},
    )

    def run(_: int) -> Run:
        return {
            "seconds": timed(lambda: evaluation.coherence(topics, counts, "npmi")),
            "value": evaluation.coherence(topics, counts, "npmi").value,
        }

    run(0)
    timings = interleave({"NPMI": run, **other}, settings.repeats)
    return {
        "question": (
            f"NPMI of the 10 first words of {n_topics} topics on 20-Newsgroups, the "
            "document as window; gensim with one process and a window longer than any "
            "document."
        ),
        "corpus": corpora.describe(counts),
        "timings": timings,
        "ratios": {f"{name} / NPMI": ratio(timings, name, "NPMI") for name in other},
        "figures": {
            "seconds": against_goal(
                timings["NPMI"]["median"], "well below 1", most=0.5
            ),
            **{
                f"difference of the value from {name}": against_goal(
                    abs(
                        timings["NPMI"]["runs"][0]["value"]
                        - timings[name]["runs"][0]["value"]
                    ),
                    "below 1e-6",
                    most=1e-6,
                )
                for name in other
            },
        },
        "not run": not_run,
    }


def _gensim(counts: sparse.csr_array, topics: list[list[int]]) -> Contender:
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    texts = [
        [str(word) for word in counts.indices[low:high]]
        for low, high in zip(counts.indptr, counts.indptr[1:], strict=False)
    ]
    known = Dictionary(texts)
    names = [[str(word) for word in words] for words in topics]
    if not all(name in known.token2id for words in names for name in words):
        names = [sorted(known.token2id)[:2]]  # the toy that warms it up

    def run(_: int) -> Run:
        model = CoherenceModel(
            topics=names,
            texts=texts,
            dictionary=known,
            coherence="c_npmi",
            window_size=max(map(len, texts)) + 1,
            processes=1,
        )
        found: list[float] = []
        seconds = timed(lambda: found.append(model.get_coherence()))
        return {"seconds": seconds, "value": found[0]}

    return run
