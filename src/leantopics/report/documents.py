"""A sample of documents in a report, with the topic that explains each word."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.corpus import Corpus
from leantopics.ptm.inference import Explanation
from leantopics.report.pictures import thumbnails
from leantopics.text import TextVectorizer
from leantopics.text.vectorizer import Span

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

Longs = npt.NDArray[np.int64]
Piece = str | list[Any]
"""Plain text, or a text and the number of the topic that explains it."""

MAX_CHARACTERS = 1500
"""Longer texts are cut off."""
MAX_WORDS = 200
"""Most words shown of a document without text."""
_PER_TOPIC = 10
_LEAST_SHARE = 0.005


def written(model: "ParsimoniousTopicModel") -> list[str]:
    """Return the most frequent spelling of each word."""
    return list((model.analyser_ or {}).get("surface_forms", model.vocabulary_))


def proportions_of(
    model: "ParsimoniousTopicModel", corpus: Corpus | None
) -> sparse.csr_array:
    """Return topics of documents: from the fit, if it had them, or else inferred."""
    if corpus is None or model.is_fitted_to(corpus):
        return model.topic_proportions_
    reading = {"inference": "sparse", "prediction": "switched", "sparse_output": True}
    reader = model.at(model.n_topics_).set_params(**reading)
    return sparse.csr_array(reader.transform(corpus))


def summarise_documents(
    model: "ParsimoniousTopicModel",
    corpus: Corpus | None,
    shares: sparse.csr_array,
    n_documents: int,
    pictures: bool = False,
) -> dict[str, Any]:
    """Return some documents: the most typical of each topic, and a random sample.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        The model.
    corpus : Corpus or None
        The documents over the vocabulary of the model.
    shares : csr_array of shape (documents, M)
        Their topics.
    n_documents : int
        Most documents to list.
    pictures : bool
        Whether to show them as pictures.
    """
    training = shares is model.topic_proportions_
    typical = _typical(model, shares, training, n_documents)
    chosen = _choose(typical, shares.shape[0], n_documents)
    listed = [
        {
            "row": int(d),
            "id": str(d) if corpus is None else corpus.ids[d],
            "topics": _topics(shares[[d]]),
            "labels": corpus.labels[d] if corpus is not None and corpus.labels else [],
        }
        for d in chosen
    ]
    kind = "none"
    if corpus is not None:
        shown = corpus.select(chosen)
        explained = model.explain(shown, shares[chosen])
        parts: Iterable[dict[str, Any]]
        if pictures:
            kind, parts = "pictures", thumbnails(shown)
        elif corpus.texts is None or model.analyser_ is None:
            kind, parts = "words", _bags(model, shown, explained)
        else:
            kind, parts = "text", _texts(model, shown, explained)
        for entry, found, part in zip(listed, explained, parts, strict=True):
            entry |= {"shared": _shared(found), **part}
    return {
        "kind": kind,
        "training": training,
        "total": int(shares.shape[0]),
        "listed": listed,
        "typical": [[d for d in rows if d in chosen] for rows in typical],
    }


def _shared(found: Explanation) -> float:
    """Return the share of a document's words that the shared model explains."""
    if not len(found.shared):
        return 1.0
    return round(float(found.counts @ found.shared / found.counts.sum()), 4)


def _texts(
    model: "ParsimoniousTopicModel", corpus: Corpus, explained: list[Explanation]
) -> Iterator[dict[str, Any]]:
    """Yield texts in pieces; long texts are cut off."""
    texts = list(corpus.texts or [])
    vectorizer = TextVectorizer.from_dict(model.analyser_ or {})
    places = vectorizer.spans(text[:MAX_CHARACTERS] for text in texts)
    for text, spans, found in zip(texts, places, explained, strict=True):
        topic_of = dict(zip(found.word.tolist(), found.topic.tolist(), strict=True))
        yield {
            "pieces": pieces(text[:MAX_CHARACTERS], spans, topic_of),
            "cut": len(text) > MAX_CHARACTERS,
        }


def pieces(text: str, spans: list[Span], topic_of: dict[int, int]) -> list[Piece]:
    """Split a text where the topic of its words changes.

    Parameters
    ----------
    text : str
        The text.
    spans : list of (begin, end, column)
        Positions of its words; see `TextVectorizer.spans`.
    topic_of : dict
        Topic that explains the word of each column; -1 is the shared model.

    Examples
    --------
    >>> pieces("The cat sat.", [(0, 3, 2), (4, 7, 0), (8, 11, 1)], {0: 3, 1: -1, 2: -1})
    ['The ', ['cat', 3], ' sat.']
    """
    out: list[Piece] = []
    done = 0
    for start, end, column in spans:
        topic = topic_of.get(column, -1)
        if topic < 0:
            continue
        if start > done:
            out.append(text[done:start])
        out.append([text[start:end], int(topic)])
        done = end
    if done < len(text):
        out.append(text[done:])
    return out


def _bags(
    model: "ParsimoniousTopicModel", corpus: Corpus, explained: list[Explanation]
) -> Iterator[dict[str, Any]]:
    """Yield the words of documents without texts, the most frequent first."""
    forms = written(model)
    for found in explained:
        out: list[Piece] = []
        for i in np.argsort(-found.counts, kind="stable")[:MAX_WORDS]:
            times = found.counts[i]
            shown = forms[found.word[i]]
            if times != 1.0:
                shown += f"\u00a0×\u00a0{times:g}"
            topic = int(found.topic[i]) if len(found.topic) else -1
            out += [[shown, topic] if topic >= 0 else shown, "   "]
        yield {"pieces": out[:-1], "cut": len(found.counts) > MAX_WORDS}


def _typical(
    model: "ParsimoniousTopicModel", shares: Any, training: bool, n: int
) -> list[list[int]]:
    """Return for each topic the rows of its most typical documents, the best first."""
    quota = max(1, min(_PER_TOPIC, n // (2 * model.n_topics_)))
    topics = range(model.n_topics_)
    if training:
        return [[row for row, _ in model.documents(j, quota)] for j in topics]
    by_topic = shares.tocsc()
    columns = [slice(*by_topic.indptr[j : j + 2]) for j in topics]
    return [
        by_topic.indices[column][
            np.argsort(-by_topic.data[column], kind="stable")[:quota]
        ].tolist()
        for column in columns
    ]


def _choose(typical: list[list[int]], n_docs: int, n: int) -> Longs:
    """Return the rows of the documents to list, in their order."""
    if n_docs <= n:
        return np.arange(n_docs)
    found = {row for rows in typical for row in rows}
    others = np.random.default_rng(0).permutation(n_docs)
    rest = islice((int(d) for d in others if d not in found), max(0, n - len(found)))
    return np.array(sorted([*found, *rest])[:n], dtype=np.int64)


def _topics(row: Any) -> list[list[float]]:
    """Return pairs of topic and share, largest first, without the smallest."""
    order = np.argsort(-row.data, kind="stable")
    return [
        [int(row.indices[i]), round(float(row.data[i]), 4)]
        for i in order
        if row.data[i] >= _LEAST_SHARE
    ]
