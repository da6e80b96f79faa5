"""A sample of documents in a report, with the topic that explains each word."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics.corpus import Corpus
from leantopics.ptm.explanations import Explanation
from leantopics.report.by_group import periods_of
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
N_TITLES = 5
"""Most documents of a topic that are named on its page."""
_PER_TOPIC = 10
_AT_A_TIME = 100
"""Number of documents that are explained at a time, to bound memory."""
_LEAST_SHARE = 0.005
_TITLE = 110
"""Most characters of a title."""
_TITLE_FIELDS = ("title", "headline", "subject")
_SUBJECT = re.compile(r"^(?:Subject|Title):[ \t]*(\S.*)$", re.MULTILINE | re.IGNORECASE)
_CALLS = re.compile(r"^\s*[\w.]+\([^()]*(?:\([^()]*\)[^()]*)*\).*$", re.MULTILINE)
"""The signature of a function at the beginning of a line; it is no title."""
_BEGINNING = 600
"""Characters of a text in which its title is looked for."""


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

    ``shares`` of shape (documents, M) has their topics.
    """
    training = shares is model.topic_proportions_
    typical = _typical(model, shares, training)
    quota = max(1, min(_PER_TOPIC, n_documents // (2 * model.n_topics_)))
    chosen = _choose([rows[:quota] for rows in typical], shares.shape[0], n_documents)
    periods = periods_of(corpus)
    titles = _titles(corpus, chosen)
    listed = [
        {
            "row": int(d),
            "id": str(d) if corpus is None else corpus.ids[d],
            "title": titles[d],
            "topics": _topics(shares[[d]]),
            "labels": corpus.labels[d] if corpus is not None and corpus.labels else [],
            "date": None if periods is None else periods[d],
        }
        for d in chosen.tolist()
    ]
    kind = _kind(model, corpus, pictures)
    if corpus is not None:
        for begin in range(0, len(chosen), _AT_A_TIME):
            rows = chosen[begin : begin + _AT_A_TIME]
            part = corpus.select(rows)
            entries = listed[begin : begin + _AT_A_TIME]
            _explain(model, part, shares[rows], kind, entries)
    return {
        "kind": kind,
        "training": training,
        "total": int(shares.shape[0]),
        "listed": listed,
        "typical": [_first(rows, set(chosen.tolist())) for rows in typical],
        "others": _others(corpus, typical, set(chosen.tolist())),
    }


def _kind(
    model: "ParsimoniousTopicModel", corpus: Corpus | None, pictures: bool
) -> str:
    """How documents are shown."""
    if corpus is None:
        return "none"
    if pictures:
        return "pictures"
    as_words = corpus.texts is None or model.analyser_ is None
    return "words" if as_words else "text"


def _explain(
    model: "ParsimoniousTopicModel",
    shown: Corpus,
    shares: sparse.csr_array,
    kind: str,
    listed: list[dict[str, Any]],
) -> None:
    """Add what explains documents to the entries that are listed of them."""
    explained = model.explain(shown, shares, receipts=True)
    parts: Iterable[dict[str, Any]]
    if kind == "pictures":
        parts = thumbnails(shown)
    elif kind == "words":
        parts = _bags(model, shown, explained)
    else:
        parts = _texts(model, shown, explained)
    for entry, found, part in zip(listed, explained, parts, strict=True):
        entry |= {"shared": round(found.shared_share, 4), **part}
        entry["receipt"] = receipt_rows(found)


def receipt_rows(found: Explanation) -> list[list[int | float | None]]:
    """Return what each topic of a document earned, those that earned most first.

    A row is [topic, nats over its price, runner-up, margin]. The runner-up is -1 if
    none at all would be better; the margin is None if there is neither.
    """
    topics = [] if found.receipt is None else found.receipt.topics
    return [
        [
            topic.topic,
            round(topic.net, 1),
            topic.runner_up,
            round(topic.margin, 1) if np.isfinite(topic.margin) else None,
        ]
        for topic in sorted(topics, key=lambda each: -each.net)
    ]


def title_of(about: Mapping[str, Any], text: str) -> str:
    r"""Return the title of a document, or its first line.

    A line "Subject: ..." near the beginning of the text is taken before the first.

    Examples
    --------
    >>> title_of({}, "From: me@here.org\nSubject: Re: Sails\n\nThe sails are ...")
    'Re: Sails'
    >>> title_of({"title": "Sails"}, "")
    'Sails'
    """
    named = (str(about[name]) for name in _TITLE_FIELDS if about.get(name))
    subject = _SUBJECT.search(text[:_BEGINNING])
    lines = _CALLS.sub("", text[:_BEGINNING]).splitlines()
    first = next((line for line in lines if any(map(str.isalpha, line))), "")
    found = next(named, None) or (subject and subject[1]) or first
    title = " ".join(found.split())
    if len(title) <= _TITLE:
        return title
    return f"{title[:_TITLE].rsplit(' ', 1)[0]} …"


def _titles(corpus: Corpus | None, rows: Longs) -> dict[int, str | None]:
    """Return titles of some documents by row; None for those that have none."""
    if corpus is None:
        return dict.fromkeys(rows.tolist())
    part = corpus.select(rows)
    about = part.metadata or [{}] * len(rows)
    texts = part.texts or [""] * len(rows)
    found = (title_of(*each) or None for each in zip(about, texts, strict=True))
    return dict(zip(rows.tolist(), found, strict=True))


def _first(rows: list[int], listed: set[int]) -> list[int]:
    """Return the first rows, and all others that are listed."""
    return [*rows[:N_TITLES], *(row for row in rows[N_TITLES:] if row in listed)]


def _others(
    corpus: Corpus | None, typical: list[list[int]], listed: set[int]
) -> dict[str, list[str | None]]:
    """Return id and title of the first typical documents that are not listed."""
    rows = sorted({d for each in typical for d in each[:N_TITLES]} - listed)
    titles = _titles(corpus, np.array(rows, dtype=np.int64))
    return {
        str(d): [str(d) if corpus is None else corpus.ids[d], titles[d]] for d in rows
    }


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

    ``spans`` are (begin, end, column) of its words, as from `TextVectorizer.spans`;
    ``topic_of`` has the topic that explains the word of a column, -1 for the shared
    model.

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
    forms = model.surface_forms
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
    model: "ParsimoniousTopicModel", shares: Any, training: bool
) -> list[list[int]]:
    """Return for each topic the rows of its most typical documents, the best first."""
    topics = range(model.n_topics_)
    if training:
        return [[row for row, _ in model.documents(j, _PER_TOPIC)] for j in topics]
    by_topic = shares.tocsc()
    columns = [slice(*by_topic.indptr[j : j + 2]) for j in topics]
    return [
        by_topic.indices[column][
            np.argsort(-by_topic.data[column], kind="stable")[:_PER_TOPIC]
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
