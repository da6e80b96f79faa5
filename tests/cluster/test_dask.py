"""The same model on a real Dask cluster of processes, also if one of them is killed."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from tests.cli.runner import run

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.cluster import _here
from leantopics.engine import use
from leantopics.ptm import state
from leantopics.ptm.checkpoint import Checkpoint

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(500, 400, 5, salient_per_topic=40, boost=4, doc_length=80)[0]


@pytest.fixture(autouse=True)
def many_groups(monkeypatch, corpus):
    monkeypatch.setattr(state, "GROUP_ENTRIES", 2500)
    monkeypatch.setattr(state, "SHARD_ENTRIES", 600)
    assert len(state.prepare(corpus.counts).groups) > 9


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


def cluster_of(n_workers):
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=None
    )


@pytest.mark.parametrize("n_workers", [1, 2])
def test_the_same_model_as_in_one_process(corpus, tmp_path, n_workers):
    alone = fit(corpus)
    assert_same(fit(corpus, n_jobs=2), alone)
    with cluster_of(n_workers) as cluster, distributed.Client(cluster) as client:
        assert not any(client.run(at_work).values())
        with use(client, tmp_path):
            assert_same(fit(corpus), alone)
        assert list(client.run(at_work).values()) == [1] * n_workers
    assert list(tmp_path.iterdir()) == []


def test_a_killed_worker_changes_nothing(corpus):
    alone, killed = fit(corpus), []
    with cluster_of(2) as cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)

        def kill():
            while not killed:
                for worker, tasks in client.processing().items():
                    if tasks and worker in pids:
                        os.kill(pids[worker], signal.SIGKILL)
                        killed.append(worker)
                        return
                time.sleep(0.001)

        def watch(step):
            if step.iteration == 2:
                threading.Thread(target=kill).start()

        with use(client):
            model = fit(corpus, callback=watch)
        assert killed
        assert client.run(os.getpid).get(killed[0]) != pids[killed[0]]
    assert_same(model, alone)


def test_fit_on_a_cluster_from_the_command_line(corpus, tmp_path):
    corpus.save(tmp_path / "c")
    settings = ("--topics", "5", "--max-iter", "4", "--seed", "0")
    for name, more in (("here", ()), ("there", ("--dask", "local:2"))):
        result = run("fit", tmp_path / "c", "-o", tmp_path / name, *settings, *more)
        assert result.exit_code == 0, result.stderr
    assert_same(
        *(ParsimoniousTopicModel.load(tmp_path / name) for name in ("here", "there"))
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--dask", "local:two"], "Got local:two instead"),
        (["--scratch", "."], "--scratch goes with --dask only"),
    ],
)
def test_wrong_use_of_a_cluster(corpus, tmp_path, options, told):
    corpus.save(tmp_path / "c")
    result = run("fit", tmp_path / "c", "-o", tmp_path / "m", *options)
    assert result.exit_code != 0
    assert told in result.stderr
    assert not (tmp_path / "m").exists()


def test_a_lost_scheduler_is_told_and_the_checkpoint_goes_on(corpus, tmp_path):
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
