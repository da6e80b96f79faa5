"""The passes over all words and all documents that make up an iteration."""

from typing import NamedTuple

import numpy as np

from leantopics.engine import Engine
from leantopics.ptm.kernels import assignments, bounds, documents, statistics, words
from leantopics.ptm.kernels.arrays import (
    Changes,
    Floats,
    Ints,
    Longs,
    Mixes,
    Prices,
    Salient,
    Shared,
    Statistics,
    Table,
)
from leantopics.ptm.objective import TWO_PI, WordPrior
from leantopics.ptm.state import Data

_TOPIC_BLOCK = 8

Pinned = dict[int, Ints]
"""Words that a user wants salient in a topic, by topic."""


def _blocks(n_topics: int) -> list[tuple[int, int]]:
    starts = range(0, n_topics, _TOPIC_BLOCK)
    return [(first, min(first + _TOPIC_BLOCK, n_topics)) for first in starts]


class Expected(NamedTuple):
    """The E-step of all documents, by shard."""

    split: list[Floats]
    """Counts of each document split among its topics; see `split_counts`."""
    gain: list[Floats]
    """Log-likelihood over that of the shared model."""


def e_step(
    data: Data, mixes: list[Mixes], salient: Salient, workers: Engine
) -> Expected:
    """Split the counts of all documents among their topics (label pz)."""

    def expect(shard: int) -> tuple[Floats, Floats]:
        gain = np.empty(len(data.doc_length[shard]))
        split = statistics.expect(
            data.shards[shard], mixes[shard], salient, data.n_words, gain
        )
        return split, gain

    split, gain = zip(*workers.map(expect, range(len(data.shards))), strict=True)
    return Expected(list(split), list(gain))


class Memory:
    """Large arrays that every iteration fills anew.

    Asking the system for fresh pages each time takes longer than filling them.
    """

    def __init__(self) -> None:
        self._held: dict[str, np.ndarray] = {}

    def array(self, name: str, size: int, dtype: type = np.float64) -> np.ndarray:
        """An array of this name, with what it last held still in it."""
        held = self._held.get(name)
        if held is None or len(held) < size:
            self._held.pop(name, None)
            held = self._held[name] = np.empty(size + size // 8, dtype)
        return held[:size]


def expected_counts(
    data: Data,
    mixes: list[Mixes],
    split: list[Floats],
    n_topics: int,
    workers: Engine,
    memory: Memory,
) -> Statistics:
    """Add up the split counts: expected counts x[j, n] of every topic.

    They last until the next use of the same memory.
    """

    def count(shard: int) -> Longs:
        out = np.zeros(n_topics, dtype=np.int64)
        statistics.entries(data.shards[shard], mixes[shard], out)
        return out

    shards = range(len(data.shards))
    entries = np.array([count(shard) for shard in shards])
    indptr = np.concatenate(([0], np.cumsum(entries.sum(axis=0))))
    starts = indptr[:-1] + np.cumsum(entries, axis=0) - entries
    word = memory.array("word", indptr[-1], np.int32)
    x, beta0, fixed = (
        memory.array(name, indptr[-1]) for name in ("x", "beta0", "fixed")
    )
    size = np.zeros(n_topics, dtype=np.int64)

    def gather(shard: int) -> None:
        statistics.gather(
            data.shards[shard], mixes[shard], split[shard], starts[shard], word, x
        )

    def merge(block: tuple[int, int]) -> None:
        statistics.merge(word, x, indptr, *block, data.shared.beta0, beta0, fixed, size)

    workers.map(gather, shards)
    workers.map(merge, _blocks(n_topics))
    return Statistics(indptr, size, word, x, beta0, fixed)


def compact(counts: Statistics) -> tuple[Longs, np.ndarray, Floats]:
    """Words and expected counts end to end, with where each topic's begin (M + 1,)."""
    ends = np.cumsum(counts.size)
    shift = np.repeat(counts.indptr[:-1] - ends + counts.size, counts.size)
    entries = shift + np.arange(ends[-1])
    indptr = np.concatenate(([0], ends))
    return indptr, counts.word[entries], counts.x[entries]


def _choose_words(
    shared: Shared,
    counts: Statistics,
    price: Floats,
    salient: Salient,
    pinned: Pinned,
    workers: Engine,
) -> tuple[Salient, int]:
    """Best salient set of every topic at given prices, and the number of flips."""

    def choose(block: tuple[int, int]) -> tuple[Longs, np.ndarray, Floats, int]:
        out: tuple[Longs, np.ndarray, Floats, int] = words.salient_words(
            *block, counts, shared, price, salient.indptr, salient.word
        )
        return out

    found = workers.map(choose, _blocks(salient.n_topics))
    sizes, word, excess, flips = zip(*found, strict=True)
    indptr = np.concatenate(([0], np.cumsum(np.concatenate(sizes))))
    chosen = Salient(indptr, np.concatenate(word), np.concatenate(excess))
    if pinned:
        return _hold(shared, counts, price, salient, chosen, pinned)
    return chosen, sum(flips)


def _hold(
    shared: Shared,
    counts: Statistics,
    price: Floats,
    before: Salient,
    chosen: Salient,
    pinned: Pinned,
) -> tuple[Salient, int]:
    """The chosen words with the pinned ones, or those before if they are worth more."""
    rows, excess, flips = [], [], 0
    for j in range(chosen.n_topics):
        old = before.word[before.indptr[j] : before.indptr[j + 1]]
        row = slice(chosen.indptr[j], chosen.indptr[j + 1])
        new, over = chosen.word[row], chosen.excess[row]
        if j in pinned:
            seen = slice(counts.indptr[j], counts.indptr[j] + counts.size[j])
            x_of = np.zeros(len(shared.beta0))
            x_of[counts.word[seen]] = counts.x[seen]
            new = np.union1d(new, pinned[j]).astype(np.int32)
            if np.isin(pinned[j], old).all():
                new = max(
                    (old, new),
                    key=lambda words_: words.set_value(
                        words_, x_of, shared, price[j], 1.0
                    ),
                )
            expected = x_of[new].sum() / shared.beta0[new].sum() * shared.beta0[new]
            over = x_of[new] / np.where(expected > 0.0, expected, 1.0) - 1.0
        rows.append(new)
        excess.append(over)
        flips += len(np.setxor1d(old, new))
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    return Salient(indptr, np.concatenate(rows), np.concatenate(excess)), flips


def _flip_word(
    data: Data,
    counts: Statistics,
    tokens: Floats,
    salient: Salient,
    prior: WordPrior,
    pinned: Pinned,
) -> tuple[int, int] | None:
    """First topic with a word flip that pays at the exact price (dcostu), if any."""
    n_switches = float(salient.n_topics * data.n_words)
    on, off = prior.flip_prices(float(salient.indptr[-1]), n_switches)
    for j, common in enumerate(0.5 * np.log(tokens / TWO_PI)):
        chosen = salient.word[salient.indptr[j] : salient.indptr[j + 1]]
        held = pinned.get(j, np.empty(0, np.int32))
        gain, word = words.best_flip(
            j, counts, data.shared, chosen, held, common + on, common + off
        )
        if gain > bounds.MIN_GAIN:
            return j, int(word)
    return None


def _flipped(salient: Salient, topic: int, word: int) -> Salient:
    """Word switches with one of them flipped; probabilities are left to the M-step."""
    low, high = salient.indptr[topic], salient.indptr[topic + 1]
    inside = low + np.flatnonzero(salient.word[low:high] == word)
    indptr = salient.indptr.copy()
    if len(inside):
        indptr[topic + 1 :] -= 1
        return Salient(
            indptr, np.delete(salient.word, inside), np.delete(salient.excess, inside)
        )
    indptr[topic + 1 :] += 1
    return Salient(
        indptr,
        np.insert(salient.word, high, word),
        np.insert(salient.excess, high, 0.0),
    )


def word_pass(
    data: Data,
    counts: Statistics,
    tokens: Floats,
    salient: Salient,
    prior: WordPrior,
    max_cycles: int,
    workers: Engine,
    pinned: Pinned | None = None,
) -> tuple[Salient, int]:
    """M-step with word switches: lowers the expected complete-data BIC (label q).

    The entropy of (ucost) is concave, so its tangent at the present number of salient
    words is an upper bound: topics are independent given the slope, which is refreshed
    in every cycle. If the first cycle changes nothing, single flips are tried at their
    exact price; no flips at all certify the word switches. Words that are ``pinned``
    to a topic stay salient in it.
    """
    pinned = pinned or {}
    n_switches = float(salient.n_topics * data.n_words)
    common = 0.5 * np.log(tokens / TWO_PI)
    total = 0
    for _ in range(max_cycles):
        price = common + prior.price(float(salient.indptr[-1]), n_switches)
        salient, flips = _choose_words(
            data.shared, counts, price, salient, pinned, workers
        )
        if flips == 0:
            flip = None
            if total == 0:
                flip = _flip_word(data, counts, tokens, salient, prior, pinned)
            if flip is None:
                break
            salient, flips = _flipped(salient, *flip), 1
        total += flips
    else:
        price = common + prior.price(float(salient.indptr[-1]), n_switches)
        salient, flips = _choose_words(
            data.shared, counts, price, salient, pinned, workers
        )
        total += flips
    return salient, total


class Look(NamedTuple):
    """What is known of each document from the last pass over them, by shard."""

    gain: list[Floats]
    """Log-likelihood over that of the shared model."""
    quiet: list[Floats]
    """Nats by which the nearest flip of a topic switch fell short; see `visit`."""


def first_look(gain: list[Floats]) -> Look:
    """Nothing is known of flips yet: every document will be looked at."""
    return Look(gain, [np.full(len(values), -np.inf) for values in gain])


def topic_pass(
    data: Data,
    mixes: list[Mixes],
    salient: Salient,
    table: Table,
    prices: Prices,
    look: Look,
    workers: Engine,
) -> tuple[list[Mixes], list[Floats], int, Longs]:
    """Proportions and topic switches of all documents: lowers BIC.

    Each document cycles through its switches until no flip pays, with Lbar frozen, at
    exact prices; the changes are then applied one by one, in the order of the
    documents, with Lbar kept current, if they still pay. No proposals after a first
    look certify the topic switches.
    Writes: prices.tokens, prices.documents; the alpha of mixes; look. Returns the
    mixes, their split counts, the number of documents whose topics changed, and the
    tallies of trials.
    """
    tallies = np.zeros((len(data.shards), 4), dtype=np.int64)

    def visit(shard: int) -> tuple[Floats, Changes]:
        counts, mix = data.shards[shard], mixes[shard]
        found: tuple[Floats, Changes] = documents.visit(
            counts,
            mix,
            salient,
            table,
            prices,
            False,
            look.gain[shard],
            look.quiet[shard],
            tallies[shard],
            documents.scratch(counts, mix, salient.n_topics, data.n_words),
        )
        return found

    flips, updated, splits = 0, [], []
    found = workers.map(visit, range(len(data.shards)))
    for shard, (split, changes) in enumerate(found):
        counts, mix = data.shards[shard], mixes[shard]
        accepted = np.zeros(len(changes[0]), dtype=np.bool_)
        if len(accepted):
            assignments.accept(counts, mix, look.gain[shard], changes, prices, accepted)
            look.quiet[shard][changes[0][~accepted]] = -np.inf
            new = assignments.replace(counts, mix, split, changes, accepted)
            mix, split = Mixes(*new[:3]), new[3]
        flips += int(accepted.sum())
        updated.append(mix)
        splits.append(split)
    return updated, splits, flips, tallies.sum(axis=0)
