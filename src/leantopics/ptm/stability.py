"""How stable a model is: what recurs with other starts or other documents."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from leantopics._arrays import Bools, Floats, Longs
from leantopics.ptm.card import stability_card

if TYPE_CHECKING:
    from leantopics.ptm.estimator import ParsimoniousTopicModel

SAME = 0.5
"""Agreement at which a topic counts as found again."""


class Stability(NamedTuple):
    """A comparison of a model with repeated fits."""

    how: str
    """"starts" or "bootstrap"."""
    orders: Longs
    """(R,): number of topics of each repeat."""
    agreement: Floats
    """(R, M): for each topic, its agreement with the nearest topic of the repeat."""
    words: Floats
    """For each salient word, in the order of ``salient_word_prob_``, the share of the
    repeats in whose nearest topic it is salient, too."""

    def _repr_html_(self) -> str:
        """Show in a notebook how often each topic was found again."""
        return stability_card(self)

    @property
    def found(self) -> Longs:
        """(M,): number of repeats that found each topic again."""
        found: Longs = (self.agreement >= SAME).sum(axis=0)
        return found

    @property
    def recurs(self) -> Bools:
        """(M,): whether half of the repeats or more found a topic again."""
        recurs: Bools = 2 * self.found >= len(self.orders)
        return recurs

    @property
    def mean_agreement(self) -> Floats:
        """(M,): mean of ``agreement`` over the repeats."""
        mean: Floats = self.agreement.mean(axis=0)
        return mean

    def stays(self, indptr: np.ndarray) -> Floats:
        """(M,): mean of ``words`` over each topic, whose words are given as rows."""
        stays: Floats = np.add.reduceat(self.words, indptr[:-1]) / np.diff(indptr)
        return stays


def agreement(
    first: sparse.csr_array, second: sparse.csr_array, length: Floats
) -> Floats:
    """Words that two topics share, divided by those that either has: (M, M').

    sum_d L_d min(alpha[d,j], alpha'[d,k]) / sum_d L_d max(alpha[d,j], alpha'[d,k])

    for topics alpha (D, M) and alpha' (D, M') of the same documents of lengths L (D,).

    Examples
    --------
    >>> rows = sparse.csr_array([[1.0, 0.0], [0.5, 0.5]])
    >>> agreement(rows, rows, np.array([4.0, 4.0])).round(2)
    array([[1.  , 0.33],
           [0.33, 1.  ]])
    """
    sizes = np.diff(first.indptr), np.diff(second.indptr)
    pairs = sizes[0] * sizes[1]
    doc = np.repeat(np.arange(len(pairs)), pairs)
    rank = np.arange(len(doc)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    one = first.indptr[doc] + rank // sizes[1][doc]
    two = second.indptr[doc] + rank % sizes[1][doc]
    both = length[doc] * np.minimum(first.data[one], second.data[two])
    shape = (first.shape[1], second.shape[1])
    shared = sparse.coo_array(
        (both, (first.indices[one], second.indices[two])), shape=shape
    ).toarray()
    masses = [np.asarray(length @ alpha).ravel() for alpha in (first, second)]
    either = masses[0][:, None] + masses[1] - shared
    out = np.zeros(shape)
    np.divide(shared, either, out=out, where=either > 0.0)
    return out


def measure(
    model: "ParsimoniousTopicModel",
    X: Any,
    repeats: int,
    how: str,
    random_state: Any,
) -> Stability:
    """Fit repeatedly; see `ParsimoniousTopicModel.measure_stability`."""
    counts = model._documents(X)
    length: Floats = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    own = model.topic_proportions_[model._filled]
    random = check_random_state(random_state)
    salient = model.salient_word_prob_
    entry = sparse.csr_array(
        (np.arange(1, salient.nnz + 1), salient.indices, salient.indptr),
        shape=salient.shape,
    )
    orders, agreements, words = [], [], np.zeros(salient.nnz)
    for _ in range(repeats):
        seed = int(random.randint(2**31 - 1))
        other = clone(model).set_params(
            random_state=seed, inference="sparse", prediction="switched", verbose=0
        )
        other.set_params(callback=None, sparse_output=True)
        if how == "starts":
            shares = other.fit(counts).topic_proportions_
        else:
            drawn = random.randint(counts.shape[0], size=counts.shape[0])
            shares = other.fit(counts[np.sort(drawn)]).transform(counts)
        table = agreement(own, shares, length)
        nearest = table.argmax(axis=1)
        there = other.salient_word_prob_[nearest]
        there.data = np.ones(there.nnz)
        words[entry.multiply(there).tocsr().data.astype(np.int64) - 1] += 1.0
        orders.append(other.n_topics_)
        agreements.append(table.max(axis=1))
    return Stability(how, np.array(orders), np.array(agreements), words / repeats)
