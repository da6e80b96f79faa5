"""A learned shared model, instead of the paper's frequencies (p0)."""

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.engine.threads import Engine
from leantopics.ptm.expected_counts import compact
from leantopics.ptm.group_tasks import expect, expected
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.state import Data, Parameters, rebase

_FLOOR = 0.01
"""Share of the frequencies in the shared model. Without it, a word that is salient in
all its topics would get probability 0."""
_STEPS = 20


def learn(
    data: Data, parameters: Parameters, workers: Engine
) -> tuple[Data, Parameters]:
    """Improve the shared model b by EM; return the data and parameters with it.

    The likelihood does not fall. Let the topics leave y_n words n to the shared model,
    and have X_j words on their salient words U_j, whose probabilities keep their
    proportions and sum to S_j = sum_Uj b. Then

        sum_n y_n log b_n + sum_j X_j log S_j

    is the part of the expected log-likelihood that b changes. With b = floor f + (1 -
    floor) w and the frequencies f, it rises by w_n ~ w_n (y_n / b_n + sum_j X_j / S_j),
    where j runs over the topics in which n is salient: Jensen's inequality bounds both
    logarithms from below.
    """
    salient, topics = parameters
    shape = (parameters.n_topics, data.n_words)
    shared = (salient, data.n_words, True)
    counts = expected(expect, data, topics, workers, *shared).counts
    indptr, _, word, x = compact(counts)
    is_salient = sparse.csr_array(
        (np.ones(len(salient.word)), salient.word, salient.indptr), shape=shape
    )
    own = is_salient.multiply(sparse.csr_array((x, word, indptr), shape=shape))
    mass: Floats = np.asarray(own.sum(axis=1)).ravel()
    left = np.maximum(data.totals - np.asarray(own.sum(axis=0)).ravel(), 0.0)
    before = beta0 = data.shared.beta0
    seen, frequency = data.totals > 0.0, data.frequency
    free = np.maximum(beta0 - _FLOOR * frequency, 0.0)
    for _ in range(_STEPS):
        pull = is_salient.T @ (mass / np.asarray(is_salient @ beta0))
        free[seen] *= left[seen] / beta0[seen] + pull[seen]
        free /= free.sum()
        beta0 = _FLOOR * frequency + (1.0 - _FLOOR) * free
    scale = np.asarray(is_salient @ beta0) / np.asarray(is_salient @ before)
    word = salient.word
    times = np.divide(before, beta0, out=np.ones_like(beta0), where=seen)
    ratio = np.repeat(scale, np.diff(salient.indptr)) * times[word]
    rescaled = Salient(
        salient.indptr, salient.word, (1.0 + salient.excess) * ratio - 1.0
    )
    return rebase(data, beta0), parameters._replace(salient=rescaled)
