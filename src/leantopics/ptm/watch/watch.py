"""Watching a batch of documents: new topics, their significance, and drift."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from leantopics._arrays import Floats
from leantopics.engine.threads import Engine, Inline
from leantopics.ptm.evidence import effective
from leantopics.ptm.inference import Tables, tables
from leantopics.ptm.snapshot import Snapshot
from leantopics.ptm.watch.batch import Batch, prepare
from leantopics.ptm.watch.draws import draw
from leantopics.ptm.watch.grow import Grown, grow


class Known(NamedTuple):
    """What the model knows: its finest topics, and how bursty words are."""

    snapshot: Snapshot
    frequency: Floats
    """(N,): the word frequencies of the fit."""
    s: float
    """The concentration of `evidence`."""

    def batch(self, counts: sparse.csr_array, model: Tables, workers: Engine) -> Batch:
        """Prepare documents, none of them empty."""
        worth = effective(counts, self.s, self.frequency)
        return prepare(worth, model, self.snapshot.beta0, workers)


class Settings(NamedTuple):
    """How to watch; see `ParsimoniousTopicModel.watch`."""

    min_documents: int
    max_groups: int
    draws: int
    seed: int


def new_topics(
    known: Known, counts: sparse.csr_array, settings: Settings, workers: Engine
) -> tuple[list[Grown], list[float]]:
    """Find topics that groups of documents share, and the p-value of each.

    Topics are grown one after the other, each among the documents that no topic before
    it has, until none pays. Then whole batches are drawn from the model. The p-value of
    a topic is ``(1 + n) / (1 + draws)`` if n of the batches have a topic worth as much.
    As each batch counts with its best topic, p-values hold for all topics at once.

    Parameters
    ----------
    known : Known
        The model.
    counts : csr_array of shape (D, N)
        Documents, none of them empty, of words that the fit saw.
    settings : Settings
        How many draws, and so on.
    workers : Engine
        Runs the draws; the result does not depend on it.
    """
    model = tables(known.snapshot)
    batch = known.batch(counts, model, workers)
    found = _paying(batch, settings)
    if not found:
        return [], []
    lengths = np.maximum(np.rint(np.asarray(counts.sum(axis=1)).ravel()), 1.0)
    n_tokens = lengths.astype(np.int64)
    free = np.ones(batch.n_docs, dtype=np.bool_)

    def best_of_draw(seed: np.random.SeedSequence) -> float:
        drawn = draw(batch, n_tokens, known.s, np.random.default_rng(seed))
        best = grow(known.batch(drawn, model, Inline()), free, settings.min_documents)
        return -np.inf if best is None else best.nats

    seeds = np.random.SeedSequence(settings.seed).spawn(settings.draws)
    best = np.array(workers.map(best_of_draw, seeds))
    n_as_good = [int((best >= grown.nats).sum()) for grown in found]
    return found, [(1 + n) / (1 + settings.draws) for n in n_as_good]


def _paying(batch: Batch, settings: Settings) -> list[Grown]:
    """New topics that pay, each among the documents that the others leave."""
    found: list[Grown] = []
    free = np.ones(batch.n_docs, dtype=np.bool_)
    while len(found) < settings.max_groups and free.sum() >= settings.min_documents:
        grown = grow(batch, free, settings.min_documents)
        if grown is None or grown.nats <= 0.0:
            break
        found.append(grown)
        free[grown.docs] = False
    return found
