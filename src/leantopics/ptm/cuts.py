"""A model as a cut of its tree shows it: groups of topics in the place of topics."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from leantopics._arrays import Floats, Ints, Longs
from leantopics.ptm.hierarchy import summed
from leantopics.ptm.objective import TWO_PI, WordPrior, bic_terms, total
from leantopics.ptm.snapshot import Snapshot, Summary
from leantopics.ptm.tree import TopicWords, topic_counts


class _Words(NamedTuple):
    """The salient words of a topic or a group."""

    word: Ints
    excess: Floats
    mu: float
    gain: float
    """Nats over the shared model."""


def cut(
    fitted: Snapshot,
    summary: Summary,
    known: TopicWords,
    group: Longs,
    prior: WordPrior,
) -> tuple[Snapshot, Summary]:
    """Let the groups of a cut be the topics, without a look at the documents.

    Their words are those that the tree priced, and BIC is the bound that its prices add
    up to: all words of the documents stay with the topics that they had. ``known`` has
    the expected counts of the model, ``group`` (M,) the group of each topic, from 0.
    """
    shape = (len(fitted.gain), fitted.n_topics)
    arrays = (fitted.alpha, fitted.doc_topic, fitted.doc_indptr)
    by_topic = sparse.csr_array(sparse.csr_array(arrays, shape=shape).T)
    mixes = sparse.csr_array(summed(by_topic, group).T)
    mixes.sort_indices()
    size = np.diff(mixes.indptr)
    lengths = np.repeat(known.length, size)
    tokens = np.bincount(mixes.indices, lengths).astype(np.float64)
    n_switches = float(fitted.n_topics * len(fitted.beta0))
    slope = prior.price(float(fitted.salient_indptr[-1]), n_switches)
    topics = [*_topics(fitted, known)]
    price = 0.5 * np.log(tokens / TWO_PI) + slope
    groups = [*_groups(fitted, known, group, topics, price)]
    n_salient = np.array([len(each.word) for each in groups])
    salient_word = np.concatenate([each.word for each in groups])
    here = fitted._replace(
        salient_indptr=np.append(0, np.cumsum(n_salient)),
        salient_word=salient_word,
        excess=np.concatenate([each.excess for each in groups]),
        doc_indptr=mixes.indptr.astype(np.int64),
        doc_topic=mixes.indices.astype(np.int32),
        alpha=mixes.data,
        mu=np.array([each.mu for each in groups]),
        tokens=tokens,
        mass=np.bincount(group, fitted.mass).astype(np.float64),
    )
    gained = sum(each.gain for each in groups) - sum(each.gain for each in topics)
    terms = bic_terms(
        with_topics=np.bincount(size, minlength=here.n_topics + 1),
        proportions=float(((size - 1) * np.log(known.length / TWO_PI)).sum()),
        salient_in_topic=n_salient,
        tokens_in_topic=tokens,
        n_words=len(fitted.beta0),
        log_likelihood=summary.log_likelihood + gained,
        word_prior=prior,
    )
    return here, Summary(
        n_topics=here.n_topics,
        bic=total(terms),
        criterion=total(terms),
        terms=terms,
        log_likelihood=-terms.neg_log_likelihood,
        topics_per_document=float(size.mean()),
        salient_per_topic=float(n_salient.mean()),
        distinct_salient=len(np.unique(salient_word)),
        n_iter=0,
        converged=False,
        stop_reason="tree",
        seconds=0.0,
    )


def _topics(fitted: Snapshot, known: TopicWords) -> Iterable[_Words]:
    counts = topic_counts(known, len(fitted.beta0))
    for j in range(fitted.n_topics):
        row = slice(fitted.salient_indptr[j], fitted.salient_indptr[j + 1])
        words = fitted.salient_word[row]
        yield _with_words(counts[[j]].toarray()[0], fitted.beta0, words)


def _groups(
    fitted: Snapshot,
    known: TopicWords,
    group: Longs,
    topics: list[_Words],
    price: Floats,
) -> Iterable[_Words]:
    """A group of one topic is that topic; words of others exceed their price."""
    counts = summed(topic_counts(known, len(fitted.beta0)), group)
    level = np.bincount(group, [each.mu for each in topics])
    for k in range(len(price)):
        own = np.flatnonzero(group == k)
        if len(own) == 1:
            yield topics[own[0]]
            continue
        x, expected = counts[[k]].toarray()[0], level[k] * fitted.beta0
        positive = np.where(expected > 0.0, expected, 1.0)
        deviance = xlogy(x, x / positive) - x + expected
        words = np.flatnonzero(deviance > price[k]).astype(np.int32)
        yield _with_words(x, fitted.beta0, words)


def _with_words(x: Floats, beta0: Floats, words: Ints) -> _Words:
    x, share = x[words], beta0[words]
    mu = float(x.sum() / share.sum()) if len(words) else 0.0
    if mu == 0.0:
        return _Words(words, np.zeros(len(words)), 0.0, 0.0)
    ratio = x / (mu * share)
    return _Words(words, ratio - 1.0, mu, float(xlogy(x, ratio).sum()))
