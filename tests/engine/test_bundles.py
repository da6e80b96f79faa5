"""Tasks of several groups, and workers of several threads, change nothing."""

import pytest
from tests.engine.test_dask import assert_same, few_first_topics, fit  # noqa: F401

from leantopics import make_corpus
from leantopics.engine.dask import Cluster, bundle
from leantopics.engine.threads import FAN_IN, Inline, use
from leantopics.models import shards
from leantopics.ptm import state

distributed = pytest.importorskip(
    "distributed", reason="workers of dask need distributed"
)
pytestmark = pytest.mark.filterwarnings("default")


class Word:
    """A group of one letter."""

    def __init__(self, letter):
        self.letter = letter

    def open(self):
        return self.letter


def spell(letter, known, workers):
    return letter, letter


def shout(letter, known, workers):
    return letter.upper()


def bracket(parts):
    return "(" + "".join(parts) + ")"


@pytest.fixture(scope="module")
def client():
    with distributed.Client(
        n_workers=1, threads_per_worker=4, processes=False, dashboard_address=None
    ) as client:
        yield client


@pytest.mark.parametrize("n_groups", [1, 2, 15, 16, 17, 127, 128, 129, 140, 200])
def test_parts_are_added_as_in_one_process(client, tmp_path, n_groups):
    groups = [Word(chr(300 + n)) for n in range(n_groups)]
    nothing = [None] * n_groups
    cluster = Cluster(client, tmp_path)
    _, here = Inline().accumulate(spell, groups, nothing, add=bracket)
    _, there = cluster.accumulate(spell, groups, nothing, add=bracket)
    assert there == (here if n_groups > 1 else bracket([here]))
    ours = Inline().read(shout, groups, nothing)
    assert cluster.read(shout, groups, nothing) == ours
    assert bundle(n_groups, 1) == FAN_IN ** ((n_groups >= 16) + (n_groups >= 128))


def test_threads_of_a_worker_do_not_share_memory(client, monkeypatch):
    corpus = make_corpus(200, 400, 5, salient_per_topic=40, boost=4, doc_length=80)[0]
    monkeypatch.setattr(state, "GROUP_ENTRIES", 250)
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 60)
    assert bundle(len(state.prepare(corpus.counts).groups), 1) > 1
    alone = fit(corpus)
    with use(client):
        assert_same(fit(corpus), alone)
