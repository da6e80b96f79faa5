"""Fits on a Dask cluster whose workers are killed at a moment of choice.

As a program (python -m tests.engine.kills 200) it kills that many times, at all kinds
of moments, and counts how the fits end.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path

import dask as system
import distributed

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.engine import dask, threads
from leantopics.models import shards
from leantopics.ptm import state
from leantopics.ptm.search import from_finer

GUARD = 300
"""Seconds after which a fit of a few is taken to hang."""

OF_THE_DRIVER = ("between rounds", "before sending", "sending", "sent", "gathering")
"""Moments of the process that fits; the last: all is done, not yet here."""

OF_A_WORKER = ("begun", "computed", "written", "renamed")
"""Moments of a work: without a result, with one, with its file, with that in place."""


def small():
    """A corpus of 10 groups, so that the tree of sums has two rows.

    A fit begins with few topics: it has works of all kinds in a hundred rounds.
    """
    state.GROUP_ENTRIES, shards.SHARD_ENTRIES = 900, 300
    from_finer._MANY, from_finer._LEAST = 2, 0
    return make_corpus(150, 400, 5, salient_per_topic=40, boost=4, doc_length=80)[0]


def fit(corpus):
    model = ParsimoniousTopicModel(2, random_state=0, refine=0, max_iter=3)
    return model.fit(corpus)


def bits(model):
    """All that has to be the same."""
    matrices = (model.topic_proportions_, model.salient_word_prob_, model.salience_)
    parts = [getattr(m, name) for m in matrices for name in ("data", "indices")]
    arrays = [*parts, model.predictive_components_]
    steps = [step[:-1] for step in model.history_]
    return model.bic_, steps, [array.tobytes() for array in arrays]


def within(seconds, function):
    """What a function returns or raises, if it does so in time."""
    answer = futures.Future()

    def run():
        try:
            answer.set_result(function())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    assert futures.wait([answer], seconds).done, f"It hangs: {seconds} s are over."
    return answer.result()


class Nannied:
    """Workers that are started again when they are dead.

    By default a cluster gives up a nanny whose worker is away 15 seconds after a death.
    """

    def __init__(self, number):
        system.config.set({"distributed.deploy.lost-worker-timeout": f"{GUARD}s"})
        self.cluster, self.number = dask.local(number), number

    def pids(self):
        return [each.pid for each in self.cluster.workers.values() if each.pid]

    def heal(self):
        """They are, by themselves."""

    def close(self):
        self.cluster.close()


class Alone:
    """Workers without a nanny; who is dead stays so until `heal`."""

    def __init__(self, number):
        self.cluster = distributed.LocalCluster(n_workers=0, dashboard_address=None)
        self.number, self.processes = number, []
        self.heal()

    def pids(self):
        return [each.pid for each in self.processes if each.poll() is None]

    def heal(self):
        self.processes = [each for each in self.processes if each.poll() is None]
        address = self.cluster.scheduler_address
        few = ("--no-nanny", "--nworkers", "1", "--nthreads", "1", "--no-dashboard")
        while len(self.processes) < self.number:
            command = [sys.executable, "-m", "dask", "worker", address, *few]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            self.processes.append(subprocess.Popen(command, **quiet))

    def close(self):
        for each in self.processes:
            each.kill()
            each.wait()
        self.cluster.close()


@contextmanager
def running(kind, number):
    workers = kind(number)
    try:
        with distributed.Client(workers.cluster) as client:
            client.wait_for_workers(number, timeout=GUARD)
            yield workers, client
    finally:
        workers.close()


def kill(pids):
    """Kill at once; returns how many were there to be killed."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return len(pids)


def dying(work, flag, moment):
    """A work that ends its process at a moment, the first time that it comes there."""

    def dies(*given):
        import os
        import signal
        from pathlib import Path

        def die():
            Path(flag, "dead").touch()
            os.kill(os.getpid(), signal.SIGKILL)

        try:
            os.mkdir(flag)
        except FileExistsError:
            return work(*given)
        if moment == "begun":
            die()
        if moment == "computed":
            work(*given)
            die()
        replace = os.replace

        def replacing(*paths):
            if moment == "renamed":
                replace(*paths)
            die()

        os.replace = replacing
        return work(*given)

    return dies


class Moment:
    """Calls `act` once, at a moment of a round; or lets a work of it end its worker."""

    def __init__(self, client, moment, number, act, folder):
        self.moment, self.number, self.act, self.client = moment, number, act, client
        self.rounds, self.sent, self.came = 0, 0, False
        self.flag = str(Path(folder, f"flag-{random.getrandbits(64):x}"))

    def is_dead(self):
        return os.path.exists(os.path.join(self.flag, "dead"))

    def come(self, *moments):
        if self.rounds == self.number and self.moment in moments and not self.came:
            self.came = True
            self.act()

    @contextmanager
    def hooked(self):
        each, client = dask.Cluster.each, self.client
        submit, gather = client.submit, client.gather

        def counted(engine, job):
            self.rounds, self.sent = self.rounds + 1, 0
            self.come("between rounds")
            if self.rounds == self.number and self.moment in OF_A_WORKER:
                work = dying(job.task.work, self.flag, self.moment)
                job = job._replace(task=job.task._replace(work=work))
            return each(engine, job)

        def submitting(*given, **named):
            self.sent += 1
            self.come("before sending" if self.sent == 1 else "sending")
            return submit(*given, **named)

        def gathering(nodes, **named):
            self.come("sent")
            if self.moment == "gathering" and self.rounds == self.number:
                distributed.wait(nodes, timeout=GUARD)
                self.come("gathering")
            return gather(nodes, **named)

        dask.Cluster.each = counted
        client.submit, client.gather = submitting, gathering
        try:
            yield self
        finally:
            dask.Cluster.each = each
            del client.submit, client.gather


def killed(workers, client, corpus, moment, number, victims, folder):
    """Fit, and kill workers at a moment of a round; return the model, and the kills."""
    count = []

    def act():
        count.append(kill(workers.pids()[:victims]))
        threading.Timer(0.5, workers.heal).start()

    if moment == "at random":
        timer = threading.Timer(random.uniform(0, number / 8), act)
        timer.start()
    hooks = Moment(client, moment, number, act, folder)
    scratch = Path(folder, "scratch")
    scratch.mkdir(exist_ok=True)
    with hooks.hooked(), threads.use(client, scratch):
        model = fit(corpus)
    if moment == "at random":
        timer.cancel()
    return model, sum(count) + hooks.is_dead()


def many(n_kills, seed=0):
    """Kill many times, with and without nannies; count ends and kills by moment."""
    draw, corpus = random.Random(seed), small()
    alone, ends, kills = bits(fit(corpus)), Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        for kind in (Nannied, Alone):
            while (left := n_kills // 2 - sum_of(kills, kind.__name__)) > 0:
                with running(kind, 2) as (workers, client):
                    some(
                        workers, client, corpus, folder, draw, left, alone, ends, kills
                    )
    return ends, kills


def sum_of(counts, name):
    return sum(number for key, number in counts.items() if key[1] == name)


def some(workers, client, corpus, folder, draw, left, alone, ends, kills):
    """Kill until enough are dead; a cluster that does not heal is left."""
    n_rounds, before = rounds(client, corpus, folder), sum(kills.values())
    moments = (*OF_THE_DRIVER, *OF_A_WORKER, "at random")
    while sum(kills.values()) < before + left:
        moment, number = draw.choice(moments), draw.randint(1, n_rounds)
        given = (moment, number, draw.choice((1, 1, 2)), folder)
        end, n = end_of((workers, client, corpus, *given), alone)
        ends[moment, end] += 1
        kills[moment, type(workers).__name__] += n
        print(*given[:3], end, n, flush=True)
        if end == "hangs":
            return
        workers.heal()
        try:
            client.wait_for_workers(2, timeout=20)
        except TimeoutError:
            return


def rounds(client, corpus, folder):
    """How many rounds a fit has."""
    hooks = Moment(client, "never", 0, None, folder)
    with hooks.hooked(), threads.use(client, folder):
        fit(corpus)
    return hooks.rounds


def end_of(given, alone):
    """How a fit ended, and the number of kills."""
    try:
        model, n = within(GUARD, lambda: killed(*given))
    except ConnectionError:
        return "one sentence", 1
    except AssertionError:
        return "hangs", 1
    except Exception:
        traceback.print_exc()
        return "fault", 1
    return "same bits" if bits(model) == alone else "other bits", n


if __name__ == "__main__":
    start = time.monotonic()
    ends, kills = many(int(sys.argv[1]))
    for key, number in sorted((ends + kills).items()):
        print(f"{key[0]:16}{key[1]:14}{number:6}")
    print(f"{sum(kills.values())} kills, {time.monotonic() - start:.0f} seconds")
