"""Fitting a model to its documents and new ones, from the topics that it has."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import clone

from leantopics._arrays import Floats, Longs
from leantopics._progress import Progress
from leantopics._warnings import warn
from leantopics.corpus import Corpus
from leantopics.engine.threads import Engine
from leantopics.models.base import fingerprint, versions
from leantopics.models.checks import check_documents
from leantopics.models.sweep import best_number
from leantopics.ptm import changes, em, levels, snapshot, tree
from leantopics.ptm.carried import Carried, carry, parameters
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.checks import check_scale
from leantopics.ptm.editing import keep_names
from leantopics.ptm.moves import merge, rearrange
from leantopics.ptm.search import from_before
from leantopics.ptm.search.choice import Found
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.state import prepare

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel

Model = TypeVar("Model", bound="ParsimoniousTopicModel")
_GROWING, _LEAST_NEW, _DOCUMENTS = 0.25, 8, 60
"""New topics to try: at least this share of the previous ones, at least so many and, if
every word is evidence, until there is a topic for so many documents: a model of few
documents has far fewer topics than one of many."""


class Present(NamedTuple):
    """The documents that both levels of a model are refreshed on, and by whom."""

    counts: sparse.csr_array
    filled: np.ndarray
    """Which of them have words."""
    place: Longs
    """New numbers of the words of the model, -1 for those that are gone."""
    renumber: bool
    workers: Engine
    progress: Progress
    checkpoint: Checkpoint | None


class Refreshed(NamedTuple):
    """What is known of the topics of one level, before and after."""

    before: sparse.csr_array
    """Topics of the previous model in the documents with words."""
    length: Floats
    """Number of words of these documents, as evidence."""
    worth: changes.Worth
    held: dict[int, int]
    """Previous numbers of the topics with pinned words."""


def refresh(
    model: Model, X: Any, renumber: bool, checkpoint: Checkpoint | None = None
) -> Model:
    """Fit again from the topics of a model; see `ParsimoniousTopicModel.refresh`."""
    other, counts = _read(model, X)
    words = prepare(counts)
    other.word_frequency_ = words.frequency
    place = _places(model, other, words.totals)
    _check_words(model, place)
    check_scale(words, model.n_topics == "auto")
    finer: Model | None = None
    kept: AbstractContextManager[None] = nullcontext()
    if checkpoint is not None:
        about = f"{other.fingerprint_} {_identity(model)}"
        kept = checkpoint.opened(other, about, other.versions_)
    with kept, other._workers() as workers, Progress(other) as progress:
        filled = np.diff(counts.indptr) > 0
        here = Present(counts, filled, place, renumber, workers, progress, checkpoint)
        if model.finer_ is not None:
            finer = clone(model.finer_)
            other._copy_to(finer)
            _again(model.finer_, finer, here)
        _again(model, other, here)
    other._fit_predictor(words)
    if finer is not None:
        finer._fit_predictor(words)
        levels.relate(other, finer, counts)
    return other


def _identity(model: "ParsimoniousTopicModel") -> str:
    """What a refresh begins from, for a checkpoint."""
    below = "" if model.finer_ is None else _identity(model.finer_)
    return f"{model.fingerprint_} {model.bic_!r} {model.pinned_words_} {below}"


def _read(model: Model, X: Any) -> tuple[Model, sparse.csr_array]:
    """A new model that has read the documents, and their counts."""
    other: Model = clone(model)
    counts, _ = other._counts(X, reset=True)
    if not (isinstance(X, Corpus) or hasattr(other, "feature_names_in_")):
        if counts.shape[1] != model._n_words:
            raise ValueError(
                f"X must be a Corpus, or have the {model._n_words} columns of the fit. "
                f"Got a matrix of {counts.shape[1]} columns without names instead."
            )
        other.vocabulary_, other.analyser_ = model.vocabulary_, model.analyser_
    check_documents(other.n_topics, int(np.count_nonzero(np.diff(counts.indptr))))
    other.word_prior_ = "exact" if other._exact(counts.shape[1]) else "entropy"
    other.fingerprint_, other.versions_ = fingerprint(counts), versions()
    other.history_, other.burstiness_ = [], np.inf  # until each level weighs the words
    return other, counts


def _places(model: Model, other: Model, totals: Floats) -> Longs:
    """New numbers of the words of a model; -1 for those that do not occur any more."""
    if other.vocabulary_ == model.vocabulary_:
        place = np.arange(len(totals))
    else:
        number = {word: n for n, word in enumerate(other.vocabulary_)}
        place = np.array([number.get(word, -1) for word in model.vocabulary_])
    place[totals[place] == 0.0] = -1
    return place


def _check_words(model: Model, place: Longs) -> None:
    """Refuse documents without words of the model; warn of words that are gone."""
    salient = np.unique(model._snapshot.salient_word)
    if (place[salient] < 0).all():
        raise ValueError(
            "X must have words that set the topics of the model apart, such as "
            f"{model.vocabulary_[salient[0]]!r}. Got none of them instead: count the "
            "documents as those of the fit were."
        )
    was = model.word_frequency_ > 0.0
    gone = np.flatnonzero(was & (place < 0))
    if len(gone):
        most = gone[np.argsort(-model.word_frequency_[gone], kind="stable")[:3]]
        some = ", ".join(repr(model.vocabulary_[n]) for n in most)
        warn(
            f"{len(gone):,} of the {int(was.sum()):,} words of the model do not occur "
            f"in the documents any more, such as {some}.",
        )


def _again(model: Model, other: Model, here: Present) -> None:
    """Fit one level from its previous topics, and set the results."""
    workers, progress = here.workers, here.progress
    begun = len(progress.history)
    other._weigh(here.counts, workers)
    weighed = other._effective(here.counts)
    data = prepare(weighed)
    data = data._replace(groups=workers.hold(data.groups))
    fitter = other._fitter(
        data, other.word_prior_, workers, progress.report, here.checkpoint
    )
    carried = carry(model._snapshot, here.place, data, weighed, workers)
    first, was = _begin(carried, fitter, _pins(model, here.place))
    worth = _worth(model.n_topics_, was, first, fitter)
    found = _found(model, fitter, first, here)
    path = found.path[found.best]
    mass = rearrange.topic_mass(data, path.parameters, workers)
    by_mass = np.argsort(-mass, kind="stable")
    other.history_ = progress.history[begun:]
    other._take(fitter, found, here.filled)
    known = Refreshed(
        carried.previous(model.n_topics_),
        np.asarray(weighed.sum(axis=1), dtype=np.float64).ravel()[here.filled],
        worth._replace(without_after=fitter.losses(path)[0][by_mass]),
        {k: was[j] for k, j in enumerate(by_mass) if j in fitter.pinned},
    )
    if not here.renumber:
        known = _keep_numbers(other, known, here.filled)
        other._counted = tree.topic_words(other._snapshot, path.data, workers)
    _relate(model, other, known, here.filled)


def _begin(
    carried: Carried, fitter: Fitter, pins: dict[int, np.ndarray]
) -> tuple[em.Fit, list[int]]:
    """The topics that documents still have, pinned ones first, and their numbers."""
    number = carried.number
    used = np.unique(carried.shares.indices)
    order = sorted(used, key=lambda j: (int(number[j]) not in pins, j))
    was = [int(number[j]) for j in order]
    fitter.pinned = {k: pins[j] for k, j in enumerate(was) if j in pins}
    fitter.held = len(fitter.pinned)
    start = parameters(carried, order, fitter.data, fitter.workers)
    prior = fitter.prior(start.n_topics)
    return em.given(fitter.data, start, prior, fitter.workers), was


def _worth(
    n_topics: int, was: list[int], first: em.Fit, fitter: Fitter
) -> changes.Worth:
    """What the previous topics are worth in the documents, with and without others."""
    place = np.zeros(n_topics, dtype=np.int64)
    place[was] = np.arange(len(was))
    without = np.zeros(n_topics)
    without[was] = fitter.losses(first)[0]

    def joined(one: Longs, two: Longs) -> Floats:
        pairs, prior = (place[one], place[two]), fitter.prior(len(was))
        data, parameters = first.data, first.parameters
        return merge.losses(data, parameters, *pairs, prior, fitter.workers)

    return changes.Worth(without, np.zeros(0), joined)


def _found(model: Model, fitter: Fitter, first: em.Fit, here: Present) -> Found:
    """Search near the topics that there are, and finish the best fit."""
    n_docs, least, most = fitter.data.n_docs, model.min_topics, fitter.data.n_docs
    if model.n_topics != "auto":
        least = most = min(int(model.n_topics), n_docs)
    least = max(min(least, first.parameters.n_topics), fitter.held)
    most = max(least, most)
    n_new = _n_new(model, first.parameters.n_topics, here)
    path = from_before.search(fitter, first.parameters, least, most, n_new)
    best = best_number(fitter, path)
    criteria = {m: fitter.criterion(fitted) for m, fitted in path.items()}
    path[best] = fitter.finish(path[best])
    return Found(path, best, criteria)


def _n_new(model: Model, n_topics: int, here: Present) -> int:
    """How many topics to try that do not come from the previous ones.

    As many more as there are more documents, and not more than there are.
    """
    n_docs = here.counts.shape[0]
    growth = n_docs / model.topic_proportions_.shape[0] - 1.0
    n_new = int(min(max(growth, _GROWING), 1.0) * n_topics)
    if not np.isfinite(model.burstiness_):
        n_new = max(n_new, n_docs // _DOCUMENTS - n_topics)
    return max(n_new, _LEAST_NEW)


def _pins(model: Model, place: Longs) -> dict[int, np.ndarray]:
    """Pinned words that still occur, by topic."""
    if not model.pinned_words_:
        return {}
    number = {word: int(place[n]) for n, word in enumerate(model.vocabulary_)}
    found = {
        topic: np.array(sorted(n for w in words if (n := number[w]) >= 0), np.int32)
        for topic, words in model.pinned_words_.items()
    }
    return {topic: words for topic, words in found.items() if len(words)}


def _keep_numbers(other: Model, known: Refreshed, filled: np.ndarray) -> Refreshed:
    """Let topics that continue others have their numbers."""
    after = other.topic_proportions_[filled]
    found = changes.passage(known.before, after, known.length, known.held)
    order = changes.numbering(changes.continued(found), other.n_topics_)
    here, summary = other._path[other.n_topics_]
    other._path[other.n_topics_] = snapshot.reordered(here, order), summary
    other._set_results(other._path, other.n_topics_, other.word_frequency_, filled)
    places = np.argsort(order)
    worth = known.worth._replace(without_after=known.worth.without_after[order])
    held = {int(places[k]): j for k, j in known.held.items()}
    return known._replace(worth=worth, held=held)


def _relate(model: Model, other: Model, known: Refreshed, filled: np.ndarray) -> None:
    """Set the ledger of changes, and give topics their names and pins."""
    after = other.topic_proportions_[filled]
    found = changes.passage(known.before, after, known.length, known.held)
    other.changes_ = changes.ledger(found, known.worth, model.topic_names)
    there = set(other.vocabulary_)
    other.pinned_words_ = {
        k: [word for word in model.pinned_words_[j] if word in there]
        for k, j in known.held.items()
    }
    other.edits_ = [*model.edits_]
    keep_names(model, other, changes.continued(found))
