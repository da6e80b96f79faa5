"""What each belief of a guide costs: the gain of the flips that it forbids."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats, Ints
from leantopics.engine.threads import Engine
from leantopics.ptm import em, group_tasks
from leantopics.ptm.census import count, prices
from leantopics.ptm.guided import placing
from leantopics.ptm.guided.beliefs import Beliefs
from leantopics.ptm.kernels import words
from leantopics.ptm.kernels.arrays import Prices, Salient, Table
from leantopics.ptm.objective import TWO_PI
from leantopics.ptm.search.fitter import Fitter
from leantopics.ptm.state import DocState, Documents, word_major
from leantopics.ptm.updates import Pinned


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
    free = _document_costs(fitter, fitted, beliefs)
    document, linked = np.where(beliefs.topic_of >= 0, free, 0.0), np.zeros(0)
    if beliefs.links:
        document, linked = _link_costs(fitter, fitted, beliefs, counts, free)
    must, may_not = _word_costs(fitter, fitted, beliefs)
    return Costs(must, may_not, document, linked)


def _word_costs(
    fitter: Fitter, fitted: em.Fit, beliefs: Beliefs
) -> tuple[dict[int, Floats], dict[int, Floats]]:
    """What words cost that must be salient, and those that may not be."""
    data, salient = fitted.data, fitted.parameters.salient
    _, census, expected = group_tasks.recounted(data, fitted.parameters, fitter.workers)
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

    def of(held: Pinned) -> dict[int, Floats]:
        return {g: np.array([flip(g, int(n)) for n in own]) for g, own in held.items()}

    return of(beliefs.must), of(beliefs.may_not)


def _link_costs(
    fitter: Fitter,
    fitted: em.Fit,
    beliefs: Beliefs,
    counts: sparse.csr_array,
    free: Floats,
) -> tuple[Floats, Floats]:
    """What documents cost, given how much they gain if they are free, and links."""
    linked, known_topic = beliefs.blocks.documents, beliefs.topic_of
    known = placing.values(
        fitted.data, fitted.parameters, counts, linked, fitter.workers
    )

    def gained(freed: Sequence[int], fewer: Beliefs) -> float:
        """What some documents gain where no more than the other beliefs hold."""
        blocks = fewer.blocks
        alone = np.setdiff1d(freed, blocks.documents)
        gain = float(free[alone[fewer.topic_of[alone] < 0]].sum())
        place = np.searchsorted(linked, blocks.documents)
        topic = np.full(blocks.size, -1, dtype=np.int64)
        topic[blocks.block] = known.has.indices[place]
        for b in np.unique(blocks.block[np.isin(blocks.documents, freed)]):
            if blocks.topic[b] < 0:
                value = known.of(place[blocks.block == b])
                now = value[topic[b]]
                value[[topic[c] for c in blocks.apart[b]]] = -np.inf
                gain += max(0.0, float(value.max() - now))
        return gain

    document = np.where(known_topic >= 0, free, 0.0)
    for d in linked[known_topic[linked] >= 0]:
        topic_of = known_topic.copy()
        topic_of[d] = -1
        document[d] = gained([int(d)], beliefs._replace(topic_of=topic_of))
    cost = []
    for n, link in enumerate(beliefs.links):
        others = [*beliefs.links[:n], *beliefs.links[n + 1 :]]
        cost.append(gained(link.rows, beliefs._replace(links=others)))
    return document, np.array(cost)


def _document_costs(fitter: Fitter, fitted: em.Fit, beliefs: Beliefs) -> Floats:
    """(D,): by how much BIC would fall if each document that is held were free."""
    data, (salient, _), workers = fitted.data, fitted.parameters, fitter.workers
    visited = np.where(beliefs.held, -np.inf, np.inf)
    _, free = placing.with_quiet(data, fitted.parameters, visited, workers)
    cost = prices(salient, count(data, fitted.parameters, workers))
    shared = (salient, word_major(salient, data.n_words), cost)
    return np.concatenate(workers.read(_gains, data.groups, free, *shared))


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
    """A row for each belief, the highest cost first."""
    names, documents = beliefs.names, beliefs.rows.tolist()
    found: list[tuple[str | None, str, str | int | list[int], float]] = []
    for kind, held, nats in (
        ("word", beliefs.must, costs.must),
        ("not word", beliefs.may_not, costs.may_not),
    ):
        for g, own in held.items():
            each = zip(own, nats[g], strict=True)
            found += [(names[g], kind, vocabulary[n], cost) for n, cost in each]
    for d in np.flatnonzero(beliefs.topic_of >= 0).tolist():
        name = names[beliefs.topic_of[d]]
        found.append((name, "document", documents[d], costs.document[d]))
    for link, cost in zip(beliefs.links, costs.links, strict=True):
        found.append((None, link.kind, [documents[d] for d in link.rows], cost))
    found.sort(key=lambda row: -row[3])
    return [
        {
            "topic": topic,
            "belief": kind,
            "what": what,
            "nats": float(nats),
            "held": True,
        }
        for topic, kind, what, nats in found
    ]
