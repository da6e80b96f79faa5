"""Which ten words of a topic should be shown? Coherence of some rankings.

python benchmarks/shown.py

Models by bursts, seed 0: of 20-Newsgroups raw and without headers with a given number
of topics, of the others with the number that they choose. Two measures: gensim's
`c_npmi` in windows of ten words, and NPMI in whole documents.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import levels
from leantopics import Corpus, ParsimoniousTopicModel
from leantopics._arrays import Floats, Longs
from leantopics.evaluation import coherence, topic_diversity
from leantopics.text import TextVectorizer

CASES = (
    (levels.RAW, 10),
    ("20newsgroups", 20),
    ("reuters", "auto"),
    ("python_docs", "auto"),
)
Ranking = Callable[[int, Longs, Floats, Floats], tuple[Floats, ...]]
"""Sort keys, from a topic, its words, their excess and their salience."""


def rankings(model: ParsimoniousTopicModel, data: Corpus) -> dict[str, Ranking]:
    """Ways to rank the words that a topic uses more than the shared model does."""
    here = model._snapshot
    among, sizes, usual = documents(model, data)

    def of_documents(j: int, words: Longs) -> tuple[Floats, Floats]:
        """Documents of the topic with a word, and as many as elsewhere."""
        return among[j, words], sizes[j] * usual[words]

    def poisson(j: int, words: Longs, *_: Floats) -> tuple[Floats]:
        x, e = of_documents(j, words)
        value = x * np.log(np.maximum(x, 1e-9) / e) - (x - e)
        return (np.where(x > e, value, -1.0),)

    def bernoulli(j: int, words: Longs, *_: Floats) -> tuple[Floats]:
        x, e = of_documents(j, words)
        n = sizes[j]
        with np.errstate(all="ignore"):
            value = np.where(x > 0, x * np.log(x / e), 0.0)
            value += np.where(x < n, (n - x) * np.log((n - x) / (n - e)), 0.0)
        return (np.where(x > e, value, -1.0),)

    return {
        "salience": lambda j, words, excess, nats: (nats,),
        "salience, words twice as frequent first": lambda j, words, excess, nats: (
            excess >= 1.0,
            nats,
        ),
        "salience times own share": lambda j, words, excess, nats: (
            nats * excess / (1.0 + excess),
        ),
        "documents with the word, Bernoulli": bernoulli,
        "documents with the word, Poisson": poisson,
        "probability": lambda j, words, excess, nats: (
            here.beta0[words] * (1.0 + excess),
        ),
    }


def documents(
    model: ParsimoniousTopicModel, data: Corpus
) -> tuple[Floats, Floats, Floats]:
    """Documents of topics with each word, documents of topics, share with each word."""
    main = np.asarray(model.topic_proportions_.argmax(axis=1)).ravel()
    sizes = np.bincount(main, minlength=model.n_topics_).astype(float)
    rows = (np.ones(len(main)), (main, np.arange(len(main))))
    there = data.counts.astype(bool).astype(float)
    among = (sparse.csr_array(rows, (model.n_topics_, len(main))) @ there).toarray()
    return among, sizes, among.sum(axis=0) / len(main)


def shown(model: ParsimoniousTopicModel, rank: Ranking) -> list[list[int]]:
    """Ten words of each topic, by one ranking."""
    here, nats = model._snapshot, model.salience_
    out = []
    for j in range(model.n_topics_):
        row = slice(*here.salient_indptr[j : j + 2])
        words, excess, own = here.salient_word[row], here.excess[row], nats.data[row]
        more = (excess > 0.0) & (own > 0.0)
        words = words[more]
        keys = rank(j, words, excess[more], own[more])
        order = np.lexsort([-np.asarray(key, dtype=float) for key in reversed(keys)])
        out.append(words[order][: levels.WORDS].tolist())
    return out


def windows(name: str, topics: list[list[str]]) -> Floats:
    """`c_npmi` of gensim, of each topic."""
    from sklearn.feature_extraction.text import CountVectorizer

    analyse = CountVectorizer().build_analyzer()
    if name != levels.RAW:
        pattern = {"pattern": levels.LETTERS} if name == "python_docs" else {}
        analyse = TextVectorizer(**pattern).begin()
    tokens = [analyse(text) for text in levels.texts(name)[0]]
    return np.array(levels.c_npmi(topics, tokens))


def main() -> None:
    for name, number in CASES:
        data = levels.corpus(name, False)
        model = ParsimoniousTopicModel(number, random_state=0, n_jobs=1).fit(data)
        ranked = {
            label: shown(model, rank) for label, rank in rankings(model, data).items()
        }
        words = [
            [data.vocabulary[n] for n in topic]
            for topics in ranked.values()
            for topic in topics
        ]
        values = np.split(windows(name, words), len(ranked))
        print(f"{name}, {model.n_topics_} topics")
        for (label, topics), own in zip(ranked.items(), values, strict=True):
            whole = coherence(topics, data.counts).value
            distinct = topic_diversity(topics)
            print(f"  {label:40} {own.mean():.3f} {whole:.3f} {distinct:.2f}")
        for j, (topic, own) in enumerate(
            zip(ranked["salience"], values[0], strict=True)
        ):
            print(
                f"  {j:2} {own:.2f}", *(data.vocabulary[n] for n in topic), flush=True
            )


if __name__ == "__main__":
    main()
