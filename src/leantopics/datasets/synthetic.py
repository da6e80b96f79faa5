"""Synthetic corpora, drawn from the model itself, so the right answer is known."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from leantopics.corpus import Corpus

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]

ZIPF_SHIFT = 10  # Mandelbrot's shift: without it one word is an eighth of the text
DEALS = 20  # attempts to make all topics different
TOKENS_PER_BATCH = 1 << 20  # bounds the memory of the draw, not its result's size


class Truth(NamedTuple):
    """The parameters a synthetic corpus was drawn from.

    Attributes
    ----------
    alpha : csr_array of shape (n_docs, n_topics)
        Topic proportions; the stored entries are the topics present (v).
    beta : csr_array of shape (n_topics, n_words)
        Word probabilities of the salient words; the stored entries are u, and
        stored zeros (``dip=0``) belong to it.
    beta0 : ndarray of shape (n_words,)
        The shared model.

    Examples
    --------
    >>> _, truth = make_corpus(n_docs=10, n_topics=5)
    >>> own = slice(*truth.beta.indptr[:2])  # the salient words of topic 0
    >>> given = truth.beta0[truth.beta.indices[own]].sum()
    >>> bool(np.isclose(truth.beta.data[own].sum(), given))
    True
    """

    alpha: csr_array
    beta: csr_array
    beta0: Floats


def make_corpus(
    n_docs: int = 500,
    n_words: int = 1000,
    n_topics: int = 10,
    *,
    topics_per_doc: float = 1.5,
    salient_per_topic: int = 30,
    doc_length: float = 100,
    overlap: float = 0.5,
    boost: int = 5,
    dip: float = 0.1,
    evenness: float = 0.5,
    zipf: float = 1.0,
    random_state: int = 0,
) -> tuple[Corpus, Truth]:
    """Draw a corpus from a parsimonious topic model with known parameters.

    In this model the salient words of a topic share exactly the probability that
    the shared model gives them together, so a topic can raise some words only by
    lowering others, and both kinds are salient. The shared model is in turn the
    average of the topics. Both balances are built in: words of equal frequency
    come in groups of `boost`; a topic that uses a group raises one of its words
    and lowers the others, and each word is the raised one equally often. Hence
    the sum of each topic is one and the mean of all topics is ``beta0``. The word
    frequencies of the corpus, from which a fit estimates the shared model, differ
    from ``beta0`` by sampling alone.

    Parameters
    ----------
    n_docs, n_words, n_topics : int
        Sizes. Each topic is the first topic of ``n_docs / n_topics`` documents,
        so none is missing when ``n_docs >= n_topics``.
    topics_per_doc : float, default=1.5
        Mean number of topics in a document: one, and a Poisson number of others.
    salient_per_topic : int, default=30
        Salient words per topic, rounded to whole groups.
    doc_length : float, default=100
        Mean of the Poisson number of words in a document (at least one is drawn).
    overlap : float in (0, 1], default=0.5
        Share of the topics in which a topical word is salient. About
        ``salient_per_topic / overlap`` distinct words are salient somewhere: every
        second one of the most frequent words, as the switch of a rare word cannot
        be read from any corpus of moderate size.
    boost : int, default=5
        Words per group, at most `n_topics`. The raised word is
        ``boost - (boost - 1) * dip`` times as frequent as in the shared model.
    dip : float in [0, 1), default=0.1
        Frequency of the lowered words relative to the shared model; with 0 they
        are salient by their absence.
    evenness : float in [0, 1], default=0.5
        Topic proportions are drawn between a flat Dirichlet (0) and equal shares
        (1); the smallest of k topics has at least ``evenness / k``.
    zipf : float, default=1.0
        Exponent of the word frequencies, ``beta0 ∝ (rank + 10) ** -zipf``.
    random_state : int, default=0
        Seed; the same seed gives the same corpus.

    Returns
    -------
    corpus : Corpus
        Words are numbered by falling frequency; the labels of a document are its
        topics.
    truth : Truth
        What it was drawn from.

    Examples
    --------
    >>> corpus, truth = make_corpus(n_docs=100, n_words=200, n_topics=5)
    >>> corpus.counts.shape, truth.alpha.shape, truth.beta.shape
    ((100, 200), (100, 5), (5, 200))
    >>> corpus.vocabulary[0], corpus.ids[0], corpus.labels[0]
    ('word000', 'doc00', ['topic1', 'topic2'])

    Long documents, few words and mostly one topic per document make it easy: nearly
    every switch can then be read from the corpus.

    >>> easy, _ = make_corpus(
    ...     300, 300, 8, topics_per_doc=1.3, salient_per_topic=32, doc_length=300,
    ...     overlap=1.0, boost=4, dip=0.05,
    ... )
    """
    _check("n_docs", n_docs, n_docs >= 1, "at least 1")
    _check("n_topics", n_topics, n_topics >= 2, "at least 2")
    in_range = 1 <= topics_per_doc <= n_topics
    _check("topics_per_doc", topics_per_doc, in_range, "from 1 to n_topics")
    _check("salient_per_topic", salient_per_topic, salient_per_topic >= 1, "at least 1")
    _check("doc_length", doc_length, doc_length > 0, "above 0")
    _check("overlap", overlap, 0 < overlap <= 1, "above 0 and at most 1")
    _check("boost", boost, boost >= 2, "at least 2")
    _check("dip", dip, 0 <= dip < 1, "at least 0 and below 1")
    _check("evenness", evenness, 0 <= evenness <= 1, "from 0 to 1")
    rng = np.random.default_rng(random_state)
    groups = _draw_groups(rng, n_topics, salient_per_topic, overlap, boost)
    beta0 = _shared_model(n_words, zipf, groups)
    beta = _topics(n_topics, beta0, groups, dip)
    alpha = _proportions(rng, n_docs, n_topics, topics_per_doc, evenness)
    length = np.maximum(rng.poisson(doc_length, n_docs), 1)
    corpus = Corpus(
        _draw_counts(rng, length, alpha, beta, beta0),
        vocabulary=_names("word", n_words),
        ids=_names("doc", n_docs),
        labels=_labels(alpha),
    )
    return corpus, Truth(alpha, beta, beta0)


class _Groups(NamedTuple):
    """Which topics use which group of words, and which word each of them raises."""

    words: Integers  # (n_groups, size): word of each group and place
    topics: Integers  # (n_groups, n_users)
    raised: Integers  # (n_users,): place of the word raised by each user


def _check(name: str, value: float, holds: bool, requirement: str) -> None:
    """Refuse a setting that no corpus can have."""
    if not holds:
        raise ValueError(f"{name} must be {requirement}, got {value}.")


def _draw_groups(
    rng: np.random.Generator, n_topics: int, n_salient: int, overlap: float, boost: int
) -> _Groups:
    """Deal groups to topics until no two topics are equal."""
    size = min(boost, n_topics)
    # A multiple of the size, so that each word is raised equally often.
    n_users = size * int(np.clip(round(overlap * n_topics / size), 1, n_topics // size))
    per_topic = max(1, round(n_salient / size))
    n_groups = -(-per_topic * n_topics // n_users)
    words = 2 * np.arange(n_groups * size).reshape(n_groups, size)
    raised = np.arange(n_users) % size
    for _ in range(DEALS):
        topics = _deal(rng, n_groups, n_users, n_topics)
        topic, raised_word = topics.ravel(), words[:, raised].ravel()
        profile = raised_word[np.lexsort((raised_word, topic))]
        ends = np.cumsum(np.bincount(topic, minlength=n_topics))
        if len({part.tobytes() for part in np.split(profile, ends[:-1])}) == n_topics:
            return _Groups(words, topics, raised)
    raise ValueError(
        "salient_per_topic is too small to make all topics different, got "
        f"{n_salient}; raise it or lower overlap."
    )


def _deal(
    rng: np.random.Generator, n_groups: int, n_users: int, n_topics: int
) -> Integers:
    """Deal each group to the topics that have the fewest so far, in random order."""
    dealt = np.zeros(n_topics, dtype=np.int64)
    topics = np.empty((n_groups, n_users), dtype=np.int64)
    for group in topics:
        fewest = np.lexsort((rng.random(n_topics), dealt))[:n_users]
        dealt[fewest] += 1
        group[:] = rng.permutation(fewest)
    return topics


def _shared_model(n_words: int, zipf: float, groups: _Groups) -> Floats:
    """Zipf frequencies, made equal within each group of words."""
    least = int(groups.words.max()) + 1
    _check("n_words", n_words, n_words >= least, f"at least {least} for all groups")
    weight = (np.arange(n_words) + float(ZIPF_SHIFT)) ** -zipf
    weight[groups.words] = weight[groups.words].mean(axis=1, keepdims=True)
    return np.asarray(weight / weight.sum())


def _topics(n_topics: int, beta0: Floats, groups: _Groups, dip: float) -> csr_array:
    """Salient word probabilities: in each group one word raised, the others lowered."""
    size, n_users = groups.words.shape[1], len(groups.raised)
    factor = np.full((n_users, size), dip)
    factor[np.arange(n_users), groups.raised] = size - (size - 1) * dip
    topic = np.repeat(groups.topics, size)
    word = np.repeat(groups.words, n_users, axis=0).ravel()
    value = beta0[word] * np.tile(factor.ravel(), len(groups.topics))
    # Sorted by hand: scipy's conversions may drop the stored zeros of dip=0.
    order = np.lexsort((word, topic))
    word, value = word[order], value[order]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=n_topics))])
    return csr_array((value, word, indptr), shape=(n_topics, len(beta0)))


def _proportions(
    rng: np.random.Generator, n_docs: int, n_topics: int, mean: float, evenness: float
) -> csr_array:
    """Topics of each document, all equally popular, and their proportions."""
    n_present = np.minimum(1 + rng.poisson(mean - 1, n_docs), n_topics)
    indptr = np.concatenate([[0], np.cumsum(n_present)])
    doc = np.repeat(np.arange(n_docs), n_present)
    topic = rng.integers(n_topics, size=len(doc))
    topic[indptr[:-1]] = rng.permutation(np.arange(n_docs) % n_topics)
    while len(repeated := _repeats(doc * n_topics + topic)):
        topic[repeated] = rng.integers(n_topics, size=len(repeated))
    share = rng.standard_exponential(len(doc))
    share /= np.add.reduceat(share, indptr[:-1])[doc]
    share = evenness / n_present[doc] + (1 - evenness) * share
    alpha = csr_array((share, topic, indptr), shape=(n_docs, n_topics))
    alpha.sort_indices()
    return alpha


def _repeats(key: Integers) -> Integers:
    """Positions of the entries that are equal to an earlier one."""
    order = np.argsort(key, kind="stable")
    return np.sort(order[1:][key[order[1:]] == key[order[:-1]]])


def _draw_counts(
    rng: np.random.Generator,
    length: Integers,
    alpha: csr_array,
    beta: csr_array,
    beta0: Floats,
) -> csr_array:
    """Draw all documents, some at a time."""
    batch = np.cumsum(length) // TOKENS_PER_BATCH
    starts = np.flatnonzero(np.diff(batch, prepend=-1))
    stops = [*starts[1:], len(length)]
    topic_end, salient_end = np.cumsum(alpha.data), np.cumsum(beta.data)
    word_end = np.cumsum(beta0)
    n_words = len(beta0)
    salient_key = np.repeat(np.arange(beta.shape[0]), np.diff(beta.indptr)) * n_words
    salient_key += beta.indices
    parts = []
    for start, stop in zip(starts, stops, strict=True):
        doc = np.repeat(np.arange(start, stop), length[start:stop])
        topic = alpha.indices[
            _draw(rng, topic_end, alpha.indptr[doc], alpha.indptr[doc + 1])
        ]
        # A word of the shared model that is salient in the topic is drawn again from
        # the topic's salient words: they have the same probability together.
        word = _draw(rng, word_end, np.zeros_like(doc), np.full_like(doc, n_words))
        key = topic * np.int64(n_words) + word
        place = np.minimum(np.searchsorted(salient_key, key), len(salient_key) - 1)
        salient = np.flatnonzero(salient_key[place] == key)
        again = topic[salient]
        word[salient] = beta.indices[
            _draw(rng, salient_end, beta.indptr[again], beta.indptr[again + 1])
        ]
        ones = np.ones(len(doc))
        parts.append(
            csr_array((ones, (doc - start, word)), shape=(stop - start, n_words))
        )
    return csr_array(vstack(parts, format="csr"))


def _draw(
    rng: np.random.Generator, end: Floats, start: Integers, stop: Integers
) -> Integers:
    """Draw an index from each range [start, stop) by the weights whose sums are end.

    `end` is the cumulative sum of all weights; every range must have some weight.
    """
    low = np.where(start > 0, end[start - 1], 0.0)
    high = end[stop - 1]
    target = low + (high - low) * rng.random(len(start))
    # The last entry with weight is where the sum reaches the end of its range.
    last = np.searchsorted(end, high)
    return np.minimum(np.searchsorted(end, target, side="right"), last)


def _labels(alpha: csr_array) -> list[list[str]]:
    """Names of the topics of each document."""
    names = _names("topic", alpha.shape[1])
    bounds = alpha.indptr.tolist()
    present = [names[j] for j in alpha.indices.tolist()]
    return [present[a:b] for a, b in pairwise(bounds)]


def _names(stem: str, n: int) -> list[str]:
    """Numbered names that sort as their numbers do."""
    width = len(str(n - 1))
    return [f"{stem}{i:0{width}d}" for i in range(n)]
