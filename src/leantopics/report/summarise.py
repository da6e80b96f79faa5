"""Summary of a fitted model for a report, as plain types for JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from leantopics import evaluation
from leantopics.analysis.inspection import describe_edit
from leantopics.analysis.lineage import Order, rows, trace
from leantopics.corpus import Corpus
from leantopics.report.by_group import summarise_groups
from leantopics.report.compare import compare
from leantopics.report.documents import (
    proportions_of,
    summarise_documents,
    written,
)
from leantopics.report.layout import hellinger, topic_map
from leantopics.report.pictures import patches

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel
    from leantopics.images import VisualWords

N_WORDS = 40
"""Words listed of a topic, by salience and by probability each."""
N_AVOIDED = 10
ROUNDING = 1e-9
"""Smaller shares of the text are rounding errors of zero."""
N_SHARED = 200
N_CLASSES = 6
_OF_EDIT = ("n_topics", "bic_change")

Summary = dict[str, Any]


def summarise(
    model: "ParsimoniousTopicModel",
    corpus: Corpus | None = None,
    *,
    title: str = "Topics",
    others: Mapping[str, Any] | None = None,
    n_documents: int = 500,
    by: str | None = None,
    period: str | None = None,
    codebook: "VisualWords | None" = None,
) -> Summary:
    """Return everything that a report shows, as JSON types.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A fitted model.
    corpus : Corpus, optional
        Documents to show: the ones of the fit, or others, with inferred topics.
    title : str
        Title of the report.
    others : mapping of str to model, optional
        Models of any class to compare with, by name. Models that differ from this one
        only in their seed show how certain the number of topics is.
    n_documents : int
        Most documents to list: the most typical of each topic, and a random sample.
    by, period : str, optional
        A field of the documents to show topics by, such as a date, and the part of the
        date to use; see `leantopics.analysis.groups.groups_of`.
    codebook : VisualWords, optional
        The codebook that counted the words, if documents are pictures. Words and
        documents are then shown as pictures.
    """
    others = others or {}
    aligned = None if corpus is None else corpus.align(model.vocabulary_)
    words = written(model)
    shares = proportions_of(model, aligned)
    fitted = aligned if shares is model.topic_proportions_ else None
    topics = _topics(model, aligned, shares)
    excess = salient_excess(model)
    points, radius = topic_map(
        hellinger(excess, model.shared_word_prob_), model.topic_mass_
    )
    return {
        "title": title,
        "answer": _answer(model, [m for m in others.values() if _restarted(model, m)]),
        "topics": topics,
        "map": np.column_stack((points, radius)).round(5).tolist(),
        "lineage": _lineage(model, fitted),
        "words": words,
        "patches": None if codebook is None else patches(model, corpus, codebook),
        "vocabulary": _vocabulary(model, excess),
        "documents": summarise_documents(
            model, aligned, shares, n_documents, pictures=codebook is not None
        ),
        "groups": summarise_groups(model, aligned, by, period),
        "stability": _stability(model),
        "comparison": compare(model, others),
        "made": _made(model, fitted),
    }


def _restarted(model: "ParsimoniousTopicModel", other: Any) -> bool:
    """Return whether two models differ only in their seed."""
    if type(other) is not type(model):
        return False
    own, theirs = model.get_params(), other.get_params()
    same = all(
        own[name] == theirs[name]
        for name in own
        if name not in ("random_state", "n_jobs", "verbose", "callback")
    )
    return same and bool(model.fingerprint_ == other.fingerprint_)


def salient_excess(model: "ParsimoniousTopicModel") -> sparse.csr_array:
    """Return ``beta / beta0 - 1`` of the salient words (M, N)."""
    excess = model.salient_word_prob_.copy()
    excess.data = excess.data / model.shared_word_prob_[excess.indices] - 1.0
    return excess


def _answer(
    model: "ParsimoniousTopicModel", starts: Sequence["ParsimoniousTopicModel"]
) -> Summary:
    """Summarise how many topics there are, how certain and how sparse."""
    orders = sorted(model.path_, key=lambda row: int(row["n_topics"]))
    chosen = next(row for row in orders if row["n_topics"] == model.n_topics_)
    names = ("n_topics", "criterion", "topics_per_document", "salient_per_topic")
    least = float(chosen["criterion"])
    runners = sorted(
        (row for row in orders if row is not chosen), key=lambda row: row["criterion"]
    )
    spread = _spread(model, starts)
    return {
        "n_topics": model.n_topics_,
        "automatic": model.n_topics == "auto",
        "bic": model.bic_,
        "terms": _terms(chosen),
        "orders": [
            {**{name: row[name] for name in names}, "terms": _terms(row)}
            for row in orders
        ],
        "runners_up": [
            {"n_topics": row["n_topics"], "behind": float(row["criterion"]) - least}
            for row in runners[:3]
        ],
        "starts": 1 + len(starts),
        "spread": spread,
        "within": None
        if spread is None
        else [row["n_topics"] for row in orders if row["criterion"] - least <= spread],
        "topics_per_document": chosen["topics_per_document"],
        "salient_per_topic": chosen["salient_per_topic"],
        "distinct_salient": chosen["distinct_salient"],
        "n_words": len(model.vocabulary_),
        "n_documents": int(model.topic_proportions_.shape[0]),
    }


def _terms(row: Summary) -> dict[str, float]:
    """Return BIC in three parts: switches, parameters, and unexplained rest."""
    return {
        "switches": row["topic_switches"]
        + row["word_switches"]
        + row["word_switches_constant"],
        "parameters": row["proportions"] + row["word_probabilities"],
        "misfit": row["neg_log_likelihood"],
    }


def _spread(
    model: "ParsimoniousTopicModel", starts: Sequence["ParsimoniousTopicModel"]
) -> float | None:
    """Return the standard deviation, over starts, of BIC at the chosen number."""
    values = [
        row["criterion"]
        for start in (model, *starts)
        for row in start.path_
        if row["n_topics"] == model.n_topics_
    ]
    return float(np.std(values, ddof=1)) if starts and len(values) > 1 else None


def _topics(
    model: "ParsimoniousTopicModel", corpus: Corpus | None, shares: sparse.csr_array
) -> list[Summary]:
    names, given = model.topic_names, model._topic_names is not None
    coherent = _coherence(model, corpus)
    classes = _classes(corpus, shares)
    again, stays = _again(model)
    return [
        {
            "number": j,
            "name": names[j] if given else None,
            "share": float(model.topic_mass_[j]),
            "documents": int(model.n_documents_[j]),
            "salient": int(model.n_salient_words_[j]),
            "coherence": None if coherent is None else coherent[j],
            "classes": [] if classes is None else classes[j],
            "found": again[j],
            "stays": stays[j],
            **_words(model, j),
        }
        for j in range(model.n_topics_)
    ]


def _stability(model: "ParsimoniousTopicModel") -> Summary | None:
    """Summarise what further fits found again."""
    found = model.stability_
    if found is None:
        return None
    often = 2 * found.found >= len(found.orders)
    return {
        "how": found.how,
        "repeats": len(found.orders),
        "fewest": int(found.orders.min()),
        "most": int(found.orders.max()),
        "found": int(often.sum()),
        "share": float(model.topic_mass_[often].sum()),
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
    return found.found.tolist(), [_short(value) for value in stays]


def _words(model: "ParsimoniousTopicModel", topic: int) -> Summary:
    """Return salient words as (word, probability, shared probability, nats)."""
    row = model.salient_word_prob_[[topic]]
    nats, shared = model.salience_[[topic]].data, model.shared_word_prob_[row.indices]
    more = row.data > shared
    by_nats = np.argsort(-np.where(more, nats, -np.inf), kind="stable")
    by_probability = np.argsort(-row.data, kind="stable")
    held = set(model.pinned_words_.get(topic, ()))
    words = [model.vocabulary_[n] for n in row.indices]
    pinned = [i for i, word in enumerate(words) if word in held]
    listed = dict.fromkeys([*by_nats[:N_WORDS], *by_probability[:N_WORDS], *pinned])
    absent = np.flatnonzero(row.data < shared)
    absent = absent[np.argsort(-nats[absent], kind="stable")][:N_AVOIDED]
    avoided = dict.fromkeys([*absent, *(i for i in pinned if not more[i])])

    def entries(places: Iterable[int]) -> list[list[float]]:
        return [
            [
                int(row.indices[i]),
                _short(row.data[i]),
                _short(shared[i]),
                round(float(nats[i]), 1),
            ]
            for i in places
        ]

    return {
        "words": entries([i for i in listed if more[i]]),
        "avoided": entries(avoided),
        "pinned": [int(row.indices[i]) for i in pinned],
    }


def _coherence(
    model: "ParsimoniousTopicModel", corpus: Corpus | None
) -> list[float | None] | None:
    """Return NPMI of the ten most probable salient words, with documents as windows.

    It is None for a topic with fewer than two words.
    """
    if corpus is None:
        return None
    tops = [row.tolist() for row in evaluation.top_words(model.salient_word_prob_, 10)]
    found = evaluation.coherence(tops, corpus.counts).by_topic
    return [None if np.isnan(value) else round(float(value), 3) for value in found]


def _classes(
    corpus: Corpus | None, shares: sparse.csr_array
) -> list[list[Summary]] | None:
    """Return the labels of the documents of each topic, weighted by proportion."""
    if corpus is None or corpus.labels is None or not any(corpus.labels):
        return None
    names = sorted({label for row in corpus.labels for label in row})
    place = {name: n for n, name in enumerate(names)}
    size = [len(row) for row in corpus.labels]
    has = sparse.csr_array(
        (
            np.ones(sum(size)),
            [place[label] for row in corpus.labels for label in row],
            np.concatenate(([0], np.cumsum(size))),
        ),
        shape=(corpus.n_docs, len(names)),
    )
    together = (shares.T @ has).toarray()
    share = together / np.maximum(together.sum(axis=1, keepdims=True), 1e-300)
    return [
        [
            {"label": names[c], "share": round(float(row[c]), 4)}
            for c in np.argsort(-row, kind="stable")[:N_CLASSES]
            if row[c] >= 0.01
        ]
        for row in share
    ]


def _lineage(model: "ParsimoniousTopicModel", fitted: Corpus | None) -> Summary | None:
    """Return the lines of the sweep, from the most topics to the fewest.

    Documents are weighted by length if the documents of the fit are given, and equally
    otherwise.
    """
    numbers = sorted((row["n_topics"] for row in model.path_), reverse=True)
    if len(numbers) < 2:
        return None
    length = np.ones(model.topic_proportions_.shape[0])
    if fitted is not None:
        length = np.asarray(fitted.counts.sum(axis=1)).ravel()
    models = [model.at(n) for n in numbers]
    lines = trace([Order(m.n_topics_, m.topic_proportions_) for m in models], length)
    firsts = [
        models[line.begin].top_words(line.numbers[0], 3, by="salience")
        for line in lines
    ]
    shown = dict(zip(model.vocabulary_, written(model), strict=True))
    return {
        "orders": numbers,
        "chosen": numbers.index(model.n_topics_),
        "lines": [
            {
                "begin": line.begin,
                "numbers": line.numbers,
                "into": line.into,
                "share": round(line.share, 3),
                "words": [shown[word] for word, _ in first],
                "row": row,
            }
            for line, first, row in zip(lines, firsts, rows(lines), strict=True)
        ],
    }


def _vocabulary(model: "ParsimoniousTopicModel", excess: sparse.csr_array) -> Summary:
    """Return the shared probability of each word, and where it is salient."""
    by_word = excess.tocsc()
    shared = model.shared_words(N_SHARED)
    place = {word: n for n, word in enumerate(model.vocabulary_)}
    return {
        "probability": [_short(p) for p in model.shared_word_prob_],
        "indptr": by_word.indptr.tolist(),
        "topic": by_word.indices.tolist(),
        "times": [_short(1.0 + value) for value in by_word.data],
        "shared": [
            [place[word], _short(value)] for word, value in shared if value > ROUNDING
        ],
    }


def _made(model: "ParsimoniousTopicModel", fitted: Corpus | None) -> Summary:
    """Return how the model was made, so that a reader can repeat it."""
    settings = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in ("callback", "verbose")
        and isinstance(value, str | int | float | bool | None)
    }
    return {
        "settings": settings,
        "edits": [
            {"text": describe_edit(edit), **{name: edit[name] for name in _OF_EDIT}}
            for edit in model.edits_
        ],
        "pinned": any(model.pinned_words_.values()),
        "analyser": (model.analyser_ or {}).get("settings"),
        "word_prior": model.word_prior_,
        "seconds": float(sum(row["seconds"] for row in model.path_)),
        "orders": len(model.path_),
        "iterations": len(model.history_),
        "converged": bool(model.converged_),
        "stop_reason": model.stop_reason_,
        "log_likelihood": model.log_likelihood_,
        "fingerprint": model.fingerprint_,
        "versions": model.versions_,
        "tokens": None if fitted is None else fitted.n_tokens,
    }


def _short(value: float | np.floating[Any]) -> float:
    """Round to four digits, which are enough for the page."""
    return float(f"{float(value):.4g}")
