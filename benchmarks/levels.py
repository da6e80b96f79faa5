"""Words or bursts as evidence: what hangs on it, one fit a cell.

python benchmarks/levels.py --scratch FOLDER

Each fit is one file in results/levels/, written when it is done. Fits that are there
are not made again, so the program goes on where it was interrupted. A fit by bursts
that chooses its number begins from one by words, which is written, too. The scratch
folder holds the topics of the documents, with which fits of different seeds are
compared. Between them come the fits of begins.py, the most informative first.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_mutual_info_score, fowlkes_mallows_score
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine, ours
from benchmarks.timing import clock
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics.datasets import acl, imdb, load_python_docs, newsgroups, ohsumed
from leantopics.datasets import reuters as news
from leantopics.evaluation import coherence, top_words, topic_diversity
from leantopics.io import Record, open_records
from leantopics.ptm.stability import SAME, agreement
from leantopics.text import TextVectorizer, count_texts

RESULTS = Path(__file__).resolve().parent / "results" / "levels"
EVIDENCE = ("words", "bursts")
OURS, PEERS = {*EVIDENCE}, ("NMF", "LDA")
NUMBERS = (10, 20, 50)
SEEDS = 10
CLASSES = {"python_docs": 72, "reuters": 35, "20newsgroups": 20, "ohsumed": 23}
"""Classes of a corpus, over documents of one class."""
SMALL = ("reuters", "python_docs", "20newsgroups")
LARGE = ("ohsumed", "imdb", "acl")
RAW, RAW_NUMBERS = "20newsgroups_raw", (10, 20, 30, 40, 50)
SAMPLE = 10_000
"""Documents of the greatest corpora: a sample that is always the same."""
WORDS = 10
"""Words of a topic that are shown."""
LETTERS = r"[^\W\d_]{3,}"


class Fit(NamedTuple):
    """One fit; its name is that of its file."""

    corpus: str
    stop_list: bool
    model: str
    """Evidence of ours, or a peer."""
    topics: int | str
    seed: int

    @property
    def name(self) -> str:
        stop = "stop" if self.stop_list else "all"
        return f"{self.corpus}-{stop}-{self.model}-{self.topics}-{self.seed}"


def plan() -> Iterator[Fit]:
    """The most informative fits."""
    for corpus in SMALL[:2]:
        yield from _chosen([corpus], range(SEEDS))
    for seed in range(3):
        yield from _given(SMALL, [seed])
    yield from (Fit(RAW, False, "bursts", n, 0) for n in RAW_NUMBERS)
    for seed in range(3):
        yield from _classes(SMALL, seed)
    yield from _chosen(SMALL[2:], range(SEEDS))
    for seed, n in product((1, 2), RAW_NUMBERS):
        yield Fit(RAW, False, "bursts", n, seed)
    yield from (Fit(RAW, False, *each, 0) for each in product(PEERS, RAW_NUMBERS))


def more() -> Iterator[Fit]:
    """The longer fits, the most informative first."""
    for seed in range(SEEDS):
        yield from _chosen(LARGE, [seed])
        yield from (Fit(RAW, stop, "bursts", "auto", seed) for stop in (False, True))
        if seed < 3:
            yield from _classes(LARGE, seed)
            yield from (Fit(RAW, False, "words", n, seed) for n in RAW_NUMBERS)
            yield from _given(LARGE, [seed])


def _chosen(corpora: Sequence[str], seeds: Iterable[int]) -> Iterator[Fit]:
    """Fits that choose their number of topics; by bursts first, which make both."""
    for each in product(seeds, corpora, (False, True), EVIDENCE[::-1]):
        yield Fit(each[1], each[2], each[3], "auto", each[0])


def _classes(corpora: Sequence[str], seed: int) -> Iterator[Fit]:
    """Fits with as many topics as there are classes, where these are no others."""
    for corpus, evidence in product(corpora, EVIDENCE):
        if CLASSES.get(corpus, NUMBERS[0]) not in NUMBERS:
            yield Fit(corpus, False, evidence, CLASSES[corpus], seed)


def _given(corpora: Sequence[str], seeds: Iterable[int]) -> Iterator[Fit]:
    """Fits with a number of topics that is given, without stop list."""
    for each in product(seeds, corpora, NUMBERS, EVIDENCE):
        yield Fit(each[1], False, each[3], each[2], each[0])


@cache
def texts(name: str) -> tuple[list[str], list[list[str]]]:
    """Texts of a corpus, with their labels."""
    if name == "python_docs":
        docs = load_python_docs()
        return [*docs.texts], [*docs.labels]
    where: dict[str, dict[str, str]] = {
        "reuters": {"split": "train", "s35": "true"},
        "20newsgroups": {"split": "train"},
    }
    sources = {
        "reuters": news.SOURCE,
        "20newsgroups": newsgroups.SOURCE,
        RAW: newsgroups.SOURCE,
        "ohsumed": ohsumed.SOURCE,
        "imdb": imdb.SOURCE,
        "acl": acl.SOURCE,
    }
    file = sources[name].find(None, False)
    records: list[Record] = [*open_records(file, where=where.get(name, {}))]
    if name in LARGE:
        random.Random(0).shuffle(records)
        records = records[:SAMPLE]
    kept = [record.text or "" for record in records]
    if name == "20newsgroups":
        kept = [body(text) for text in kept]
    return kept, [list(record.labels or ()) for record in records]


def body(posting: str) -> str:
    """A posting without headers, footers and quotes, as scikit-learn removes them."""
    from sklearn.datasets import _twenty_newsgroups as strip

    text = strip.strip_newsgroup_header(posting)
    text = strip.strip_newsgroup_quoting(text)
    return str(strip.strip_newsgroup_footer(text))


@cache
def corpus(name: str, stop_list: bool) -> Corpus:
    """Counts of a corpus; of the raw one as those who published numbers counted it."""
    documents, labels = texts(name)
    if name == RAW:
        counting = CountVectorizer(
            min_df=10, stop_words="english" if stop_list else None
        )
        counts = sparse.csr_array(counting.fit_transform(documents), dtype=np.float64)
        return Corpus(counts, [*counting.get_feature_names_out()], labels=labels)
    stop_words = "english" if stop_list else None
    options: dict[str, Any] = {"min_df": 2, "stop_words": stop_words}
    if name == "python_docs":
        options["pattern"] = LETTERS
    vectorizer = TextVectorizer(**options)
    return count_texts(documents, vectorizer=vectorizer, labels=labels)


def measure(fit: Fit, scratch: Path) -> dict[Fit, dict[str, Any]]:
    """One fit, and the one that it began from, and all that is asked about them."""
    data = corpus(fit.corpus, fit.stop_list)
    with clock() as spent:
        made = _made(fit, data)
    if not isinstance(made, ParsimoniousTopicModel):
        shares = sparse.csr_array(made[0])
        topics = [[*map(int, words)] for words in top_words(made[1], WORDS)]
        found = {"n_topics": fit.topics, **spent}
        return {fit: found | _asked(fit, data, shares, topics)}
    out = {fit: _ours(fit, data, made, scratch) | spent}
    if fit.topics == "auto" and made.finer_ is not None:
        finer = fit._replace(model="words")
        out[finer] = _ours(finer, data, made.finer_, scratch)
    return out


def _made(fit: Fit, data: Corpus) -> Any:
    """Our model; or what scikit-learn finds with its defaults, as was published."""
    if fit.model in OURS:
        model = ParsimoniousTopicModel(
            fit.topics, evidence=fit.model, random_state=fit.seed, n_jobs=1
        )
        return model.fit(data)
    make = {"NMF": NMF, "LDA": LatentDirichletAllocation}[fit.model]
    peer = make(fit.topics, random_state=fit.seed)
    return peer.fit_transform(data.counts), peer.components_


def _ours(
    fit: Fit, data: Corpus, model: ParsimoniousTopicModel, scratch: Path
) -> dict[str, Any]:
    column = {word: n for n, word in enumerate(data.vocabulary)}
    topics = [
        [column[word] for word, _ in model.top_words(j, WORDS, by="salience")]
        for j in range(model.n_topics_)
    ]
    shares = model.topic_proportions_
    sparse.save_npz(scratch / f"{fit.name}.npz", shares)
    return {
        "n_topics": model.n_topics_,
        "burstiness": model.burstiness_ if np.isfinite(model.burstiness_) else None,
        "bic": model.bic_,
        "converged": model.converged_,
        "smallest_documents": int(model.n_documents_.min()),
        **_asked(fit, data, shares, topics),
        "found_again": {
            str(seed): _found_again(shares, _kept(other, scratch), data)
            for seed in range(fit.seed)
            if (other := fit._replace(seed=seed)) and _is_there(other, scratch)
        },
    }


def _asked(
    fit: Fit, data: Corpus, shares: sparse.csr_array, topics: list[Any]
) -> dict[str, Any]:
    """Coherence of the words shown, and agreement with classes."""
    shown = [words for words in topics if len(words) > 1]
    found: dict[str, Any] = {
        "npmi": coherence(shown, data.counts).value,
        "diversity": topic_diversity(topics),
    }
    if fit.corpus == RAW and fit.topics != "auto":
        found["top_words"] = [[data.vocabulary[n] for n in words] for words in shown]
    return found | agreement_with_classes(shares, data.labels or [])


def agreement_with_classes(
    proportions: sparse.csr_array, labels: Sequence[Any]
) -> dict[str, Any]:
    """Classes against the largest topic, over documents of one class."""
    rows = [d for d, own in enumerate(labels) if len(own) == 1]
    if not rows:
        return {"labelled": 0}
    classes = [labels[d][0] for d in rows]
    main = proportions[rows].toarray().argmax(axis=1)
    return {
        "labelled": len(rows),
        "classes": len(set(classes)),
        "ami": float(adjusted_mutual_info_score(classes, main)),
        "fmi": float(fowlkes_mallows_score(classes, main)),
    }


def _found_again(
    first: sparse.csr_array, second: sparse.csr_array, data: Corpus
) -> float:
    """Share of the topics of two fits that the other one has, too."""
    length = np.asarray(data.counts.sum(axis=1)).ravel()
    table = agreement(first, second, length)
    again = [(table.max(axis=axis) >= SAME).sum() for axis in (0, 1)]
    return float(sum(again) / sum(table.shape))


def _is_there(fit: Fit, scratch: Path) -> bool:
    return (scratch / f"{fit.name}.npz").exists()


def _kept(fit: Fit, scratch: Path) -> sparse.csr_array:
    return sparse.csr_array(sparse.load_npz(scratch / f"{fit.name}.npz"))


def run(fits: Iterable[Fit], folder: Path, scratch: Path) -> None:
    """Make all fits that the folder does not hold."""
    ours.warm_up()
    commit = machine.commit()
    for fit in fits:
        if (folder / f"{fit.name}.json").exists():
            continue
        load = machine.load()
        with threadpool_limits(1):
            found = measure(fit, scratch)
        data = corpus(fit.corpus, fit.stop_list)
        for own, values in found.items():
            place = folder / f"{own.name}.json"
            if place.exists():
                continue
            cell: dict[str, Any] = {
                **own._asdict(),
                "commit": commit,
                "command": "python benchmarks/levels.py",
                "load before": load,
            }
            write(
                place, cell | values | {"documents": data.n_docs, "words": data.n_words}
            )
            about = {key: values.get(key) for key in ("n_topics", "ami", "npmi")}
            print(own.name, about, values.get("cpu_seconds"), flush=True)


def publish(folder: Path, documents: Iterable[str]) -> None:
    """Add what gensim finds to the cells with top words that lack it, in one pass.

    gensim drops a word from its window of ten words when the first of two occurrences
    leaves it, ours does not; numbers beside published ones must be of the same measure.
    """
    files = sorted(folder.glob(f"{RAW}-*.json"))
    read = {file: json.loads(file.read_text()) for file in files}
    cells = {
        file: cell
        for file, cell in read.items()
        if "top_words" in cell and "c_npmi" not in cell
    }
    if not cells:
        return
    analyse = CountVectorizer().build_analyzer()
    topics = [words for cell in cells.values() for words in cell["top_words"]]
    values = iter(c_npmi(topics, [analyse(text) for text in documents]))
    for file, cell in cells.items():
        own = [next(values) for _ in cell["top_words"]]
        write(file, cell | {"c_npmi": float(np.mean(own))})


def c_npmi(topics: list[list[str]], tokens: list[list[str]]) -> list[float]:
    """`c_npmi` of gensim, of each topic."""
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    measure = CoherenceModel(
        topics=topics,
        texts=tokens,
        dictionary=Dictionary(tokens),
        coherence="c_npmi",
        topn=WORDS,
        processes=1,
    )
    found: list[float] = measure.get_coherence_per_topic()
    return found


def write(file: Path, cell: dict[str, Any]) -> None:
    waiting = file.with_suffix(".part")
    waiting.write_text(json.dumps(cell, indent=1) + "\n")
    os.replace(waiting, file)


def main() -> None:
    parser = argparse.ArgumentParser(prog="levels.py", description=__doc__)
    parser.add_argument("--scratch", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--only", help="corpora, joined by commas", metavar="CORPUS,..."
    )
    parser.add_argument(
        "--coherence", action="store_true", help="no fits: only the measure of gensim"
    )
    asked = parser.parse_args()
    asked.scratch.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    if not asked.coherence:
        make_all(asked.only.split(",") if asked.only else None, asked.scratch)
    publish(RESULTS, texts(RAW)[0])


def make_all(corpora: Sequence[str] | None, scratch: Path) -> None:
    """Make everything that is not there, of these corpora, or of all."""
    from benchmarks import begins  # it uses this module

    def wanted(name: str) -> bool:
        return corpora is None or name in corpora

    begins.run(begins.RESULTS, [*filter(wanted, SMALL[:2])], begins.NUMBERS[:1])
    run((fit for fit in plan() if wanted(fit.corpus)), RESULTS, scratch)
    begins.run(begins.RESULTS, [*filter(wanted, SMALL)], begins.NUMBERS[:1])
    run((fit for fit in more() if wanted(fit.corpus)), RESULTS, scratch)
    begins.run(begins.RESULTS, [*filter(wanted, begins.CORPORA)])


if __name__ == "__main__":
    main()
