"""Merging two topics: the change of BIC, exact enough to merge only where it falls."""

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import group_tasks
from leantopics.ptm.expected_counts import blocks
from leantopics.ptm.kernels import merged
from leantopics.ptm.objective import TWO_PI, WordPrior, log_choose
from leantopics.ptm.state import Data, Parameters

_HEIRS = 2
"""Number of heirs that a topic may be merged with."""


def pairs(heirs: sparse.csr_array) -> tuple[Longs, Longs]:
    """Pairs of topics with those that would inherit most of their words, each once.

    Examples
    --------
    >>> one, two = pairs(sparse.csr_array([[0, 0.9, 0.1], [1, 0, 0], [0, 1, 0]]))
    >>> one, two
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    found = set()
    for j in range(heirs.shape[0]):
        row = slice(heirs.indptr[j], heirs.indptr[j + 1])
        most = np.argsort(-heirs.data[row], kind="stable")[:_HEIRS]
        found |= {(min(j, k), max(j, k)) for k in heirs.indices[row][most]}
    both = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def losses(
    data: Data,
    parameters: Parameters,
    one: Longs,
    two: Longs,
    prior: WordPrior,
    workers: Engine,
) -> Floats:
    """Upper bound on the rise of BIC if two topics become one, for each pair.

    With the expected counts of both added up and their words chosen again, the expected
    complete-data BIC (label q) changes by this much, and BIC by no more. Documents with
    both topics are counted as if they kept two, which costs more than they really will,
    unless they are short and have most of all topics.
    """
    return prices(data, parameters, one, two, prior, workers)[0]


def prices(
    data: Data,
    parameters: Parameters,
    one: Longs,
    two: Longs,
    prior: WordPrior,
    workers: Engine,
) -> tuple[Floats, Floats]:
    """`losses`, and the part of them that the words of both topics decide.

    The rest is what one topic fewer saves, whichever it is.
    """
    salient, n_topics = parameters.salient, parameters.n_topics
    n_salient = float(salient.indptr[-1])
    _, census, counts = group_tasks.recounted(data, parameters, workers)
    slope = prior.price(n_salient, float(n_topics * data.n_words))
    tokens = census.tokens
    price = 0.5 * np.log(tokens / TWO_PI) + slope
    merged_price = 0.5 * np.log((tokens[one] + tokens[two]) / TWO_PI) + slope

    def now(block: tuple[int, int]) -> Floats:
        return merged.values(
            *block, counts, data.shared, price, salient.indptr, salient.word
        )

    def together_of(block: tuple[int, int]) -> tuple[Floats, Longs]:
        return merged.merged_values(*block, one, two, counts, data.shared, merged_price)

    value = np.concatenate(workers.map(now, blocks(n_topics)))
    found = workers.map(together_of, blocks(len(one)))
    together, size = (np.concatenate(each) for each in zip(*found, strict=True))
    n_now = np.diff(salient.indptr)
    saved = n_now[one] + n_now[two] - size
    switches = [prior.cost(n, (n_topics - 1) * data.n_words) for n in n_salient - saved]
    rise = np.array(switches) - prior.cost(n_salient, n_topics * data.n_words)
    choose = [log_choose(n)[:n_topics] for n in (n_topics - 1, n_topics)]
    with_topics = census.with_topics[:n_topics]
    rise += (choose[0] - choose[1]) @ with_topics
    fewer = np.log(n_topics / (n_topics - 1))
    rise -= (data.n_docs - (0.0 if prior.exact else 0.5)) * fewer
    by_words: Floats = value[one] + value[two] - together
    return by_words + slope * saved + rise, by_words


def chosen(
    loss: Floats, one: Longs, two: Longs, n_topics: int, n_merges: int
) -> np.ndarray:
    """The topic that each topic is merged into; lowest losses first, if negative.

    No topic is merged twice, and at most ``n_merges`` pairs are merged.

    Examples
    --------
    >>> chosen(np.array([-1.0, -2.0]), np.array([0, 1]), np.array([1, 2]), 4, 2)
    array([0, 1, 1, 3])
    """
    into = np.arange(n_topics)
    free = np.ones(n_topics, dtype=np.bool_)
    for pair in np.argsort(loss, kind="stable"):
        j, k = one[pair], two[pair]
        if loss[pair] < 0.0 and free[j] and free[k] and n_merges > 0:
            into[k] = j
            free[[j, k]] = False
            n_merges -= 1
    return into
