"""What an iteration costs by the sizes of corpus, model and cluster.

Measured coefficients (`cases.works`) times counts of what is done; what cannot be
measured on one machine, the links and the tree of sums, is simulated.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks.timing import slope
from leantopics.engine.dask import bundle
from leantopics.engine.threads import FAN_IN
from leantopics.ptm.state import GROUP_ENTRIES

FEATURES = {
    "visit": ("looked up", "split", "documents"),
    "settle": ("split", "documents", "expected"),
    "driver": ("expected", "salient"),
}
"""What the processor time of each part of an iteration is proportional to."""
COUNT_BYTES = 12
"""Of a stored count, and of an entry of the expected counts."""
TASKS = 1 + 1 / (FAN_IN - 1)
"""Tasks of a bundle in a work: itself, and its share of the nodes above."""


@dataclass(frozen=True)
class Machines:
    """A cluster; speeds in bytes and tasks per second."""

    workers: int
    network: float = 1.25e9
    """Of the link of each machine: 10 Gbit/s."""
    disk: float = 5e8
    tasks: float = 2e3


def counted(row: Mapping[str, Any]) -> dict[str, float]:
    """What an iteration does, by feature.

    "looked up" are entries of the salient table, one for each stored count and topic
    that has its word as salient; "split" are stored counts times topics of their
    document.
    """
    stored = row["stored counts"]
    return {
        "looked up": stored * row["salient per count"],
        "split": stored * row["topics per document"],
        "documents": row["documents"],
        "expected": row["expected"],
        "salient": row["salient"],
    }


def fitted(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Seconds of each feature, least squares of relative errors, none negative."""
    out = {}
    for part, features in FEATURES.items():
        seconds = np.array([row[part] for row in rows])
        counts = np.array([[counted(row)[name] for name in features] for row in rows])
        found, _ = nnls(counts / seconds[:, None], np.ones(len(rows)))
        out[part] = dict(zip(features, found.tolist(), strict=True))
    return out


def seconds(
    costs: Mapping[str, Mapping[str, float]], row: Mapping[str, Any]
) -> dict[str, float]:
    """Processor time of each part of an iteration."""
    counts = counted(row)
    return {
        part: sum(each * counts[name] for name, each in costs[part].items())
        for part in FEATURES
    }


GROWING = ("expected", "salient", "salient per count", "topics per document")
"""What more documents of the same kind bring more of."""


def growths(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Powers of the number of documents by which things grow."""
    documents = [row["documents"] for row in rows]
    return {name: slope(documents, [row[name] for row in rows]) for name in GROWING}


def larger(
    row: Mapping[str, Any], n_docs: float, growth: Mapping[str, float]
) -> dict[str, Any]:
    """The same kind of corpus with more documents and the same words and topics.

    Things grow by their powers of documents until every word is seen, and salient, in
    every topic. What is sent out is salient words.
    """
    times, topics = n_docs / row["documents"], row["topics"]
    most = {name: topics for name in GROWING} | {
        name: row["words"] * topics for name in ("expected", "salient")
    }
    grown = {
        name: min(most[name], row[name] * times ** growth[name]) for name in GROWING
    }
    return {
        **row,
        **grown,
        "documents": n_docs,
        "stored counts": row["stored counts"] * times,
        "out": row["out"] * grown["salient"] / row["salient"],
    }


def iteration(
    costs: Mapping[str, Mapping[str, float]],
    row: Mapping[str, Any],
    machines: Machines,
    growth: Mapping[str, float],
) -> dict[str, float]:
    """Seconds of an iteration on a cluster, by what takes them."""
    spent, workers = seconds(costs, row), machines.workers
    n_groups = math.ceil(row["stored counts"] / GROUP_ENTRIES)
    size = bundle(n_groups, workers)
    n_bundles = math.ceil(n_groups / size)
    rounds = math.ceil(n_bundles / workers) * workers / n_bundles
    read = 2 * COUNT_BYTES * row["stored counts"] / machines.disk
    return {
        "work": rounds * max(spent["visit"] + spent["settle"], read) / workers,
        "broadcast": row["out"] * math.ceil(math.log2(workers + 1)) / machines.network,
        "tasks": 2 * TASKS * n_bundles / machines.tasks,
        "tree": tree(row, n_bundles, machines, costs, growth),
        "driver": spent["driver"] + COUNT_BYTES * row["expected"] / machines.network,
    }


def tree(
    row: Mapping[str, Any],
    n_parts: int,
    machines: Machines,
    costs: Mapping[str, Mapping[str, float]],
    growth: Mapping[str, float],
    fan_in: int = FAN_IN,
) -> float:
    """Seconds from the last part to the sum of all, by a simulation of the links.

    Parts are ready at once, each on one of the workers in turn. The worker of the first
    part of a node receives the others through its link, one after the other, and adds
    them; it does one thing at a time.
    """
    free = [0.0] * machines.workers
    entries = larger(row, row["documents"] / n_parts, growth)["expected"]
    nodes = [(0.0, n % machines.workers, entries) for n in range(n_parts)]
    each = costs["adding"]["entries"]
    while len(nodes) > 1:
        above = []
        for first in range(0, len(nodes), fan_in):
            parts = nodes[first : first + fan_in]
            place = parts[0][1]
            start = max(free[place], *(ready for ready, _, _ in parts))
            moved = sum(size for _, other, size in parts if other != place)
            total = sum(size for _, _, size in parts)
            end = start + COUNT_BYTES * moved / machines.network + each * total
            free[place] = end
            grown = parts[0][2]
            if len(parts) > 1:
                grown = entries * len(parts) ** growth["expected"]
            above.append((end, place, min(row["words"] * row["topics"], grown)))
        nodes, entries = above, max(size for _, _, size in above)
    return nodes[0][0]
