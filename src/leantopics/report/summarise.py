"""Summary of a fitted model for a report, as plain types for JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leantopics import evaluation
from leantopics._arrays import Floats
from leantopics.analysis.inspection import describe_edit
from leantopics.analysis.layout import topic_map
from leantopics.analysis.summary import bic_parts, path_spread, times_shared
from leantopics.corpus import Corpus
from leantopics.report.by_group import summarise_groups
from leantopics.report.compare import compare
from leantopics.report.documents import proportions_of, summarise_documents
from leantopics.report.levels import Levels, levels_of, summarise_levels
from leantopics.report.pictures import patches
from leantopics.report.topics import four_digits, summarise_stability

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel
    from leantopics.images import VisualWords

ROUNDING = 1e-9
"""Smaller shares are rounding errors of zero."""
N_SHARED = 200
"""Most words listed of the shared vocabulary."""
_OF_PATH = ("n_topics", "criterion", "topics_per_document", "salient_per_topic")
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
    _check_model(model)
    others = others or {}
    aligned = None if corpus is None else corpus.align(model.vocabulary_)
    fitted = aligned if aligned is not None and model.is_fitted_to(aligned) else None
    levels = levels_of(model, fitted)
    fine = levels.fine
    shares = proportions_of(fine, aligned)
    distance = evaluation.hellinger(
        fine.salient_word_prob_, shared=fine.shared_word_prob_
    )
    starts = [each for each in others.values() if _restarted(model, each)]
    return {
        "title": title,
        "answer": _answer(model, starts),
        "finer": None if fine is model else _answer(fine, []),
        **summarise_levels(levels, aligned, shares, distance),
        "map": _map(levels, distance),
        "words": model.surface_forms,
        "patches": None if codebook is None else patches(model, corpus, codebook),
        "vocabulary": _vocabulary(fine),
        "documents": summarise_documents(
            fine, aligned, shares, n_documents, pictures=codebook is not None
        ),
        "groups": summarise_groups(fine, levels.members, aligned, by, period),
        "stability": summarise_stability(model),
        "finer_stability": None if fine is model else summarise_stability(fine),
        "comparison": compare(model, others),
        "made": _made(model, fitted),
    }


def _check_model(model: Any) -> None:
    if not getattr(model, "has_switches", False):
        raise TypeError(
            "A report is about a ParsimoniousTopicModel, which others are compared "
            f"with. Got {type(model).__name__} instead: give it in others."
        )


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


def _answer(
    model: "ParsimoniousTopicModel", starts: Sequence["ParsimoniousTopicModel"]
) -> Summary:
    """Summarise how many topics there are, how certain and how sparse."""
    path = sorted(model.path_, key=lambda row: int(row["n_topics"]))
    chosen = next(row for row in path if row["n_topics"] == model.n_topics_)
    behind = {row["n_topics"]: row["criterion"] - chosen["criterion"] for row in path}
    others = sorted(set(behind) - {model.n_topics_}, key=lambda m: (behind[m], m))
    spread = path_spread([m.path_ for m in (model, *starts)], model.n_topics_)
    return {
        "n_topics": model.n_topics_,
        "automatic": model.n_topics == "auto",
        "evidence": model.evidence,
        "lowest": min(path, key=lambda row: float(row["criterion"]))["n_topics"],
        "bic": model.bic_,
        "terms": bic_parts(chosen),
        "orders": [
            {**{name: row[name] for name in _OF_PATH}, "terms": bic_parts(row)}
            for row in path
        ],
        "runners_up": [{"n_topics": m, "behind": float(behind[m])} for m in others[:3]],
        "starts": 1 + len(starts),
        "spread": spread,
        "within": None
        if spread is None
        else [m for m in behind if behind[m] <= spread],
        "topics_per_document": chosen["topics_per_document"],
        "salient_per_topic": chosen["salient_per_topic"],
        "distinct_salient": chosen["distinct_salient"],
        "n_words": len(model.vocabulary_),
        "n_documents": int(model.topic_proportions_.shape[0]),
    }


def _map(levels: Levels, distance: Floats) -> list[list[float]]:
    """Return the centre and the radius of each topic on the map."""
    points, radius = topic_map(distance, levels.fine.topic_mass_, levels.nodes)
    rows: list[list[float]] = np.column_stack((points, radius)).round(5).tolist()
    return rows


def _vocabulary(model: "ParsimoniousTopicModel") -> Summary:
    """Return the shared probability of each word, and which topics use it more."""
    times = times_shared(model.salient_word_prob_, model.shared_word_prob_)
    times.data[times.data <= 1.0] = 0.0
    times.eliminate_zeros()
    by_word, shared = times.tocsc(), model.shared_words(N_SHARED)
    place = {word: n for n, word in enumerate(model.vocabulary_)}
    return {
        "probability": [four_digits(p) for p in model.shared_word_prob_],
        "indptr": by_word.indptr.tolist(),
        "topic": by_word.indices.tolist(),
        "times": [four_digits(value) for value in by_word.data],
        "shared": [
            [place[word], four_digits(value)]
            for word, value in shared
            if value > ROUNDING
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
