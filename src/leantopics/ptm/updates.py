"""The passes over all words and all documents that make up an iteration."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from leantopics._arrays import Bools, Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm.expected_counts import blocks
from leantopics.ptm.group_tasks import add_proposed, visit
from leantopics.ptm.kernels import assignments, words
from leantopics.ptm.kernels.arrays import (
    Prices,
    Proposals,
    Salient,
    Shared,
    Statistics,
    Table,
)
from leantopics.ptm.kernels.constants import MIN_GAIN
from leantopics.ptm.kernels.views import SharedView
from leantopics.ptm.objective import TWO_PI, WordPrior
from leantopics.ptm.state import Data

Pinned = Mapping[int, Ints]
"""Words that the user pinned as salient, or barred from it, by topic."""
_NO_WORDS = np.empty(0, np.int32)


class WordRules(NamedTuple):
    """How word switches are chosen."""

    prior: WordPrior
    """Their cost."""
    max_cycles: int
    """Maximum number of cycles over them in an iteration."""
    pinned: Pinned = MappingProxyType({})
    """Words that stay salient in a topic."""
    barred: Pinned = MappingProxyType({})
    """Words that may not be salient in a topic."""


def _choose_words(
    shared: Shared,
    counts: Statistics,
    price: Floats,
    salient: Salient,
    rules: WordRules,
    workers: Engine,
) -> tuple[Salient, int]:
    """Best salient set of every topic at given prices, and the number of flips."""

    def choose(block: tuple[int, int]) -> tuple[Longs, Ints, Floats, int]:
        return words.salient_words(
            *block, counts, shared, price, salient.indptr, salient.word
        )

    found = workers.map(choose, blocks(salient.n_topics))
    sizes, word, excess, flips = zip(*found, strict=True)
    indptr = np.concatenate(([0], np.cumsum(np.concatenate(sizes))))
    chosen = Salient(indptr, np.concatenate(word), np.concatenate(excess))
    if rules.pinned or rules.barred:
        return _hold(shared, counts, price, salient, chosen, rules)
    return chosen, sum(flips)


def _hold(
    shared: Shared,
    counts: Statistics,
    price: Floats,
    before: Salient,
    chosen: Salient,
    rules: WordRules,
) -> tuple[Salient, int]:
    """Add pinned words to the chosen ones, leave out barred ones.

    The previous words are kept if they are allowed and worth more.
    """
    pinned, barred = rules.pinned, rules.barred
    rows, excess, flips = [], [], 0
    for j in range(chosen.n_topics):
        old = before.word[before.indptr[j] : before.indptr[j + 1]]
        row = slice(chosen.indptr[j], chosen.indptr[j + 1])
        new, over = chosen.word[row], chosen.excess[row]
        if j in pinned or j in barred:
            seen = slice(counts.indptr[j], counts.indptr[j] + counts.size[j])
            x_of = np.zeros(len(shared.beta0))
            x_of[counts.word[seen]] = counts.x[seen]
            must, may_not = pinned.get(j, _NO_WORDS), barred.get(j, _NO_WORDS)
            new = np.setdiff1d(np.union1d(new, must), may_not).astype(np.int32)
            if not len(new):
                new = _likeliest(x_of, shared.beta0, may_not)
            if np.isin(must, old).all() and not np.isin(old, may_not).any():
                new = max(
                    (old, new),
                    key=lambda words_: words.set_value(
                        words_, x_of, SharedView(shared), price[j], 1.0
                    ),
                )
            expected = x_of[new].sum() / shared.beta0[new].sum() * shared.beta0[new]
            same = np.ones(len(new))
            over = np.divide(x_of[new], expected, out=same, where=expected > 0.0) - 1.0
        rows.append(new)
        excess.append(over)
        flips += len(np.setxor1d(old, new))
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    return Salient(indptr, np.concatenate(rows), np.concatenate(excess)), flips


def _likeliest(x_of: Floats, beta0: Floats, barred: Ints) -> Ints:
    """The allowed word that a topic uses most beyond its share."""
    surplus = x_of - x_of.sum() * beta0
    surplus[barred] = surplus[beta0 == 0.0] = -np.inf
    return np.array([surplus.argmax()], dtype=np.int32)


def _flip_word(
    data: Data,
    counts: Statistics,
    tokens: Floats,
    salient: Salient,
    rules: WordRules,
) -> tuple[int, int] | None:
    """First topic with a word flip that pays at the exact price (dcostu), if any."""
    n_switches = float(salient.n_topics * data.n_words)
    on, off = rules.prior.flip_prices(float(salient.indptr[-1]), n_switches)
    for j, common in enumerate(0.5 * np.log(tokens / TWO_PI)):
        chosen = salient.word[salient.indptr[j] : salient.indptr[j + 1]]
        held = np.append(*(of.get(j, _NO_WORDS) for of in (rules.pinned, rules.barred)))
        gain, word = words.best_flip(
            j, counts, data.shared, chosen, held, common + on, common + off
        )
        if gain > MIN_GAIN:
            return j, int(word)
    return None


def _flipped(salient: Salient, topic: int, word: int) -> Salient:
    """Flip one word switch; the M-step sets the probabilities."""
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
    rules: WordRules,
    workers: Engine,
) -> tuple[Salient, int]:
    """M-step with word switches: lowers the expected complete-data BIC (label q).

    The entropy of (ucost) is concave, so its tangent at the current number of salient
    words is an upper bound. Given its slope, topics are independent; the slope is
    updated in every cycle, and once more after the last one. If the first cycle changes
    nothing, single flips are tried at their exact price; if none pays, the word
    switches are certified.
    """
    n_switches = float(salient.n_topics * data.n_words)
    common = 0.5 * np.log(tokens / TWO_PI)
    total = 0
    for cycle in range(rules.max_cycles + 1):
        price = common + rules.prior.price(float(salient.indptr[-1]), n_switches)
        salient, flips = _choose_words(
            data.shared, counts, price, salient, rules, workers
        )
        total += flips
        if flips == 0 and cycle < rules.max_cycles:
            flip = None if total else _flip_word(data, counts, tokens, salient, rules)
            if flip is None:
                break
            salient, total = _flipped(salient, *flip), 1
    return salient, total


def accepted(proposals: list[list[Proposals]], prices: Prices) -> list[list[Bools]]:
    """Which proposals still lower BIC, in the order of the documents, by shard.

    Writes: prices.tokens, prices.documents.
    """
    out = []
    for group in proposals:
        out.append([np.zeros(len(shard[0]), dtype=np.bool_) for shard in group])
        for shard, yes in zip(group, out[-1], strict=True):
            if len(yes):
                assignments.accept(shard, prices, yes)
    return out


def topic_pass(
    data: Data,
    topics: list[Any],
    salient: Salient,
    table: Table,
    prices: Prices,
    thorough: bool,
    workers: Engine,
) -> tuple[list[Any], list[list[Bools]], Longs]:
    """Proportions and topic switches of all documents: lowers BIC.

    Each document cycles through its switches until no flip pays, with Lbar frozen, at
    exact prices. The changes are then accepted one by one, in the order of the
    documents, with Lbar kept current, if they still pay; `settle` makes them. If a
    ``thorough`` visit to all documents proposes nothing, the topic switches are
    certified.
    Writes: prices.tokens, prices.documents. Returns the topics with the proposed
    changes, which of these are accepted, by shard, and the tallies of trials.
    """
    every = 1 if thorough else 0
    states, found = workers.accumulate(
        visit, data.groups, topics, salient, table, prices, every, add=add_proposed
    )
    return states, accepted(found.proposals, prices), found.tallies
