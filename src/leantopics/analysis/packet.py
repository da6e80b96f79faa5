"""Packets for naming: what a person or a language model needs to name topics.

A packet has one JSON object for each topic; the answers are objects with a topic and a
name. Nothing is sent anywhere.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from leantopics import evaluation
from leantopics._arrays import Floats
from leantopics.models.base import TopicModel
from leantopics.ptm.attached_texts import kept_texts
from leantopics.ptm.fitted import FittedModel
from leantopics.ptm.naming import deviating_words

INSTRUCTION = (
    "Name this topic in two to four words that tell it from the other topics. Answer "
    'with one line of JSON: {"topic": %d, "name": "..."}'
)
N_WORDS, N_CONTRAST, N_DOCUMENTS = 20, 10, 5
"""Words, words that differ from the sibling's, and documents listed of a topic."""
SNIPPET = 300
"""Most characters of a document's text."""
_ANSWER = '{"topic": 0, "name": "Crude oil"}'
_TRACE = 1e-6
"""Share of the corpus in a sibling, whose words would otherwise be impossible."""


def naming_packet(model: TopicModel) -> Iterator[dict[str, Any]]:
    """Yield what there is to name each topic by, as JSON types.

    Parameters
    ----------
    model : TopicModel
        A fitted model.

    Yields
    ------
    dict
        ``topic`` and its present ``name``; ``words``, in the ranking of the model;
        ``nearest``, number and name of the topic with the most similar words, and
        ``contrast``, words of this topic against those of that one, both missing if
        there is one topic only; typical ``documents``, with a beginning of the text if
        it is kept with the model; and the ``instruction``.

    Examples
    --------
    >>> from leantopics import LDA, make_corpus
    >>> model = LDA(2, random_state=0).fit(make_corpus(50, 60, 2)[0])
    >>> first = next(naming_packet(model))
    >>> first["topic"], first["nearest"]["topic"], len(first["words"])
    (0, 1, 20)
    """
    names, written = model.topic_names, model.surface_forms
    shown = dict(zip(model.vocabulary_, written, strict=True))
    nearest = _nearest(model)
    for j, name in enumerate(names):
        entry: dict[str, Any] = {
            "topic": j,
            "name": name,
            "words": [shown[word] for word, _ in model.top_words(j, N_WORDS)],
        }
        if nearest is not None:
            k = int(nearest[j])
            entry["nearest"] = {"topic": k, "name": names[k]}
            entry["contrast"] = [written[n] for n in contrast(model, j, k)]
        entry["documents"] = _documents(model, j)
        entry["instruction"] = INSTRUCTION % j
        yield entry


def contrast(model: TopicModel, topic: int, other: int) -> list[int]:
    """Return columns of the words that set a topic apart from another one.

    They are ranked by deviance, like those of `leantopics.ptm.naming.name_topics`, with
    the other topic as the parent.
    """
    own, theirs = _words(model, topic), _words(model, other)
    parent = (1.0 - _TRACE) * theirs + _TRACE * model.word_frequency_
    topics = sparse.csr_array(own[None]), sparse.csr_array(parent[None])
    ranked = deviating_words(*topics, level=1.0)
    return [word for word, _ in ranked[:N_CONTRAST]]


def read_names(lines: Iterable[bytes], n_topics: int) -> dict[int, str]:
    """Read the answers to a packet: JSON lines with a topic and its name.

    Other fields and empty lines are ignored, so a packet with names filled in is an
    answer, too.

    Parameters
    ----------
    lines : iterable of bytes
        The lines.
    n_topics : int
        Number of topics of the model.

    Raises
    ------
    ValueError
        If a line is no JSON object with a topic of the model and a name, or if a topic
        is named twice.

    Examples
    --------
    >>> read_names([b'{"topic": 1, "name": "Crude oil"}'], 2)
    {1: 'Crude oil'}
    """
    names: dict[int, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        topic, name = _answer(number, line)
        if not 0 <= topic < n_topics:
            raise ValueError(
                f"A topic must be from 0 to {n_topics - 1}, but line {number} has "
                f"{topic}."
            )
        if topic in names:
            raise ValueError(
                f"A topic can be named only once, but line {number} names topic "
                f"{topic} again."
            )
        names[topic] = name
    if not names:
        raise ValueError("There must be names, but there is not a single line.")
    return names


def _answer(number: int, line: bytes) -> tuple[int, str]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(
            f"Every line must be JSON such as {_ANSWER}, but line {number} is not."
        ) from None
    answer = found if isinstance(found, dict) else {}
    topic, name = answer.get("topic"), answer.get("name")
    if type(topic) is not int:
        raise ValueError(
            f'Every line must have the number of a topic as "topic", but line {number} '
            "has none."
        )
    if not (isinstance(name, str) and name.strip()):
        raise ValueError(
            f'Every topic must have a name, but line {number} has none as "name".'
        )
    return topic, name.strip()


def _nearest(model: TopicModel) -> np.ndarray | None:
    """For each topic, the one with the most similar words; None for a single topic."""
    if model.n_topics_ < 2:
        return None
    fitted: Any = model
    if model.has_switches:
        distance = evaluation.hellinger(
            fitted.salient_word_prob_, shared=fitted.shared_word_prob_
        )
    else:
        distance = evaluation.hellinger(fitted.components_[: model.n_topics_])
    np.fill_diagonal(distance, np.inf)
    nearest: np.ndarray = distance.argmin(axis=1)
    return nearest


def _words(model: TopicModel, topic: int) -> Floats:
    """Return the word distribution of a topic."""
    fitted: Any = model
    if not model.has_switches:
        row: Floats = fitted.components_[topic]
        return row
    row = fitted.shared_word_prob_.copy()
    salient = fitted.salient_word_prob_[[topic]]
    row[salient.indices] = salient.data
    return row


def _documents(model: TopicModel, topic: int) -> list[dict[str, str]]:
    """Return typical documents, with beginnings of their texts if they are kept."""
    if not isinstance(model, FittedModel):
        fitted: Any = model
        share = np.asarray(fitted.topic_proportions_)[:, topic]
        rows = np.argsort(-share, kind="stable")[:N_DOCUMENTS].tolist()
        return [{"id": str(row)} for row in rows]
    rows = [row for row, _ in model.documents(topic, N_DOCUMENTS)]
    if (kept := kept_texts(model)) is None:
        return [{"id": str(row)} for row in rows]
    ids, texts = kept
    return [
        {"id": ids[row], "text": " ".join(texts[row].split())[:SNIPPET]} for row in rows
    ]
