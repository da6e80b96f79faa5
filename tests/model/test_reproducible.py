"""Same seed, same bits, whoever does the work."""

import threading

import numpy as np
import pytest
from tests.model.recount import assert_same_fit
from threadpoolctl import threadpool_limits

from leantopics import ParsimoniousTopicModel, make_corpus
from leantopics.engine.threads import Threads
from leantopics.models.shards import cut_shards
from leantopics.ptm.moves import rearrange
from leantopics.ptm.search import from_above


@pytest.fixture(scope="module")
def sharded():
    corpus, _ = make_corpus(1500, 1200, 10, doc_length=130)
    assert len(cut_shards(corpus.counts)) >= 7
    return corpus


def fitted(corpus, **settings):
    settings = {"max_topics": 16, "min_topics": 8, "step": 4, **settings}
    return ParsimoniousTopicModel(**settings).fit(corpus)


@pytest.fixture(scope="module")
def one_thread(sharded):
    return fitted(sharded, random_state=7, n_jobs=1)


@pytest.fixture
def workers(monkeypatch):
    """Names of the threads that worked on shards."""
    seen, plain = set(), Threads.map

    def spied(self, function, items):
        def noted(item):
            seen.add(threading.current_thread().name)
            return function(item)

        return plain(self, noted, items)

    monkeypatch.setattr(Threads, "map", spied)
    return seen


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_change_a_bit(n_jobs, sharded, one_thread, workers):
    other = fitted(sharded, random_state=7, n_jobs=n_jobs)
    assert_same_fit(one_thread, other)
    assert len(workers) == n_jobs
    assert all(name.startswith("leantopics") for name in workers)
    for inference in ("sparse", "all"):
        for model in (one_thread, other):
            model.set_params(inference=inference)
        a, b = (m.transform(sharded.counts) for m in (one_thread, other))
        assert np.array_equal(a, b)
        assert one_thread.score(sharded) == other.score(sharded)


def test_threads_of_linear_algebra_do_not_change_a_bit():
    """It has threads of its own for vectors of ten thousand numbers or more."""
    corpus, _ = make_corpus(300, 30_000, 4, salient_per_topic=3000, doc_length=400)
    found = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            model = ParsimoniousTopicModel(4, random_state=0, refine=1).fit(corpus)
            score = model.score(corpus)
        found.append((model.bic_, score, model.predictive_components_.tobytes()))
    assert found == [found[0]] * 3


def test_threads_do_not_change_a_bit_where_documents_are_blended(sharded, monkeypatch):
    monkeypatch.setattr(from_above, "_BLENDED", -1.0)
    begun, together = [], rearrange.together
    monkeypatch.setattr(
        rearrange, "together", lambda *each: begun.append(each) or together(*each)
    )
    a, b = (
        ParsimoniousTopicModel(max_topics=6, n_jobs=n, random_state=1).fit(sharded)
        for n in (1, 2)
    )
    assert len(begun) == 2
    assert_same_fit(a, b)


@pytest.mark.parametrize("sweep", ["down", "up"])
@pytest.mark.parametrize("init", ["seeded", "random"])
@pytest.mark.parametrize("procedure", ["paper", "published"])
def test_threads_change_nothing_in_any_kind_of_fit(sweep, init, procedure, corpus):
    settings = dict(sweep=sweep, init=init, procedure=procedure, random_state=3)
    a, b = (
        ParsimoniousTopicModel(max_topics=6, n_jobs=n, **settings).fit(corpus)
        for n in (1, 2)
    )
    assert_same_fit(a, b)


def test_a_second_fit_is_the_first_again(corpus):
    model = ParsimoniousTopicModel(max_topics=6, random_state=5)
    first = model.fit(corpus).at(model.n_topics_)
    assert_same_fit(first, model.fit(corpus))


def test_another_seed_gives_another_fit(corpus):
    settings = dict(n_topics=6, max_iter=100)
    bics = {
        ParsimoniousTopicModel(**settings, random_state=seed).fit(corpus).bic_
        for seed in range(4)
    }
    assert len(bics) > 1


def test_a_random_state_goes_on_where_it_is(corpus):
    def fits(random):
        model = ParsimoniousTopicModel(6, random_state=random)
        return [model.fit(corpus).bic_ for _ in range(4)]

    a, b = (fits(np.random.RandomState(3)) for _ in range(2))
    assert a == b
    assert len(set(a)) > 1
    assert a[0] == ParsimoniousTopicModel(6, random_state=3).fit(corpus).bic_


def test_no_seed_is_the_generator_of_numpy(corpus):
    np.random.seed(11)  # noqa: NPY002
    a = ParsimoniousTopicModel(6).fit(corpus).bic_
    np.random.seed(11)  # noqa: NPY002
    assert ParsimoniousTopicModel(6).fit(corpus).bic_ == a


def test_the_order_of_the_documents_does_not_matter_for_one_topic(corpus):
    """With several it does: the start is drawn, and proposals are accepted, in turn."""
    counts = corpus.counts
    model = ParsimoniousTopicModel(1, random_state=0).fit(counts)
    turned = ParsimoniousTopicModel(1, random_state=0).fit(counts[::-1])
    assert turned.bic_ == pytest.approx(model.bic_, rel=1e-9)
