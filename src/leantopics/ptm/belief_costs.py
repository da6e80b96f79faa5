"""What each belief of a guide costs: the gain of the flips that it forbids."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Bools, Floats, Ints, Longs
from leantopics.engine.threads import Engine
from leantopics.ptm import em, group_tasks, links, placing
from leantopics.ptm.census import count, prices
from leantopics.ptm.guide import Beliefs
from leantopics.ptm.kernels import words
from leantopics.ptm.kernels.arrays import Prices, Salient, Table
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.state import Data, DocState, Documents, Parameters, word_major


class Costs(NamedTuple):
    """By how many nats BIC would fall without each belief, everything else the same."""

    must: dict[int, Floats]
    """By topic, of its words."""
    may_not: dict[int, Floats]
    document: Floats
    """(D,): 0 for free documents, and for those that would stay."""
    links: Floats
    """Of the links, in their order."""


def measure(
    fitter: Fitter, fitted: em.Fit, beliefs: Beliefs, counts: sparse.csr_array
) -> Costs:
    """What each belief costs: the gain of the flips that it forbids, one at a time.

    ``counts`` are those of the documents with words, as evidence.
    """
    data, workers = fitted.data, fitter.workers
    salient, topics = fitted.parameters
    _, census, expected = group_tasks.expected(
        group_tasks.recount, data, topics, workers, salient, data.n_words
    )
    n_switches = float(salient.n_topics * data.n_words)
    prior = fitter.prior(salient.n_topics)
    on, off = prior.flip_prices(float(salient.indptr[-1]), n_switches)
    common = 0.5 * np.log(census.tokens / TWO_PI)

    def flip(g: int, n: int) -> float:
        chosen = salient.word[salient.indptr[g] : salient.indptr[g + 1]]
        others = np.delete(np.arange(data.n_words, dtype=np.int32), n)
        price = common[g] + on, common[g] + off
        gain, _ = words.best_flip(g, expected, data.shared, chosen, others, *price)
        return float(gain) if np.isfinite(gain) else 0.0

    def of(held: Any) -> dict[int, Floats]:
        return {g: np.array([flip(g, int(n)) for n in own]) for g, own in held.items()}

    free = _document_costs(data, fitted.parameters, beliefs, workers)
    document, linked = np.where(beliefs.topic_of >= 0, free, 0.0), np.zeros(0)
    if beliefs.links:
        places = _Places(fitted, beliefs, counts, free, workers)
        linked = places.of_links()
        document = places.of_documents(document)
    return Costs(of(beliefs.must), of(beliefs.may_not), document, linked)


class _Places:
    """What documents would gain in other topics, if some links did not hold."""

    def __init__(
        self,
        fitted: em.Fit,
        beliefs: Beliefs,
        counts: sparse.csr_array,
        free: Floats,
        workers: Engine,
    ) -> None:
        data, parameters = fitted.data, fitted.parameters
        blocks = links.blocks(beliefs.links, beliefs.topic_of)
        self._beliefs, self._free = beliefs, free
        self._documents = blocks.documents
        self._values = placing.values(
            data, parameters, counts, blocks.documents, workers
        )
        self._topic = self._values.has.indices

    def of_links(self) -> Floats:
        """What each link costs."""
        beliefs, found = self._beliefs, []
        for n, link in enumerate(beliefs.links):
            others = [*beliefs.links[:n], *beliefs.links[n + 1 :]]
            found.append(self._gained(link.rows, others, beliefs.topic_of))
        return np.array(found)

    def of_documents(self, document: Floats) -> Floats:
        """What known topics cost of the documents in links, and of others as given."""
        beliefs, cost = self._beliefs, document.copy()
        for d in self._documents[beliefs.topic_of[self._documents] >= 0]:
            topic_of = beliefs.topic_of.copy()
            topic_of[d] = -1
            cost[d] = self._gained([int(d)], beliefs.links, topic_of)
        return cost

    def _gained(
        self, freed: Sequence[int], others: list[links.Link], topic_of: Longs
    ) -> float:
        """What some documents gain where no more than the other beliefs hold."""
        blocks = links.blocks(others, topic_of)
        alone = np.setdiff1d(freed, blocks.documents)
        gained = float(self._free[alone[topic_of[alone] < 0]].sum())
        place = np.searchsorted(self._documents, blocks.documents)
        topic = np.full(blocks.size, -1, dtype=np.int64)
        topic[blocks.block] = self._topic[place]
        for b in np.unique(blocks.block[np.isin(blocks.documents, freed)]):
            if blocks.topic[b] < 0:
                value = self._values.of(place[blocks.block == b])
                now = value[topic[b]]
                value[[topic[c] for c in blocks.apart[b]]] = -np.inf
                gained += max(0.0, float(value.max() - now))
        return gained


def _document_costs(
    data: Data, parameters: Parameters, beliefs: Beliefs, workers: Engine
) -> Floats:
    """(D,): by how much BIC would fall if each document were free."""
    salient, topics = parameters
    own = data.by_group(beliefs.held)
    free = workers.update(_free, data.groups, topics, own=own)
    cost = prices(salient, count(data, parameters, workers))
    shared = (salient, word_major(salient, data.n_words), cost)
    return np.concatenate(workers.read(_gains, data.groups, free, *shared))


def _free(group: Documents, topics: DocState, workers: Engine, own: Bools) -> DocState:
    """Let documents that are held be visited, and no others."""
    ends = np.cumsum([len(quiet) for quiet in topics.quiet])[:-1]
    quiet = [np.where(part, -np.inf, np.inf) for part in np.split(own, ends)]
    return topics._replace(quiet=quiet)


def _gains(
    group: Documents,
    topics: DocState,
    workers: Engine,
    salient: Salient,
    table: Table,
    cost: Prices,
) -> Floats:
    """What the visited documents would gain by other topics."""
    visited = group_tasks.visit(group, topics, workers, salient, table, cost, 0)
    changes, (proposals, _) = visited[0].changes, visited[1]
    out = [np.zeros(len(lengths)) for lengths in group.length]
    for gains, (doc, *_), proposed in zip(out, changes, proposals[0], strict=True):
        length, gain, before, old, after, new = proposed
        for i in range(len(doc)):
            topics_before = old[before[i] : before[i + 1]]
            topics_after = new[after[i] : after[i + 1]]
            price = _price(topics_before, topics_after, float(length[i]), cost)
            gains[doc[i]] = float(gain[i]) - price
    return np.concatenate(out)


def _price(old: Ints, new: Ints, length: float, cost: Prices) -> float:
    """Cost of other topics in a document (dcostv), with the others as they are."""
    gone, come = np.setdiff1d(old, new), np.setdiff1d(new, old)
    price = 0.5 * (len(new) - len(old)) * np.log(length / TWO_PI)
    price += cost.log_choose[len(new)] - cost.log_choose[len(old)]
    price += cost.half_salient[come] @ np.log1p(length / cost.tokens[come])
    saved = np.log(cost.tokens[gone] / (cost.tokens[gone] - length))
    return float(price - cost.half_salient[gone] @ saved)


def rows(beliefs: Beliefs, costs: Costs, vocabulary: list[str]) -> list[dict[str, Any]]:
    """A row for each belief, the dearest first."""
    found = [
        _row(beliefs.names[g], kind, vocabulary[n], nats)
        for kind, held, nats_of in (
            ("word", beliefs.must, costs.must),
            ("not word", beliefs.may_not, costs.may_not),
        )
        for g, own in held.items()
        for n, nats in zip(own, nats_of[g], strict=True)
    ]
    found += [
        _row(beliefs.names[beliefs.topic_of[d]], "document", int(row), nats)
        for d, (row, nats) in enumerate(zip(beliefs.rows, costs.document, strict=True))
        if beliefs.topic_of[d] >= 0
    ]
    found += [
        _row(None, link.kind, beliefs.rows[link.rows].tolist(), nats)
        for link, nats in zip(beliefs.links, costs.links, strict=True)
    ]
    return sorted(found, key=lambda row: -float(row["nats"]))


def _row(
    name: str | None, kind: str, what: str | int | list[int], nats: float
) -> dict[str, Any]:
    row = {"topic": name, "belief": kind, "what": what, "nats": float(nats)}
    return {**row, "held": True}
