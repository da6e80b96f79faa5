"""Workers are killed, schedulers lost and clusters closed, at every kind of moment."""

import os
import signal
import subprocess
import sys
import threading

import pytest

distributed = pytest.importorskip(
    "distributed", reason="workers of dask need distributed"
)

from tests.engine import kills  # noqa: E402 - it needs distributed

from leantopics.engine import dask, threads  # noqa: E402
from leantopics.models import shards  # noqa: E402
from leantopics.ptm import state  # noqa: E402
from leantopics.ptm.search import from_finer  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

ROUND = 20
"""The one at which it happens, of almost forty."""

CLOSED = r"scheduler is gone, or the client was closed( \([^']*\))?; start it again"


@pytest.fixture(scope="module")
def corpus():
    sizes = (state, "GROUP_ENTRIES"), (shards, "SHARD_ENTRIES")
    starts = (from_finer, "_MANY"), (from_finer, "_LEAST")
    with pytest.MonkeyPatch.context() as patch:
        for module, name in (*sizes, *starts):  # what `small` sets is undone
            patch.setattr(module, name, getattr(module, name))
        corpus = kills.small()
        from_finer._MANY = 1  # too few for groups of them: fits start from scratch
        yield corpus


@pytest.fixture(scope="module")
def alone(corpus):
    assert len(state.prepare(corpus.counts).groups) > threads.FAN_IN
    return kills.bits(kills.fit(corpus))


@pytest.fixture(scope="module")
def two():
    """Two workers without nannies, which tests put in the place of dead ones."""
    with kills.running(kills.Alone, 2) as running:
        yield running


def killed(running, corpus, moment, victims, folder):
    workers, client = running
    workers.heal()
    client.wait_for_workers(2, timeout=kills.GUARD)
    given = (workers, client, corpus, moment, ROUND, victims, folder)
    return kills.within(kills.GUARD, lambda: kills.killed(*given))


@pytest.mark.parametrize("victims", [1, 2])
@pytest.mark.parametrize("moment", kills.OF_THE_DRIVER)
def test_workers_killed_by_the_way(two, corpus, alone, tmp_path, moment, victims):
    model, n_kills = killed(two, corpus, moment, victims, tmp_path)
    assert n_kills == victims
    assert kills.bits(model) == alone
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("moment", kills.OF_A_WORKER)
def test_a_worker_killed_in_its_work(two, corpus, alone, tmp_path, moment):
    model, n_kills = killed(two, corpus, moment, 1, tmp_path)
    assert n_kills == 1
    assert kills.bits(model) == alone
    assert list((tmp_path / "scratch").iterdir()) == []


def happening(client, corpus, folder, moment, act):
    """Fit, and let something happen at a moment."""

    def run():
        hooks = kills.Moment(client, moment, ROUND, act, folder)
        with hooks.hooked(), threads.use(client, folder):
            return kills.fit(corpus)

    return kills.within(kills.GUARD, run)


def test_both_workers_are_killed_and_their_nannies_start_others(
    corpus, alone, tmp_path
):
    with kills.running(kills.Nannied, 2) as (workers, client):
        model = happening(
            client, corpus, tmp_path, "sent", lambda: kills.kill(workers.pids())
        )
    assert kills.bits(model) == alone


def test_a_cluster_that_is_started_again(corpus, alone, tmp_path):
    """Its client forgets all that it has sent."""
    with kills.running(kills.Nannied, 2) as (_, client):
        again = threading.Thread(target=client.restart)
        model = happening(client, corpus, tmp_path, "sent", again.start)
        again.join()
    assert kills.bits(model) == alone


def test_no_worker_comes_back(corpus, tmp_path, monkeypatch):
    """The fit waits for one once, not again before it sends the round again."""
    monkeypatch.setattr(dask, "PATIENCE", 3)
    waited, ask = [], dask.Cluster._workers

    def asking(self):
        try:
            return ask(self)
        except ConnectionError:
            waited.append(1)
            raise

    monkeypatch.setattr(dask.Cluster, "_workers", asking)
    with (
        kills.running(kills.Alone, 1) as (workers, client),
        pytest.raises(ConnectionError, match="needs a worker, but there has been none"),
    ):
        happening(client, corpus, tmp_path, "sent", lambda: kills.kill(workers.pids()))
    assert waited == [1]
    assert not any(path.is_dir() for path in tmp_path.iterdir())


@pytest.mark.parametrize("moment", ["between rounds", "sending", "sent"])
@pytest.mark.parametrize("what", ["cluster", "client"])
def test_closed_in_the_middle_of_a_fit(corpus, tmp_path, monkeypatch, what, moment):
    monkeypatch.setattr(dask, "PATIENCE", 10)
    with kills.running(kills.Alone, 1) as (workers, client):
        closes = client.close if what == "client" else workers.cluster.close
        closing = threading.Thread(target=closes)
        with pytest.raises(ConnectionError, match=CLOSED):
            happening(client, corpus, tmp_path, moment, closing.start)
        closing.join()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing can be stopped")
@pytest.mark.parametrize("moment", ["between rounds", "sent"])
@pytest.mark.parametrize("how", ["SIGSTOP", "SIGKILL"])
def test_a_scheduler_that_does_not_answer(corpus, tmp_path, monkeypatch, how, moment):
    monkeypatch.setattr(dask, "PATIENCE", 4)
    monkeypatch.setattr(dask, "_ANSWER", 1)
    run_dask, quiet = (sys.executable, "-m", "dask"), {"stderr": subprocess.DEVNULL}
    place = tmp_path / "scheduler.json"
    file = ("--scheduler-file", str(place), "--no-dashboard")
    scheduler = subprocess.Popen(
        [*run_dask, "scheduler", "--port", "0", *file], **quiet
    )
    worker = subprocess.Popen([*run_dask, "worker", *file, "--nthreads", "1"], **quiet)
    try:
        with distributed.Client(scheduler_file=str(place), timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            lose = lambda: os.kill(scheduler.pid, getattr(signal, how))  # noqa: E731
            with pytest.raises(ConnectionError, match="its scheduler is gone"):
                happening(client, corpus, tmp_path, moment, lose)
            scheduler.kill()
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()


class Number:
    """A group of one number."""

    def __init__(self, number):
        self.number = number

    def open(self):
        return self.number


def each(client, folder, work):
    groups = [Number(number) for number in range(3)]
    return kills.within(
        kills.GUARD,
        lambda: dask.Cluster(client, folder).read(work, groups, [None] * 3),
    )


def test_a_work_that_kills_every_worker(tmp_path, monkeypatch):
    monkeypatch.setattr(dask, "_TRIES", 2)

    def deadly(documents, known, workers):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)

    with (
        kills.system.config.set({"distributed.scheduler.allowed-failures": 0}),
        kills.running(kills.Nannied, 1) as (_, client),
        pytest.raises(ConnectionError, match="that got the same task died"),
    ):
        each(client, tmp_path, deadly)


def test_an_error_of_a_work_is_no_loss(two, tmp_path):
    """It is raised as it is, and nothing is sent again."""
    workers, client = two
    workers.heal()
    client.wait_for_workers(2, timeout=kills.GUARD)
    sent = []
    submit = client.submit

    def wrong(documents, known, workers):
        raise ArithmeticError(f"the documents {documents}")

    client.submit = lambda *given, **named: sent.append(1) or submit(*given, **named)
    try:
        with pytest.raises(ArithmeticError, match="the documents"):
            each(client, tmp_path, wrong)
    finally:
        del client.submit
    assert len(sent) == 3


def test_a_work_that_ends_after_its_fit(tmp_path, monkeypatch):
    """It writes while the scratch folder is removed."""
    rmdir = os.rmdir

    def late(path, **named):
        (folder / "late").touch()
        rmdir(path, **named)

    with threads.use(None, tmp_path):
        folder = threads.used()[1]
        monkeypatch.setattr(os, "rmdir", late)
    assert (folder / "late").exists()


@pytest.mark.slow
def test_many_kills():
    ends, dead = kills.many(200)
    print(ends, dead)
    assert {end for _, end in ends} <= {"same bits", "one sentence"}
    assert sum(dead.values()) >= 200
