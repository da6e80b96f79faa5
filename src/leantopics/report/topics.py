"""Topics in a report: their words, labels, coherence and stability."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from leantopics import evaluation
from leantopics.analysis.scoring import top_words
from leantopics.analysis.summary import label_shares, rank_words
from leantopics.corpus import Corpus

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

N_WORDS = 40
"""Words listed of a topic, by salience and by probability each."""
N_AVOIDED = 10
"""Most words listed that a topic avoids."""
N_CLASSES = 6
"""Most labels listed of a topic."""
_LEAST_CLASS = 0.01
"""Smaller shares of a label are not listed."""

Summary = dict[str, Any]


def summarise_topics(
    model: "ParsimoniousTopicModel", corpus: Corpus | None, shares: sparse.csr_array
) -> list[Summary]:
    """Return what the report shows of each topic.

    ``shares`` of shape (documents, M) has the topics of the documents.
    """
    names = model.topic_names
    coherent = _coherence(model, corpus)
    classes = _classes(corpus, shares)
    again, stays = _again(model)
    return [
        {
            "number": j,
            "name": names[j],
            "share": float(model.topic_mass_[j]),
            "documents": int(model.n_documents_[j]),
            "salient": int(model.n_salient_words_[j]),
            "coherence": coherent[j],
            "classes": classes[j],
            "found": again[j],
            "stays": stays[j],
            **words_of(model, j, N_WORDS),
        }
        for j in range(model.n_topics_)
    ]


def summarise_stability(model: "ParsimoniousTopicModel") -> Summary | None:
    """Summarise what further fits found again."""
    found = model.stability_
    if found is None:
        return None
    return {
        "how": found.how,
        "repeats": len(found.orders),
        "fewest": int(found.orders.min()),
        "most": int(found.orders.max()),
        "found": int(found.recurs.sum()),
        "share": float(model.topic_mass_[found.recurs].sum()),
        "chosen": model.n_topics == "auto",
    }


def _again(
    model: "ParsimoniousTopicModel",
) -> tuple[list[int | None], list[float | None]]:
    """Return how often each topic was found again, and the share of words that stay."""
    found, n_topics = model.stability_, model.n_topics_
    if found is None:
        return [None] * n_topics, [None] * n_topics
    stays = found.stays(model.salient_word_prob_.indptr)
    return found.found.tolist(), [four_digits(value) for value in stays]


def words_of(model: "ParsimoniousTopicModel", topic: int, n: int) -> Summary:
    """Return salient words as (word, probability, shared probability, nats).

    The first ``n`` by salience and by probability each, and those that are pinned.
    """
    row = model.salient_word_prob_[[topic]]
    nats, shared = model.salience_[[topic]].data, model.shared_word_prob_[row.indices]
    ranked = rank_words(row.data, shared, nats)
    preferred = set(ranked.by_salience)
    held = set(model.pinned_words_.get(topic, ()))
    words = [model.vocabulary_[n] for n in row.indices]
    pinned = [i for i, word in enumerate(words) if word in held]
    first = (*ranked.by_salience[:n], *ranked.by_probability[:n], *pinned)
    others = [i for i in pinned if i not in preferred]
    avoided = dict.fromkeys((*ranked.avoided[:N_AVOIDED], *others))

    def entries(places: Iterable[int]) -> list[list[float]]:
        return [
            [
                int(row.indices[i]),
                four_digits(row.data[i]),
                four_digits(shared[i]),
                round(float(nats[i]), 1),
            ]
            for i in places
        ]

    return {
        "words": entries(i for i in dict.fromkeys(first) if i in preferred),
        "avoided": entries(avoided),
        "pinned": [int(row.indices[i]) for i in pinned],
    }


def _coherence(
    model: "ParsimoniousTopicModel", corpus: Corpus | None
) -> list[float | None]:
    """Return NPMI of the ten most salient words, with documents as windows.

    It is None for a topic with fewer than two words, and without documents.
    """
    tops = [words.tolist() for words in top_words(model, 10)]
    several = [words for words in tops if len(words) > 1]
    if corpus is None or not several:
        return [None] * len(tops)
    values = iter(evaluation.coherence(several, corpus.counts).by_topic.tolist())
    return [round(next(values), 3) if len(words) > 1 else None for words in tops]


def _classes(
    corpus: Corpus | None, proportions: sparse.csr_array
) -> list[list[Summary]]:
    """Return the labels of the documents of each topic, weighted by proportion."""
    if corpus is None or corpus.labels is None or not any(corpus.labels):
        return [[]] * proportions.shape[1]
    names, shares = label_shares(proportions, corpus.labels)
    return [
        [
            {"label": names[c], "share": round(float(row[c]), 4)}
            for c in np.argsort(-row, kind="stable")[:N_CLASSES]
            if row[c] >= _LEAST_CLASS
        ]
        for row in shares
    ]


def four_digits(value: float | np.floating[Any]) -> float:
    """Round to four digits, which are enough for the page."""
    return float(f"{float(value):.4g}")
