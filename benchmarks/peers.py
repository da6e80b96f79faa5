"""The peers, each optional: a contender that is not installed is named, with reason.

Documents of the peers are made of the same matrix before the clock starts; what is
timed is their training alone.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import corpora, machine
from benchmarks.timing import Contender, Run, Settings, timed

NAMES = ("scikit-learn", "gensim", "tomotopy", "pyrmallet")
Maker = Callable[[sparse.csr_array], Contender]


def missing(settings: Settings) -> dict[str, str]:
    """Peers that will not run, and why."""
    out = {}
    for name in NAMES:
        if name in settings.without:
            out[name] = "left out by --without"
        elif machine.version(name) is None:
            out[name] = f"not installed (pip install {name})"
    return out


def missing_of(settings: Settings, packages: Mapping[str, str]) -> dict[str, str]:
    """Contenders that will not run, and why, given the package of each."""
    absent = missing(settings)
    return {label: absent[name] for label, name in packages.items() if name in absent}


def announce(settings: Settings) -> None:
    """Say loudly which peers will not run."""
    for name, reason in missing(settings).items():
        print(f"*** {name} DOES NOT RUN: {reason} ***", file=sys.stderr)


def present(
    settings: Settings, counts: sparse.csr_array, wanted: dict[str, tuple[str, Maker]]
) -> tuple[dict[str, Contender], dict[str, str]]:
    """Contenders whose package is there, warmed up, and the others with the reason.

    ``wanted`` has, by label, the package and what makes the contender of a matrix.
    """
    absent = missing(settings)
    contenders, reasons = {}, {}
    for label, (name, make) in wanted.items():
        if name in absent:
            reasons[label] = absent[name]
        else:
            make(corpora.toy())(0)
            contenders[label] = make(counts)
    return contenders, reasons


def sklearn_lda(
    counts: sparse.csr_array, n_topics: int, iterations: int, n_jobs: int
) -> Contender:
    """scikit-learn: variational Bayes in batches of documents."""
    from sklearn.decomposition import LatentDirichletAllocation

    def run(seed: int) -> Run:
        model = LatentDirichletAllocation(
            n_topics, max_iter=iterations, n_jobs=n_jobs, random_state=seed
        )
        return {"seconds": timed(lambda: model.fit(counts)), "topics": n_topics}

    return run


def gensim_lda(
    counts: sparse.csr_array, n_topics: int, passes: int, workers: int
) -> Contender:
    """gensim: LdaModel for one worker, LdaMulticore for more."""
    from gensim.models import LdaModel, LdaMulticore

    documents = bags(counts)
    names = word_names(counts)

    def run(seed: int) -> Run:
        common: dict[str, Any] = {
            "corpus": documents,
            "id2word": names,
            "num_topics": n_topics,
            "passes": passes,
            "eval_every": None,
            "random_state": seed,
        }
        if workers == 1:
            seconds = timed(lambda: LdaModel(**common))
        else:
            seconds = timed(lambda: LdaMulticore(workers=workers, **common))
        return {"seconds": seconds, "topics": n_topics}

    return run


def tomotopy_lda(
    counts: sparse.csr_array, n_topics: int, sweeps: int, workers: int
) -> Contender:
    """tomotopy LDAModel: collapsed Gibbs sampling."""
    import tomotopy

    return _sampler(
        counts, lambda seed: tomotopy.LDAModel(k=n_topics, seed=seed), sweeps, workers
    )


def tomotopy_hdp(counts: sparse.csr_array, sweeps: int, workers: int) -> Contender:
    """tomotopy HDPModel: a sampler that chooses its number of topics too."""
    import tomotopy

    return _sampler(counts, lambda seed: tomotopy.HDPModel(seed=seed), sweeps, workers)


def _sampler(
    counts: sparse.csr_array, make: Callable[[int], Any], sweeps: int, workers: int
) -> Contender:
    documents = texts(counts)

    def run(seed: int) -> Run:
        model = make(seed)
        for document in documents:
            model.add_doc(document)
        seconds = timed(lambda: model.train(sweeps, workers=workers))
        topics = getattr(model, "live_k", model.k)
        return {
            "seconds": seconds,
            "topics": int(topics),
            "log-likelihood per word": float(model.ll_per_word),
        }

    return run


def bags(counts: sparse.csr_array) -> list[list[tuple[int, float]]]:
    """Documents as gensim takes them."""
    return [
        list(zip(words.tolist(), times.tolist(), strict=True))
        for words, times in _rows(counts)
    ]


def word_names(counts: sparse.csr_array) -> dict[int, str]:
    """The dictionary that gensim asks for."""
    return {n: str(n) for n in range(counts.shape[1])}


def texts(counts: sparse.csr_array) -> list[list[str]]:
    """Documents as tomotopy takes them: each word as often as it was counted."""
    return [
        np.repeat(words, times.astype(np.int64)).astype(str).tolist()
        for words, times in _rows(counts)
    ]


def plain_texts(counts: sparse.csr_array) -> list[str]:
    """Documents as pyrmallet takes them: texts, of words that have letters only."""
    names = np.array([_spelled(n) for n in range(counts.shape[1])])
    return [
        " ".join(np.repeat(names[words], times.astype(np.int64)))
        for words, times in _rows(counts)
    ]


def spelled_numbers(words: Iterable[str]) -> list[int]:
    """Numbers of the words of `plain_texts`."""
    return [
        sum((ord(c) - 97) * 26**p for p, c in enumerate(word[1:])) for word in words
    ]


def _spelled(n: int) -> str:
    return "w" + "".join(chr(97 + n // 26**p % 26) for p in range(4))


def _rows(counts: sparse.csr_array) -> list[tuple[np.ndarray, np.ndarray]]:
    """Words and counts of every document."""
    ends = counts.indptr[1:-1]
    return list(
        zip(np.split(counts.indices, ends), np.split(counts.data, ends), strict=True)
    )
