import threading
import time

import numpy as np
from tests.ptm.instances import csr, random_counts

from leantopics.engine.threads import Inline, engine
from leantopics.models import shards
from leantopics.ptm import em, initialise, state
from leantopics.ptm.objective import WordPrior
from leantopics.ptm.updates import WordRules


class Seen(Inline):
    """An engine that notes which threads did the work."""

    def __init__(self, workers):
        super().__init__()
        self.workers, self.threads = workers, set()

    def map(self, function, items):
        def noted(item):
            self.threads.add(threading.get_ident())
            time.sleep(1e-4)  # so that no worker is done before the other has begun
            return function(item)

        return self.workers.map(noted, items)


def run_fit(data, n_threads):
    random = np.random.RandomState(0)
    with engine(n_threads) as workers:
        seen = Seen(workers)
        start = initialise.seeded(data, 12, 3, random, seen)
        rules = WordRules(WordPrior(exact=False), max_cycles=20)
        stopping = em.Stopping(tol=1e-5, max_iter=30)
        fit = em.fit(data, em.Start(start), rules, seen, stopping)
    return fit, seen.threads


def test_same_bits_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 400)
    monkeypatch.setattr(state, "GROUP_ENTRIES", 900)
    rng = np.random.default_rng(0)
    counts, _ = random_counts(rng, 300, 60, 10, fractional=True)
    data = state.prepare(csr(counts))
    assert len(data.groups) > 2
    assert sum(map(len, data.sizes)) >= 7
    one, threads = run_fit(data, 1)
    assert threads == {threading.get_ident()}
    two, threads = run_fit(data, 2)
    assert len(threads) == 2
    assert threading.get_ident() not in threads
    assert [each[:-1] for each in one.history] == [each[:-1] for each in two.history]
    assert one.terms == two.terms
    assert one.tallies.tolist() == two.tallies.tolist()
    bundles = [
        (one.parameters.salient, two.parameters.salient),
        ((one.mu,), (two.mu,)),
    ]
    for ours, theirs in zip(one.parameters.topics, two.parameters.topics, strict=True):
        bundles += [(ours.gain, theirs.gain), (ours.quiet, theirs.quiet)]
        bundles += zip(ours.mixes, theirs.mixes, strict=True)
    for ours, theirs in bundles:
        for a, b in zip(ours, theirs, strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
