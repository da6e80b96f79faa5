"""Settling first parameters: every document in its best single topic."""

import numpy as np

from leantopics.engine.threads import Engine
from leantopics.ptm import group_tasks
from leantopics.ptm.census import count, prices
from leantopics.ptm.moves import rearrange
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.state import Data, Parameters, word_major
from leantopics.ptm.updates import WordRules, accepted, word_pass

_SAMPLE = 10
"""One of this many documents is checked to see whether they are mixed."""


def estimated(
    data: Data, parameters: Parameters, prior: WordPrior, workers: Engine
) -> Parameters:
    """Estimate topics by one M-step with word switches, given one per document."""
    salient, topics = parameters
    _, census, counts = group_tasks.expected(
        group_tasks.whole, data, topics, workers, salient.n_topics, data.n_words
    )
    rules = WordRules(prior, max_cycles=1)
    found, _ = word_pass(data, counts, census.tokens, salient, rules, workers)
    return parameters._replace(salient=found)


def settled(
    data: Data, parameters: Parameters, prior: WordPrior, rounds: int, workers: Engine
) -> Parameters:
    """In rounds, move every document to its best topic and do the M-step.

    Ends when at most one document in a hundred moves, or after ``rounds`` rounds.
    """
    topic = _topic_of(data, parameters, workers)
    for _ in range(rounds):
        before = topic
        parameters = one_topic_each(data, parameters, workers)
        topic = _topic_of(data, parameters, workers)
        if 100 * np.count_nonzero(topic != before) <= data.n_docs:
            break
        parameters = estimated(data, parameters, prior, workers)
    return parameters


def one_topic_each(data: Data, parameters: Parameters, workers: Engine) -> Parameters:
    """Put every document into its most likely topic."""
    salient, topics = parameters
    best = rearrange.best_topics(data, topics, salient, workers)
    return Parameters(salient, rearrange.hard(data, parameters, best, workers))


def are_mixed(data: Data, parameters: Parameters, workers: Engine) -> bool:
    """Whether, of every tenth document, one in ten takes three topics or more."""
    salient, topics = parameters
    cost = prices(salient, count(data, parameters, workers))
    shared = (salient, word_major(salient, data.n_words), cost, _SAMPLE)
    _, (proposals, _) = workers.accumulate(
        group_tasks.visit,
        data.groups,
        topics,
        *shared,
        add=group_tasks.add_proposed,
    )
    many = 0
    for group, flags in zip(proposals, accepted(proposals, cost), strict=True):
        for shard, yes in zip(group, flags, strict=True):
            many += int((np.diff(shard[4])[yes] > 2).sum())
    sampled = sum(-(-size // _SAMPLE) for sizes in data.sizes for size in sizes)
    return many / sampled > 0.1


def _topic_of(data: Data, parameters: Parameters, workers: Engine) -> np.ndarray:
    """Topics of documents that have one each."""
    known = group_tasks.fetched(data, parameters.topics, workers)
    return np.concatenate([mix.topic for part in known for mix in part.mixes])
