"""The tree of topics: groups that are joined one by one where BIC rises least.

With the topics of all words of the documents held fixed, counts of joined topics add
up, and the expected complete-data BIC (label q) changes by

    V_a + V_b - V_ab + (word switches) + (topic switches),

V the gain of the salient words over the shared model, less the price of their
probabilities. BIC itself changes by no more, and by just as much if every document has
one topic. The words of a group are those whose deviance from the shared model, at the
summed scales mu of its topics, exceeds their price.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from leantopics._arrays import Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import snapshot
from leantopics.ptm.expected_counts import compact
from leantopics.ptm.group_tasks import expected, recount
from leantopics.ptm.kernels import joins
from leantopics.ptm.kernels.arrays import PartialCounts
from leantopics.ptm.kernels.joins import Groups
from leantopics.ptm.objective import TWO_PI, WordPrior, log_choose
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.state import Data, DocState, Documents, row_sums, share

LEAST_LEVEL = 1e-9
"""Scale of a topic without counts."""
_BLOCK = 64
"""Pairs that a worker evaluates at a time."""


class TopicWords(NamedTuple):
    """Evidence of a fit by topic and by document: what joins of topics are priced with.

    D is the number of documents with words.
    """

    counted_indptr: Longs
    counted_word: Ints
    counted_x: Floats
    """Expected counts x[j, n] of the words ``counted_word`` of each topic."""
    length: Floats
    """(D,): L_d."""


class Tree(NamedTuple):
    """Joins of M topics, in order; nodes from M on are groups."""

    children: Longs
    """(M - 1, 2): the nodes joined."""
    rise: Floats
    """(M - 1,): change of BIC by each join, in nats."""


class _Mixed(NamedTuple):
    """Documents with several groups, whose groups are ``group[indptr[d]:][:size[d]]``.

    ``single`` is the number of all others.
    """

    indptr: Longs
    size: Longs
    group: Ints
    length: Floats
    single: int


def topic_words(taken: Snapshot, data: Data, workers: Engine) -> TopicWords:
    """Evidence of a fit; data are its documents."""
    salient, topics = snapshot.parameters(taken, data, workers)
    counts = expected(recount, data, topics, workers, salient, data.n_words).counts
    indptr, _, word, x = compact(PartialCounts(*counts[:4]))
    found = workers.read(_lengths, data.groups, topics)
    return TopicWords(indptr, word, x, np.concatenate(found))


def _lengths(group: Documents, topics: DocState, workers: Engine) -> Floats:
    return np.concatenate(group.length)


def topic_counts(known: TopicWords, n_words: int) -> sparse.csr_array:
    """(M, N): expected counts of words."""
    arrays = (known.counted_x, known.counted_word, known.counted_indptr)
    shape = (len(known.counted_indptr) - 1, n_words)
    return sparse.csr_array(arrays, shape=shape)


def agglomerate(
    known: TopicWords,
    fitted: Snapshot,
    prior: WordPrior,
    workers: Engine,
    themes: Longs | None = None,
) -> Tree:
    """Join topics until one group is left, each time the cheapest of all pairs.

    Parameters
    ----------
    known : TopicWords
        Expected counts of the topics and lengths of the documents.
    fitted : Snapshot
        The fitted model.
    prior : WordPrior
        Form of the word-switch cost.
    workers : Engine
        Evaluates the pairs.
    themes : array of shape (M,), optional
        Topics of one theme are joined before themes are.
    """
    n_topics = fitted.n_topics
    joiner = _Joiner(known, fitted, prior, workers, themes)
    node = np.arange(n_topics)
    children, rise = np.zeros((n_topics - 1, 2), np.int64), np.zeros(n_topics - 1)
    for step in range(n_topics - 1):
        rise[step], a, b = joiner.join()
        children[step] = np.sort(node[[a, b]])
        node[a], node[b] = n_topics + step, node[n_topics - 1 - step]
    return Tree(children, rise)


def groups(tree: Tree, n_groups: int) -> Longs:
    """(M,): the group of each topic when ``n_groups`` are left, in order of the nodes.

    Examples
    --------
    >>> tree = Tree(np.array([[0, 2], [1, 3]]), np.array([5.0, 9.0]))
    >>> groups(tree, 2)
    array([1, 0, 1])
    """
    n_topics = len(tree.rise) + 1
    node = np.arange(n_topics)
    for step in range(n_topics - n_groups):
        node[np.isin(node, tree.children[step])] = n_topics + step
    out: Longs = np.unique(node, return_inverse=True)[1]
    return out


def cheapest_cut(tree: Tree) -> int:
    """Return the number of groups at which BIC is lowest.

    Examples
    --------
    >>> cheapest_cut(Tree(np.array([[0, 2], [1, 3]]), np.array([-5.0, 9.0])))
    2
    """
    bic = np.concatenate(([0.0], np.cumsum(tree.rise)))
    return len(bic) - int(bic.argmin())


class _Joiner:
    """Groups of topics, the values of all pairs, and the documents they share.

    Groups have the numbers 0 .. n - 1; arrays by group are longer than that.
    """

    def __init__(
        self,
        known: TopicWords,
        fitted: Snapshot,
        prior: WordPrior,
        workers: Engine,
        themes: Longs | None,
    ) -> None:
        self._n, self._n_words = fitted.n_topics, len(fitted.beta0)
        self._prior, self._workers = prior, workers
        n_salient, n_switches = fitted.salient_indptr[-1], self._n * self._n_words
        self._slope = prior.price(float(n_salient), float(n_switches))
        self._shared = share(fitted.beta0)
        size = np.diff(fitted.doc_indptr)
        self._tokens = np.bincount(
            fitted.doc_topic, np.repeat(known.length, size), minlength=self._n
        ).astype(np.float64)
        self._mixed = _mixed(fitted, known.length)
        self._kin = np.zeros(self._n, np.int64) if themes is None else themes.copy()
        indptr = fitted.salient_indptr
        x, beta0 = _salient_counts(known, fitted)
        level = _levels(known, indptr, x, beta0)
        self._size = np.diff(indptr)
        ratio: Floats = x / (np.repeat(level, self._size) * beta0)
        self._value = row_sums(indptr, np.asarray(xlogy(x, ratio), np.float64))
        self._value -= 0.5 * self._size * np.log(self._tokens / TWO_PI)
        self._groups = self._leaves(known, level)
        joins.mark_strong(self._groups, self._shared, 0, self._n)
        self._pair_value = np.zeros((self._n, self._n))
        self._pair_size = np.zeros((self._n, self._n), np.int64)
        self._count_overlaps()
        for a in range(self._n - 1):
            self._pair(a, np.arange(a + 1, self._n))

    def join(self) -> tuple[float, int, int]:
        """Join the cheapest pair a < b: (rise of BIC, a, b).

        The group takes the place of a, and the last group that of b.
        """
        last, groups = self._n - 1, self._groups
        if len(np.unique(self._kin[: self._n])) == self._n:
            self._kin[:] = 0
        rise, a, b = joins.cheapest(
            self._n,
            self._pair_value,
            self._pair_size,
            self._value,
            self._size,
            self._saved,
            self._kin,
            self._n_words,
            self._prior.exact,
        )
        rise += self._rise_of_all()
        self._unite(a, b)
        self._tokens[a] += self._tokens[b] - self._overlap[a, b]
        self._value[a], self._size[a] = self._pair_value[a, b], self._pair_size[a, b]
        groups.level[a] += groups.level[b]
        groups.price[a] = self._price(self._tokens[a])
        of_groups = (self._tokens, self._value, self._size, self._kin)
        for each in (*of_groups, *groups[:2], *groups[5:]):
            each[b] = each[last]
        for table in (self._pair_value, self._pair_size):
            table[b], table[:, b] = table[last], table[:, last]
        into = np.arange(self._n, dtype=np.int32)
        into[last] = b
        into[b] = a
        joins.regroup(*self._mixed[:3], into)
        self._n = last
        joins.mark_strong(groups, self._shared, a, a + 1)
        self._count_overlaps()
        self._pair(a, np.delete(np.arange(self._n), a))
        return rise, a, b

    def _leaves(self, known: TopicWords, level: Floats) -> Groups:
        """One group for each topic, with room for the groups to come."""
        rank_of = np.empty(self._n_words, np.int32)
        rank_of[self._shared.order] = np.arange(self._n_words, dtype=np.int32)
        indptr, n_seen = known.counted_indptr, len(known.counted_word)
        topic = np.repeat(np.arange(self._n), np.diff(indptr))
        place = np.lexsort((rank_of[known.counted_word], topic))
        rank, x = np.zeros(2 * n_seen, np.int32), np.zeros(2 * n_seen)
        rank[:n_seen] = rank_of[known.counted_word][place]
        x[:n_seen] = known.counted_x[place]
        starts, ends = indptr[:-1].astype(np.int64), indptr[1:].astype(np.int64)
        strong, price = np.zeros(2 * n_seen, np.bool_), self._price(self._tokens)
        return Groups(starts, ends, rank, x, strong, level, price)

    def _unite(self, a: int, b: int) -> None:
        """Store the counts of two groups as those of the first, at the end."""
        groups, live = self._groups, slice(self._n)
        sizes = groups.end[live] - groups.start[live]
        free = int(groups.end[live].max())
        if free + sizes[a] + sizes[b] > len(groups.rank):
            free = 0
            for g in np.argsort(groups.start[live], kind="stable"):
                old = slice(groups.start[g], groups.end[g])
                groups.start[g], groups.end[g] = free, free + sizes[g]
                for each in (groups.rank, groups.x, groups.strong):
                    each[free : free + sizes[g]] = each[old].copy()
                free += int(sizes[g])
        rank, x = groups.rank[free:], groups.x[free:]
        size = joins.unite(groups, a, b, rank, x)
        groups.start[a], groups.end[a] = free, free + size

    def _pair(self, a: int, others: np.ndarray) -> None:
        """Evaluate group a with each of the others."""
        tokens = self._tokens[a] + self._tokens[others] - self._overlap[a, others]
        price = self._price(tokens)

        def found(block: slice) -> tuple[Floats, Longs]:
            out: tuple[Floats, Longs] = joins.pair_values(
                a, others[block], price[block], self._groups, self._shared
            )
            return out

        blocks = [slice(i, i + _BLOCK) for i in range(0, len(others), _BLOCK)]
        for block, (value, size) in zip(
            blocks, self._workers.map(found, blocks), strict=True
        ):
            value += self._slope * size
            for row, column in ((a, others[block]), (others[block], a)):
                self._pair_value[row, column] = value
                self._pair_size[row, column] = size

    def _count_overlaps(self) -> None:
        """For each pair, the words in documents with both, and the BIC they save."""
        apart, joined = self._rises()
        shape = (self._n, self._n)
        self._overlap, self._saved = np.zeros(shape), np.zeros(shape)
        joins.overlaps(*self._mixed[:4], apart, joined, self._overlap, self._saved)

    def _rises(self) -> tuple[Floats, Floats]:
        """Rise of BIC by a document with m = 0 .. n groups, with not both, with both.

        A document with all groups has both of any pair.
        """
        now, then = log_choose(self._n), log_choose(self._n - 1)
        apart = np.concatenate((then - now[:-1], [0.0]))
        joined = np.concatenate(([0.0], then - now[1:]))
        return apart, joined

    def _rise_of_all(self) -> float:
        """Rise of BIC by any join, without what depends on the pair."""
        n, before = self._n, float(self._size[: self._n].sum())
        n_docs = len(self._mixed.size) + self._mixed.single
        fewer = float(np.log((n - 1) / n))
        rise = (n_docs - (0.0 if self._prior.exact else 0.5)) * fewer
        apart, _ = self._rises()
        rise += float(apart[self._mixed.size].sum())
        rise += float(apart[1]) * self._mixed.single
        return rise - self._prior.cost(before, float(n * self._n_words))

    def _price(self, tokens: Floats) -> Floats:
        price: Floats = 0.5 * np.log(tokens / TWO_PI) + self._slope
        return price


def _mixed(fitted: Snapshot, length: Floats) -> _Mixed:
    size = np.diff(fitted.doc_indptr)
    mixed = size > 1
    topic = fitted.doc_topic[np.repeat(mixed, size)].astype(np.int32)
    indptr = np.concatenate(([0], np.cumsum(size[mixed])))
    n_single = int(np.count_nonzero(~mixed))
    return _Mixed(indptr, size[mixed], topic, length[mixed], n_single)


def _levels(known: TopicWords, indptr: Longs, x: Floats, beta0: Floats) -> Floats:
    """mu of each topic (muj); without counts of salient words, all its counts."""
    seen, share = row_sums(indptr, x), row_sums(indptr, beta0)
    whole = row_sums(known.counted_indptr, known.counted_x)
    return np.where(seen > 0.0, seen / share, np.maximum(whole, LEAST_LEVEL))


def _salient_counts(known: TopicWords, fitted: Snapshot) -> tuple[Floats, Floats]:
    """Counts x and shared probabilities beta0 of the salient words of all topics."""
    counted = topic_counts(known, len(fitted.beta0))
    topic = np.repeat(np.arange(fitted.n_topics), np.diff(fitted.salient_indptr))
    x = np.asarray(counted[topic, fitted.salient_word], dtype=np.float64).ravel()
    return x, fitted.beta0[fitted.salient_word]
