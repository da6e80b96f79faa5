"""Splitting a topic in two, by the words that its documents have of it."""

import numpy as np
from scipy.special import xlogy

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import group_tasks
from leantopics.ptm.expected_counts import compact
from leantopics.ptm.kernels.arrays import Salient, Statistics
from leantopics.ptm.moves import merge, rearrange
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.state import Data, Parameters
from leantopics.ptm.updates import WordRules, word_pass

_ROUNDS = 10
"""Maximum number of rounds in which documents choose halves of their topics."""
_TRACE = 0.1
"""Share of the whole topic mixed into each half while documents choose."""


def split(
    data: Data,
    parameters: Parameters,
    n_splits: int,
    random: np.random.RandomState,
    workers: Engine,
) -> Parameters:
    """Split the topics whose halves gain most, ``n_splits`` of them or fewer.

    The second halves become the last topics; both halves have the words of the whole.
    """
    both, gain = halves(data, parameters, random, workers)
    best = np.argsort(-gain, kind="stable")[:n_splits]
    return _in_two(data, both, np.sort(best[gain[best] > 0.0]), workers)


def paying(
    data: Data,
    parameters: Parameters,
    random: np.random.RandomState,
    prior: WordPrior,
    workers: Engine,
) -> Parameters | None:
    """Split the topics that would not be merged again; None if there are none.

    Both halves choose their own words, and the price of merging them says what the
    split is worth (`merge.losses`). ``prior`` is that of twice as many topics.
    """
    both, gain = halves(data, parameters, random, workers)
    one = np.flatnonzero(gain > 0.0)
    if not len(one):
        return None
    apart = _in_two(data, both, one, workers)
    _, census, counts = group_tasks.recounted(data, apart, workers)
    rules = WordRules(prior, max_cycles=1)
    salient, _ = word_pass(data, counts, census.tokens, apart.salient, rules, workers)
    two = parameters.n_topics + np.arange(len(one))
    apart = apart._replace(salient=salient)
    rise = merge.losses(data, apart, one, two, prior, workers)
    chosen = one[rise > 0.0]
    return _in_two(data, both, chosen, workers) if len(chosen) else None


def _in_two(data: Data, both: Parameters, chosen: Longs, workers: Engine) -> Parameters:
    """Keep the second halves of some topics, as the last ones; join the others."""
    n_topics = both.n_topics // 2
    into = np.arange(2 * n_topics)
    into[n_topics:] = np.arange(n_topics)
    into[n_topics + chosen] = n_topics + chosen
    joined = rearrange.merge(data, both, into, workers)
    return rearrange.renumber(data, joined, np.unique(into), workers)


def halves(
    data: Data, parameters: Parameters, random: np.random.RandomState, workers: Engine
) -> tuple[Parameters, Floats]:
    """Split all topics into halves j and M + j; return also each pair's gain (M,).

    At fixed responsibilities (pz) the words x[d, j] that document d has of topic j go
    to one half or the other, a and b in all. With words drawn from a / A and b / B
    instead of t / T, t = a + b, they gain

        sum_n a log(a / A) + b log(b / B) - t log(t / T)

    in nats. This rises while documents choose the half that makes their words more
    likely, and the halves are counted again. The first choice is the side of the
    topic's mean on which the words of a document lie in a random direction. A topic
    whose documents all choose the same half gains -inf.
    """
    salient, topics = parameters
    n_words, n_topics = data.n_words, parameters.n_topics
    whole = group_tasks.recounted(data, parameters, workers)
    key, counts = _paired(whole.counts, n_topics, n_words)
    side = random.standard_normal(n_words)[key % n_words]
    owner, total = key // n_words, counts.sum(axis=0)
    sums = [_sums(owner, each, n_topics)[owner] for each in (total * side, total)]
    odds = side - sums[0] / sums[1]
    gain: Floats = np.full(n_topics, -np.inf)
    for _ in range(_ROUNDS):
        table = Salient(
            np.searchsorted(key, np.arange(n_topics + 1) * n_words),
            (key % n_words).astype(np.int32),
            odds - 1.0,
        )
        found = group_tasks.expected(
            group_tasks.choose_half, data, topics, workers, salient, table, n_words
        )
        key, counts = _paired(found.counts, n_topics, n_words)
        before, (gain, odds) = gain, _compared(key // n_words, counts, n_topics)
        topics = found.topics
        if np.array_equal(gain, before):
            break
    return Parameters(rearrange.stacked(salient, salient), topics), gain


def _paired(counts: Statistics, n_topics: int, n_words: int) -> tuple[Longs, Floats]:
    """Numbers j N + n of the words of all topics, and their counts in both halves."""
    part = compact(counts)
    topic = np.repeat(np.arange(len(part.size)), part.size)
    key, place = np.unique(topic % n_topics * n_words + part.word, return_inverse=True)
    paired = np.zeros((2, len(key)))
    paired[topic // n_topics, place] = part.x
    return key, paired


def _compared(owner: Longs, counts: Floats, n_topics: int) -> tuple[Floats, Floats]:
    """Gain of the halves of each topic, and log odds of words in the second half."""
    total = counts.sum(axis=0)
    mass = np.array([_sums(owner, each, n_topics) for each in (*counts, total)])
    gain = _sums(
        owner, xlogy(counts, counts).sum(axis=0) - xlogy(total, total), n_topics
    )
    gain += xlogy(mass[2], mass[2]) - xlogy(mass[:2], mass[:2]).sum(axis=0)
    gain[(mass[:2] == 0.0).any(axis=0)] = -np.inf
    mass[mass == 0.0] = 1.0
    first, second, whole = np.array([*counts, total]) / mass[:, owner]
    odds = np.log((second + _TRACE * whole) / (first + _TRACE * whole))
    return gain, odds


def _sums(owner: Longs, values: Floats, n_topics: int) -> Floats:
    return np.bincount(owner, values, minlength=n_topics).astype(np.float64)
