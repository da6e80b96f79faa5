"""A fit in plain arrays: what the model shows, saves and uses for inference."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import em
from leantopics.ptm.census import count
from leantopics.ptm.group_tasks import fetched, kept
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.moves.rearrange import renumber, topic_mass
from leantopics.ptm.objective import TWO_PI, BicTerms, WordPrior, total
from leantopics.ptm.state import Data, Parameters, end_to_end, given_topics


class Snapshot(NamedTuple):
    """One fit of the path; D is the number of documents with words.

    Topics are in order of decreasing mass.
    """

    salient_indptr: Longs
    salient_word: Ints
    excess: Floats
    doc_indptr: Longs
    doc_topic: Ints
    alpha: Floats
    mu: Floats
    """(M,): Lagrange multiplier X_j / S_j of (muj)."""
    tokens: Floats
    """(M,): Lbar_j."""
    mass: Floats
    """(M,): expected number of words."""
    gain: Floats
    """(D,): log-likelihood of a document relative to the shared model."""
    beta0: Floats
    """(N,): the shared model."""

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.mu)

    @property
    def documents(self) -> Longs:
        """(M,): number of documents in which a topic is present."""
        return np.bincount(self.doc_topic, minlength=self.n_topics)


class Summary(NamedTuple):
    """Scalars of one fit of the path."""

    n_topics: int
    bic: float
    criterion: float
    terms: BicTerms
    log_likelihood: float
    topics_per_document: float
    salient_per_topic: float
    distinct_salient: int
    n_iter: int
    converged: bool
    stop_reason: str
    seconds: float

    def record(self) -> dict[str, Any]:
        """Return a row of ``path_``."""
        row = self._asdict()
        terms = row.pop("terms")._asdict()
        return {**row, **terms}


def take(fitted: em.Fit, criterion: float, workers: Engine) -> tuple[Snapshot, Summary]:
    """Convert a fit to arrays, with topics in order of decreasing mass."""
    data = fitted.data
    mass = topic_mass(data, fitted.parameters, workers)
    order = np.argsort(-mass, kind="stable")
    renumbered = renumber(data, fitted.parameters, order, workers)
    salient, topics = renumbered
    known = fetched(data, topics, workers)
    mixes = end_to_end(mix for part in known for mix in part.mixes)
    by_word = np.repeat(np.arange(len(order)), np.diff(salient.indptr))
    place = np.lexsort((salient.word, by_word))
    snapshot = Snapshot(
        salient.indptr,
        salient.word[place],
        salient.excess[place],
        *mixes,
        fitted.mu[order],
        count(data, renumbered, workers).tokens,
        mass[order],
        np.concatenate([gain for part in known for gain in part.gain]),
        data.shared.beta0,
    )
    last = fitted.history[-1]
    summary = Summary(
        n_topics=len(order),
        bic=total(fitted.terms),
        criterion=criterion,
        terms=fitted.terms,
        log_likelihood=-fitted.terms.neg_log_likelihood,
        topics_per_document=float(np.diff(mixes.indptr).mean()),
        salient_per_topic=float(np.diff(salient.indptr).mean()),
        distinct_salient=len(np.unique(salient.word)),
        n_iter=last.iteration,
        converged=fitted.converged,
        stop_reason=fitted.stop_reason,
        seconds=last.seconds,
    )
    return snapshot, summary


def parameters(snapshot: Snapshot, data: Data, workers: Engine) -> Parameters:
    """Convert back to the algorithm's form; data are the documents of the fit."""
    topics = given_topics(data, snapshot.doc_indptr, snapshot.doc_topic, snapshot.alpha)
    words = (snapshot.salient_indptr, snapshot.salient_word, snapshot.excess)
    return Parameters(Salient(*words), kept(data, topics, workers))


def reordered(here: Snapshot, order: Longs) -> Snapshot:
    """The same fit with its topics in another order.

    Examples
    --------
    >>> one, n = np.ones(1), np.arange(2)
    >>> here = Snapshot(np.array([0, 1, 3]), np.array([7, 8, 9]), np.arange(3.0), n,
    ...     np.array([0]), one, n + 5.0, n + 1.0, n + 3.0, one, one)
    >>> swapped = reordered(here, np.array([1, 0]))
    >>> swapped.salient_word, swapped.doc_topic, swapped.mu
    (array([8, 9, 7]), array([1]), array([6., 5.]))
    """
    rows = [np.arange(*here.salient_indptr[j : j + 2]) for j in order]
    entries = np.concatenate(rows)
    sizes = [len(row) for row in rows]
    place = np.argsort(order).astype(here.doc_topic.dtype)
    doc = np.repeat(np.arange(len(here.doc_indptr) - 1), np.diff(here.doc_indptr))
    topic = place[here.doc_topic]
    sort = np.lexsort((topic, doc))
    return here._replace(
        salient_indptr=np.concatenate(([0], np.cumsum(sizes))),
        salient_word=here.salient_word[entries],
        excess=here.excess[entries],
        doc_topic=topic[sort],
        alpha=here.alpha[sort],
        mu=here.mu[order],
        tokens=here.tokens[order],
        mass=here.mass[order],
    )


def proportions(snapshot: Snapshot, filled: np.ndarray) -> sparse.csr_array:
    """(documents, M): alpha; a document without words has the corpus-wide shares."""
    n_topics = snapshot.n_topics
    size = np.full(len(filled), n_topics, dtype=np.int64)
    size[filled] = np.diff(snapshot.doc_indptr)
    indptr = np.concatenate(([0], np.cumsum(size)))
    here = np.repeat(filled, size)
    topic, alpha = np.empty(len(here), dtype=np.int32), np.empty(len(here))
    topic[here], alpha[here] = snapshot.doc_topic, snapshot.alpha
    n_empty = int((~filled).sum())
    topic[~here] = np.tile(np.arange(n_topics), n_empty)
    alpha[~here] = np.tile(snapshot.mass / snapshot.mass.sum(), n_empty)
    out = sparse.csr_array((alpha, topic, indptr), shape=(len(filled), n_topics))
    out.sort_indices()
    return out


def salient_matrix(snapshot: Snapshot, values: Floats) -> sparse.csr_array:
    """(M, N): values of the salient words."""
    pattern = (values, snapshot.salient_word, snapshot.salient_indptr)
    return sparse.csr_array(pattern, shape=(snapshot.n_topics, len(snapshot.beta0)))


def salient_probabilities(snapshot: Snapshot) -> sparse.csr_array:
    """(M, N): beta where u is on; stored zeros are words salient by absence."""
    values = snapshot.beta0[snapshot.salient_word] * (1.0 + snapshot.excess)
    return salient_matrix(snapshot, values)


def shared_counts(snapshot: Snapshot) -> sparse.csr_array:
    """(M, N): counts of the salient words by the shared model, ``mu beta0``."""
    scale = np.repeat(snapshot.mu, np.diff(snapshot.salient_indptr))
    return salient_matrix(snapshot, scale * snapshot.beta0[snapshot.salient_word])


def salient_counts(snapshot: Snapshot) -> sparse.csr_array:
    """(M, N): expected counts of the salient words, ``mu beta0 (1 + r)``."""
    shared = shared_counts(snapshot).data
    return salient_matrix(snapshot, shared * (1.0 + snapshot.excess))


def salience(snapshot: Snapshot, prior: WordPrior) -> sparse.csr_array:
    """(M, N): nats by which a salient word exceeds its price, dev_n(mu) - c.

    With ``x = mu beta0 (1 + r)`` the deviance is ``mu beta0 ((1 + r) log(1 + r) - r)``.
    """
    n_switches = float(snapshot.n_topics * len(snapshot.beta0))
    price = prior.price(float(snapshot.salient_indptr[-1]), n_switches)
    cost = 0.5 * np.log(snapshot.tokens / TWO_PI) + price
    ratio, r = 1.0 + snapshot.excess, snapshot.excess
    log_ratio = np.log(ratio, out=np.zeros_like(ratio), where=ratio > 0)
    values = shared_counts(snapshot).data * (ratio * log_ratio - r)
    values -= np.repeat(cost, np.diff(snapshot.salient_indptr))
    return salient_matrix(snapshot, values)


def components(snapshot: Snapshot) -> Floats:
    """(M, N), dense: word distribution of every topic, shared words included."""
    out = np.tile(snapshot.beta0, (snapshot.n_topics, 1))
    topic = np.repeat(np.arange(snapshot.n_topics), np.diff(snapshot.salient_indptr))
    out[topic, snapshot.salient_word] *= 1.0 + snapshot.excess
    return out


def shared_mass(snapshot: Snapshot) -> Floats:
    """(N,): beta0 times the share of the topics in which a word is not salient."""
    share = snapshot.mass / snapshot.mass.sum()
    weights = np.repeat(share, np.diff(snapshot.salient_indptr))
    n_words = len(snapshot.beta0)
    salient = np.bincount(snapshot.salient_word, weights, minlength=n_words)
    return snapshot.beta0 * (1.0 - salient)


def ranked_words(
    snapshot: Snapshot,
    prior: WordPrior,
    topic: int,
    by: str,
    which: str,
) -> list[tuple[int, float]]:
    """Words of a topic in the order of the model's `top_words`."""
    row = slice(snapshot.salient_indptr[topic], snapshot.salient_indptr[topic + 1])
    words, excess = snapshot.salient_word[row], snapshot.excess[row]
    beta0 = snapshot.beta0
    if which == "shared":
        words = np.setdiff1d(np.flatnonzero(beta0), words)
        values = beta0[words]
    else:
        wanted = excess < 0.0 if which == "avoided" else excess > 0.0
        if which == "salient" and by == "probability":
            values = (beta0[words] * (1.0 + excess))[wanted]
        else:
            values = salience(snapshot, prior).data[row][wanted]
        words = words[wanted]
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > 0.0]
    pairs = zip(words[order], values[order], strict=True)
    return [(int(word), float(value)) for word, value in pairs]


def typical_documents(
    snapshot: Snapshot, topic: int, n: int
) -> tuple[np.ndarray, Floats]:
    """Documents of a topic with their alpha, largest alpha times gain first."""
    entry = np.flatnonzero(snapshot.doc_topic == topic)
    doc = np.searchsorted(snapshot.doc_indptr, entry, side="right") - 1
    alpha = snapshot.alpha[entry]
    order = np.argsort(-alpha * snapshot.gain[doc], kind="stable")[:n]
    return doc[order], alpha[order]
