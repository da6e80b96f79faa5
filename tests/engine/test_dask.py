"""The same model on a real Dask cluster of processes, also if one of them is killed."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from tests.cli.runner import run

from leantopics import Corpus, Guide, ParsimoniousTopicModel, make_corpus
from leantopics.analysis.effects import find_effects
from leantopics.datasets import load, load_python_docs
from leantopics.engine.dask import _explained, _here, bundle, local
from leantopics.engine.threads import use
from leantopics.models import shards
from leantopics.ptm import state
from leantopics.ptm.checkpoint import Checkpoint
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search import choice, from_above, from_finer

distributed = pytest.importorskip(
    "distributed", reason="workers of dask need distributed"
)
pytestmark = pytest.mark.filterwarnings("default")

SHORT = {"refine": 0, "max_iter": 4}
"""Settings of fits to real text."""


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(500, 400, 5, salient_per_topic=40, boost=4, doc_length=80)[0]


@pytest.fixture(scope="module")
def documentation(tmp_path_factory):
    """Real text, left on disk: every third document, so that fits are short."""
    whole = load_python_docs()
    third = whole.select(np.arange(0, len(whole), 3))
    return on_disk(third, tmp_path_factory.mktemp("documentation"))


def on_disk(corpus, folder):
    corpus.save(folder / "c")
    opened = Corpus.open(folder / "c")
    assert opened.is_on_disk
    return opened


@pytest.fixture(autouse=True)
def many_groups(monkeypatch):
    monkeypatch.setattr(state, "GROUP_ENTRIES", 2500)
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 600)


@pytest.fixture(autouse=True)
def few_first_topics(monkeypatch):
    """Begin with few topics: all kinds of works, and a third of the rounds."""
    monkeypatch.setattr(from_finer, "_MANY", 2)
    monkeypatch.setattr(from_finer, "_LEAST", 0)
    monkeypatch.setattr(choice, "MANY", 6)


@pytest.fixture
def from_scratch(few_first_topics, monkeypatch):
    """Begin with too few topics to make groups of them."""
    monkeypatch.setattr(from_finer, "_MANY", 1)


@pytest.fixture
def bundled(corpus, monkeypatch):
    """Fewer documents, in so many groups that a task has several."""
    monkeypatch.setattr(state, "GROUP_ENTRIES", 200)
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 100)
    return corpus.select(np.arange(160))


def fit(corpus, checkpoint=None, **options):
    settings = {"random_state": 0, "refine": 1, "max_iter": 8} | options
    return ParsimoniousTopicModel(5, **settings).fit(corpus, checkpoint=checkpoint)


def assert_same(ours, theirs):
    assert ours.bic_ == theirs.bic_
    assert [step[:-1] for step in ours.history_] == [
        step[:-1] for step in theirs.history_
    ]
    for name in ("topic_proportions_", "salient_word_prob_", "salience_"):
        for part in ("data", "indices", "indptr"):
            a, b = (getattr(getattr(each, name), part) for each in (ours, theirs))
            assert a.tobytes() == b.tobytes()
    a, b = ours.predictive_components_, theirs.predictive_components_
    assert a.tobytes() == b.tobytes()


def at_work():
    """Whether this process has done a work."""
    return _here.cache_info().currsize


def forget():
    """Let it be as if this process had done none."""
    _here.cache_clear()


@pytest.fixture(scope="module", params=[1, 2], ids=["1 worker", "2 workers"])
def client(request):
    with local(request.param) as cluster, distributed.Client(cluster) as client:
        yield client


def check_matrix(client, corpus, scratch, **options):
    """Inline, two threads and the cluster give the same bytes; all workers work."""
    assert len(state.prepare(corpus.counts).groups) > 9
    alone = fit(corpus, **options)
    assert_same(fit(corpus, n_jobs=2, **options), alone)
    client.run(forget)
    assert not any(client.run(at_work).values())
    with use(client, scratch):
        assert_same(fit(corpus, **options), alone)
    assert list(client.run(at_work).values()) == [1] * len(client.nthreads())
    assert list(scratch.iterdir()) == []


def test_the_same_model_as_in_one_process(client, corpus, tmp_path):
    check_matrix(client, corpus, tmp_path)


def test_the_same_levels_and_the_same_tree(client, bundled, tmp_path):
    n_groups = len(state.prepare(bundled.counts).groups)
    assert bundle(n_groups, len(client.nthreads())) > 1
    model = ParsimoniousTopicModel(
        evidence="bursts", max_topics=2, max_iter=4, random_state=0
    )
    alone = clone(model).fit(bundled)
    with use(client, tmp_path):
        far = clone(model).fit(bundled)
        tree = far.hierarchy()
    assert_same(far, alone)
    assert_same(far.finer_, alone.finer_)
    np.testing.assert_array_equal(far.parents_, alone.parents_)
    np.testing.assert_array_equal(tree.prices, alone.hierarchy().prices)


def test_the_same_living_models(client, corpus, tmp_path):
    """A guided fit, its refresh and what watching finds, of documents left on disk."""
    (tmp_path / "scratch").mkdir()
    corpus = corpus.select(np.arange(120))
    opened = on_disk(corpus, tmp_path)
    guide = Guide(together=[[0, 1]], apart=[[2, 3]], documents={"mine": [4, 5]})
    begun = ParsimoniousTopicModel(3, evidence="words", random_state=0)

    def lived(documents):
        half = documents.select(np.arange(0, len(documents), 2))
        model = clone(begun).fit(half, guide=guide)
        newer = model.refresh(documents)
        watched = newer.watch(documents, draws=2)
        shares = newer.document_topics(documents)
        values = ["one", "two"] * (len(documents) // 2)
        effects = find_effects(shares, values, draws=9)
        return model, newer, str(watched), effects.effects

    alone = lived(corpus)
    with use(client, tmp_path / "scratch"):
        far = lived(opened)
    for ours, theirs in zip(far[:2], alone[:2], strict=True):
        assert_same(ours, theirs)
    assert far[0].guide_costs_ == alone[0].guide_costs_
    assert far[1].changes_ == alone[1].changes_
    assert far[2:] == alone[2:]


def test_the_same_search_where_documents_are_blended(
    client, bundled, tmp_path, monkeypatch
):
    """The topics of two starts come together where the documents are kept."""
    corpus = bundled.select(np.arange(120))
    monkeypatch.setattr(from_above, "_BLENDED", -1.0)
    begun, together = [], rearrange.together
    monkeypatch.setattr(
        rearrange, "together", lambda *each: begun.append(each) or together(*each)
    )
    model = ParsimoniousTopicModel(max_topics=2, max_iter=4, random_state=0)
    alone = clone(model).fit(corpus)
    with use(client, tmp_path):
        assert_same(clone(model).fit(corpus), alone)
    assert len(begun) == 2


def test_the_same_model_of_real_text(client, documentation, tmp_path, monkeypatch):
    monkeypatch.setattr(state, "GROUP_ENTRIES", 1 << 13)
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 1 << 11)
    check_matrix(client, documentation, tmp_path, **SHORT)


@pytest.mark.data
@pytest.mark.skipif(
    not os.environ.get("LEANTOPICS_DATA"),
    reason="NOT RUN: set LEANTOPICS_DATA to the folder of the real corpora",
)
def test_the_same_model_of_reuters(client, tmp_path, monkeypatch):
    monkeypatch.setattr(state, "GROUP_ENTRIES", 1 << 14)
    monkeypatch.setattr(shards, "SHARD_ENTRIES", 1 << 11)
    (tmp_path / "scratch").mkdir()
    reuters = on_disk(load("reuters"), tmp_path)
    check_matrix(client, reuters, tmp_path / "scratch", **SHORT)


def busy(client):
    """The worker that has the most works to do, by address, or None."""
    works = {
        worker: sum("_work" in task for task in tasks)
        for worker, tasks in client.processing().items()
    }
    most = max(works, key=works.get, default=None)
    return most if most is not None and works[most] else None


def maps(pid, folder):
    """Whether a process has a file of a folder open in its memory."""
    with open(f"/proc/{pid}/maps") as lines:
        return any(str(folder) in line for line in lines)


@pytest.mark.skipif(sys.platform != "linux", reason="what is mapped is read from /proc")
def test_a_killed_worker_changes_nothing(
    documentation, from_scratch, tmp_path, monkeypatch
):
    """It is stopped first, to see that it holds a group and has not done its work."""
    monkeypatch.setattr(state, "GROUP_ENTRIES", 1 << 15)
    alone, killed, steps, after = fit(documentation, **SHORT), [], [], []
    with local(2) as cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)

        def kill():
            while not killed and len(steps) < len(alone.history_):
                time.sleep(0.002)
                worker = busy(client)
                if worker not in pids or not maps(pids[worker], tmp_path):
                    continue
                os.kill(pids[worker], signal.SIGSTOP)
                time.sleep(0.1)  # for what it has sent to come to the scheduler
                if busy(client) == worker and maps(pids[worker], tmp_path):
                    killed.append(worker)
                    after.append(len(steps))
                    os.kill(pids[worker], signal.SIGKILL)
                else:
                    os.kill(pids[worker], signal.SIGCONT)

        def watch(step):
            steps.append(step.iteration)
            if len(steps) == 2:
                killer.start()

        killer = threading.Thread(
            target=kill, daemon=True
        )  # which the end of the fit ends, too
        with use(client, tmp_path):
            model = fit(documentation, callback=watch, **SHORT)
        killer.join()
        assert killed
        assert client.run(os.getpid).get(killed[0]) != pids[killed[0]]
    # The iteration after the last one seen was under way, and was done none the less.
    assert 2 <= after[0] < len(steps)
    assert_same(model, alone)


def test_fit_on_a_cluster_from_the_command_line(corpus, tmp_path):
    corpus.select(np.arange(120)).save(tmp_path / "c")
    settings = ("--topics", "2", "--max-iter", "4", "--seed", "0")
    for name, more in (("here", ()), ("there", ("--dask", "local:2"))):
        result = run("fit", tmp_path / "c", "-o", tmp_path / name, *settings, *more)
        assert result.exit_code == 0, result.stderr
    assert_same(
        *(ParsimoniousTopicModel.load(tmp_path / name) for name in ("here", "there"))
    )


def test_refresh_on_a_cluster_from_the_command_line(corpus, tmp_path):
    """Both levels, from documents left on disk."""
    corpus.save(tmp_path / "c")
    corpus.select(np.arange(0, len(corpus), 2)).save(tmp_path / "half")
    begun = ("--max-topics", "2", "--max-iter", "4")
    run("fit", tmp_path / "half", "-o", tmp_path / "m", *begun)
    for name, more in (("here", ()), ("there", ("--dask", "local:2"))):
        command = ("refresh", tmp_path / "m", tmp_path / "c", "-o", tmp_path / name)
        result = run(*command, *more)
        assert result.exit_code == 0, result.stderr
    here, there = (ParsimoniousTopicModel.load(tmp_path / n) for n in ("here", "there"))
    assert_same(there, here)
    assert_same(there.finer_, here.finer_)
    assert there.changes_ == here.changes_


@pytest.mark.parametrize("command", [["fit"], ["refresh", "m"]], ids=["fit", "refresh"])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--dask", "local:two"], "Got local:two instead"),
        (["--scratch", "."], "--scratch can be used only with --dask"),
    ],
)
def test_wrong_use_of_a_cluster(corpus, tmp_path, monkeypatch, command, options, told):
    monkeypatch.chdir(tmp_path)
    corpus.save("c")
    fit(corpus).save("m")
    result = run(*command, "c", "-o", "new", *options)
    assert result.exit_code != 0
    assert told in result.stderr
    assert not (tmp_path / "new").exists()


def test_a_lost_scheduler_is_told_and_the_checkpoint_goes_on(
    corpus, from_scratch, tmp_path
):
    corpus = corpus.select(np.arange(200))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    dask = (sys.executable, "-m", "dask")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    port = ("--port", address.split(":")[-1], "--no-dashboard")
    scheduler = subprocess.Popen([*dask, "scheduler", *port], **quiet)
    few = ("--nworkers", "1", "--nthreads", "1", "--no-dashboard")
    worker = subprocess.Popen([*dask, "worker", address, *few], **quiet)
    try:
        with distributed.Client(address, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)

            def watch(step):
                if step.iteration == 3:
                    scheduler.kill()

            with pytest.raises(ConnectionError, match="its scheduler is gone"):
                with use(client):
                    fit(
                        corpus, callback=watch, checkpoint=Checkpoint(tmp_path / "c", 0)
                    )
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    resumed = fit(corpus, Checkpoint(tmp_path / "c", 0))
    assert_same(resumed, fit(corpus))


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (FileNotFoundError(2, "No such file", "/a/b"), FileNotFoundError,
         "The scratch folder must be one that all workers .* does not have /a/b; name"),
        (OSError(28, "No space left on device"), OSError, "No space left"),
        (OSError("Timed out trying to connect"), ConnectionError, "scheduler is gone"),
        (ConnectionRefusedError(111, "refused"), ConnectionError, "scheduler is gone"),
    ],
)  # fmt: skip
def test_what_went_wrong_on_a_cluster(error, kind, message):
    told = _explained(error)
    assert type(told) is kind
    assert re.search(message, str(told))
